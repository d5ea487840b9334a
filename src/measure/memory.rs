//! Memory of this process, as the system counts it.

/// Resident bytes of the process; `None` where the system does not say (it is read from Linux's /proc).
pub fn resident() -> Option<usize> {
    status("VmRSS:")
}

/// Most resident bytes since the process began, or since Linux was told to forget them.
pub fn peak() -> Option<usize> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kib: usize = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// What `act` leaves resident, with what the allocator keeps for later; and what `act` gives.
pub fn grown<T>(act: impl FnOnce() -> T) -> (T, Option<usize>) {
    let before = resident();
    let done = act();
    let after = resident();
    (done, after.zip(before).map(|(a, b)| a.saturating_sub(b)))
}
