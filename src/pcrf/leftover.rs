//! What a PCEF may have where nobody knows which messages reached it.

use crate::pcrf::policy::Wanted;

/// What it may have: what was decided last, and what messages before removed that may not have arrived.
pub(crate) fn may_have(decided: &Wanted, leftover: &[u8]) -> Wanted {
    let mut all = decided.clone();
    let Some((leftover, _)) = Wanted::decode(leftover) else {
        return all;
    };
    for rule in leftover.rules {
        if all.rule(&rule.name).is_none() {
            all.add_rule(rule);
        }
    }
    for monitor in leftover.monitors {
        if !all.monitors.iter().any(|own| own.key == monitor.key) {
            all.add_monitor(monitor);
        }
    }
    for event in leftover.triggers {
        all.add_trigger(event);
    }
    all.revalidate = all.revalidate.or(leftover.revalidate);
    all
}

/// Writes what stays in doubt of what the PCEF may have, when it is told what is wanted: a thing that is wanted again is
/// none of it. Events are told as a whole: those before are only of interest where there are none now.
pub(crate) fn keep(present: Wanted, wanted: &Wanted, out: &mut Vec<u8>) {
    let mut rest = Wanted {
        rules: present.rules,
        monitors: present.monitors,
        ..Wanted::default()
    };
    rest.rules.retain(|rule| wanted.rule(&rule.name).is_none());
    rest.monitors
        .retain(|monitor| !wanted.monitors.iter().any(|own| own.key == monitor.key));
    if wanted.triggers.is_empty() && wanted.revalidate.is_none() {
        rest.triggers = present.triggers;
        rest.revalidate = present.revalidate;
    }
    out.clear();
    if rest != Wanted::default() {
        rest.encode(out);
    }
    out.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::policy::{Grant, Rule};

    fn wanted(rules: &[&str], key: &str, event: Option<u32>) -> Wanted {
        let mut wanted = Wanted::default();
        for name in rules {
            wanted.add_rule(Rule::named(*name, 1));
        }
        wanted.add_monitor(Grant {
            key: key.into(),
            grant: None,
        });
        wanted.triggers.extend(event);
        wanted
    }

    #[test]
    fn what_was_removed_stays_in_doubt_until_it_is_wanted_again() {
        let mut leftover = Vec::new();
        keep(
            wanted(&["a", "b"], "k", Some(33)),
            &wanted(&["b", "c"], "l", None),
            &mut leftover,
        );
        let may = may_have(&wanted(&["b", "c"], "l", None), &leftover);
        assert_eq!(may.rules.len(), 3);
        assert_eq!((may.monitors.len(), may.triggers.len()), (2, 1));
        let again = wanted(&["a", "b", "c"], "k", Some(2));
        let (rest, _) = Wanted::decode(&leftover).unwrap();
        keep(rest, &again, &mut leftover);
        assert!(leftover.is_empty());
        assert_eq!(may_have(&again, &leftover), again);
    }
}
