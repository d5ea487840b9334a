//! Rules for shards: the list with one rule each, and the published tree over the digits of the shard.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// What a chain does with the last two digits where they are not the last of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairs {
    /// One of them gets a chain of its own: the published tree.
    #[default]
    Split,
    /// Each gets a rule.
    Whole,
}

/// The hostgroup of rules that only lead on; a later rule overwrites it.
const PLACEHOLDER: u32 = 999;

/// Digits of shards: three, or as many as the largest number needs.
pub(crate) fn width(shards: u32) -> usize {
    shards.saturating_sub(1).to_string().len().max(3)
}

/// SQL of a rule for each shard, in order.
pub fn list(shards: u32) -> String {
    let width = width(shards);
    let mut sql = format!("-- {shards} shards, one rule each, tried in order\n");
    for shard in 0..shards {
        let _ = writeln!(
            sql,
            "{INSERT} VALUES ({},1,'\\/\\* {shard:0width$}',0,NULL,1,{shard});",
            shard + 1
        );
    }
    sql
}

const INSERT: &str = "INSERT INTO mysql_query_rules \
                      (rule_id,active,match_pattern,flagIN,flagOUT,apply,destination_hostgroup)";

/// A chain to be written: the digits that it decides among, after a prefix.
struct Branch {
    flag: u32,
    prefix: String,
    first: u32,
    last: u32,
}

/// SQL of the published tree: every chain halves the digits that are left.
pub fn tree(shards: u32, pairs: Pairs) -> String {
    let width = width(shards);
    let mut body = String::new();
    let mut rules = 0u32;
    let mut flags = 0u32;
    let mut open = VecDeque::new();
    if shards > 0 {
        let last = last_digit("", width, shards);
        open.push_back(Branch {
            flag: 0,
            prefix: String::new(),
            first: 0,
            last,
        });
    }
    let mut rule = |pattern: &str, flag: u32, next: Option<u32>, hostgroup: u32| {
        rules += 1;
        let (next, apply) = next.map_or(("NULL".to_owned(), 1), |next| (next.to_string(), 0));
        let _ = writeln!(
            body,
            "{INSERT} VALUES ({rules},1,'\\/\\* {pattern}',{flag},{next},{apply},{hostgroup});"
        );
    };
    while let Some(branch) = open.pop_front() {
        let Branch {
            flag,
            prefix,
            mut first,
            last,
        } = branch;
        let is_last_digit = prefix.len() + 1 == width;
        let whole = if is_last_digit || pairs == Pairs::Whole {
            2
        } else {
            1
        };
        while last - first + 1 > whole {
            let half = first + (last - first).div_ceil(2) - 1;
            flags += 1;
            rule(
                &format!("{prefix}[{first}-{half}]"),
                flag,
                Some(flags),
                PLACEHOLDER,
            );
            open.push_back(Branch {
                flag: flags,
                prefix: prefix.clone(),
                first,
                last: half,
            });
            first = half + 1;
        }
        for digit in first..=last {
            let longer = format!("{prefix}{digit}");
            if is_last_digit {
                rule(&longer, flag, None, longer.parse().unwrap_or(0));
            } else {
                flags += 1;
                rule(&longer, flag, Some(flags), PLACEHOLDER);
                let last = last_digit(&longer, width, shards);
                open.push_back(Branch {
                    flag: flags,
                    prefix: longer,
                    first: 0,
                    last,
                });
            }
        }
    }
    let highest = shards.saturating_sub(1);
    format!(
        "-- shards {:0width$} to {highest:0width$} as a tree over the {} digits: {rules} rules\n{body}",
        0,
        match width {
            3 => "three".to_owned(),
            other => other.to_string(),
        },
    )
}

/// The largest digit that may follow a prefix.
fn last_digit(prefix: &str, width: usize, shards: u32) -> u32 {
    let highest = format!("{:0width$}", shards.saturating_sub(1));
    match highest.strip_prefix(prefix) {
        Some(rest) => rest
            .chars()
            .next()
            .and_then(|c| c.to_digit(10))
            .unwrap_or(9),
        None => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(sql: &str) -> usize {
        sql.matches("INSERT").count()
    }

    #[test]
    fn trees_have_the_published_sizes() {
        assert_eq!(rules(&tree(100, Pairs::Split)), 170);
        assert_eq!(rules(&tree(100, Pairs::Whole)), 166);
        assert_eq!(rules(&tree(200, Pairs::Split)), 341);
        assert_eq!(rules(&tree(200, Pairs::Whole)), 332);
        assert_eq!(rules(&list(200)), 200);
        assert_eq!(rules(&tree(0, Pairs::Split)), 0);
        assert_eq!(rules(&tree(1, Pairs::Split)), 3);
    }
}
