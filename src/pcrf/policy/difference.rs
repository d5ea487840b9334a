//! From what a session has to what it is to have.

use super::wanted::{Rule, Wanted};

/// What must change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference<'a> {
    /// Rules to install, or to install again because they mean something else now; sorted by name.
    pub install: Vec<&'a Rule>,
    /// Rules to remove, sorted by name.
    pub remove: Vec<&'a Rule>,
    /// Whether the quality changes.
    pub qos: bool,
    /// Whether the events change.
    pub triggers: bool,
    /// Whether what is reported of usage changes.
    pub monitors: bool,
    /// Whether the time of the next question changes.
    pub revalidate: bool,
}

impl Difference<'_> {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Difference::default()
    }
}

/// What leads from what is there to what is wanted.
pub fn difference<'a>(wanted: &'a Wanted, present: &'a Wanted) -> Difference<'a> {
    let (install, remove) = rules(wanted, &present.rules);
    Difference {
        install,
        remove,
        qos: wanted.qos != present.qos,
        triggers: wanted.triggers != present.triggers,
        monitors: wanted.monitors != present.monitors,
        revalidate: wanted.revalidate != present.revalidate,
    }
}

/// Rules to install and to remove, where those that are installed are sorted by name.
pub fn rules<'a>(wanted: &'a Wanted, installed: &'a [Rule]) -> (Vec<&'a Rule>, Vec<&'a Rule>) {
    let (mut install, mut remove) = (Vec::new(), Vec::new());
    let mut there = installed.iter().peekable();
    for rule in &wanted.rules {
        while let Some(other) = there.next_if(|other| other.name < rule.name) {
            remove.push(other);
        }
        match there.next_if(|other| other.name == rule.name) {
            Some(same) if is_same(same, rule) => {}
            _ => install.push(rule),
        }
    }
    remove.extend(there);
    (install, remove)
}

/// Whether an installed rule is what is wanted: also its times, and what its name means.
fn is_same(installed: &Rule, wanted: &Rule) -> bool {
    installed.meaning == wanted.meaning
        && installed.activate == wanted.activate
        && installed.deactivate == wanted.deactivate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes() {
        let mut wanted = Wanted::default();
        for name in ["d", "a", "c"] {
            wanted.add_rule(Rule::named(name, 1));
        }
        let mut present = Wanted::default();
        for (name, meaning) in [("a", 1), ("b", 1), ("d", 2), ("e", 1)] {
            present.add_rule(Rule::named(name, meaning));
        }
        let difference = difference(&wanted, &present);
        let names = |rules: &[&Rule]| -> Vec<String> {
            rules.iter().map(|rule| rule.name.to_string()).collect()
        };
        assert_eq!(names(&difference.install), ["c", "d"]);
        assert_eq!(names(&difference.remove), ["b", "e"]);
        assert!(super::difference(&wanted, &wanted).is_empty());
    }
}
