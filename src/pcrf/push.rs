//! What the PCRF says of its own accord: RAR after a top-up, a reload, a window of time, a release; and what PCEFs
//! answer to it.

use crate::pcrf::answer::Step;
use crate::pcrf::diameter::{GX, Message, ResultCode, Writer, command, flag, id};
use crate::pcrf::engine::{Loaded, Pcrf, lock};
use crate::pcrf::hosts::Host;
use crate::pcrf::leftover;
use crate::pcrf::policy::{Kind, Wanted};
use crate::pcrf::session::{NEVER, Session};
use crate::pcrf::sessions::Id;
use crate::pcrf::store::Change;
use crate::pcrf::worker::{Grants, Outcome, Question, Worker};

/// Why a session is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its decision may be another one, or it is to end.
    Decide,
    /// Nothing was heard of it: does its PCEF still have it?
    Probe,
}

/// What a RAR carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// What was decided; how often the session had been told something then.
    Decision(u32),
    /// Only the wish that the session ends.
    Release,
    /// Nothing.
    Nothing,
}

/// A RAR that waits for its answer.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    id: Id,
    /// The number of the host.
    peer: u32,
    carries: Carries,
    /// When it was sent, milliseconds since 1970.
    sent: i64,
    repeated: bool,
    bytes: Vec<u8>,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The connection that it is sent on.
    pub connection: u64,
    /// The message.
    pub bytes: Vec<u8>,
    /// The number of the change that must be in the store before, 0 for none.
    pub after: u64,
}

impl Pcrf {
    /// Answers to RAR that are waited for.
    pub fn waiting(&self) -> usize {
        lock(&self.pending).len()
    }
}

impl Worker {
    /// What is due at a time in milliseconds since 1970: decisions whose time has come, sessions of hosts that are there
    /// again, repetitions; then at most `limit` sessions of those that wait are looked at. Gives the messages to send.
    pub fn tick(&mut self, now: i64, limit: usize) -> Vec<Outgoing> {
        let pcrf = self.pcrf.clone();
        let seconds = now.div_euclid(1000);
        let mut out = Vec::new();
        while let Some((at, id)) = pcrf.due(seconds) {
            let is_due = |session: &Session| {
                session.boundary == at || (session.release.is_some() && session.release_due == at)
            };
            let holds = pcrf
                .tables
                .sessions
                .shard(&id)
                .and_then(|mut shard| shard.get(&id).map(|(_, session)| is_due(session)));
            if holds == Some(true) {
                pcrf.enqueue(id, Purpose::Decide);
            }
        }
        pcrf.look_at_returned();
        self.repeat(now, &mut out);
        for _ in 0..limit {
            let Some((id, purpose)) = pcrf.dequeue() else {
                break;
            };
            out.extend(self.push(&id, purpose, now));
        }
        out
    }

    /// Looks for sessions of which nothing was heard, and for old tombstones. For once in a while: it looks at all.
    pub fn sweep(&mut self, now: i64) {
        let pcrf = self.pcrf.clone();
        let seconds = now.div_euclid(1000);
        let ttl = i64::try_from(pcrf.settings().session_ttl.as_secs()).unwrap_or(i64::MAX);
        let old = |seen: i64| seen.saturating_add(ttl) <= seconds;
        for id in pcrf.tables.sessions.ids(|session| old(session.seen)) {
            pcrf.enqueue(id, Purpose::Probe);
        }
        self.batch.clear();
        let batch = &mut self.batch;
        pcrf.tables
            .sessions
            .forget(seconds, |id| batch.push(&Change::DropSession { id }));
        pcrf.journal.append(&self.batch);
    }

    /// RAR without an answer: once more with the T flag, on the connection that its host has now; then it is given up.
    fn repeat(&mut self, now: i64, out: &mut Vec<Outgoing>) {
        let pcrf = self.pcrf.clone();
        let limit = i64::try_from(pcrf.settings().push_timeout.as_millis()).unwrap_or(i64::MAX);
        let mut overdue = Vec::new();
        {
            let mut pending = lock(&pcrf.pending);
            if pending.is_empty() {
                return;
            }
            pending.retain(|number, own| {
                let waits = own.sent.saturating_add(limit) > now;
                if !waits {
                    overdue.push((*number, own.clone()));
                }
                waits
            });
        }
        overdue.sort_unstable_by_key(|(number, _)| *number);
        for (number, mut own) in overdue {
            let host = pcrf.tables.hosts.get(own.peer);
            let connection = host.map_or(0, |host| host.connection());
            if own.repeated || connection == 0 || self.is_outdated(&own) {
                pcrf.tables.counters.push_timeouts.up();
                self.give_up(&own);
                continue;
            }
            own.repeated = true;
            own.sent = now;
            if let Some(flags) = own.bytes.get_mut(4) {
                *flags |= flag::RETRANSMITTED;
            }
            pcrf.tables.counters.push_repeats.up();
            out.push(Outgoing {
                connection,
                bytes: own.bytes.clone(),
                after: 0,
            });
            lock(&pcrf.pending).insert(number, own);
        }
    }

    /// Whether its session is over, or was told something else since: then a repetition would bring back what is over.
    fn is_outdated(&self, own: &Pending) -> bool {
        let shard = self.pcrf.tables.sessions.shard(&own.id);
        let last = shard.and_then(|mut shard| shard.get(&own.id).map(|(_, own)| own.told));
        match own.carries {
            Carries::Decision(told) => last != Some(told),
            Carries::Release | Carries::Nothing => last.is_none(),
        }
    }

    /// Nobody answered.
    fn give_up(&mut self, own: &Pending) {
        let pcrf = self.pcrf.clone();
        match own.carries {
            Carries::Nothing => {
                let dropped = pcrf.drop_session(&own.id);
                pcrf.tables.counters.expired.add(u64::from(dropped));
            }
            // It is asked again when that is due, or its host is there again.
            Carries::Release => {}
            Carries::Decision(_) => {
                let outdated = self.is_outdated(own);
                self.mark_stale(&own.id);
                if outdated {
                    pcrf.enqueue(own.id.clone(), Purpose::Decide);
                }
            }
        }
    }

    /// The PCEF may not have what we think: it is told everything with the next answer, or when it is there again.
    fn mark_stale(&mut self, id: &Id) {
        let pcrf = self.pcrf.clone();
        let Some(mut shard) = pcrf.tables.sessions.shard(id) else {
            return;
        };
        if let Some((_, session)) = shard.get(id) {
            session.stale = true;
            session.unconfirmed = session.unconfirmed.saturating_sub(1);
            pcrf.owe(session);
            self.batch.clear();
            self.put(id, session, true);
            pcrf.journal.append(&self.batch);
        }
    }

    /// Looks at a session; gives the RAR, if its PCEF must be told something.
    fn push(&mut self, id: &Id, purpose: Purpose, now: i64) -> Option<Outgoing> {
        let pcrf = self.pcrf.clone();
        let tables = &*pcrf.tables;
        let seconds = now.div_euclid(1000);
        let mut shard = tables.sessions.shard(id)?;
        let (_, session) = shard.get(id)?;
        let host = tables.hosts.get(session.peer)?;
        self.batch.clear();
        let mut w = Writer::new();
        pcrf.begin_push(&mut w, id, &host);
        let connection = host.connection();
        let carries = match purpose {
            Purpose::Probe => Some(Carries::Nothing),
            Purpose::Decide => {
                let loaded = pcrf.loaded.load();
                let told = self.tell(&mut w, &loaded, id, session, &host, seconds);
                let asked = pcrf.ask_for_end(&mut w, id, session, &host, seconds, told);
                if told {
                    session.told = session.told.wrapping_add(1);
                    session.unconfirmed = session.unconfirmed.saturating_add(1);
                    Some(Carries::Decision(session.told))
                } else {
                    asked.then_some(Carries::Release)
                }
            }
        };
        if connection == 0 && purpose == Purpose::Probe {
            tables.counters.push_unreachable.up();
            drop(shard);
            let dropped = pcrf.drop_session(id);
            tables.counters.expired.add(u64::from(dropped));
            return None;
        }
        if purpose == Purpose::Decide {
            self.put(id, session, false);
        }
        let after = if self.batch.is_empty() {
            0
        } else {
            pcrf.journal.append(&self.batch)
        };
        let peer = session.peer;
        drop(shard);
        let carries = carries?;
        let mut bytes = w.finish().to_vec();
        // Only what leaves has a number: looking at sessions uses up none.
        let number = pcrf.number();
        for (byte, own) in bytes
            .iter_mut()
            .skip(12)
            .zip([number.to_be_bytes(); 2].as_flattened())
        {
            *byte = *own;
        }
        tables.counters.pushes.up();
        lock(&pcrf.pending).insert(
            number,
            Pending {
                id: id.clone(),
                peer,
                carries,
                sent: now,
                repeated: false,
                bytes: bytes.clone(),
            },
        );
        Some(Outgoing {
            connection,
            bytes,
            after,
        })
    }

    /// Decides about a session, and writes what its PCEF must be told; says whether that is anything.
    fn tell(
        &mut self,
        w: &mut Writer,
        loaded: &Loaded,
        id: &Id,
        session: &mut Session,
        host: &Host,
        now: i64,
    ) -> bool {
        let pcrf = self.pcrf.clone();
        let tables = &*pcrf.tables;
        if session.release.is_some_and(|release| release.operator) {
            return false;
        }
        let row = tables.directory.by_key(&session.subscriber);
        let outcome = self.decide(
            &Question {
                loaded,
                kind: Kind::Push,
                id,
                session,
                host: &host.name,
                row: row.as_ref(),
                now,
                call: None,
            },
            &mut tables.perf.watch(),
        );
        let same = match outcome {
            Outcome::Same => true,
            Outcome::New => false,
            // A policy that fails decides nothing: the session stays as it is.
            Outcome::Refused(ResultCode::UNABLE_TO_COMPLY) => return false,
            Outcome::Refused(_) => {
                // It was allowed until now: UNSPECIFIED_REASON.
                session.release_as(Some(0));
                return false;
            }
        };
        if same && !session.stale && session.release.is_none() {
            return false;
        }
        let before = Wanted::decode(&session.wanted).map(|(wanted, _)| wanted);
        let before = before.unwrap_or_default();
        let present = if session.stale {
            leftover::may_have(&before, &session.leftover)
        } else {
            before.clone()
        };
        let decision = self.runner.decision();
        let wanted = if same { &before } else { &decision.wanted };
        let step = Step {
            policy: &loaded.policy,
            wanted,
            present: &present,
            all: session.stale,
            usage_report: pcrf.settings().usage_report,
        };
        let needed = step.is_needed();
        if needed && host.connection() == 0 {
            // The session stays as it was, all of it, and is decided about when its host is there again.
            tables.counters.push_unreachable.up();
            pcrf.owe(session);
            return false;
        }
        session.release_as(wanted.release);
        if needed {
            let grants = Grants {
                tables,
                policy: &loaded.policy,
                subscriber: &session.subscriber,
                row: row.as_ref(),
                now,
            };
            step.write(w, |_| false, |monitor| grants.of(monitor));
            // Until the answer is there, what is removed may be there or not.
            let may = leftover::may_have(&before, &session.leftover);
            leftover::keep(may, wanted, &mut session.leftover);
            session.stale = false;
        }
        if !same {
            self.keep(session, &before, id, now);
            if session.boundary != NEVER {
                pcrf.schedule(session.boundary, id);
            }
        }
        needed
    }

    /// Takes the answer to a RAR.
    pub fn re_auth_answer(&mut self, message: Message<'_>, now: i64) {
        let pcrf = self.pcrf.clone();
        let tables = &*pcrf.tables;
        let header = message.header();
        let session = message
            .find(id::SESSION_ID)
            .map_or(&[][..], |avp| avp.value);
        let Some(pending) = lock(&pcrf.pending).remove(&header.end_to_end) else {
            return;
        };
        if !session.is_empty() && *pending.id != *session {
            lock(&pcrf.pending).insert(header.end_to_end, pending);
            return;
        }
        let code = message.find(id::RESULT_CODE).and_then(|avp| avp.u32());
        let code = code.or_else(|| {
            let experimental = message.find(id::EXPERIMENTAL_RESULT)?;
            experimental.child(id::EXPERIMENTAL_RESULT_CODE)?.u32()
        });
        let failures = message
            .avps()
            .filter(|avp| avp.is(id::CHARGING_RULE_REPORT))
            .filter_map(|avp| avp.child(id::PCC_RULE_STATUS)?.u32())
            .filter(|status| *status != 0)
            .count();
        tables.counters.rule_failures.add(failures as u64);
        let decision = matches!(pending.carries, Carries::Decision(_));
        match code {
            Some(2000..=2999) => self.confirmed(&pending.id, decision && failures == 0, now),
            Some(5002) => {
                if pcrf.drop_session(&pending.id) {
                    tables.counters.disowned.up();
                }
                return;
            }
            _ => tables.counters.push_failures.up(),
        }
        if decision && (failures > 0 || !matches!(code, Some(2000..=2999))) {
            self.mark_stale(&pending.id);
        }
    }

    /// The PCEF is there, and has what the RAR told, if it told anything.
    fn confirmed(&mut self, id: &Id, told: bool, now: i64) {
        let pcrf = self.pcrf.clone();
        let Some(mut shard) = pcrf.tables.sessions.shard(id) else {
            return;
        };
        let Some((_, session)) = shard.get(id) else {
            return;
        };
        session.seen = now.div_euclid(1000);
        if !told {
            return;
        }
        session.unconfirmed = session.unconfirmed.saturating_sub(1);
        if session.unconfirmed == 0 && !session.stale {
            session.leftover = Vec::new();
        }
        self.batch.clear();
        self.put(id, session, false);
        if !self.batch.is_empty() {
            pcrf.journal.append(&self.batch);
        }
    }
}

impl Pcrf {
    /// Begins a RAR, still without numbers.
    fn begin_push(&self, w: &mut Writer, id: &[u8], host: &Host) {
        w.start(command::RE_AUTH, flag::REQUEST | flag::PROXIABLE, GX, 0, 0);
        w.bytes(id::SESSION_ID, id);
        w.u32(id::AUTH_APPLICATION_ID, GX);
        w.bytes(id::ORIGIN_HOST, &self.settings().host);
        w.bytes(id::ORIGIN_REALM, &self.settings().realm);
        w.bytes(id::DESTINATION_REALM, &host.realm);
        w.bytes(id::DESTINATION_HOST, &host.name);
        w.u32(id::RE_AUTH_REQUEST_TYPE, 0);
        w.u32(id::ORIGIN_STATE_ID, self.start);
    }
}
