//! The machine that figures were taken on.

use std::thread;

/// Processor and cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Model of the processor; the architecture where the system does not say.
    pub cpu: String,
    /// Threads that run at the same time.
    pub cores: usize,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        Self {
            cpu: model().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

fn model() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The compiler that built this.
pub fn rustc() -> &'static str {
    env!("STROWGER_RUSTC")
}

/// The commit that this was built from; none outside a checkout.
pub fn commit() -> Option<&'static str> {
    Some(env!("STROWGER_COMMIT")).filter(|commit| !commit.is_empty())
}
