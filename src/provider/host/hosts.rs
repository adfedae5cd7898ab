//! Which host each rank of a job is on: a list that users write, or ids that the ranks have told
//! each other.
//!
//! A host is a number here, and nothing else: where it is, and how it is reached, are the networks'
//! to know.

use crate::order::Rank;

/// The host of each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<u32>);

/// The text names no host for each rank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHosts {
    /// It is of another number of ranks than the job.
    #[error("the hosts {list:?} are those of {listed} ranks, and the job has {ranks}")]
    Length {
        /// What was written.
        list: String,
        /// Of how many ranks it is.
        listed: usize,
        /// How many there are.
        ranks: usize,
    },
    /// It is neither of the two that can be written.
    #[error(
        "{list:?} names no hosts: it must be hosts times ranks on each, as 2x4, or a name for each rank, as \
         a,a,b,b"
    )]
    Text {
        /// What was written.
        list: String,
    },
}

impl Hosts {
    /// Reads what users write: `2x4` for two hosts with four ranks each, the lowest ranks on the
    /// first; or for each rank the name of its host, with commas between them, as `a,a,b,b`.
    ///
    /// # Errors
    ///
    /// [`InvalidHosts`] naming the text, and the number of ranks if it does not fit.
    pub fn read(list: &str, ranks: usize) -> Result<Hosts, InvalidHosts> {
        let wrong = || InvalidHosts::Text { list: list.to_owned() };
        let fits = |listed: usize| {
            let error = InvalidHosts::Length { list: list.to_owned(), listed, ranks };
            if listed == ranks { Ok(()) } else { Err(error) }
        };
        if let Some((hosts, each)) = times(list) {
            let listed = hosts.checked_mul(each).filter(|&listed| listed > 0).ok_or_else(wrong)?;
            fits(listed)?;
            return Ok(Hosts((0..ranks).map(|rank| (rank / each) as u32).collect()));
        }
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) || names.len() == 1 && ranks != 1 {
            return Err(wrong());
        }
        fits(names.len())?;
        Ok(Hosts::of_ids(&names))
    }

    /// How many ranks `list` is of, where that stands in it: `2x4` is of 8, `a,b,b` of 3.
    pub fn ranks_in(list: &str) -> Option<usize> {
        match times(list) {
            Some((hosts, each)) => hosts.checked_mul(each),
            None => list.contains(',').then(|| list.split(',').count()),
        }
    }

    /// Ranks whose ids are the same are on one host.
    pub fn of_ids<T: PartialEq>(ids: &[T]) -> Hosts {
        let mut known: Vec<&T> = Vec::new();
        let number = |id| match known.iter().position(|known| *known == id) {
            Some(number) => number as u32,
            None => {
                known.push(id);
                known.len() as u32 - 1
            }
        };
        Hosts(ids.iter().map(number).collect())
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.0.len()
    }

    /// The host of a rank, if there is one.
    pub fn of(&self, rank: Rank) -> Option<u32> {
        self.0.get(rank).copied()
    }

    /// The number of hosts.
    pub fn count(&self) -> usize {
        self.0.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Whether these are two ranks of one host.
    #[inline]
    pub fn are_near(&self, one: Rank, other: Rank) -> bool {
        matches!((self.0.get(one), self.0.get(other)), (Some(one), Some(other)) if one == other)
    }
}

/// The numbers in a text like `2x4`.
fn times(list: &str) -> Option<(usize, usize)> {
    let (hosts, each) = list.trim().split_once('x')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok())?
    };
    Some((number(hosts)?, number(each)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str, ranks: usize) -> Result<Vec<u32>, InvalidHosts> {
        Hosts::read(list, ranks).map(|hosts| hosts.0)
    }

    #[test]
    fn lists_and_products_of_hosts_parse() {
        assert_eq!(read("2x3", 6), Ok(vec![0, 0, 0, 1, 1, 1]));
        assert_eq!(read("1x1", 1), Ok(vec![0]));
        assert_eq!(read("0, 0,1,1", 4), Ok(vec![0, 0, 1, 1]));
        assert_eq!(read("node7,node3,node7", 3), Ok(vec![0, 1, 0]));
        assert_eq!(read("2x,box", 2), Ok(vec![0, 1]));
        assert_eq!(read("alone", 1), Ok(vec![0]));
        assert_eq!([Hosts::ranks_in("2x4"), Hosts::ranks_in("a,b,b")], [Some(8), Some(3)]);
        assert_eq!(Hosts::ranks_in("alone"), None);
    }

    #[test]
    fn an_invalid_list_of_hosts_is_named() {
        let length = |list: &str, listed, ranks| {
            Err(InvalidHosts::Length { list: list.to_owned(), listed, ranks })
        };
        assert_eq!(read("2x4", 4), length("2x4", 8, 4));
        assert_eq!(read("0,0,1", 4), length("0,0,1", 3, 4));
        let said = Hosts::read("0,0,1", 4).unwrap_err().to_string();
        assert_eq!(said, "the hosts \"0,0,1\" are those of 3 ranks, and the job has 4");
        for wrong in
            ["", ",", "0,,1", "0x4", "2x0", "99999999999x99999999999", "-2x4", "2x4x1", "two"]
        {
            let text = InvalidHosts::Text { list: wrong.to_owned() };
            assert_eq!(read(wrong, 4), Err(text), "{wrong:?}");
        }
    }

    #[test]
    fn ranks_are_near_on_one_host_only() {
        let hosts = Hosts::of_ids(&["b", "a", "b"]);
        assert_eq!((hosts.ranks(), hosts.count()), (3, 2));
        assert!(hosts.are_near(0, 2) && hosts.are_near(1, 1) && !hosts.are_near(0, 1));
        assert!(!hosts.are_near(0, 3) && !hosts.are_near(3, 3));
        assert_eq!([hosts.of(2), hosts.of(3)], [Some(0), None]);
    }
}
