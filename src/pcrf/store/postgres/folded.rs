//! A batch as the columns of a few statements: what happens to each record in the end.

use std::collections::{BTreeMap, BTreeSet};

use crate::pcrf::store::{Batch, Change};

/// Owner, key and period of a counter.
type Place<'a> = (&'a [u8], &'a [u8], i64);

/// What happens to a session, in its order: the expected version of each write, `None` where it is removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Steps<'a> {
    steps: Vec<Option<u64>>,
    /// The blob of the last write, if the session is there in the end.
    blob: Option<&'a [u8]>,
}

impl Steps<'_> {
    /// Sessions that had another version than expected, if it had `version` before (0: it was not there).
    fn conflicts(&self, version: u64) -> u64 {
        let mut present = version;
        let mut conflicts = 0;
        for step in &self.steps {
            match step {
                Some(expected) => {
                    conflicts += u64::from(present != *expected);
                    present += 1;
                }
                None => present = 0,
            }
        }
        conflicts
    }

    fn is_removed_at_first(&self) -> bool {
        self.steps.iter().any(Option::is_none)
    }

    /// Writes since it was last removed.
    fn writes(&self) -> i64 {
        let last = self.steps.iter().rev();
        last.take_while(|step| step.is_some()).count() as i64
    }
}

/// Columns of sessions to write.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sessions<'a> {
    pub(super) ids: Vec<&'a [u8]>,
    pub(super) expected: Vec<i64>,
    pub(super) writes: Vec<i64>,
    pub(super) blobs: Vec<&'a [u8]>,
}

impl<'a> Sessions<'a> {
    /// With others.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.ids.extend(others.ids);
        self.expected.extend(others.expected);
        self.writes.extend(others.writes);
        self.blobs.extend(others.blobs);
        self
    }

    fn push(&mut self, id: &'a [u8], expected: u64, writes: i64, blob: &'a [u8]) {
        self.ids.push(id);
        self.expected
            .push(i64::try_from(expected).unwrap_or(i64::MAX));
        self.writes.push(writes);
        self.blobs.push(blob);
    }
}

/// Columns of counters to add to, each counter once; sums as decimal digits, as they may exceed 64 bits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Usage<'a> {
    pub(super) owners: Vec<&'a [u8]>,
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) periods: Vec<i64>,
    pub(super) used: Vec<String>,
    pub(super) credit: Vec<String>,
    /// Whether all of them could be rows of their own.
    pub(super) are_rows: bool,
}

impl<'a> Usage<'a> {
    fn push(&mut self, place: Place<'a>, used: String, credit: String) {
        let (owner, key, period) = place;
        self.owners.push(owner);
        self.keys.push(key);
        self.periods.push(period);
        self.used.push(used);
        self.credit.push(credit);
    }

    /// Only those that are not among these.
    pub(super) fn without(&self, these: &BTreeSet<Place<'_>>) -> Self {
        let places = self.owners.iter().zip(&self.keys).zip(&self.periods);
        let sums = self.used.iter().zip(&self.credit);
        let mut rest = Self::default();
        for (((owner, key), period), (used, credit)) in places.zip(sums) {
            if !these.contains(&(owner, key, *period)) {
                rest.push((owner, key, *period), used.clone(), credit.clone());
            }
        }
        rest
    }
}

/// Columns of rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rows<'a> {
    pub(super) tables: Vec<i16>,
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) values: Vec<&'a [u8]>,
}

/// A batch, by record.
#[derive(Debug, Default)]
pub(super) struct Folded<'a> {
    sessions: BTreeMap<&'a [u8], Steps<'a>>,
    /// One after another: sums of one sign, as the counter stops at both ends of its range.
    pub(super) usage: Vec<Usage<'a>>,
    pub(super) put_rows: Rows<'a>,
    pub(super) drop_rows: Rows<'a>,
    /// Whether it may be written twice without harm.
    pub(super) is_repeatable: bool,
}

/// Whether adding both at once is the same as one after the other, whatever the range.
fn agree(a: i128, b: i128) -> bool {
    (a >= 0 && b >= 0) || (a <= 0 && b <= 0)
}

impl<'a> Folded<'a> {
    pub(super) fn of(batch: &'a Batch) -> Self {
        let mut folded = Self {
            is_repeatable: true,
            ..Self::default()
        };
        let mut rows = BTreeMap::new();
        let mut usage: BTreeMap<Place<'a>, (i128, i128)> = BTreeMap::new();
        for change in batch.changes() {
            match change {
                Change::PutSession { id, expected, blob } => {
                    folded.is_repeatable = false;
                    let steps = folded.sessions.entry(id).or_default();
                    steps.steps.push(Some(expected));
                    steps.blob = Some(blob);
                }
                Change::DropSession { id } => {
                    let steps = folded.sessions.entry(id).or_default();
                    steps.steps.push(None);
                    steps.blob = None;
                }
                Change::AddUsage {
                    subscriber,
                    key,
                    period,
                    used,
                    credit,
                } => {
                    folded.is_repeatable = false;
                    let (used, credit) = (i128::from(used), i128::from(credit));
                    let sums = usage.entry((subscriber, key, period)).or_default();
                    if agree(sums.0, used) && agree(sums.1, credit) {
                        sums.0 += used;
                        sums.1 += credit;
                    } else {
                        let before = std::mem::take(&mut usage);
                        folded.usage.push(columns(before));
                        usage.insert((subscriber, key, period), (used, credit));
                    }
                }
                Change::PutRow { table, key, value } => {
                    rows.insert((table, key), Some(value));
                }
                Change::DropRow { table, key } => {
                    rows.insert((table, key), None);
                }
            }
        }
        if !usage.is_empty() {
            folded.usage.push(columns(usage));
        }
        for ((table, key), value) in rows {
            let to = match value {
                Some(_) => &mut folded.put_rows,
                None => &mut folded.drop_rows,
            };
            to.tables.push(i16::from(table.number()));
            to.keys.push(key);
            to.values.extend(value);
        }
        folded
    }

    /// Sessions that are removed, also where they are written afterwards.
    pub(super) fn removed(&self) -> Vec<&'a [u8]> {
        let removed = self.sessions.iter();
        removed
            .filter(|(_, steps)| steps.is_removed_at_first())
            .map(|(id, _)| *id)
            .collect()
    }

    /// Sessions that are written: those that are there, with the version that they have, and new ones. `known` gives
    /// the version in the store, 0 for none; without it, the one that is expected is taken for it.
    pub(super) fn written(
        &self,
        known: Option<&dyn Fn(&[u8]) -> u64>,
    ) -> (Sessions<'a>, Sessions<'a>) {
        let mut present = Sessions::default();
        let mut new = Sessions::default();
        for (id, steps) in &self.sessions {
            let Some(blob) = steps.blob else {
                continue;
            };
            let before = if steps.is_removed_at_first() {
                0
            } else {
                match known {
                    Some(known) => known(id),
                    None => steps.steps.first().copied().flatten().unwrap_or(0),
                }
            };
            let to = if before == 0 { &mut new } else { &mut present };
            to.push(id, before, steps.writes(), blob);
        }
        (present, new)
    }

    /// Conflicts, given the versions that sessions had before; `None` = as expected.
    pub(super) fn conflicts(&self, before: &dyn Fn(&[u8]) -> Option<u64>) -> u64 {
        let conflicts = self.sessions.iter().map(|(id, steps)| {
            let expected = || steps.steps.first().copied().flatten().unwrap_or(0);
            steps.conflicts(before(id).unwrap_or_else(expected))
        });
        conflicts.sum()
    }
}

fn columns(usage: BTreeMap<Place<'_>, (i128, i128)>) -> Usage<'_> {
    let mut columns = Usage {
        are_rows: true,
        ..Usage::default()
    };
    for (place, (used, credit)) in usage {
        columns.are_rows &= u64::try_from(used).is_ok() && i64::try_from(credit).is_ok();
        columns.push(place, used.to_string(), credit.to_string());
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::store::Table;

    #[test]
    fn each_record_is_written_once() {
        let put = |id, expected, blob| Change::PutSession { id, expected, blob };
        let add = |used, credit| Change::AddUsage {
            subscriber: b"001",
            key: b"mk",
            period: 7,
            used,
            credit,
        };
        let mut batch = Batch::default();
        for change in [
            put(b"a", 4, b"1"),
            put(b"a", 5, b"2"),
            put(b"new", 0, b"3"),
            Change::DropSession { id: b"gone" },
            put(b"again", 9, b"4"),
            Change::DropSession { id: b"again" },
            put(b"again", 0, b"5"),
            add(i64::MAX, 1),
            add(i64::MAX, 0),
            add(-1, 0),
            Change::PutRow {
                table: Table::Peer,
                key: b"p",
                value: b"1",
            },
            Change::DropRow {
                table: Table::Peer,
                key: b"p",
            },
        ] {
            batch.push(&change);
        }
        let folded = Folded::of(&batch);
        assert!(!folded.is_repeatable);
        assert_eq!(folded.removed(), [&b"again"[..], b"gone"]);
        let (present, new) = folded.written(None);
        assert_eq!(present.ids, [&b"a"[..]]);
        assert_eq!(
            (&present.expected[..], &present.writes[..]),
            (&[4][..], &[2][..])
        );
        assert_eq!(new.ids, [&b"again"[..], b"new"]);
        assert_eq!(new.writes, [1, 1]);
        assert_eq!(folded.usage.len(), 2);
        assert_eq!(folded.usage[0].used, ["18446744073709551614"]);
        assert_eq!(folded.usage[1].used, ["-1"]);
        assert!(folded.put_rows.keys.is_empty());
        assert_eq!(folded.drop_rows.tables, [1]);
        assert_eq!(folded.conflicts(&|_| None), 0);
        let other = |id: &[u8]| (id == b"a").then_some(6);
        assert_eq!(folded.conflicts(&other), 2);
    }
}
