//! When a client connects again.

use super::Reason;
use super::random::Random;
use crate::pcrf::diameter::ResultCode;

/// Waits longer after each attempt that fails: from one second to Tc of RFC 6733 §12, 30 s, each a quarter more or
/// less, so that many clients do not come at once.
#[derive(Debug, Clone)]
pub struct Reconnect {
    /// The first pause, in milliseconds.
    pub first: u32,
    /// The longest pause (Tc), in milliseconds.
    pub longest: u32,
    attempts: u32,
    random: Random,
}

impl Reconnect {
    /// The usual pauses; `seed` is random.
    pub fn new(seed: u64) -> Reconnect {
        Reconnect {
            first: 1000,
            longest: 30_000,
            attempts: 0,
            random: Random(seed),
        }
    }

    /// A connection is open: the next pause is short again.
    pub fn open(&mut self) {
        self.attempts = 0;
    }

    /// A connection was lost or could not be made: when to try again, in milliseconds of the caller's clock. A peer
    /// that is busy or does not want to talk to us (RFC 6733 §5.4.3), or does not know us, is left alone for the longest
    /// pause.
    pub fn lost(&mut self, now: u64, reason: Option<Reason>) -> u64 {
        let pause = match reason {
            Some(Reason::ByPeer(1 | 2) | Reason::Refused(ResultCode::UNKNOWN_PEER)) => {
                u64::from(self.longest)
            }
            _ => (u64::from(self.first) << self.attempts.min(20)).min(u64::from(self.longest)),
        };
        self.attempts = self.attempts.saturating_add(1);
        let quarter = pause / 4;
        now + pause - quarter + self.random.below(2 * quarter + 1)
    }
}
