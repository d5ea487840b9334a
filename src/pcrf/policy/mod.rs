//! Policies: dialplans that decide what a Gx session gets.
//!
//! A decision starts in the context `gx` at the extension `initial`, `update`, `push` or `terminate`. Functions read the
//! request, the subscriber, what was used; applications declare what is wanted; the [`difference()`] to what the session
//! has is what the PCEF is told. What was read is remembered in a [`Memo`]: while it is the same, so is the decision.
//!
//! ```
//! use strowger::pcrf::policy::{Files, Given, Kind, Policy, Runner};
//! use strowger::syntax::load::MemoryReader;
//!
//! let mut reader = MemoryReader::new().with(
//!     "gx.conf",
//!     "[gx]\nexten => initial,1,InstallRule(${SUBSCRIBER(plan)}-5m)\n",
//! );
//! let (policy, reports) = Policy::load("gx.conf", &Files::default(), &mut reader);
//! assert!(reports.iter().all(|report| !report.is_refused()));
//! let policy = policy.unwrap();
//! let mut inputs = Given::at(0);
//! inputs.set_subscriber(b"plan", b"basic");
//! let mut runner = Runner::new(Box::new(inputs));
//! let decision = policy.decide(&mut runner, Kind::Initial);
//! assert_eq!(decision.wanted.rules[0].name.as_bytes(), b"basic-5m");
//! ```

mod amount;
mod applications;
mod companion;
mod deciding;
mod definition;
mod difference;
mod functions;
mod inputs;
mod load;
mod memo;
mod monitoring_conf;
mod reads;
mod rules_conf;
mod runner;
mod subscribers;
mod wanted;
mod wrong;

use std::sync::Arc;

use crate::host::Engine;
use crate::library::{Application, Function};
use crate::machine::Location;
use crate::program::Want;

pub use amount::{When, amount, when};
pub use definition::{Arp, Definition, Direction, Flow, RuleKind};
pub use difference::{Difference, difference, rules};
pub use inputs::{AvpPath, Given, Input, Inputs, Quota, QuotaItem, QuotaState, avp_named};
pub use load::Files;
pub use memo::Memo;
pub use monitoring_conf::{Accumulate, Monitoring, MonitoringKey, Period};
pub use reads::{Reader, Reads};
pub use rules_conf::Rules;
pub use runner::{Decision, Runner};
pub use subscribers::{Subscriber, Subscribers};
pub use wanted::{Grant, Qos, Rule, Wanted, fits};
pub use wrong::{event, is_session_field, release_cause};

/// Applications of policies.
pub static APPLICATIONS: &[&Application] = &[
    &applications::INSTALL_RULE,
    &applications::DEFINE_RULE,
    &applications::REMOVE_RULE,
    &applications::SET_QOS,
    &applications::MONITOR,
    &applications::TRIGGER,
    &applications::REVALIDATE,
    &applications::REJECT,
    &applications::RELEASE,
    &applications::NOTIFY,
];
/// Functions of policies.
pub static FUNCTIONS: &[&Function] = &[
    &functions::AVP,
    &functions::SUBSCRIBER,
    &functions::QUOTA_STATE,
    &functions::QUOTA,
    &functions::USAGE,
    &functions::SESSION,
    &functions::TRIGGERED,
];

/// The context that decisions start in.
pub const CONTEXT: &str = "gx";
/// Lines that a decision may run, where nobody says otherwise.
pub const MAX_PRIORITIES: u64 = 2_000;
/// Lines that a decision may run at all: about a second, in which other requests wait.
pub const MOST_PRIORITIES: u64 = 1_000_000;

/// Why a decision is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The session begins (CCR-I).
    Initial = 0,
    /// The session goes on (CCR-U).
    Update = 1,
    /// Something changed here (RAR).
    Push = 2,
    /// The session ends (CCR-T): what is wanted is of no use any more.
    Terminate = 3,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Initial, Kind::Update, Kind::Push, Kind::Terminate];

    /// The extension that decides.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Initial => "initial",
            Kind::Update => "update",
            Kind::Push => "push",
            Kind::Terminate => "terminate",
        }
    }

    /// The kind of an extension.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The files beside a policy.
#[derive(Debug, Clone, Default)]
pub struct Companions {
    /// What the names of rules mean.
    pub rules: Rules,
    /// What is counted.
    pub monitoring: Monitoring,
}

/// A policy that was read: it never changes; a changed one is read anew.
pub struct Policy {
    engine: Engine,
    companions: Arc<Companions>,
    /// Another number for each policy of the process.
    id: u64,
    stamp: u64,
    max_priorities: u64,
    /// By kind: the extension that decides in its place, if its own only goes there; `None` = there is no such extension.
    entries: [Option<Kind>; 4],
    reads: Reads,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy")
            .field("id", &self.id)
            .field("stamp", &self.stamp)
            .finish_non_exhaustive()
    }
}

impl Policy {
    /// Decides about the inputs of the runner.
    pub fn decide<'r>(&self, runner: &'r mut Runner, kind: Kind) -> &'r Decision {
        runner.decide(self, kind)
    }

    /// A number for the dialplan with the files beside it: another one where any of them differs.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// The rules that are known by name.
    pub fn rules(&self) -> &Rules {
        &self.companions.rules
    }

    /// The monitoring keys that are known.
    pub fn monitoring(&self) -> &Monitoring {
        &self.companions.monitoring
    }

    /// What a rule is: what its decision said, else what rules.conf says of its name; `None` = the PCEF must know it.
    pub fn definition<'p>(&'p self, rule: &'p Rule) -> Option<&'p Definition> {
        let said = rule.definition.as_ref();
        said.or_else(|| self.rules().definition(&rule.name))
            .map(Arc::as_ref)
    }

    /// What the dialplan may read.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// Whether there is an extension for this kind of decision.
    pub fn has(&self, kind: Kind) -> bool {
        self.entries.get(kind as usize).is_some_and(Option::is_some)
    }

    /// The extension that decides in the place of this one, if its own only goes there.
    pub fn entry(&self, kind: Kind) -> Kind {
        let entry = self.entries.get(kind as usize).copied().flatten();
        entry.unwrap_or(kind)
    }

    /// Whether decisions of this kind depend on nothing but what is compared.
    pub fn is_comparable(&self, kind: Kind) -> bool {
        self.reads.is_comparable(kind)
    }

    /// The line of a place in the dialplan, as `file:line:column`, if there is one.
    pub fn line_of(&self, at: &Location) -> Option<String> {
        let image = self.engine.image();
        let want = Want::Priority(u32::try_from(at.priority).ok()?);
        let found = image.find(&at.context, &at.exten, want, None, 0).ok()?;
        let priority = image.program.table.priority(found.priority)?;
        Some(image.program.sources.describe(priority.place).to_string())
    }

    /// The dialplan.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}
