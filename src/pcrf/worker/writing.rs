//! Writes the answer to a request.

use crate::pcrf::answer::{self, Step};
use crate::pcrf::diameter::{Writer, id};
use crate::pcrf::directory::Row;
use crate::pcrf::leftover;
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
        if same && !all && self.reports.is_empty() && session.release.is_none() {
            return;
        }
        let policy = &call.loaded.policy;
        let before = Wanted::decode(&session.wanted).map(|(wanted, _)| wanted);
        let before = before.unwrap_or_default();
        let may;
        let present = if all {
            may = leftover::may_have(&before, &session.leftover);
            &may
        } else {
            &before
        };
        let reports = std::mem::take(&mut self.reports);
        let mark = w.avps().len();
        {
            let decision = self.runner.decision();
            let wanted = if same { &before } else { &decision.wanted };
            session.release_as(wanted.release);
            let grants = Grants {
                tables,
                policy,
                subscriber: &session.subscriber,
                row,
                now: call.now,
            };
            let step = Step {
                policy,
                wanted,
                present,
                all,
                usage_report: self.pcrf.settings().usage_report,
            };
            watch.lap(Work::Difference);
            step.write(w, |key| reports.has(key), |monitor| grants.of(monitor));
            if session.unconfirmed > 0 {
                // The PCEF may do first what this answer says, then what a RAR before it said.
                let may = leftover::may_have(&before, &session.leftover);
                leftover::keep(may, wanted, &mut session.leftover);
            } else {
                session.leftover = Vec::new();
            }
        }
        self.reports = reports;
        if w.avps().len() > mark {
            session.told = session.told.wrapping_add(1);
        }
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
        let answer = w.avps().get(mark..).unwrap_or_default();
        session.answer = call.tables.interner.intern(answer);
        call.parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
        w.finish();
    }
}
