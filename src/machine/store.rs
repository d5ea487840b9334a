//! How applications and functions reach the store of `DB()`: an embedded one answers at once, one that the host keeps
//! answers an [`Effect::Store`].

use crate::diagnostic::{Code, code};
use crate::machine::{Answer, Cx, Effect, Event, Flow};
use crate::store::{self, FaultKind, StoreAnswer, StoreRequest};

/// The code of a kind of fault.
pub fn fault_code(kind: FaultKind) -> &'static Code {
    match kind {
        FaultKind::Unreadable => &code::STORE_UNREADABLE,
        FaultKind::InUse => &code::STORE_IN_USE,
        FaultKind::NotAStore => &code::STORE_OTHER_FILE,
        FaultKind::Damaged => &code::STORE_DAMAGED,
        _ => &code::STORE_FAILED,
    }
}

impl Cx<'_> {
    /// What an embedded store answers; `None` = it has to be waited for.
    fn embedded(&mut self, request: &StoreRequest) -> Option<StoreAnswer> {
        let store = self.state.shared.store()?;
        if *request == StoreRequest::Flush && !store.progress().is_settled() {
            store.hurry();
            return None;
        }
        let answer = store::answer(store, request);
        let fault = store.take_fault();
        if let Some(fault) = fault {
            self.log(fault_code(fault.kind), || fault.message);
        }
        Some(answer)
    }

    /// The answer in an event of the host's; whatever does not fit is none.
    fn stored(&mut self, request: &StoreRequest, event: Event) -> StoreAnswer {
        let reason = match event {
            Event::Store(StoreAnswer::Failed(reason)) | Event::Failed(reason) => reason,
            Event::Store(answer) if answer.fits(request) => return answer,
            Event::Hangup(_) => "the channel was hung up".to_owned(),
            _ => "the host gave no answer for the store".to_owned(),
        };
        self.log(&code::STORE_FAILED, || reason.clone());
        StoreAnswer::Failed(reason)
    }
}

impl Answer {
    /// Asks the store and goes on with what it says.
    pub fn store(
        cx: &mut Cx<'_>,
        request: StoreRequest,
        out: &mut Vec<u8>,
        then: impl FnOnce(&mut Cx<'_>, StoreAnswer, &mut Vec<u8>) -> Answer + Send + 'static,
    ) -> Self {
        if let Some(answer) = cx.embedded(&request) {
            return then(cx, answer, out);
        }
        Answer::Await(
            Effect::Store(request.clone()),
            Box::new(move |cx, event, out| {
                let answer = cx.stored(&request, event);
                then(cx, answer, out)
            }),
        )
    }
}

impl Flow {
    /// Asks the store and goes on with what it says.
    pub fn store(
        cx: &mut Cx<'_>,
        request: StoreRequest,
        then: impl FnOnce(&mut Cx<'_>, StoreAnswer) -> Flow + Send + 'static,
    ) -> Self {
        if let Some(answer) = cx.embedded(&request) {
            return then(cx, answer);
        }
        Flow::wait_then(Effect::Store(request.clone()), move |cx, event| {
            let answer = cx.stored(&request, event);
            then(cx, answer)
        })
    }
}
