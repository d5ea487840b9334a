//! What runs a program: calls as values, stepped by a host.

mod activity;
pub mod arithmetic;
mod attached;
mod call;
pub mod cx;
mod digits;
mod dispatch;
pub mod effect;
pub mod environment;
mod evaluate;
pub mod expression;
pub mod facilities;
mod flow;
mod globals;
pub mod groups;
pub mod image;
mod observe;
pub mod outside;
mod pbx;
pub mod records;
pub mod sampler;
pub mod shared;
mod stack;
mod state;
mod store;
mod subroutine;
mod texts;
pub mod variables;

mod channel;

pub use attached::Attached;
pub use call::{Call, CallSetup, EndReason, Outcome, Settings, Start};
pub use channel::{Channel, ChannelState, LegCause, MadeBy, Party, Timeouts};
pub use cx::{Cx, TargetFault};
pub(crate) use effect::WATCH;
pub use effect::{
    AfterDial, ChannelRequest, Dial, Dialed, DialedLeg, Effect, Event, Indication, Originate,
    OriginateThen, Play, Record, Sound,
};
pub use environment::{Allow, Environment, Limits, System};
pub use flow::{
    Answer, AnswerNext, AnswerThen, AnswerThenText, Flow, Location, Then, ThenFlow, ThenText,
};
pub use image::{
    ApplicationBody, Image, LinkedApplication, LinkedFunction, Names, ReadBody, WriteBody,
};
pub use observe::{Note, Observer};
pub use outside::{
    NameRecord, OutsideRequest, RealtimeMatch, RealtimeRequest, RealtimeRow, RecordKind, WebRequest,
};
pub use records::{CallRecord, ChannelEvent, Disposition, EventKind, RecordOptions};
pub use shared::Shared;
pub use stack::{Frame, Locals, gosub_arguments};
pub use store::fault_code;

pub use crate::store::{Kept, StoreAnswer, StoreRequest};
