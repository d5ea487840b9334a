//! What happened since the start, counted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pcrf::diameter::peer::Reason;

macro_rules! counters {
    ($($(#[doc = $doc:literal])* $field:ident $name:literal,)*) => {
        /// Counts; adding costs one relaxed atomic instruction.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[doc = $doc])* pub $field: Count,)*
        }

        impl Counters {
            /// All of them with their names.
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$(($name, self.$field.get()),)*]
            }
        }
    };
}

impl Counters {
    /// The count of connections that ended for a reason; without one they broke.
    pub fn closed(&self, reason: Option<Reason>) -> &Count {
        match reason {
            None => &self.broken,
            Some(Reason::BeforeCapabilities) => &self.before_capabilities,
            Some(Reason::CapabilitiesTimeout) => &self.capabilities_late,
            Some(Reason::Refused(_)) => &self.capabilities_refused,
            Some(Reason::Tls) => &self.tls,
            Some(Reason::Text) => &self.text,
            Some(Reason::Foreign) => &self.foreign,
            Some(Reason::Version) => &self.version,
            Some(Reason::Length) => &self.length,
            Some(Reason::Watchdog) => &self.watchdog,
            Some(Reason::ByPeer(_)) => &self.by_peer,
            Some(Reason::ByUs) => &self.by_us,
        }
    }
}

/// A count.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// One more.
    #[inline]
    pub fn up(&self) {
        self.add(1);
    }

    /// Some more.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

counters! {
    /// Messages of Gx and the base protocol that the engine took.
    requests "requests",
    /// CCR-I answered.
    initial "ccr-initial",
    /// CCR-U answered.
    update "ccr-update",
    /// CCR-T answered.
    terminate "ccr-terminate",
    /// Requests that were answered with a refusal.
    refused "refused",
    /// Requests that had been answered before.
    duplicates "duplicates",
    /// Requests whose number was below the last.
    late "late",
    /// Requests before which numbers were missing.
    gaps "gaps",
    /// CCR-I for a session that was live.
    replaced "replaced",
    /// CCR-U and CCR-T of sessions that are not known.
    unknown_sessions "unknown-sessions",
    /// CCR-I of subscribers that are not known.
    unknown_subscribers "unknown-subscribers",
    /// Sessions that ended because their host lost them.
    restarted "sessions-of-restarted-hosts",
    /// Sessions that ended because their host does not know them.
    disowned "sessions-disowned",
    /// Sessions that ended because nothing was heard of them.
    expired "sessions-expired",
    /// Runs of the dialplan.
    runs "dialplan-runs",
    /// Decisions that were reused.
    memo_hits "memo-hits",
    /// Decisions that took too many priorities.
    limits "decisions-over-limit",
    /// Entries of the log of decisions.
    warnings "decision-warnings",
    /// Rules that a host could not enforce.
    rule_failures "rule-failures",
    /// RAR sent, repetitions not counted.
    pushes "pushes",
    /// RAR repeated.
    push_repeats "push-repeats",
    /// RAR that were answered with a failure.
    push_failures "push-failures",
    /// RAR that were not answered.
    push_timeouts "push-timeouts",
    /// RAR that could not be sent because their host is not connected.
    push_unreachable "push-unreachable",
    /// Connections that were accepted.
    accepted "connections-accepted",
    /// Connections that we made.
    dialled "connections-made",
    /// Connections that we could not make.
    unreachable "connections-failed",
    /// Connections closed because another message came before the capabilities.
    before_capabilities "closed-before-capabilities",
    /// Connections closed because no capabilities came in time.
    capabilities_late "closed-without-capabilities",
    /// Connections closed because their capabilities were refused.
    capabilities_refused "closed-capabilities-refused",
    /// Connections closed because of a TLS hello.
    tls "closed-tls",
    /// Connections closed because of a text, such as a request of HTTP.
    text "closed-text",
    /// Connections closed because of bytes that are no Diameter.
    foreign "closed-no-diameter",
    /// Connections closed because of another version of Diameter.
    version "closed-version",
    /// Connections closed because of a length that no message has.
    length "closed-length",
    /// Connections closed because their watchdog was not answered.
    watchdog "closed-watchdog",
    /// Connections that the peer wanted to end.
    by_peer "closed-by-peer",
    /// Connections that we wanted to end.
    by_us "closed-by-us",
    /// Connections that ended without a word, or took nothing any more.
    broken "closed-broken",
    /// Requests of the base protocol that were refused.
    base_refused "base-refused",
    /// Watchdog requests that were not answered in time.
    watchdogs_missed "watchdogs-missed",
    /// AVPs that were decoded.
    avps "avps-decoded",
    /// Bytes that were copied out of messages.
    copied "bytes-copied",
    /// Transactions of the naive way.
    commits "commits",
    /// Reads from the store while requests were answered.
    store_reads "store-reads",
    /// Nanoseconds spent waiting for the lock of the naive way.
    lock_wait "lock-wait-ns",
    /// Faults of the store.
    store_faults "store-faults",
    /// Lines written to the log.
    lines "log-lines",
    /// Time stamps made for the log.
    stamps "time-stamps",
    /// Events written for the operator.
    events "events",
}
