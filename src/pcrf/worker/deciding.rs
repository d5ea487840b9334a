//! Decides about a session, or finds that the decision before holds.

use crate::pcrf::diameter::ResultCode;
use crate::pcrf::directory::Row;
use crate::pcrf::engine::Loaded;
use crate::pcrf::inputs::GxInputs;
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::policy::Kind;
use crate::pcrf::session::Session;
use crate::pcrf::worker::{Call, Worker};

/// What a decision came to.
pub(crate) enum Outcome {
    /// The decision before holds.
    Same,
    /// Another one: it is the runner's.
    New,
    /// The request is refused.
    Refused(ResultCode),
}

/// What is to be decided, and all that the decision may read.
pub(crate) struct Question<'q, 'c, 'a, 'r> {
    pub(crate) loaded: &'q Loaded,
    pub(crate) kind: Kind,
    /// Session-Id.
    pub(crate) id: &'q [u8],
    pub(crate) session: &'q Session,
    /// Origin-Host of the PCEF.
    pub(crate) host: &'q [u8],
    pub(crate) row: Option<&'q Row>,
    /// Seconds since 1970.
    pub(crate) now: i64,
    /// None where the PCRF decides of its own accord.
    pub(crate) call: Option<&'q Call<'c, 'a, 'r>>,
}

impl Worker {
    /// Decides, or finds that the decision before holds.
    pub(crate) fn decide(
        &mut self,
        question: &Question<'_, '_, '_, '_>,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let tables = self.pcrf.tables.clone();
        let policy = &question.loaded.policy;
        let Some(inputs) = self.runner.inputs_mut::<GxInputs>() else {
            return Outcome::Refused(ResultCode::UNABLE_TO_COMPLY);
        };
        inputs.set(
            policy,
            question.id,
            question.session,
            question.host,
            question.row,
            question.now,
        );
        if let Some(call) = question.call {
            inputs.request(call.parts, call.request, self.pcrf.settings().usage_report);
        }
        if self.holds(question, watch) {
            watch.hit();
            tables.counters.memo_hits.up();
            return Outcome::Same;
        }
        let decision = policy.decide(&mut self.runner, question.kind);
        tables.counters.runs.up();
        if decision.is_limited() {
            tables.counters.limits.up();
        }
        let refused = decision.refused;
        let told = !decision.log.is_empty();
        watch.lap(Work::Dialplan);
        if told {
            self.warn(question);
        }
        match refused {
            Some(code) => Outcome::Refused(code),
            None => Outcome::New,
        }
    }

    /// Whether everything that the decision before read is as it was.
    fn holds(&mut self, question: &Question<'_, '_, '_, '_>, watch: &mut Watch<'_>) -> bool {
        if question.kind == Kind::Terminate
            || question.session.memo.is_empty()
            || !self.pcrf.tables.switches.is_on(Switch::Memo)
        {
            return false;
        }
        let memo = &question.session.memo;
        let holds = self
            .runner
            .holds(memo, &question.loaded.policy, question.kind);
        watch.lap(Work::Memo);
        holds
    }
}
