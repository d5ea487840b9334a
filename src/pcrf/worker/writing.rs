//! Writes the answer to a request.

use crate::pcrf::answer::{self, Step};
use crate::pcrf::diameter::{Writer, id};
use crate::pcrf::directory::Row;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::policy::Wanted;
use crate::pcrf::session::Session;
use crate::pcrf::worker::{Call, Grants, Outcome, Worker};

impl Worker {
    /// Begins the answer; gives where its result begins.
    pub(super) fn begin(&self, call: &Call<'_, '_, '_>, w: &mut Writer) -> usize {
        let origin = Self::origin(&self.pcrf);
        answer::begin(w, &call.header, call.request.session, origin);
        w.avps().len()
    }

    /// Writes what the PCEF must be told, and keeps what was decided.
    pub(super) fn install(
        &mut self,
        call: &Call<'_, '_, '_>,
        session: &mut Session,
        row: Option<&Row>,
        outcome: &Outcome,
        watch: &mut Watch<'_>,
        w: &mut Writer,
    ) {
        let tables = call.tables;
        let all = session.stale;
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

    /// Ends the answer, and keeps it for a repetition of the request.
    pub(super) fn conclude(
        call: &Call<'_, '_, '_>,
        session: &mut Session,
        mark: usize,
        w: &mut Writer,
    ) {
        session.last = call.this;
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
