//! Queries that are made, not read.

use std::str::FromStr;

use crate::rules::tree::width;

/// `shards:100x40`: a query for each of 100 shards, 40 rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Workload {
    /// Shards from 0.
    pub shards: u32,
    /// Rounds.
    pub rounds: u32,
}

impl Workload {
    /// A workload of so many rounds over so many shards.
    pub fn new(shards: u32, rounds: u32) -> Self {
        Self { shards, rounds }
    }

    /// The query of each shard, with as many digits as `tree` and `list` give it.
    pub fn queries(&self) -> Vec<Vec<u8>> {
        let width = width(self.shards);
        (0..self.shards)
            .map(|shard| format!("/* {shard:0width$} */ select 'test' from dual").into_bytes())
            .collect()
    }
}

impl FromStr for Workload {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .strip_prefix("shards:")
            .and_then(|rest| rest.split_once('x'))
            .and_then(|(shards, rounds)| Some((shards.parse().ok()?, rounds.parse().ok()?)));
        match numbers {
            Some((shards, rounds)) if (1..=100_000).contains(&shards) && rounds > 0 => {
                Ok(Self { shards, rounds })
            }
            _ => Err("a workload is `shards:SHARDSxROUNDS`, such as shards:100x40".to_owned()),
        }
    }
}
