//! CCR-U and CCR-T: a session goes on, or ends.

use crate::pcrf::answer;
use crate::pcrf::diameter::{ResultCode, Writer};
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::policy::Kind;
use crate::pcrf::request;
use crate::pcrf::session::{NEVER, Tombstone};
use crate::pcrf::sessions::Shard;
use crate::pcrf::store::Change;
use crate::pcrf::worker::{Call, Outcome, Question, Worker, kind};

impl Worker {
    /// CCR-U and CCR-T.
    pub(super) fn further(
        &mut self,
        call: &Call<'_, '_, '_>,
        shard: &mut Shard,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) -> u64 {
        let pcrf = self.pcrf.clone();
        let (request, tables, this) = (call.request, call.tables, call.this);
        let Some((id, session)) = shard.get(request.session) else {
            tables.counters.unknown_sessions.up();
            return self.refuse_call(call, ResultCode::UNKNOWN_SESSION_ID, w);
        };
        let id = id.clone();
        if this.number < session.last.number {
            return self.late(call, w);
        }
        if this.number > session.last.number.saturating_add(1) {
            tables.counters.gaps.up();
        }
        let row = tables.directory.by_key(&session.subscriber);
        self.subscriber_step(tables, &session.subscriber, watch);
        if request::standing(call.parts, &session.standing, &mut self.standing) {
            session.standing.clear();
            session.standing.extend_from_slice(&self.standing);
        }
        session.peer = call.host.number;
        self.batch.clear();
        let used = self.account(call, session, row.as_ref(), watch);
        let ends = request.kind == kind::TERMINATE;
        let kind = if ends {
            tables.counters.terminate.up();
            Kind::Terminate
        } else {
            tables.counters.update.up();
            Kind::Update
        };
        let outcome = if ends && !call.loaded.policy.has(Kind::Terminate) {
            Outcome::Same
        } else {
            self.decide(
                &Question {
                    loaded: call.loaded,
                    kind,
                    id: &id,
                    session,
                    host: &call.host.name,
                    row: row.as_ref(),
                    now: call.now,
                    call: Some(call),
                },
                watch,
            )
        };
        let mark = self.begin(call, w);
        let refused = match &outcome {
            Outcome::Refused(code) if !ends => Some(*code),
            _ => None,
        };
        answer::result(w, refused.unwrap_or(ResultCode::SUCCESS), call.how, false);
        answer::request(w, request);
        if refused.is_some() {
            tables.counters.refused.up();
        } else if !ends {
            let boundary = session.boundary;
            self.install(call, session, row.as_ref(), &outcome, watch, w);
            if session.boundary != boundary && session.boundary != NEVER {
                pcrf.schedule(session.boundary, &id);
            }
        }
        Self::conclude(call, session, mark, w);
        watch.lap(Work::Encode);
        if ends {
            let tombstone = Tombstone {
                last: this,
                until: call
                    .now
                    .saturating_add(pcrf.settings().tombstone.as_secs() as i64),
                answer: std::mem::take(&mut session.answer),
            };
            if pcrf.journal.keeps() || !tables.switches.is_on(Switch::Commit) {
                self.blob.clear();
                tombstone.write(&mut self.blob);
                self.batch.push(&Change::PutSession {
                    id: &id,
                    expected: session.version,
                    blob: &self.blob,
                });
            }
            pcrf.remove(shard, &id);
            shard.bury(id, tombstone);
        } else {
            self.put(tables, &id, session, used);
        }
        self.write(tables, watch)
    }
}
