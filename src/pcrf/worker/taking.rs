//! Takes a request: what it owes, whether it was answered before, which way it goes.

use crate::pcrf::answer;
use crate::pcrf::diameter::check;
use crate::pcrf::diameter::{Here, Message, Places, ResultCode, Writer, command, id};
use crate::pcrf::engine::lock;
use crate::pcrf::hosts::Host;
use crate::pcrf::log::plain;
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::request::Parts;
use crate::pcrf::session::Request as Answered;
use crate::pcrf::settings::Verbosity;
use crate::pcrf::store::{Batch, Table};
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::{Call, Worker, kind};

impl Worker {
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
        let mut places = Places::default();
        let judged =
            check::request(message, &loaded.grammar, &here, &mut places).and_then(|found| {
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
        if host.heard_on(connection) {
            pcrf.returned(host.clone());
        }
        // An agent may bring requests of others: their state is not believed from it, as it ends sessions.
        if let Some(state) = request.state
            && state != host.state()
            && host.is_at(connection)
        {
            pcrf.host_state(&host, state);
        }
        let call = Call {
            tables,
            loaded: &loaded,
            parts: &parts,
            request: &request,
            header,
            host: &host,
            how,
            this: Answered {
                kind: request.kind,
                number: request.number,
                end_to_end: header.end_to_end,
            },
            now: now.div_euclid(1000),
        };
        self.line(&call, b"received", &mut watch);
        self.line(&call, b"decides", &mut watch);
        let number = self.answer(&call, &mut watch, w);
        self.line(&call, b"answered", &mut watch);
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
    pub(super) fn step(&mut self, tables: &Tables, watch: &mut Watch<'_>) {
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
    fn line(&mut self, call: &Call<'_, '_, '_>, what: &[u8], watch: &mut Watch<'_>) {
        if self.pcrf.settings().log < Verbosity::Info {
            return;
        }
        let tables = call.tables;
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
        plain(call.request.session, line);
        self.lines.end(&*self.pcrf.sink, &tables.counters);
        watch.lap(Work::Log);
    }

    fn answer(&mut self, call: &Call<'_, '_, '_>, watch: &mut Watch<'_>, w: &mut Writer) -> u64 {
        let (request, tables, this) = (call.request, call.tables, call.this);
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
        // The identifier counts together with the host, and only with the T flag: a first transmission has it clear.
        let same = |last: &Answered| {
            (last.kind, last.number) == (this.kind, this.number)
                || (again && last.end_to_end == this.end_to_end)
        };
        let stored = match shard.get(request.session) {
            Some((_, session)) => {
                let own = session.peer == call.host.number;
                let number = (session.last.kind, session.last.number);
                (number == (this.kind, this.number) || (own && same(&session.last)))
                    .then_some(&session.answer)
            }
            None => match shard.tombstone(request.session) {
                Some(tombstone) if same(&tombstone.last) => Some(&tombstone.answer),
                _ => None,
            },
        };
        if let Some(stored) = stored {
            tables.counters.duplicates.up();
            let origin = Self::origin(&self.pcrf);
            answer::begin(w, &call.header, request.session, origin);
            w.copy_bytes(stored);
            call.parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
            w.finish();
            return self.pcrf.journal.appended();
        }
        watch.lap(Work::SessionGet);
        let number = match request.kind {
            kind::INITIAL => self.initial(call, &mut shard, watch, w),
            kind::UPDATE | kind::TERMINATE => self.further(call, &mut shard, watch, w),
            _ => self.refuse_call(call, ResultCode::INVALID_AVP_VALUE, w),
        };
        drop(shard);
        drop(naive);
        number
    }
}
