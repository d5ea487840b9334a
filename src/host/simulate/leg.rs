//! A channel of the simulation.

use std::collections::VecDeque;

use crate::base::Text;
use crate::machine::{Call, Event};

use super::bridge::Dialling;
use super::originate::Originating;

/// Number of a channel, in order of creation.
pub(super) type LegId = usize;

/// Who is at the other end of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Far {
    /// Nobody who reacts: the far side of an answered call, or nobody any more.
    Nobody,
    /// The other half of a Local pair.
    Leg(LegId),
    /// The caller of a ringing call.
    Caller,
}

/// What the call of a channel waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Waits {
    /// Nothing: it has not begun, it ended, or its next step is queued already.
    Nothing,
    /// Media after an answer.
    Answer,
    /// Time.
    Sleep,
    /// The end of sounds, or a digit.
    Play { stop_on: Text, missing: Vec<Text> },
    /// A digit.
    Collect,
    /// The end of a recording.
    Record { ends: &'static str },
    /// The outcome of a Dial or Originate.
    Outcome,
    /// The end of an application that needs a device.
    Application { name: Text, ends: Event },
}

/// What a channel's call runs at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// What the channel is there for: when it ends, the channel is gone.
    Own,
    /// The subroutine of Dial's option `b`.
    BeforeCall,
    /// The subroutine of Dial's option `U`.
    AfterAnswer,
}

/// Who made a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The Dial of this channel.
    Dial(LegId),
    /// An Originate, and the channel that waits for its outcome.
    Originate(LegId),
}

pub(super) struct Leg {
    pub(super) call: Call,
    pub(super) far: Far,
    pub(super) waits: Waits,
    pub(super) task: Task,
    /// Counts what the call waited for, so that a timer of an earlier wait is known.
    pub(super) token: u64,
    /// Digits that arrived while nobody read.
    pub(super) typed: VecDeque<u8>,
    pub(super) dialling: Option<Box<Dialling>>,
    pub(super) originating: Option<Box<Originating>>,
    pub(super) owner: Option<Owner>,
    /// Technology and resource that it was created for.
    pub(super) destination: (Text, Text),
    /// How often the call may still be passed on by another Dial.
    pub(super) forwards: u32,
    /// Whether the channel exists no more.
    pub(super) gone: bool,
}

/// How often a call may be passed on from Dial to Dial.
const MAX_FORWARDS: u32 = 20;

impl Leg {
    pub(super) fn new(call: Call) -> Self {
        Self {
            call,
            far: Far::Nobody,
            waits: Waits::Nothing,
            task: Task::Own,
            token: 0,
            typed: VecDeque::new(),
            dialling: None,
            originating: None,
            owner: None,
            destination: (Text::EMPTY, Text::EMPTY),
            forwards: MAX_FORWARDS,
            gone: false,
        }
    }

    /// `technology/resource`.
    pub(super) fn target(&self) -> Vec<u8> {
        let (technology, resource) = &self.destination;
        [technology.as_bytes(), b"/", resource.as_bytes()].concat()
    }
}
