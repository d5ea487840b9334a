//! Lookups in one context: half 11-digit literals, half blocks of 10,000 numbers, and five generic patterns.

use std::fmt::Write as _;
use std::hint::black_box;

use crate::base::pattern::fit;
use crate::measure::dialplans::engine;
use crate::program::{ContextId, Matcher, Table, Want};

use super::{Options, Row, Side, Unit, nanoseconds_each, side_by_side};

/// xorshift: the same numbers in each run.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Numbers to look up, and where.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// Extensions of the one context.
    pub extens: Vec<String>,
    /// Numbers that all exist.
    pub probes: Vec<String>,
}

impl Numbers {
    /// So many extensions, half numbers and half blocks of them, and five generic patterns more; so many probes.
    pub fn new(size: usize, probes: usize) -> Self {
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut draw = |least: u64| -> Vec<String> {
            (0..size / 2)
                .map(|_| (least + random.below(least)).to_string())
                .collect()
        };
        let (literals, blocks) = (draw(10_000_000_000), draw(1_000_000));
        let probes = (0..probes)
            .filter_map(|_| {
                let at = random.below(size as u64 / 2) as usize;
                Some(if random.below(2) == 0 {
                    literals.get(at)?.clone()
                } else {
                    format!("{}{:04}", blocks.get(at)?, random.below(10_000))
                })
            })
            .collect();
        let generic = ["_NXXXXXX", "_1NXXNXXXXXX", "_011.", "_[45]XX", "_*9X!"].map(String::from);
        let mut extens = literals;
        extens.extend(blocks.iter().map(|block| format!("_{block}XXXX")));
        extens.extend(generic);
        Self { extens, probes }
    }

    /// The dialplan. Numbers that were drawn twice are refused when it is loaded, and said to be.
    pub fn text(&self) -> String {
        let mut text = String::from("[big]\n");
        for exten in &self.extens {
            let _ = writeln!(text, "exten => {exten},1,NoOp(${{EXTEN}})");
        }
        text
    }
}

/// Looks all up in the first context; how many were found.
pub fn find_all(table: &Table, matcher: &Matcher, probes: &[String]) -> usize {
    let found = |probe: &String| {
        let exten = black_box(probe.as_bytes());
        let found = matcher.find(table, ContextId(0), exten, Want::Priority(1), None, 0);
        usize::from(black_box(found).is_ok())
    };
    probes.iter().map(found).sum()
}

/// Looks all up by fitting one extension after the other; how many were found.
pub fn fit_all(table: &Table, probes: &[String]) -> usize {
    let found = |probe: &String| {
        let exten = black_box(probe.as_bytes());
        let mut extensions = table.extensions.iter();
        usize::from(extensions.any(|e| fit(&e.exten, exten).is_match()))
    };
    probes.iter().map(found).sum()
}

const WARM: usize = 96;
const COLD: usize = 65_536;

pub(super) fn rows(options: &Options<'_>) -> Vec<Row> {
    [
        (10, None),
        (1_000, None),
        (10_000, Some(20.0)),
        (100_000, Some(60.0)),
    ]
    .into_iter()
    .flat_map(|(size, goal)| of(options, size, goal))
    .collect()
}

fn of(options: &Options<'_>, size: usize, goal: Option<f64>) -> [Row; 2] {
    let numbers = Numbers::new(size, COLD);
    let image = engine(&numbers.text()).map(|engine| engine.image());
    let find = |probes: &[String]| {
        let program = &image.as_ref().map_err(Clone::clone)?.program;
        let all = || find_all(&program.table, &program.matcher, probes);
        // Few probes are to be warm from the first one that counts.
        if all() < probes.len() {
            return Err("a number was not found".to_owned());
        }
        nanoseconds_each(all)
    };
    let linear = |probes: &[String]| {
        let table = &image.as_ref().map_err(Clone::clone)?.program.table;
        nanoseconds_each(|| fit_all(table, probes))
    };
    let warm = numbers.probes.get(..WARM).unwrap_or_default();
    [
        side_by_side(
            options,
            format!("lookup among {size}, the same {WARM} numbers"),
            Unit::Nanoseconds,
            goal,
            || find(warm),
            vec![Side::new("one extension after the other (ours)", || {
                linear(warm)
            })],
        ),
        side_by_side(
            options,
            format!("lookup among {size}, {COLD} random numbers"),
            Unit::Nanoseconds,
            None,
            || find(&numbers.probes),
            Vec::new(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_exist() {
        let numbers = Numbers::new(200, 500);
        assert_eq!((numbers.extens.len(), numbers.probes.len()), (205, 500));
        let image = engine(&numbers.text()).unwrap().image();
        let (table, matcher) = (&image.program.table, &image.program.matcher);
        assert_eq!(find_all(table, matcher, &numbers.probes), 500);
        assert_eq!(fit_all(table, &numbers.probes), 500);
        assert_eq!(find_all(table, matcher, &["5".to_owned()]), 0);
    }
}
