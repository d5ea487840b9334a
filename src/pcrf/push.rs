//! What the PCRF says of its own accord: RAR after a top-up, a reload, a window of time, a release; and what PCEFs
//! answer to it.

use smallvec::SmallVec;

use crate::pcrf::answer::Step;
use crate::pcrf::diameter::{GX, Message, ResultCode, Writer, command, flag, id};
use crate::pcrf::engine::{Pcrf, lock};
use crate::pcrf::policy::{Kind, Wanted};
use crate::pcrf::session::NEVER;
use crate::pcrf::sessions::Id;
use crate::pcrf::store::{Batch, Change};
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::{Grants, Outcome, Question, Worker};

/// Why a session is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its decision may be another one.
    Decide,
    /// It is to end, for a value of Session-Release-Cause.
    Release(u32),
    /// Nothing was heard of it: does its PCEF still have it?
    Probe,
}

/// A RAR that waits for its answer.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    id: Id,
    purpose: Purpose,
    connection: u64,
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
    /// Adds to the limit of a subscriber's key for the present period; its sessions are told what changes. `None` = the
    /// subscriber is not known.
    pub fn top_up(&self, subscriber: &[u8], key: &[u8], octets: i64, now: i64) -> Option<()> {
        self.add(subscriber, key, |_| (0, octets), now)
    }

    /// Sets what was used of a subscriber's key in the present period back to nothing.
    pub fn reset(&self, subscriber: &[u8], key: &[u8], now: i64) -> Option<()> {
        let used = |used: u64| (i64::try_from(used).unwrap_or(i64::MAX).saturating_neg(), 0);
        self.add(subscriber, key, used, now)
    }

    /// Another source says what was used of a subscriber's key; the key says how much of it counts. `None` = the
    /// subscriber is not known, or the key has no such source.
    pub fn report(
        &self,
        subscriber: &[u8],
        key: &[u8],
        source: &[u8],
        octets: u64,
        now: i64,
    ) -> Option<()> {
        let policy = self.policy();
        let sources = &policy.monitoring().key(key)?.sources;
        let (_, factor) = sources.iter().find(|(name, _)| name.as_bytes() == source)?;
        let counted = u128::from(octets) * u128::from(*factor) / 1000;
        let counted = i64::try_from(counted).unwrap_or(i64::MAX);
        self.add(subscriber, key, |_| (counted, 0), now)
    }

    fn add(
        &self,
        subscriber: &[u8],
        key: &[u8],
        change: impl FnOnce(u64) -> (i64, i64),
        now: i64,
    ) -> Option<()> {
        let row = self.tables.directory.by_key(subscriber).or_else(|| {
            self.tables
                .directory
                .find(crate::pcrf::directory::Identity::Msisdn, subscriber)
        });
        let known = row.as_ref().map_or(subscriber, |row| row.key());
        if row.is_none() && self.tables.sessions.of(subscriber).is_empty() {
            return None;
        }
        let policy = self.policy();
        let known_key = policy.monitoring().key(key);
        let owner = Tables::owner(known_key, known, row.as_ref());
        let period = self.tables.period(known_key, now.div_euclid(1000));
        let before = self.tables.usage.get(owner, key, period);
        let (used, credit) = change(before.used);
        let (_, after) = self.tables.usage.add(owner, key, period, used, credit);
        let mut batch = Batch::default();
        batch.push(&Change::AddUsage {
            subscriber: owner,
            key,
            period: after.number,
            used,
            credit,
        });
        self.journal.append(&batch);
        self.look_at(owner);
        Some(())
    }

    /// Asks the PCEF of a session to end it; says whether there is such a session.
    pub fn release(&self, session: &[u8], cause: u32) -> bool {
        let found = self
            .tables
            .sessions
            .shard(session)
            .and_then(|mut shard| shard.get(session).map(|(id, _)| id.clone()));
        found
            .inspect(|id| self.enqueue(id.clone(), Purpose::Release(cause)))
            .is_some()
    }

    /// Answers to RAR that are waited for.
    pub fn waiting(&self) -> usize {
        lock(&self.pending).len()
    }
}

impl Worker {
    /// What is due at a time in milliseconds since 1970: decisions whose time has come, repetitions, sessions of which
    /// nothing was heard, old tombstones; then at most `limit` sessions of those that wait are looked at. Gives the
    /// messages to send.
    pub fn tick(&mut self, now: i64, limit: usize) -> Vec<Outgoing> {
        let pcrf = self.pcrf.clone();
        let seconds = now.div_euclid(1000);
        let mut out = Vec::new();
        while let Some((at, id)) = pcrf.due(seconds) {
            let holds =
                pcrf.tables.sessions.shard(&id).and_then(|mut shard| {
                    shard.get(&id).map(|(_, session)| session.boundary == at)
                });
            if holds == Some(true) {
                pcrf.enqueue(id, Purpose::Decide);
            }
        }
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

    /// RAR without an answer: once more with the T flag, then the session is stale.
    fn repeat(&mut self, now: i64, out: &mut Vec<Outgoing>) {
        let pcrf = self.pcrf.clone();
        let limit = i64::try_from(pcrf.settings().push_timeout.as_millis()).unwrap_or(i64::MAX);
        let mut given_up = SmallVec::<[Pending; 4]>::new();
        {
            let mut pending = lock(&pcrf.pending);
            if pending.is_empty() {
                return;
            }
            pending.retain(|_, own| {
                if own.sent.saturating_add(limit) > now {
                    return true;
                }
                if own.repeated {
                    given_up.push(own.clone());
                    return false;
                }
                own.repeated = true;
                own.sent = now;
                if let Some(flags) = own.bytes.get_mut(4) {
                    *flags |= flag::RETRANSMITTED;
                }
                pcrf.tables.counters.push_repeats.up();
                out.push(Outgoing {
                    connection: own.connection,
                    bytes: own.bytes.clone(),
                    after: 0,
                });
                true
            });
        }
        for own in given_up {
            pcrf.tables.counters.push_timeouts.up();
            if own.purpose == Purpose::Probe {
                pcrf.tables
                    .counters
                    .expired
                    .add(u64::from(pcrf.drop_session(&own.id)));
            } else {
                self.mark_stale(&own.id);
            }
        }
    }

    /// The PCEF may not have what we think.
    fn mark_stale(&mut self, id: &Id) {
        let pcrf = self.pcrf.clone();
        let Some(mut shard) = pcrf.tables.sessions.shard(id) else {
            return;
        };
        if let Some((_, session)) = shard.get(id) {
            session.stale = true;
            self.batch.clear();
            self.put(&pcrf.tables, id, session, true);
            pcrf.journal.append(&self.batch);
        }
    }

    /// Looks at a session; gives the RAR, if its PCEF must be told something.
    fn push(&mut self, id: &Id, purpose: Purpose, now: i64) -> Option<Outgoing> {
        let pcrf = self.pcrf.clone();
        let tables = &*pcrf.tables;
        let loaded = pcrf.loaded.load();
        let seconds = now.div_euclid(1000);
        let mut shard = tables.sessions.shard(id)?;
        let (_, session) = shard.get(id)?;
        let host = tables.hosts.get(session.peer)?;
        let row = tables.directory.by_key(&session.subscriber);
        let mut watch = tables.perf.watch();
        self.batch.clear();
        let mut w = Writer::new();
        let number = pcrf.number();
        w.start(
            command::RE_AUTH,
            flag::REQUEST | flag::PROXIABLE,
            GX,
            number,
            number,
        );
        w.bytes(id::SESSION_ID, id);
        w.u32(id::AUTH_APPLICATION_ID, GX);
        w.bytes(id::ORIGIN_HOST, &pcrf.settings().host);
        w.bytes(id::ORIGIN_REALM, &pcrf.settings().realm);
        w.bytes(id::DESTINATION_REALM, &host.realm);
        w.bytes(id::DESTINATION_HOST, &host.name);
        w.u32(id::RE_AUTH_REQUEST_TYPE, 0);
        w.u32(id::ORIGIN_STATE_ID, pcrf.start);
        match purpose {
            Purpose::Release(cause) => w.u32(id::SESSION_RELEASE_CAUSE, cause),
            Purpose::Probe => {}
            Purpose::Decide => {
                let outcome = self.decide(
                    &Question {
                        loaded: &loaded,
                        kind: Kind::Push,
                        id,
                        session,
                        host: &host.name,
                        row: row.as_ref(),
                        now: seconds,
                        call: None,
                    },
                    &mut watch,
                );
                let before = Wanted::decode(&session.wanted).map(|(wanted, _)| wanted);
                let before = before.unwrap_or_default();
                match outcome {
                    Outcome::Same => return None,
                    // A policy that fails decides nothing: the session stays as it is.
                    Outcome::Refused(ResultCode::UNABLE_TO_COMPLY) => return None,
                    Outcome::Refused(_) => {
                        // It was allowed until now: UNSPECIFIED_REASON.
                        w.u32(id::SESSION_RELEASE_CAUSE, 0);
                        session.boundary = NEVER;
                    }
                    Outcome::New => {
                        let decision = self.runner.decision();
                        let nothing = Wanted::default();
                        let step = Step {
                            policy: &loaded.policy,
                            wanted: &decision.wanted,
                            present: if session.stale { &nothing } else { &before },
                            usage_report: pcrf.settings().usage_report,
                        };
                        let needed = step.is_needed();
                        if needed && host.connection() == 0 {
                            // Its next request brings what is missing.
                            tables.counters.push_unreachable.up();
                            return None;
                        }
                        if needed {
                            let grants = Grants {
                                tables,
                                policy: &loaded.policy,
                                subscriber: &session.subscriber,
                                row: row.as_ref(),
                                now: seconds,
                            };
                            step.write(&mut w, |_| false, |monitor| grants.of(monitor));
                        }
                        self.keep(session, &before, id, seconds);
                        if session.boundary != NEVER {
                            pcrf.schedule(session.boundary, id);
                        }
                        self.put(tables, id, session, false);
                        if !needed {
                            pcrf.journal.append(&self.batch);
                            return None;
                        }
                        session.stale = false;
                    }
                }
            }
        }
        let connection = host.connection();
        if connection == 0 {
            tables.counters.push_unreachable.up();
            if purpose == Purpose::Probe {
                drop(shard);
                tables
                    .counters
                    .expired
                    .add(u64::from(pcrf.drop_session(id)));
            }
            return None;
        }
        let after = if self.batch.is_empty() {
            0
        } else {
            pcrf.journal.append(&self.batch)
        };
        drop(shard);
        let bytes = w.finish().to_vec();
        tables.counters.pushes.up();
        lock(&pcrf.pending).insert(
            number,
            Pending {
                id: id.clone(),
                purpose,
                connection,
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
        match code {
            Some(2000..=2999) => {
                if let Some(mut shard) = tables.sessions.shard(&pending.id)
                    && let Some((_, session)) = shard.get(&pending.id)
                {
                    session.seen = now.div_euclid(1000);
                }
            }
            Some(5002) => {
                if pcrf.drop_session(&pending.id) {
                    tables.counters.disowned.up();
                }
            }
            _ => {
                tables.counters.push_failures.up();
                self.mark_stale(&pending.id);
            }
        }
    }
}
