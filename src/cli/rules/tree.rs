//! `strowger rules tree`.

use clap::{Args, ValueEnum};

use crate::cli::{exit, ui};
use crate::rules::{Pairs, list, tree};

/// Writes the published rules for shards as SQL: a tree of chains over the digits, or a list.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules tree --shards 200 > tree.sql
  strowger rules tree --shards 200 --list > list.sql

Shards are named by a comment at the start of the query, such as /* 007 */.")]
pub(crate) struct TreeArgs {
    /// How many shards.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    shards: u32,
    /// Where the shard stands.
    #[arg(long, value_name = "FIELD", value_parser = ["comment"], default_value = "comment")]
    field: String,
    /// Whether two digits that are left get a chain of their own (`split`, as published) or a rule each.
    #[arg(long, value_enum, default_value_t = PairsName::Split)]
    pairs: PairsName,
    /// One rule per shard instead of a tree.
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PairsName {
    Split,
    Whole,
}

pub(super) fn run(args: &TreeArgs) -> i32 {
    let pairs = match args.pairs {
        PairsName::Split => Pairs::Split,
        PairsName::Whole => Pairs::Whole,
    };
    let sql = if args.list {
        list(args.shards)
    } else {
        tree(args.shards, pairs)
    };
    ui::print(sql.as_bytes());
    exit::FINE
}
