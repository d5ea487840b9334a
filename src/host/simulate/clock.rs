//! Virtual time and seeded chance: what makes a simulated call repeatable.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::machine::Environment;

/// The clock, chance and environment variables of one simulation.
pub(super) struct Clock {
    /// Nanoseconds since the epoch.
    now: AtomicU64,
    /// State of the random sequence (`SplitMix64`).
    random: AtomicU64,
    /// Environment variables written by the dialplan.
    variables: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// Where variables come from that the dialplan did not write.
    outer: Arc<dyn Environment>,
}

impl Clock {
    pub(super) fn new(start: Duration, seed: u64, outer: Arc<dyn Environment>) -> Self {
        Self {
            now: AtomicU64::new(nanoseconds(start)),
            random: AtomicU64::new(seed),
            variables: Mutex::new(BTreeMap::new()),
            outer,
        }
    }

    /// Time only goes forward.
    pub(super) fn advance_to(&self, time: Duration) {
        self.now.fetch_max(nanoseconds(time), Ordering::Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Environment for Clock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::Relaxed))
    }

    fn random(&self) -> u64 {
        let state = self
            .random
            .fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        let written = self
            .variables
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned();
        written.or_else(|| self.outer.variable(name))
    }

    fn set_variable(&self, name: &[u8], value: &[u8]) -> bool {
        self.variables
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_vec(), value.to_vec());
        true
    }
}
