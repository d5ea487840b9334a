//! The dialplans that are measured, and engines that run them.

use crate::host::Engine;
use crate::host::rewrite::set_value;
use crate::machine::Limits;
use crate::measure::pips::Place;
use crate::syntax::load::MemoryReader;

/// A dialplan of the `dialplans` folder whose call runs a loop.
#[derive(Debug, Clone)]
pub struct Loop {
    /// Its text.
    pub text: &'static str,
    /// Where the call begins.
    pub place: Place<'static>,
    /// The variable that says how many rounds are run.
    pub rounds: &'static str,
}

/// `murf-81.conf`: the loop of 2007, that counts. Four priorities a round.
pub const MURF: Loop = Loop {
    text: include_str!("../../dialplans/murf-81.conf"),
    place: Place {
        context: "extension",
        exten: "81",
    },
    rounds: "iterations",
};

/// `mix.conf`: string work. Ten priorities a round.
pub const MIX: Loop = Loop {
    text: include_str!("../../dialplans/mix.conf"),
    place: Place {
        context: "extension",
        exten: "812125551",
    },
    rounds: "n",
};

/// `office.conf`: menus, Gosub, routes.
pub const OFFICE: Loop = Loop {
    text: include_str!("../../dialplans/office.conf"),
    place: Place {
        context: "office",
        exten: "100",
    },
    rounds: "rounds",
};

impl Loop {
    /// An engine with the loop set to so many rounds.
    pub fn engine(&self, rounds: u32, limits: Limits) -> Result<Engine, String> {
        let engine = Engine::builder().limits(limits).build();
        let mut reader = MemoryReader::new().with("extensions.conf", self.text);
        let (plan, report) = engine.read_plan("extensions.conf", &mut reader);
        let mut plan = plan.ok_or_else(|| report.to_string())?;
        let Place { context, exten } = self.place;
        if !set_value(&mut plan, context, exten, self.rounds, &rounds.to_string()) {
            return Err(format!("{exten}@{context} has no `Set({}=…)`", self.rounds));
        }
        engine.swap(&plan, &report);
        Ok(engine)
    }
}

/// What the lines of a chain test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    /// `"${v}" = "k7"`
    Texts,
    /// `${v} = 7`
    Integers,
    /// `${REGEX("^k7$" ${v})}`
    Patterns,
}

/// A dialplan whose extension 81 goes, so many rounds, through so many GotoIf that test one variable; each round another
/// one of them holds.
pub fn chain(tests: Tests, lines: u32, rounds: u32) -> String {
    let mut text = format!(
        "[extension]\nexten => 81,1,Set(i=0)\n same => n(top),Set(v=$[${{i}} % {lines}])\n"
    );
    if tests != Tests::Integers {
        text.push_str(" same => n,Set(v=k${v})\n");
    }
    for n in 0..lines {
        let test = match tests {
            Tests::Texts => format!("$[\"${{v}}\" = \"k{n}\"]"),
            Tests::Integers => format!("$[${{v}} = {n}]"),
            Tests::Patterns => format!("${{REGEX(\"^k{n}$\" ${{v}})}}"),
        };
        text.push_str(&format!(" same => n,GotoIf({test}?hit)\n"));
    }
    text.push_str(&format!(
        " same => n(hit),Set(i=$[${{i}} + 1])\n same => n,GotoIf($[${{i}} < {rounds}]?top)\n same => n,NoOp(done)\n"
    ));
    text
}

/// An engine with a dialplan as it stands, without a limit on priorities.
pub fn engine(text: &str) -> Result<Engine, String> {
    let limits = unlimited(Limits::default().fuel);
    let engine = Engine::builder().limits(limits).build();
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    engine
        .load_from("extensions.conf", &mut reader)
        .map_err(|error| error.to_string())?;
    Ok(engine)
}

/// No limit on priorities; that of memory stays. With more calls than threads the fuel is [`QUANTUM`].
pub fn unlimited(fuel: u32) -> Limits {
    Limits {
        max_priorities: u64::MAX,
        fuel,
        ..Limits::default()
    }
}

/// Priorities that each of many calls runs before the next one has its turn.
pub const QUANTUM: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Load;
    use crate::measure::pips::run;

    #[test]
    fn a_loop_runs_as_many_rounds_as_it_is_told() {
        for (plan, each) in [(MURF, Some(4)), (MIX, Some(10)), (OFFICE, None)] {
            let priorities = |rounds| {
                let limits = unlimited(Limits::default().fuel);
                let engine = plan.engine(rounds, limits).unwrap();
                run(&engine, &plan.place, Load::ONE, None).priorities
            };
            let more = priorities(30) - priorities(20);
            assert!(more > 0);
            if let Some(each) = each {
                assert_eq!(more, each * 10);
            }
        }
    }

    #[test]
    fn a_loop_without_its_variable_is_refused() {
        let plan = Loop {
            rounds: "nothing",
            ..MURF
        };
        assert!(plan.engine(1, Limits::default()).is_err());
    }
}
