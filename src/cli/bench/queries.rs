//! Query rules in the suite: compiled beside the two other modes that decide the same.

use std::hint::black_box;

use crate::measure::suite::{Options, Row, Side, Unit, nanoseconds_each, side_by_side};
use crate::rules::{Mode, Query, RuleSet, Session, Workload, list};

/// Shards, each with a rule and a query of its own.
const SHARDS: [u32; 2] = [200, 2_000];

pub(super) fn rows(options: &Options<'_>) -> Vec<Row> {
    SHARDS.map(|shards| of(options, shards)).into()
}

fn of(options: &Options<'_>, shards: u32) -> Row {
    let (rules, _) = RuleSet::from_sql(list(shards));
    let texts = Workload::new(shards, 1).queries();
    let ask = |mode| {
        let mut session = Session::new(mode);
        nanoseconds_each(|| {
            for text in &texts {
                let query = Query {
                    text,
                    ..Query::default()
                };
                black_box(rules.eval(&mut session, black_box(&query)));
            }
            texts.len()
        })
    };
    side_by_side(
        options,
        format!("query of one of {shards} shards, a rule each, compiled"),
        Unit::Nanoseconds,
        None,
        || ask(Mode::Compiled),
        vec![
            Side::new("list: one rule after the other (ours)", || ask(Mode::List)),
            Side::new("map: the chain of the flag (ours)", || ask(Mode::Map)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modes_are_measured_beside_each_other() {
        let options = Options {
            rounds: 1,
            quick: true,
            asterisk: None,
            alone: &|_| Err("not asked for".into()),
            next: &|_| {},
        };
        let row = of(&options, 50);
        assert_eq!(row.baselines.len(), 2);
        for baseline in &row.baselines {
            assert!(row.ratio(baseline).unwrap() > 0.0);
        }
    }
}
