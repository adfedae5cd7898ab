//! Rows of temperatures. They know nothing of steps, ranks and pictures.

use std::ops::Range;

/// Rows of temperatures. Its outermost cells are the boundary, which keeps its temperature.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Field {
    width: usize,
    cells: Vec<f64>,
}

impl Field {
    /// Rows of `width` cells, which must not be 0, one after the other.
    pub fn new(width: usize, cells: Vec<f64>) -> Field {
        Field { width, cells }
    }

    /// Cells in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    /// Rows between the first and the last.
    pub fn inner_rows(&self) -> usize {
        self.height().saturating_sub(2)
    }

    /// The cells of these rows.
    pub fn rows(&self, rows: Range<usize>) -> &[f64] {
        &self.cells[rows.start * self.width..rows.end * self.width]
    }

    /// The cells of these rows.
    pub fn rows_mut(&mut self, rows: Range<usize>) -> &mut [f64] {
        &mut self.cells[rows.start * self.width..rows.end * self.width]
    }

    /// What it is recognised by: another one with the same is the same, bit for bit, but for a chance of
    /// one in very many.
    pub fn digest(&self) -> u64 {
        self.cells.iter().fold(self.width as u64, |digest, cell| {
            (digest.rotate_left(5) ^ cell.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// Where the results first differ, if they do: row, column, and the value in each. Bits are
/// compared.
pub fn difference(right: &Field, given: &Field) -> Option<String> {
    if (right.width, right.height()) != (given.width, given.height()) {
        let (width, height) = (given.width, given.height());
        return Some(format!("{width} x {height} cells, not {} x {}", right.width, right.height()));
    }
    let mut pairs = right.cells.iter().zip(&given.cells);
    let at = pairs.position(|(right, given)| right.to_bits() != given.to_bits())?;
    let (row, column) = (at / right.width, at % right.width);
    Some(format!(
        "row {row}, column {column} is {:?}; a sequential program gives {:?}",
        given.cells[at], right.cells[at]
    ))
}
