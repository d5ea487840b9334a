//! The list of subscribers as a file has it: who is not in it any more is no subscriber.

use std::collections::BTreeSet;

use crate::pcrf::engine::Pcrf;
use crate::pcrf::policy::Subscribers;
use crate::pcrf::store::Fault;

/// UE_SUBSCRIPTION_REASON of Session-Release-Cause.
const SUBSCRIPTION: u32 = 1;

/// What came of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Subscribers of the list.
    pub count: usize,
    /// Those that are new, or have other fields than before.
    pub changed: usize,
    /// Those that were known, and are not in the list.
    pub removed: usize,
}

impl Pcrf {
    /// Puts the subscribers of a list in the place of those that were known. Where the list is not `whole`, because rows
    /// of it cannot be used, nobody is removed. Sessions of who is removed are released with UE_SUBSCRIPTION_REASON, as
    /// TS 29.212 §4.5.9 has it; where the dialplan decides about unknown subscribers, it decides about them anew.
    pub fn import_list(&self, subscribers: &Subscribers, whole: bool) -> Result<Imported, Fault> {
        let (count, changed) = self.import_changed(subscribers)?;
        let mut imported = Imported {
            count,
            changed,
            removed: 0,
        };
        if !whole || subscribers.is_empty() {
            return Ok(imported);
        }
        let mut keys = BTreeSet::new();
        for subscriber in subscribers.iter() {
            let id = |name: &[u8]| subscriber.field(name).filter(|id| !id.is_empty());
            keys.extend(id(b"imsi").or_else(|| id(b"msisdn")).map(|id| id.to_vec()));
        }
        for key in self.tables.directory.keys() {
            if keys.contains(&key) {
                continue;
            }
            let sessions = self.tables.sessions.of(&key);
            if !self.forget_subscriber(&key) {
                continue;
            }
            imported.removed += 1;
            if self.settings().guests {
                self.look_at(&key);
            } else {
                for id in sessions {
                    self.release(&id, SUBSCRIPTION);
                }
            }
        }
        Ok(imported)
    }
}
