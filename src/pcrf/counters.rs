//! What happened since the start, counted.

use std::sync::atomic::{AtomicU64, Ordering};

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
