//! The file of a long measurement. It is rewritten after each cell, so that an interrupted
//! measurement can resume.

use std::collections::BTreeMap;
use std::path::PathBuf;

use runahead::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::harness::output::Output;
use crate::sys;

/// The conditions that all cells of a measurement share. Cells under other conditions are not
/// reused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) measurement: String,
    pub(crate) runs: usize,
    pub(crate) threads: bool,
    pub(crate) scale: u32,
    pub(crate) machine: String,
}

#[derive(Serialize, Deserialize)]
struct Content<C> {
    #[serde(flatten)]
    terms: Terms,
    cells: BTreeMap<String, C>,
}

/// The finished cells, in memory and in the file, if there is one.
pub(crate) struct Journal<C> {
    path: Option<PathBuf>,
    content: Content<C>,
}

impl<C: Serialize + DeserializeOwned> Journal<C> {
    /// The cells that the file has of a measurement on these terms; none, if there is no file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or contains something else.
    pub(crate) fn open(path: Option<PathBuf>, terms: Terms) -> Result<Journal<C>> {
        let mut content = Content { terms, cells: BTreeMap::new() };
        if let Some(path) = &path {
            let at = |what: String| Error::other(format!("{}: {what}", path.display()));
            let text = sys::text_of(path).map_err(|error| at(error.to_string()))?;
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                let found: Content<C> = serde_json::from_str(&text)
                    .map_err(|error| at(format!("expected a file of this measurement: {error}")))?;
                if found.terms != content.terms {
                    let what = "a file of another measurement or machine: name another file, or \
                                remove it";
                    return Err(at(what.to_owned()));
                }
                content = found;
            }
        }
        let journal = Journal { path, content };
        journal.write()?;
        Ok(journal)
    }

    pub(crate) fn cell(&self, name: &str) -> Option<&C> {
        self.content.cells.get(name)
    }

    /// Adds a cell, and writes the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn add(&mut self, name: String, cell: C) -> Result<()> {
        self.content.cells.insert(name, cell);
        self.write()
    }

    fn write(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = serde_json::to_vec_pretty(&self.content).map_err(Error::other)?;
        text.push(b'\n');
        Output::create(path)?.finish(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(runs: usize) -> Terms {
        let measurement = "matrix".to_owned();
        Terms { measurement, runs, threads: false, scale: 1, machine: "a".to_owned() }
    }

    #[test]
    fn a_journal_resumes_its_own_measurement_and_refuses_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matrix.json");
        let open = |runs| Journal::<f64>::open(Some(path.clone()), terms(runs));
        open(3).unwrap().add("a".to_owned(), 0.1).unwrap();
        open(3).unwrap().add("b".to_owned(), 1.0 / 3.0).unwrap();
        let journal = open(3).unwrap();
        assert_eq!(journal.cell("a"), Some(&0.1));
        assert_eq!(journal.cell("b"), Some(&(1.0 / 3.0)));
        assert_eq!(journal.cell("c"), None);
        assert!(open(4).is_err());
        assert_eq!(open(3).unwrap().cell("a"), Some(&0.1));
    }
}
