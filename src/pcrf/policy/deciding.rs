//! The decision in progress, as the applications and functions of a policy find it on their call.

use std::cell::Cell;
use std::sync::Arc;

use crate::base::Text;
use crate::base::timespec::Timespec;
use crate::base::zone::Zone;
use crate::diagnostic::{Code, Entry, code};
use crate::machine::{Attached, Cx, Location};
use crate::pcrf::diameter::ResultCode;
use crate::pcrf::diameter::dictionary::AvpId;

use super::Companions;
use super::inputs::{Input, Inputs, value_hash};
use super::wanted::Wanted;

/// Names of AVPs that are remembered; a policy that computes more of them looks the others up.
pub(super) const NAMES: usize = 32;

/// What a decision reads, and what it has decided so far.
pub(super) struct Deciding {
    pub(super) inputs: Box<dyn Inputs>,
    pub(super) companions: Arc<Companions>,
    pub(super) wanted: Wanted,
    pub(super) refused: Option<ResultCode>,
    /// What was read, in order, and hashes of the values.
    pub(super) reads: Vec<(Input, u64)>,
    /// The first second in which a test of the time may come out otherwise.
    pub(super) until: Cell<i64>,
    /// Whether the clock was read.
    clock: Cell<bool>,
    /// What ended the dialplan, and should not have.
    pub(super) fault: Option<&'static Code>,
    pub(super) log: Vec<Entry>,
    /// Where the call was when the entries were made.
    pub(super) places: Vec<Location>,
    /// AVPs that were read by name.
    pub(super) names: Vec<(Text, AvpId)>,
}

/// The log entries of a call that ended because the dialplan is wrong.
static FAULTS: &[&Code] = &[
    &code::INVALID_EXTENSION_NO_HANDLER,
    &code::GOTO_TARGET_INVALID,
    &code::GOTO_WITHOUT_ARGUMENT,
    &code::GOTOIFTIME_WITHOUT_ARGUMENT,
    &code::GOSUB_TARGET_MISSING,
    &code::GOSUB_TARGET_INVALID,
    &code::GOSUB_WITHOUT_ARGUMENT,
    &code::RETURN_WITHOUT_GOSUB,
    &code::EXEC_USAGE,
    &code::EXECIFTIME_USAGE,
    &code::APPLICATION_UNKNOWN,
    &code::ENDWHILE_MISSING,
    &code::TIMEOUT_NO_HANDLER,
    &code::TYPED_EXTENSION_INVALID_NO_HANDLER,
];

impl Deciding {
    pub(super) fn new(inputs: Box<dyn Inputs>) -> Self {
        Self {
            inputs,
            companions: Arc::default(),
            wanted: Wanted::default(),
            refused: None,
            reads: Vec::new(),
            until: Cell::new(i64::MAX),
            clock: Cell::new(false),
            fault: None,
            log: Vec::new(),
            places: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Nothing is decided yet.
    pub(super) fn begin(&mut self) {
        self.wanted.clear();
        self.refused = None;
        self.reads.clear();
        self.until.set(i64::MAX);
        self.clock.set(false);
        self.fault = None;
        self.log.clear();
        self.places.clear();
    }

    /// Appends the value of an input, and remembers that it was read.
    pub(super) fn read(&mut self, input: Input, out: &mut Vec<u8>) {
        self.clock_counts();
        let mark = out.len();
        let present = input.read(self.inputs.as_ref(), out);
        if self.reads.iter().any(|(known, _)| *known == input) {
            return;
        }
        let value = out.get(mark..).unwrap_or(&[]);
        self.reads.push((input, value_hash(value, present)));
    }

    /// The clock stands among what was read, where it was first read.
    pub(super) fn clock_counts(&mut self) {
        if !self.clock.replace(false) {
            return;
        }
        let now = self.inputs.now();
        self.holds_until(now.saturating_add(1));
        let clock: Input = Input::Clock;
        if !self.reads.iter().any(|(known, _)| *known == clock) {
            let hash = clock.hash(self.inputs.as_ref(), &mut Vec::new());
            self.reads.push((clock, hash));
        }
    }

    /// What is decided may be otherwise from this time on.
    pub(super) fn holds_until(&self, at: i64) {
        self.until.set(self.until.get().min(at));
    }
}

impl Attached for Deciding {
    fn tested(&self, times: &Timespec, zone: Option<&Zone>, at: i64) {
        self.holds_until(times.next_change(at, zone));
    }

    fn clock_read(&self) {
        self.clock.set(true);
    }

    fn log(&mut self, entry: &Entry, at: &Location) {
        if self.fault.is_none() && FAULTS.contains(&entry.code) {
            self.fault = Some(entry.code);
        }
        // A loop that complains must not fill the memory.
        if self.log.len() < 100 {
            self.log.push(entry.clone());
            self.places.push(at.clone());
        }
    }
}

/// The decision of a call; where there is none, that is said.
pub(super) fn of<'a>(cx: &'a mut Cx<'_>, what: &str) -> Option<&'a mut Deciding> {
    // Asked twice, because the first answer would stand in the way of the log.
    if cx.attached::<Deciding>().is_none() {
        cx.log(&code::DECISION_MISSING, || {
            format!("{what} has no meaning outside of a decision")
        });
        return None;
    }
    cx.attached::<Deciding>()
}
