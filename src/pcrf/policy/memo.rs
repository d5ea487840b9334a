//! What a decision depended on: as long as that is the same, so is the decision.

use super::bytes::{Reader, Writer};
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
    /// Whether the policy would decide the same for these inputs. The scratch is a buffer.
    pub fn holds(
        &self,
        policy: &Policy,
        kind: Kind,
        inputs: &dyn Inputs,
        scratch: &mut Vec<u8>,
    ) -> bool {
        let now = inputs.now();
        self.stamp == policy.stamp()
            && self.entry == Some(policy.entry(kind))
            && now < self.until
            && now >= self.since
            && self
                .reads
                .iter()
                .all(|(input, hash)| input.hash(inputs, scratch) == *hash)
    }

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
        let mut out = Writer(out);
        out.u8(FORM);
        out.u8(self.entry.map_or(u8::MAX, |kind| kind as u8));
        out.u64(self.stamp);
        out.u64(self.until as u64);
        out.u64(self.since as u64);
        out.count(self.reads.len());
        for (input, hash) in &self.reads {
            input.encode(&mut out);
            out.u64(*hash);
        }
    }

    /// Reads a byte form, and gives what follows it. `None` where it is damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut from = Reader(bytes);
        if from.u8()? != FORM {
            return None;
        }
        let entry = from.u8()?;
        let entry = Kind::ALL.into_iter().find(|kind| *kind as u8 == entry);
        let memo = Self {
            entry,
            stamp: from.u64()?,
            until: from.u64()? as i64,
            since: from.u64()? as i64,
            reads: from.list(|from| {
                let input = Input::decode(from)?;
                let hash = from.u64()?;
                Some((input, hash))
            })?,
        };
        Some((memo, from.0))
    }
}

/// The version of the byte form.
const FORM: u8 = 1;
