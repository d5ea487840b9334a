//! Answers requests: one worker for each thread.

mod keeping;
mod refusing;
mod telling;

use std::sync::Arc;

use crate::pcrf::answer::{self, Step};
use crate::pcrf::diameter::check;
use crate::pcrf::diameter::{Header, Here, Message, Origin, ResultCode, Writer, command, id};
use crate::pcrf::directory::{Identity, Row};
use crate::pcrf::engine::{Loaded, Pcrf, lock};
use crate::pcrf::hosts::Host;
use crate::pcrf::inputs::GxInputs;
use crate::pcrf::log::Lines;
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::policy::{Kind, Memo, Runner, Wanted};
use crate::pcrf::request::{self, Parts, Request};
use crate::pcrf::session::{NEVER, Request as Answered, Session, Tombstone};
use crate::pcrf::sessions::{Id, Shard};
use crate::pcrf::settings::{Experimental, Verbosity};
use crate::pcrf::store::{Batch, Change, Table};
use crate::pcrf::tables::Tables;
use crate::pcrf::usage::Reports;

pub(crate) use keeping::Grants;

/// CC-Request-Type.
pub(crate) mod kind {
    /// INITIAL_REQUEST
    pub(crate) const INITIAL: u32 = 1;
    /// UPDATE_REQUEST
    pub(crate) const UPDATE: u32 = 2;
    /// TERMINATION_REQUEST
    pub(crate) const TERMINATE: u32 = 3;
}

/// Answers requests of one thread, on buffers that are used again.
pub struct Worker {
    pub(crate) pcrf: Arc<Pcrf>,
    pub(crate) runner: Runner,
    pub(crate) batch: Batch,
    pub(crate) blob: Vec<u8>,
    standing: Vec<u8>,
    reports: Reports,
    lines: Lines,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

/// What a decision came to.
pub(crate) enum Outcome {
    /// The decision before holds.
    Same,
    /// Another one: it is the runner's.
    New,
    /// The request is refused.
    Refused(ResultCode),
}

/// One request and its surroundings.
struct Call<'c, 'a, 'r> {
    loaded: &'c Loaded,
    parts: &'c Parts<'a, 'c>,
    request: &'c Request<'r>,
    header: Header,
    host: &'c Host,
    how: Experimental,
    /// Seconds since 1970.
    now: i64,
}

impl Worker {
    /// A worker.
    pub fn new(pcrf: Arc<Pcrf>) -> Self {
        let inputs = GxInputs::new(pcrf.tables.clone());
        Self {
            runner: Runner::new(Box::new(inputs)),
            pcrf,
            batch: Batch::default(),
            blob: Vec::new(),
            standing: Vec::new(),
            reports: Reports::default(),
            lines: Lines::default(),
        }
    }

    /// The PCRF that it works for.
    pub fn pcrf(&self) -> &Arc<Pcrf> {
        &self.pcrf
    }

    fn origin(pcrf: &Pcrf) -> Origin<'_> {
        Origin {
            host: &pcrf.settings().host,
            realm: &pcrf.settings().realm,
            state: Some(pcrf.start),
        }
    }

    /// Answers a request of an application that was received on a connection, at a time in milliseconds since 1970. The
    /// answer is appended to the writer. Gives the number of the change that must be in the store before the answer may
    /// leave, 0 for none.
    pub fn request(
        &mut self,
        connection: u64,
        message: Message<'_>,
        now: i64,
        w: &mut Writer,
    ) -> u64 {
        let pcrf = self.pcrf.clone();
        let tables = &*pcrf.tables;
        let loaded = pcrf.loaded.load();
        tables.counters.requests.up();
        let mut watch = tables.perf.watch();
        let here = Here {
            host: &pcrf.settings().host,
            realm: &pcrf.settings().realm,
            commands: &[command::CREDIT_CONTROL],
        };
        let judged = check::request(message, &loaded.grammar, &here).and_then(|found| {
            let kind = check::request_type(&found)?;
            match check::initial(&found) {
                Some(refusal) if kind == kind::INITIAL => Err(refusal),
                _ => Ok(found),
            }
        });
        let found = match judged {
            Ok(found) => found,
            Err(refusal) => {
                self.refuse_at_once(message, &refusal, w);
                return 0;
            }
        };
        let masked = tables.switches.is_on(Switch::Mask);
        let parts = Parts::of(found, masked, &tables.counters);
        let request = parts.request(&tables.counters);
        watch.lap(Work::Decode);
        let header = parts.header();
        let how = pcrf.settings().experimental_for(request.host);
        if pcrf.journal.is_crowded() {
            return self.refuse(&header, &request, &parts, ResultCode::TOO_BUSY, how, w);
        }
        let Some(host) = pcrf.host(request.host, request.realm) else {
            return self.refuse(&header, &request, &parts, ResultCode::TOO_BUSY, how, w);
        };
        self.network(tables, &host, &mut watch);
        host.heard_on(connection);
        if let Some(state) = request.state {
            pcrf.host_state(&host, state);
        }
        let call = Call {
            loaded: &loaded,
            parts: &parts,
            request: &request,
            header,
            host: &host,
            how,
            now: now.div_euclid(1000),
        };
        self.line(&call, tables, b"received", &mut watch);
        self.line(&call, tables, b"decides", &mut watch);
        let number = self.answer(&call, tables, &mut watch, w);
        self.line(&call, tables, b"answered", &mut watch);
        number
    }

    /// The naive way reads the row of the peer for each request.
    fn network(&mut self, tables: &Tables, host: &Host, watch: &mut Watch<'_>) {
        if !tables.switches.is_on(Switch::Netsnap) {
            tables.counters.store_reads.up();
            match tables.store.row(Table::Peer, &host.name) {
                Ok(row) => {
                    watch.lap(Work::PeerGet);
                    // What it says is what is in memory.
                    let _ = row.as_deref().and_then(crate::pcrf::hosts::read_row);
                    watch.fetch(Work::PeerGet);
                }
                Err(_) => tables.counters.store_faults.up(),
            }
        }
        self.step(tables, watch);
    }

    /// The naive way ends each step with a commit, also where it only read.
    fn step(&mut self, tables: &Tables, watch: &mut Watch<'_>) {
        if tables.switches.is_on(Switch::Commit) {
            return;
        }
        watch.skip();
        tables.counters.commits.up();
        if self.pcrf.journal.commit_now(&Batch::default()).is_err() {
            tables.counters.store_faults.up();
        }
        watch.lap(Work::Commit);
    }

    /// Three lines for each transaction, if they are wanted.
    fn line(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        what: &[u8],
        watch: &mut Watch<'_>,
    ) {
        if self.pcrf.settings().log < Verbosity::Info {
            return;
        }
        watch.skip();
        let cached = tables.switches.is_on(Switch::Timecache);
        let line = self.lines.begin(call.now, cached, &tables.counters);
        line.extend_from_slice(what);
        line.extend_from_slice(match call.request.kind {
            kind::INITIAL => b" CCR-I ",
            kind::UPDATE => b" CCR-U ",
            _ => b" CCR-T ",
        });
        line.extend_from_slice(itoa::Buffer::new().format(call.request.number).as_bytes());
        line.push(b' ');
        line.extend_from_slice(call.request.session);
        self.lines.end(&*self.pcrf.sink, &tables.counters);
        watch.lap(Work::Log);
    }

    fn answer(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) -> u64 {
        let request = call.request;
        let this = Answered {
            kind: request.kind,
            number: request.number,
            end_to_end: call.header.end_to_end,
        };
        // In the naive way one lock is held over everything that is written.
        let naive = if tables.switches.is_on(Switch::Upsert) {
            None
        } else {
            let began = std::time::Instant::now();
            let guard = lock(&tables.naive);
            let waited = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            tables.counters.lock_wait.add(waited);
            Some(guard)
        };
        watch.skip();
        let Some(mut shard) = tables.sessions.shard(request.session) else {
            return self.refuse_call(call, ResultCode::UNABLE_TO_COMPLY, w);
        };
        let again = call.header.is_retransmitted();
        let same = |last: &Answered| {
            (last.kind, last.number) == (this.kind, this.number)
                || (again && last.end_to_end == this.end_to_end)
        };
        let stored = match shard.get(request.session) {
            Some((_, session)) => same(&session.last).then_some(&session.answer),
            None => match shard.tombstone(request.session) {
                Some(tombstone) if same(&tombstone.last) => Some(&tombstone.answer),
                _ => None,
            },
        };
        if let Some(stored) = stored {
            tables.counters.duplicates.up();
            answer::begin(w, &call.header, request.session, Self::origin(&self.pcrf));
            w.copy_bytes(stored);
            call.parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
            w.finish();
            return self.pcrf.journal.appended();
        }
        watch.lap(Work::SessionGet);
        let number = match request.kind {
            kind::INITIAL => self.initial(call, tables, &mut shard, this, watch, w),
            kind::UPDATE | kind::TERMINATE => {
                self.further(call, tables, &mut shard, this, watch, w)
            }
            _ => self.refuse_call(call, ResultCode::INVALID_AVP_VALUE, w),
        };
        drop(shard);
        drop(naive);
        number
    }

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

    /// The naive way reads the subscriber from the store, too.
    fn subscriber_step(&mut self, tables: &Tables, key: &[u8], watch: &mut Watch<'_>) {
        watch.lap(Work::SubscriberGet);
        if tables.switches.is_on(Switch::Commit) {
            return;
        }
        tables.counters.store_reads.up();
        match tables.store.get_subscriber(key) {
            Ok(row) => {
                watch.lap(Work::SubscriberGet);
                let _ = row.as_deref().and_then(Row::read);
                watch.fetch(Work::SubscriberGet);
            }
            Err(_) => tables.counters.store_faults.up(),
        }
        self.step(tables, watch);
    }

    fn initial(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        shard: &mut Shard,
        this: Answered,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) -> u64 {
        let pcrf = self.pcrf.clone();
        let request = call.request;
        tables.counters.initial.up();
        let before = shard
            .get(request.session)
            .map(|(_, session)| (session.last, session.version));
        if let Some((last, _)) = before
            && call.header.is_retransmitted()
            && this.number < last.number
        {
            return self.late(call, tables, w);
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
            subscriber: row.as_ref().map_or(given, Row::key).to_vec(),
            ..Session::default()
        });
        if before.is_some() {
            tables.counters.replaced.up();
        }
        request::standing(call.parts, &[], &mut session.standing);
        self.batch.clear();
        self.account(call, tables, &session, row.as_ref(), watch);
        let outcome = self.decide(
            call.loaded,
            Kind::Initial,
            request.session,
            &session,
            &call.host.name,
            row.as_ref(),
            call.now,
            Some((call.parts, request)),
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
        self.install(
            call,
            tables,
            &mut session,
            row.as_ref(),
            true,
            &outcome,
            watch,
            w,
        );
        Self::conclude(call, &mut session, this, mark, w);
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

    /// CCR-U and CCR-T.
    fn further(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        shard: &mut Shard,
        this: Answered,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) -> u64 {
        let pcrf = self.pcrf.clone();
        let request = call.request;
        let Some((id, session)) = shard.get(request.session) else {
            tables.counters.unknown_sessions.up();
            return self.refuse_call(call, ResultCode::UNKNOWN_SESSION_ID, w);
        };
        let id = id.clone();
        if this.number < session.last.number {
            return self.late(call, tables, w);
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
        let used = self.account(call, tables, session, row.as_ref(), watch);
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
                call.loaded,
                kind,
                &id,
                session,
                &call.host.name,
                row.as_ref(),
                call.now,
                Some((call.parts, request)),
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
            self.install(
                call,
                tables,
                session,
                row.as_ref(),
                false,
                &outcome,
                watch,
                w,
            );
            if session.boundary != boundary && session.boundary != NEVER {
                pcrf.schedule(session.boundary, &id);
            }
        }
        Self::conclude(call, session, this, mark, w);
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

    /// Adds what was used; says whether anything was reported.
    fn account(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        session: &Session,
        row: Option<&Row>,
        watch: &mut Watch<'_>,
    ) -> bool {
        self.reports.clear();
        tables
            .counters
            .rule_failures
            .add(u64::from(call.request.failures));
        for (name, octets) in &call.request.usage {
            let key = tables.key(&call.loaded.policy, name);
            let key = key.as_deref();
            let how = key.map_or(
                crate::pcrf::policy::MonitoringKey::default().accumulate,
                |key| key.accumulate,
            );
            let counted = octets.counted(how);
            self.reports.push(name, counted);
            let owner = Tables::owner(key, &session.subscriber, row);
            let used = i64::try_from(counted).unwrap_or(i64::MAX);
            let period = tables.period(key, call.now);
            if !tables.switches.is_on(Switch::Commit) {
                watch.skip();
                tables.counters.store_reads.up();
                if tables.store.usage(owner, name, period).is_err() {
                    tables.counters.store_faults.up();
                }
                watch.lap(Work::UsageGet);
            }
            let (before, after) = tables.usage.add(owner, name, period, used, 0);
            self.batch.push(&Change::AddUsage {
                subscriber: owner,
                key: name,
                period: after.number,
                used,
                credit: 0,
            });
            // Others who share the counter learn of a limit that was crossed.
            if let Some(key) = key
                && key.pool.is_some()
                && let Some(limit) = key.limit
            {
                let state = |used| {
                    let quota = crate::pcrf::policy::Quota {
                        used,
                        limit: Some(limit.saturating_add_signed(after.counter.credit)),
                        warn: key.warn,
                    };
                    quota.state()
                };
                if state(before.counter.used) != state(after.counter.used) {
                    for other in tables.sessions.of(owner) {
                        if *other != *call.request.session {
                            self.pcrf.enqueue(other, crate::pcrf::push::Purpose::Decide);
                        }
                    }
                }
            }
            watch.lap(Work::UsageAdd);
        }
        if !self.reports.is_empty() {
            watch.lap(Work::Accounting);
        }
        self.step(tables, watch);
        !self.reports.is_empty()
    }

    /// Decides, or finds that the decision before holds.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a decision may read comes from many places"
    )]
    pub(crate) fn decide(
        &mut self,
        loaded: &Loaded,
        kind: Kind,
        id: &[u8],
        session: &Session,
        host: &[u8],
        row: Option<&Row>,
        now: i64,
        request: Option<(&Parts<'_, '_>, &Request<'_>)>,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let tables = self.pcrf.tables.clone();
        let Some(inputs) = self.runner.inputs_mut::<GxInputs>() else {
            return Outcome::Refused(ResultCode::UNABLE_TO_COMPLY);
        };
        inputs.set(&loaded.policy, id, session, host, row, now);
        if let Some((parts, request)) = request {
            inputs.request(parts, request, self.pcrf.settings().usage_report);
        }
        if kind != Kind::Terminate
            && !session.memo.is_empty()
            && tables.switches.is_on(Switch::Memo)
        {
            let memo = Memo::decode(&session.memo);
            let holds =
                memo.is_some_and(|(memo, _)| self.runner.holds(&memo, &loaded.policy, kind));
            watch.lap(Work::Memo);
            if holds {
                tables.counters.memo_hits.up();
                return Outcome::Same;
            }
        }
        let decision = loaded.policy.decide(&mut self.runner, kind);
        tables.counters.runs.up();
        if decision.is_limited() {
            tables.counters.limits.up();
        }
        let refused = decision.refused;
        let told = !decision.log.is_empty();
        watch.lap(Work::Dialplan);
        if told {
            self.tell(loaded, kind, id, now);
        }
        match refused {
            Some(code) => Outcome::Refused(code),
            None => Outcome::New,
        }
    }

    /// Writes what the PCEF must be told, and keeps what was decided.
    #[expect(
        clippy::too_many_arguments,
        reason = "a session, what was decided, and where it goes"
    )]
    fn install(
        &mut self,
        call: &Call<'_, '_, '_>,
        tables: &Tables,
        session: &mut Session,
        row: Option<&Row>,
        fresh: bool,
        outcome: &Outcome,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) {
        let all = fresh || session.stale;
        let same = matches!(outcome, Outcome::Same);
        if same && !all && self.reports.is_empty() {
            return;
        }
        let policy = &call.loaded.policy;
        let before = Wanted::decode(&session.wanted).map(|(wanted, _)| wanted);
        let before = before.unwrap_or_default();
        let nothing = Wanted::default();
        let reports = std::mem::take(&mut self.reports);
        let grants = Grants {
            tables,
            policy,
            subscriber: &session.subscriber,
            row,
            now: call.now,
        };
        {
            let decision = self.runner.decision();
            let step = Step {
                policy,
                wanted: if same { &before } else { &decision.wanted },
                present: if all { &nothing } else { &before },
                usage_report: self.pcrf.settings().usage_report,
            };
            watch.lap(Work::Difference);
            step.write(w, |key| reports.has(key), |monitor| grants.of(monitor));
        }
        self.reports = reports;
        if !same {
            self.keep(session, &before, call.request.session, call.now);
        }
        session.stale = false;
        watch.lap(Work::Encode);
    }

    /// Begins the answer; gives where its result begins.
    fn begin(&self, call: &Call<'_, '_, '_>, w: &mut Writer) -> usize {
        let origin = Self::origin(&self.pcrf);
        answer::begin(w, &call.header, call.request.session, origin);
        w.avps().len()
    }

    /// Ends the answer, and keeps it for a repetition of the request.
    fn conclude(
        call: &Call<'_, '_, '_>,
        session: &mut Session,
        this: Answered,
        mark: usize,
        w: &mut Writer,
    ) {
        session.last = this;
        session.seen = call.now;
        session.answer.clear();
        session
            .answer
            .extend_from_slice(w.avps().get(mark..).unwrap_or_default());
        // The first answer of a session is much longer than those that follow.
        if session.answer.capacity() > session.answer.len() + 64 {
            session.answer.shrink_to_fit();
        }
        call.parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
        w.finish();
    }
}
