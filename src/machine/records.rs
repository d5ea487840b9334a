//! Call records (CDR) and channel events (CEL).
//!
//! A channel has a chain of records: one for itself, and one for every channel that it dials. They are finished when
//! the channel is gone ([`Call::close`](super::Call::close)). A call that nobody wants records of keeps none, and its
//! direct operations run as ever.

mod chain;
mod event;
mod keeping;
mod record;

use std::sync::Arc;

use crate::base::Text;

pub(crate) use chain::{Fork, Records};
pub use event::{ChannelEvent, EventKind};
pub use record::{CallRecord, Disposition, ama_flags, local_time, seconds};

/// How records are made: the settings of `cdr.conf`, and `apps` of `cel.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings are independent of each other"
)]
pub struct RecordOptions {
    /// Whether every call keeps records from its start. Without, a call begins to keep them when it is told to
    /// ([`Call::keep_records`](super::Call::keep_records)) or when its dialplan asks for its record.
    pub keep: bool,
    /// `enable`: whether there are call records at all. Without, `CDR()` is empty and logs an error.
    pub enable: bool,
    /// `unanswered`: whether a record is handed out that was neither answered nor has a called channel.
    pub unanswered: bool,
    /// `congestion`: whether a congested call is CONGESTION and not FAILED.
    pub congestion: bool,
    /// `endbeforehexten`: whether records end before `h` and the hangup handlers.
    pub end_before_h: bool,
    /// `initiatedseconds`: whether half a second more counts as a second of `billsec`.
    pub initiated_seconds: bool,
    /// Applications whose start and end are channel events. Those that compile to direct operations (Set, Goto,
    /// NoOp …) make them only where somebody sees priorities.
    pub apps: Arc<[Text]>,
}

impl Default for RecordOptions {
    /// As in Asterisk: enabled, ended before `h`, everything else off; events of Dial and Park.
    fn default() -> Self {
        Self {
            keep: false,
            enable: true,
            unanswered: false,
            congestion: false,
            end_before_h: true,
            initiated_seconds: false,
            apps: Arc::from([Text::from("dial"), Text::from("park")]),
        }
    }
}
