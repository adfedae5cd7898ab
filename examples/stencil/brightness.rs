//! Temperatures as the brightness of a picture, and back.

use super::field::Field;
use super::pgm::Picture;

impl Field {
    /// A cell for each sample, as warm as that is bright.
    pub fn of_picture(picture: &Picture) -> Field {
        Field::new(picture.width, picture.samples.iter().copied().map(f64::from).collect())
    }

    /// The picture of these temperatures, in the format of the one that they came from.
    pub fn to_picture(&self, like: &Picture) -> Picture {
        // Means of samples lie between them: nothing is cut off.
        let cells = self.rows(0..self.height());
        let samples = cells.iter().map(|cell| cell.round() as u16).collect();
        Picture { samples, width: self.width(), height: self.height(), ..*like }
    }
}
