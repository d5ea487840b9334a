//! CCR-I: a session begins.

use std::sync::Arc;

use crate::pcrf::answer;
use crate::pcrf::diameter::{ResultCode, Writer};
use crate::pcrf::directory::{Identity, Row};
use crate::pcrf::perf::Watch;
use crate::pcrf::policy::Kind;
use crate::pcrf::request::{self, Request};
use crate::pcrf::session::{NEVER, Session};
use crate::pcrf::sessions::{Id, Shard};
use crate::pcrf::store::Change;
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::{Call, Outcome, Question, Worker};

impl Worker {
    /// The subscriber that one of the identities names; the IMSI counts first, wherever it stands.
    fn subscriber(tables: &Tables, request: &Request<'_>) -> Option<Row> {
        let find = |wanted| {
            request.ids.iter().find_map(|(kind, text)| {
                let identity = Identity::of_type(*kind).filter(|own| *own == wanted)?;
                tables.directory.find(identity, text)
            })
        };
        find(Identity::Imsi).or_else(|| find(Identity::Msisdn))
    }

    pub(super) fn initial(
        &mut self,
        call: &Call<'_, '_, '_>,
        shard: &mut Shard,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) -> u64 {
        let pcrf = self.pcrf.clone();
        let (request, tables) = (call.request, call.tables);
        tables.counters.initial.up();
        let before = shard
            .get(request.session)
            .map(|(_, session)| (session.last, session.version));
        if let Some((last, _)) = before
            && call.header.is_retransmitted()
            && call.this.number < last.number
        {
            return self.late(call, w);
        }
        let row = Self::subscriber(tables, request);
        self.subscriber_step(tables, row.as_ref().map_or(&[], Row::key), watch);
        if row.is_none() && !pcrf.settings().guests {
            tables.counters.unknown_subscribers.up();
            let code = ResultCode::base(pcrf.settings().unknown_subscriber);
            return self.refuse_call(call, code, w);
        }
        let given = request.ids.iter().find(|(kind, _)| *kind == 1);
        let given = given
            .or(request.ids.first())
            .map_or(&[][..], |(_, text)| text);
        let mut session = Box::new(Session {
            version: before.map_or(0, |(_, version)| version),
            peer: call.host.number,
            started: call.now,
            boundary: NEVER,
            // Its PCEF has nothing yet.
            stale: true,
            subscriber: row.as_ref().map_or(given, Row::key).to_vec(),
            ..Session::default()
        });
        if before.is_some() {
            tables.counters.replaced.up();
        }
        request::standing(call.parts, &[], &mut session.standing);
        self.batch.clear();
        self.account(call, &session, row.as_ref(), watch);
        let outcome = self.decide(
            &Question {
                loaded: call.loaded,
                kind: Kind::Initial,
                id: request.session,
                session: &session,
                host: &call.host.name,
                row: row.as_ref(),
                now: call.now,
                call: Some(call),
            },
            watch,
        );
        if let Outcome::Refused(code) = outcome {
            // What was used is counted all the same, and a session that this one replaces is over.
            if let Some((id, _)) = pcrf.remove(shard, request.session) {
                self.batch.push(&Change::DropSession { id: &id });
            }
            let number = self.refuse_call(call, code, w);
            return number.max(self.write(tables, watch));
        }
        let mark = self.begin(call, w);
        answer::result(w, ResultCode::SUCCESS, call.how, false);
        answer::request(w, request);
        answer::features(w, request);
        self.install(call, &mut session, row.as_ref(), &outcome, watch, w);
        Self::conclude(call, &mut session, mark, w);
        session.shrink();
        let id: Id = match shard.get(request.session) {
            Some((id, _)) => id.clone(),
            None => Arc::from(request.session),
        };
        if session.boundary != NEVER {
            pcrf.schedule(session.boundary, &id);
        }
        self.put(tables, &id, &mut session, true);
        if before.is_some() {
            pcrf.remove(shard, &id);
        }
        let owners = pcrf.owners(&session.subscriber, row.as_ref());
        let owners: smallvec::SmallVec<[&[u8]; 3]> = owners.iter().map(Vec::as_slice).collect();
        tables.sessions.insert(shard, &id, session, &owners);
        self.write(tables, watch)
    }
}
