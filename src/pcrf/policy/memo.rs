//! What a decision depended on: as long as that is the same, so is the decision.

use crate::pcrf::form::{self, Reader};

use super::inputs::{Input, Inputs};
use super::{Kind, Policy};

/// What a decision read, and how long it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memo {
    /// What was read, in order, and hashes of the values.
    pub(super) reads: Vec<(Input, u64)>,
    /// The first second (since 1970) in which the time may decide otherwise.
    pub(super) until: i64,
    /// The first second in which it was so: clocks may be set back.
    pub(super) since: i64,
    /// The policy with the files beside it.
    pub(super) stamp: u64,
    /// The extension that decided; `None` = the decision must not be used again.
    pub(super) entry: Option<Kind>,
}

impl Memo {
    /// Whether the decision may be used again at all.
    pub fn is_useful(&self) -> bool {
        self.entry.is_some()
    }

    /// The first second (since 1970) in which the time may decide otherwise; `None` = the time does not matter.
    pub fn until(&self) -> Option<i64> {
        (self.until != i64::MAX).then_some(self.until)
    }

    /// What was read, in order of first reading.
    pub fn reads(&self) -> impl Iterator<Item = &Input> {
        self.reads.iter().map(|(input, _)| input)
    }

    /// Appends the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(FORM);
        let timed = self.until != i64::MAX || self.since != i64::MIN;
        let entry = self.entry.map_or(NOBODY, |kind| kind as u8);
        out.push(entry | if timed { TIMED } else { 0 });
        form::fixed(out, self.stamp);
        if timed {
            form::signed(out, self.since);
            form::signed(out, self.until);
        }
        form::number(out, self.reads.len() as u64);
        for (input, hash) in &self.reads {
            input.encode(out);
            form::fixed(out, *hash);
        }
    }

    /// Reads a byte form, and gives what follows it. `None` where it is damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut from = Reader::new(bytes);
        let head = Head::decode(&mut from)?;
        let memo = Self {
            entry: head.entry,
            stamp: head.stamp,
            since: head.since,
            until: head.until,
            reads: from.list(|from| {
                let input = Input::decode(from)?;
                Some((input.to_owned(), from.fixed()?))
            })?,
        };
        Some((memo, from.rest()))
    }
}

/// Whether the policy would decide the same for these inputs as when the memo was made, of which this is the byte form.
/// What was read is compared where it stands. The scratch is a buffer.
pub(super) fn holds(
    memo: &[u8],
    policy: &Policy,
    kind: Kind,
    inputs: &dyn Inputs,
    scratch: &mut Vec<u8>,
) -> bool {
    let mut from = Reader::new(memo);
    let now = inputs.now();
    let current = Head::decode(&mut from).is_some_and(|head| {
        head.stamp == policy.stamp()
            && head.entry == Some(policy.entry(kind))
            && now < head.until
            && now >= head.since
    });
    if !current {
        return false;
    }
    let Some(count) = from.number() else {
        return false;
    };
    for _ in 0..count {
        let (Some(input), Some(hash)) = (Input::decode(&mut from), from.fixed()) else {
            return false;
        };
        if input.hash(inputs, scratch) != hash {
            return false;
        }
    }
    true
}

/// All of a memo but what was read.
struct Head {
    entry: Option<Kind>,
    stamp: u64,
    since: i64,
    until: i64,
}

impl Head {
    #[inline]
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        if from.byte()? != FORM {
            return None;
        }
        let first = from.byte()?;
        let stamp = from.fixed()?;
        let (since, until) = if first & TIMED == 0 {
            (i64::MIN, i64::MAX)
        } else {
            (from.signed()?, from.signed()?)
        };
        let entry = Kind::ALL.get(usize::from(first & !TIMED)).copied();
        Some(Self {
            entry,
            stamp,
            since,
            until,
        })
    }
}

/// The version of the byte form.
const FORM: u8 = 2;
/// In the second byte, that the time matters.
const TIMED: u8 = 0x80;
/// In the second byte, that no extension may use the decision again.
const NOBODY: u8 = 0x7f;
