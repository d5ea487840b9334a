//! What a host hangs on a call: its own state for its own applications and functions, and a witness of what the
//! course of the call depends on besides its variables.

use std::any::Any;

use crate::base::timespec::Timespec;
use crate::base::zone::Zone;
use crate::diagnostic::Entry;
use crate::machine::Location;

/// State of a host on a call, to be had by its type with [`Cx::attached`](crate::machine::Cx::attached). It is told
/// when time decides something; a call without one does not look.
pub trait Attached: Any + Send {
    /// A time specification was tested at this time (seconds since the epoch), in a zone of its own, else in this one,
    /// else in that of the process.
    fn tested(&self, times: &Timespec, zone: Option<&Zone>, at: i64) {
        let _ = (times, zone, at);
    }

    /// The clock was read, other than for a test.
    fn clock_read(&self) {}

    /// A log entry was made while the call was there.
    fn log(&mut self, entry: &Entry, at: &Location) {
        let _ = (entry, at);
    }
}
