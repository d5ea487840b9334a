//! Sessions that are to end: who wants it is remembered until the PCEF ends them.

use crate::pcrf::diameter::{Writer, id};
use crate::pcrf::engine::Pcrf;
use crate::pcrf::hosts::Host;
use crate::pcrf::push::Purpose;
use crate::pcrf::session::{Release, Session};
use crate::pcrf::sessions::Id;
use crate::pcrf::store::Batch;

impl Pcrf {
    /// A session is to end; its PCEF is asked until it ends it. Says whether there is such a session.
    pub fn release(&self, session: &[u8], cause: u32) -> bool {
        let Some(mut shard) = self.tables.sessions.shard(session) else {
            return false;
        };
        let Some((id, own)) = shard.get(session) else {
            return false;
        };
        let id = id.clone();
        own.release = Some(Release {
            cause,
            operator: true,
        });
        own.release_due = 0;
        let mut batch = Batch::default();
        self.put(&mut batch, &mut Vec::new(), &id, own, false);
        if !batch.is_empty() {
            self.journal.append(&batch);
        }
        drop(shard);
        self.enqueue(id, Purpose::Decide);
        true
    }

    /// Asks for the end of a session in a RAR, where that is due or the RAR leaves anyway; says whether it did.
    pub(crate) fn ask_for_end(
        &self,
        w: &mut Writer,
        id: &Id,
        session: &mut Session,
        host: &Host,
        now: i64,
        leaves: bool,
    ) -> bool {
        if session.release.is_none() || (!leaves && session.release_due > now) {
            return false;
        }
        if host.connection() == 0 {
            self.tables.counters.push_unreachable.up();
            self.owe(session);
            return false;
        }
        self.write_end(w, id, session, host, now);
        true
    }

    /// Writes the wish that a session ends, if there is one; it is repeated after a while.
    pub(crate) fn write_end(
        &self,
        w: &mut Writer,
        id: &Id,
        session: &mut Session,
        host: &Host,
        now: i64,
    ) {
        let Some(release) = session.release else {
            return;
        };
        w.u32(id::SESSION_RELEASE_CAUSE, release.cause);
        let period = i64::try_from(self.settings().release_repeat.as_secs()).unwrap_or(i64::MAX);
        session.release_due = now.saturating_add(period.max(1));
        self.schedule(session.release_due, id);
        host.owe();
    }

    /// The PCEF of a session is to be told something when it is there again.
    pub(crate) fn owe(&self, session: &mut Session) {
        session.owed = true;
        if let Some(host) = self.tables.hosts.get(session.peer) {
            host.owe();
        }
    }

    /// Sessions of hosts that are there again are looked at, if anything is owed to them.
    pub(crate) fn look_at_returned(&self) {
        for host in self.take_returned() {
            if host.settle() {
                self.enqueue_later(self.tables.sessions.take_owed(host.number));
            }
        }
    }
}
