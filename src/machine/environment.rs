//! What a call may ask of the world without waiting: time, chance, and what it is allowed to do.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time and chance, handed in by the host so that runs can be repeated. Never blocks.
pub trait Environment: Send + Sync {
    /// Time since the Unix epoch.
    fn now(&self) -> Duration;
    /// The next random number.
    fn random(&self) -> u64;
    /// An environment variable of the process, as `ENV()` reads it.
    fn variable(&self, name: &[u8]) -> Option<Vec<u8>>;
    /// Writes an environment variable; returns whether that is supported.
    fn set_variable(&self, name: &[u8], value: &[u8]) -> bool;
}

/// The clock of the machine, chance from the hasher's seeds, and the real environment, read only.
#[derive(Debug, Default)]
pub struct System {
    counter: std::sync::atomic::AtomicU64,
}

impl Environment for System {
    fn now(&self) -> Duration {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
    }

    fn random(&self) -> u64 {
        use std::hash::{BuildHasher, Hasher};
        let mut hasher = std::hash::RandomState::new().build_hasher();
        hasher.write_u64(
            self.counter
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        );
        hasher.finish()
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        let name = std::str::from_utf8(name).ok()?;
        if name.is_empty() || name.contains(['=', '\0']) {
            return None;
        }
        std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes)
    }

    fn set_variable(&self, _name: &[u8], _value: &[u8]) -> bool {
        false
    }
}

/// What dialplans may do outside the engine. All refused unless the host allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allow {
    /// `System()`, `TrySystem()`, `SHELL()`, `#exec`.
    pub system: bool,
    /// `FILE()` writes.
    pub file: bool,
    /// `CURL()` and other network access.
    pub net: bool,
}

/// Limits of a call. Exceeding one ends the call in the ordinary way with a named reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Priorities that a call may execute in all.
    pub max_priorities: u64,
    /// Gosub frames on the stack.
    pub max_gosub_depth: usize,
    /// Priorities executed in one step before it yields; up to 15 more where lines are fused.
    pub fuel: u32,
    /// Bytes of variables, `SHARED()` values, groups, Gosub frames and hangup handlers that a call may hold.
    pub max_memory: usize,
}

impl Default for Limits {
    /// 10,000,000 priorities, 512 Gosub frames, a yield each 8,192 priorities, 64 MiB of variables.
    fn default() -> Self {
        Self {
            max_priorities: 10_000_000,
            max_gosub_depth: 512,
            fuel: 8_192,
            max_memory: 64 << 20,
        }
    }
}
