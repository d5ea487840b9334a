//! In which order a queue rings its members.

/// How a queue chooses among its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Strategy {
    /// All at once.
    #[default]
    RingAll,
    /// Who took a call least recently.
    LeastRecent,
    /// Who took the fewest calls.
    FewestCalls,
    /// By chance.
    Random,
    /// One after the other, beginning after the one who was rung last.
    RrMemory,
    /// The same, in the order of the configuration.
    RrOrdered,
    /// In the order of the configuration, from the first for every caller.
    Linear,
    /// By chance, with penalties as weights.
    WeightedRandom,
}

/// Names; the first of each is the one that is printed.
const NAMES: &[(Strategy, &str)] = &[
    (Strategy::RingAll, "ringall"),
    (Strategy::LeastRecent, "leastrecent"),
    (Strategy::FewestCalls, "fewestcalls"),
    (Strategy::Random, "random"),
    (Strategy::RrMemory, "rrmemory"),
    (Strategy::RrMemory, "roundrobin"),
    (Strategy::RrOrdered, "rrordered"),
    (Strategy::Linear, "linear"),
    (Strategy::WeightedRandom, "wrandom"),
];

impl Strategy {
    /// A strategy by its name in `queues.conf`.
    pub fn named(name: &[u8]) -> Option<Self> {
        let found = NAMES
            .iter()
            .find(|(_, known)| known.as_bytes().eq_ignore_ascii_case(name));
        found.map(|(strategy, _)| *strategy)
    }

    /// Its name in `queues.conf`.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(strategy, _)| *strategy == self);
        found.map_or("ringall", |(_, name)| *name)
    }
}
