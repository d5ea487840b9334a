//! Time specifications of includes, GotoIfTime, ExecIfTime and IFTIME.

/// A compiled time specification: times, weekdays, days, months, zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timespec {}
