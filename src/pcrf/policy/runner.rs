//! Runs decisions on one call that is used again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::{Code, Entry, code};
use crate::machine::{
    Call, Channel, ChannelState, Effect, EndReason, Environment, Event, Location, Observer, Start,
};
use crate::pcrf::diameter::ResultCode;

use super::deciding::Deciding;
use super::inputs::{Input, Inputs};
use super::memo::{self, Memo};
use super::wanted::Wanted;
use super::{Kind, Policy};

/// What was decided.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// What the session is to have; empty where the request is refused.
    pub wanted: Wanted,
    /// Why the request is refused.
    pub refused: Option<ResultCode>,
    /// Why the dialplan could not decide: then `refused` is 5012.
    pub fault: Option<&'static Code>,
    /// Lines that ran.
    pub priorities: u64,
    /// What was read, and until when the decision holds.
    pub memo: Memo,
    /// What was wrong on the way.
    pub log: Vec<Entry>,
    /// Where the call was at each entry of the log.
    pub places: Vec<Location>,
    /// Where it ended, if the dialplan could not decide.
    pub at: Option<Location>,
}

impl Decision {
    /// Whether a limit of lines ended it.
    pub fn is_limited(&self) -> bool {
        self.fault == Some(&code::LIMIT_PRIORITIES)
    }
}

/// The call that decisions run on, one after the other, with its buffers. One for each thread.
pub struct Runner {
    call: Option<Call>,
    /// Kept here as long as there is no call.
    spare: Option<Box<Deciding>>,
    /// The policy that the call was made for.
    policy: u64,
    clock: Arc<Clock>,
    channel: Channel,
    decision: Decision,
    /// Who watches the next call that is made.
    observer: Option<Box<dyn Observer>>,
    scratch: Vec<u8>,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").finish_non_exhaustive()
    }
}

/// The time of a decision. Nothing is left to chance: what is drawn depends on the session alone, so that each decision
/// of a session, also one that is repeated, draws the same.
#[derive(Debug, Default)]
struct Clock {
    now: AtomicI64,
    drawn: AtomicU64,
}

impl Clock {
    /// What is drawn from now on, for a text.
    fn seed(&self, text: &[u8]) {
        let seed = xxhash_rust::xxh3::xxh3_64(text);
        self.drawn.store(seed, Ordering::Relaxed);
    }
}

impl Environment for Clock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.now.load(Ordering::Relaxed).max(0) as u64)
    }

    fn random(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let at = self.drawn.fetch_add(STEP, Ordering::Relaxed);
        // SplitMix64.
        let mixed = (at ^ at >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn variable(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn set_variable(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}

impl Runner {
    /// A runner whose decisions read these inputs.
    pub fn new(inputs: Box<dyn Inputs>) -> Self {
        let mut channel = Channel::new("Gx");
        channel.state = ChannelState::Up;
        Self {
            call: None,
            spare: Some(Box::new(Deciding::new(inputs))),
            policy: 0,
            clock: Arc::default(),
            channel,
            decision: Decision::default(),
            observer: None,
            scratch: Vec::new(),
        }
    }

    /// With somebody who watches each line.
    #[must_use]
    pub fn watched(mut self, observer: Box<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    fn deciding(&mut self) -> Option<&mut Deciding> {
        match &mut self.call {
            Some(call) => call.attached(),
            None => self.spare.as_deref_mut(),
        }
    }

    /// The inputs of the next decision, if they are of this type.
    pub fn inputs_mut<I: Inputs>(&mut self) -> Option<&mut I> {
        let inputs: &mut dyn std::any::Any = self.deciding()?.inputs.as_mut();
        inputs.downcast_mut()
    }

    /// Other inputs for the next decision; those before come back.
    pub fn replace_inputs(&mut self, inputs: Box<dyn Inputs>) -> Option<Box<dyn Inputs>> {
        let deciding = self.deciding()?;
        Some(std::mem::replace(&mut deciding.inputs, inputs))
    }

    /// The last decision.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The last decision, to take it.
    pub fn take_decision(&mut self) -> Decision {
        std::mem::take(&mut self.decision)
    }

    /// The value that an input has now; `None` = there is none.
    pub fn value(&mut self, input: &Input) -> Option<Vec<u8>> {
        let deciding = self.deciding()?;
        let mut out = Vec::new();
        input
            .read(deciding.inputs.as_ref(), &mut out)
            .then_some(out)
    }

    /// Whether a memo, in its byte form, holds for the inputs that are set: the policy would decide the same.
    pub fn holds(&mut self, memo: &[u8], policy: &Policy, kind: Kind) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let holds = self.deciding().is_some_and(|deciding| {
            memo::holds(memo, policy, kind, deciding.inputs.as_ref(), &mut scratch)
        });
        self.scratch = scratch;
        holds
    }

    /// Runs a policy. Inputs must be set.
    pub(super) fn decide(&mut self, policy: &Policy, kind: Kind) -> &Decision {
        let start = Start::Extension(Location {
            context: Text::from(super::CONTEXT),
            exten: Text::from(kind.name()),
            priority: 1,
        });
        let taken_over = match &mut self.call {
            Some(call) if self.policy == policy.id => {
                call.renew(&self.channel, start);
                true
            }
            _ => {
                self.make_call(policy, start);
                false
            }
        };
        let there = policy.has(kind);
        let Self {
            call: Some(call),
            clock,
            decision,
            scratch,
            ..
        } = self
        else {
            return &self.decision;
        };
        let Some(deciding) = call.attached::<Deciding>() else {
            return decision;
        };
        deciding.begin();
        if !taken_over {
            deciding.companions = policy.companions.clone();
        }
        let now = deciding.inputs.now();
        clock.now.store(now, Ordering::Relaxed);
        if !policy.is_comparable(kind) {
            scratch.clear();
            deciding.inputs.session(b"id", scratch);
            clock.seed(scratch);
        }
        let mut fault = None;
        let mut event = Event::Start;
        if there {
            loop {
                match call.step(event) {
                    Effect::End(outcome) => {
                        if let EndReason::Limit(code) = outcome.reason {
                            fault = Some(code);
                        }
                        break;
                    }
                    Effect::Yield => event = Event::Resume,
                    _ => {
                        fault = Some(&code::DECISION_WAITS);
                        break;
                    }
                }
            }
        } else if kind != Kind::Terminate {
            fault = Some(&code::POLICY_ENTRY_MISSING);
        }
        decision.priorities = call.priorities();
        if let Some(deciding) = call.attached::<Deciding>() {
            deciding.clock_counts();
            conclude(policy, kind, deciding, fault, now, decision);
        }
        if let Some(fault) = decision.fault {
            let at = call.location().clone();
            if !decision.log.iter().any(|entry| entry.code == fault) {
                decision.log.push(Entry::new(fault, fault.title));
                decision.places.push(at.clone());
            }
            decision.at = Some(at);
        }
        decision
    }

    fn make_call(&mut self, policy: &Policy, start: Start) {
        let attached = match &mut self.call {
            Some(call) => call.detach(),
            None => None,
        };
        let mut call = policy.engine.call_on(self.channel.clone(), start);
        call.set_environment(self.clock.clone());
        if let Some(observer) = self.observer.take() {
            call = call.with_observer(observer);
        }
        if let Some(attached) = attached {
            call.attach(attached);
        } else if let Some(spare) = self.spare.take() {
            call.attach(spare);
        }
        self.call = Some(call);
        self.policy = policy.id;
    }
}

/// Lines that the way to a shared extension may take: near the limit the way decides.
const NEAR: u64 = 16;

fn conclude(
    policy: &Policy,
    kind: Kind,
    deciding: &mut Deciding,
    fault: Option<&'static Code>,
    now: i64,
    decision: &mut Decision,
) {
    let fault = fault.or(deciding.fault.filter(|_| deciding.refused.is_none()));
    decision.fault = fault;
    decision.refused = match fault {
        Some(_) => Some(ResultCode::UNABLE_TO_COMPLY),
        None => deciding.refused,
    };
    if decision.refused.is_some() {
        deciding.wanted.clear();
    }
    std::mem::swap(&mut decision.wanted, &mut deciding.wanted);
    std::mem::swap(&mut decision.memo.reads, &mut deciding.reads);
    decision.log.clear();
    decision.log.append(&mut deciding.log);
    decision.places.clear();
    decision.places.append(&mut deciding.places);
    decision.at = None;
    let useful = fault.is_none()
        && kind != Kind::Terminate
        && policy.is_comparable(kind)
        && decision.priorities + NEAR < policy.max_priorities;
    decision.memo.entry = useful.then(|| policy.entry(kind));
    decision.memo.stamp = policy.stamp();
    decision.memo.until = deciding.until.get();
    // Where the time does not matter it may be set back, too.
    let timeless = decision.memo.until == i64::MAX;
    decision.memo.since = if timeless { i64::MIN } else { now };
}
