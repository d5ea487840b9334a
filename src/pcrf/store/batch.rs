//! Changes that are applied together, in one buffer.

use super::Table;
use crate::pcrf::form::{self, Reader};

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// A session is new or changed.
    PutSession {
        /// Session-Id.
        id: &'a [u8],
        /// The version that the store has, 0 for a new session.
        expected: u64,
        /// The blob.
        blob: &'a [u8],
    },
    /// A session is over.
    DropSession {
        /// Session-Id.
        id: &'a [u8],
    },
    /// More was used of a key.
    AddUsage {
        /// Whose counter: a subscriber or a pool.
        subscriber: &'a [u8],
        /// Monitoring key.
        key: &'a [u8],
        /// Number of the period.
        period: i64,
        /// Octets to add.
        used: i64,
        /// Octets to add to the limit.
        credit: i64,
    },
    /// A row is new or changed.
    PutRow {
        /// Its table.
        table: Table,
        /// Its key.
        key: &'a [u8],
        /// The row.
        value: &'a [u8],
    },
    /// A row is removed.
    DropRow {
        /// Its table.
        table: Table,
        /// Its key.
        key: &'a [u8],
    },
}

/// Changes in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    bytes: Vec<u8>,
    len: usize,
}

impl Batch {
    /// Appends a change.
    pub fn push(&mut self, change: &Change<'_>) {
        let out = &mut self.bytes;
        match *change {
            Change::PutSession { id, expected, blob } => {
                out.push(0);
                form::bytes(out, id);
                form::number(out, expected);
                form::bytes(out, blob);
            }
            Change::DropSession { id } => {
                out.push(1);
                form::bytes(out, id);
            }
            Change::AddUsage {
                subscriber,
                key,
                period,
                used,
                credit,
            } => {
                out.push(2);
                form::bytes(out, subscriber);
                form::bytes(out, key);
                form::signed(out, period);
                form::signed(out, used);
                form::signed(out, credit);
            }
            Change::PutRow { table, key, value } => {
                out.push(3);
                out.push(table.number());
                form::bytes(out, key);
                form::bytes(out, value);
            }
            Change::DropRow { table, key } => {
                out.push(4);
                out.push(table.number());
                form::bytes(out, key);
            }
        }
        self.len += 1;
    }

    /// Appends the changes of another batch.
    pub fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
        self.len += other.len;
    }

    /// What comes after the changes of another batch, if this one begins with them.
    pub fn after(&self, other: &Self) -> Option<Self> {
        Some(Self {
            bytes: self.bytes.strip_prefix(other.bytes.as_slice())?.to_vec(),
            len: self.len.checked_sub(other.len)?,
        })
    }

    /// Number of changes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that the changes take.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets the changes and keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.len = 0;
    }

    /// The changes in their order.
    pub fn changes(&self) -> Changes<'_> {
        Changes(Reader::new(&self.bytes))
    }
}

/// The changes of a batch.
#[derive(Debug, Clone)]
pub struct Changes<'a>(Reader<'a>);

impl<'a> Iterator for Changes<'a> {
    type Item = Change<'a>;

    fn next(&mut self) -> Option<Change<'a>> {
        let reader = &mut self.0;
        Some(match reader.byte()? {
            0 => Change::PutSession {
                id: reader.bytes()?,
                expected: reader.number()?,
                blob: reader.bytes()?,
            },
            1 => Change::DropSession {
                id: reader.bytes()?,
            },
            2 => Change::AddUsage {
                subscriber: reader.bytes()?,
                key: reader.bytes()?,
                period: reader.signed()?,
                used: reader.signed()?,
                credit: reader.signed()?,
            },
            3 => Change::PutRow {
                table: Table::by_number(reader.byte()?)?,
                key: reader.bytes()?,
                value: reader.bytes()?,
            },
            _ => Change::DropRow {
                table: Table::by_number(reader.byte()?)?,
                key: reader.bytes()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_back_in_their_order() {
        let changes = [
            Change::PutSession {
                id: b"a;1",
                expected: 3,
                blob: b"blob",
            },
            Change::AddUsage {
                subscriber: b"001",
                key: b"mk",
                period: -3,
                used: 4_000_000,
                credit: -1,
            },
            Change::DropSession { id: b"b;2" },
            Change::PutRow {
                table: Table::Peer,
                key: b"k",
                value: b"",
            },
            Change::DropRow {
                table: Table::Own,
                key: b"k",
            },
        ];
        let mut batch = Batch::default();
        for change in &changes {
            batch.push(change);
        }
        let twice = {
            let mut twice = batch.clone();
            twice.append(&batch);
            twice
        };
        assert_eq!(batch.changes().collect::<Vec<_>>(), changes);
        assert_eq!(twice.changes().count(), 10);
        assert_eq!(twice.after(&batch), Some(batch.clone()));
        assert_eq!(batch.after(&twice), None);
        assert_eq!(twice.len(), 10);
    }
}
