//! Rules that change which members a caller of a queue accepts, the longer the caller waits.

use std::time::Duration;

use super::Penalties;

/// What becomes of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It becomes this.
    To(u32),
    /// It grows by this, or shrinks, not below 0. A limit that is not set stays so.
    By(i32),
}

impl Change {
    /// Reads a number; one with a sign is added, an empty text changes nothing. `None` = not a number.
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        if text.is_empty() {
            return Some(Change::By(0));
        }
        if text.starts_with(['+', '-']) {
            return text.parse().ok().map(Change::By);
        }
        text.parse().ok().map(Change::To)
    }

    fn apply(self, limit: Option<u32>) -> Option<u32> {
        match self {
            Change::To(limit) => Some(limit),
            Change::By(by) => limit.map(|limit| limit.saturating_add_signed(by)),
        }
    }
}

/// A line of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PenaltyChange {
    /// So long after the caller joined.
    pub after: Duration,
    /// The greatest penalty that is accepted.
    pub most: Change,
    /// The least one.
    pub least: Change,
    /// Smaller penalties count as this.
    pub raise: Change,
}

impl PenaltyChange {
    /// `time[,greatest[,least[,raised]]]`: the value of `penaltychange` in `queuerules.conf`.
    pub fn read(value: &[u8]) -> Option<Self> {
        let mut fields = value.split(|b| *b == b',').map(<[u8]>::trim_ascii);
        let after = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let mut change = || Change::read(fields.next().unwrap_or(&[]));
        Some(Self {
            after: Duration::from_secs(after),
            most: change()?,
            least: change()?,
            raise: change()?,
        })
    }

    /// The limits once it has acted. The least penalty is never above the greatest.
    pub fn apply(&self, limits: Penalties) -> Penalties {
        let most = self.most.apply(limits.most);
        let least = self.least.apply(limits.least);
        Penalties {
            most,
            least: least.map(|least| most.map_or(least, |most| least.min(most))),
            raise: self.raise.apply(limits.raise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_change_limits() {
        let limits = |most, least, raise| Penalties { least, most, raise };
        let change = |line: &str, before| {
            PenaltyChange::read(line.as_bytes())
                .expect("a line")
                .apply(before)
        };
        let none = Penalties::default();
        assert_eq!(change("30,10", none), limits(Some(10), None, None));
        assert_eq!(change("30,+5,1", none), limits(None, Some(1), None));
        assert_eq!(
            change("30,+5,-9,4", limits(Some(10), Some(3), None)),
            limits(Some(15), Some(0), Some(4))
        );
        assert_eq!(
            change("30,2", limits(None, Some(7), None)),
            limits(Some(2), Some(2), None)
        );
        for bad in ["", "x,1", "30,many", "30,1,+x"] {
            assert_eq!(PenaltyChange::read(bad.as_bytes()), None, "{bad}");
        }
    }
}
