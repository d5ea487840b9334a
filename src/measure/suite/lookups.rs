//! Lookups in one context: half 11-digit literals, half blocks of 10,000 numbers, and five generic patterns.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use crate::base::pattern::fit;
use crate::host::Engine;
use crate::program::{ContextId, Want};
use crate::syntax::load::MemoryReader;

use super::{Options, Row, Side, Unit, side_by_side};

/// xorshift: the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A dialplan of so many extensions in one context, and numbers that all exist.
pub fn numbers_and_blocks(size: usize, probes: usize) -> (String, Vec<String>) {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut draw = |least: u64| -> Vec<String> {
        (0..size / 2)
            .map(|_| (least + random.below(least)).to_string())
            .collect()
    };
    let (literals, blocks) = (draw(10_000_000_000), draw(1_000_000));
    let mut text = String::from("[big]\n");
    let patterns = blocks.iter().map(|block| format!("_{block}XXXX"));
    let generic = ["_NXXXXXX", "_1NXXNXXXXXX", "_011.", "_[45]XX", "_*9X!"].map(String::from);
    for exten in literals.iter().cloned().chain(patterns).chain(generic) {
        let _ = writeln!(text, "exten => {exten},1,NoOp(${{EXTEN}})");
    }
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
    (text, probes)
}

const WARM: usize = 96;
const COLD: usize = 65_536;

pub(super) fn rows(options: &Options<'_>, _: &Path) -> Vec<Row> {
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
    let (text, probes) = numbers_and_blocks(size, COLD);
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    // Numbers that were drawn twice are refused, and said to be: they are not of interest here.
    let loaded = engine
        .load_from("extensions.conf", &mut reader)
        .map(|_| ())
        .map_err(|error| error.to_string());
    let image = engine.image();
    let program = &image.program;
    let find = |probes: &[String], passes: usize| {
        loaded.clone()?;
        let one = |probe: &String| {
            let exten = black_box(probe.as_bytes());
            let (table, want) = (&program.table, Want::Priority(1));
            let found = program
                .matcher
                .find(table, ContextId(0), exten, want, None, 0);
            usize::from(found.is_ok())
        };
        // Few probes are to be warm from the first one that counts.
        if probes.len() <= WARM {
            black_box(probes.iter().map(one).sum::<usize>());
        }
        let begin = Instant::now();
        let mut found = 0;
        for _ in 0..passes {
            found += probes.iter().map(one).sum::<usize>();
        }
        let nanoseconds = begin.elapsed().as_secs_f64() * 1e9;
        if found < probes.len() * passes {
            return Err("a number was not found".to_owned());
        }
        Ok(nanoseconds / found as f64)
    };
    let linear = |probes: &[String]| {
        let begin = Instant::now();
        let found = probes
            .iter()
            .filter(|probe| {
                let exten = black_box(probe.as_bytes());
                let mut extensions = program.table.extensions.iter();
                extensions.any(|e| fit(&e.exten, exten).is_match())
            })
            .count();
        Ok(begin.elapsed().as_secs_f64() * 1e9 / found.max(1) as f64)
    };
    let warm = probes.get(..WARM).unwrap_or_default();
    let passes = options.size(10_000) as usize;
    [
        side_by_side(
            options,
            format!("lookup among {size}, the same {WARM} numbers"),
            Unit::Nanoseconds,
            goal,
            || find(warm, passes),
            vec![Side::new("one extension after the other (ours)", || {
                linear(warm)
            })],
        ),
        side_by_side(
            options,
            format!("lookup among {size}, {COLD} random numbers"),
            Unit::Nanoseconds,
            None,
            || find(&probes, passes.div_ceil(1000)),
            Vec::new(),
        ),
    ]
}
