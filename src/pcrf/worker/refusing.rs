//! Refusals: requests that are wrong, late, of unknown sessions or subscribers.

use crate::pcrf::answer;
use crate::pcrf::diameter::check::Refusal;
use crate::pcrf::diameter::{Header, Message, ResultCode, Writer, flag, id};
use crate::pcrf::request::{Parts, Request};
use crate::pcrf::settings::Experimental;
use crate::pcrf::worker::{Call, Worker};

impl Worker {
    /// Refuses what is no request of Gx, or an incomplete one.
    pub(super) fn refuse_at_once(
        &mut self,
        message: Message<'_>,
        refusal: &Refusal<'_>,
        w: &mut Writer,
    ) {
        let pcrf = &*self.pcrf;
        pcrf.tables.counters.refused.up();
        let host = message
            .find(id::ORIGIN_HOST)
            .map_or(&[][..], |avp| avp.value);
        let how = pcrf.settings().experimental_for(host);
        let origin = Self::origin(pcrf);
        if !refusal.result.is_experimental() || how == Experimental::Ts {
            refusal.append_answer(message, &origin, w);
            return;
        }
        let text = |id| message.find(id).map_or(&[][..], |avp| avp.value);
        let number = |id| message.find(id).and_then(|avp| avp.u32());
        answer::begin(w, message.header(), text(id::SESSION_ID), origin);
        answer::result(w, refusal.result, how, true);
        for id in [id::CC_REQUEST_TYPE, id::CC_REQUEST_NUMBER] {
            if let Some(number) = number(id) {
                w.u32(id, number);
            }
        }
        refusal.write_failed(w);
        for avp in message.avps().filter(|avp| avp.is(id::PROXY_INFO)) {
            w.copy(&avp);
        }
        w.finish();
    }

    pub(super) fn late(&mut self, call: &Call<'_, '_, '_>, w: &mut Writer) -> u64 {
        call.tables.counters.late.up();
        let code = if self.pcrf.settings().late == 5453 {
            ResultCode::LATE_OVERLAPPING_REQUEST
        } else {
            ResultCode::UNABLE_TO_COMPLY
        };
        self.refuse_call(call, code, w)
    }

    pub(super) fn refuse_call(
        &mut self,
        call: &Call<'_, '_, '_>,
        code: ResultCode,
        w: &mut Writer,
    ) -> u64 {
        self.refuse(&call.header, call.request, call.parts, code, call.how, w)
    }

    /// Refuses a request, without a trace in any table.
    pub(super) fn refuse(
        &mut self,
        header: &Header,
        request: &Request<'_>,
        parts: &Parts<'_, '_>,
        code: ResultCode,
        how: Experimental,
        w: &mut Writer,
    ) -> u64 {
        self.pcrf.tables.counters.refused.up();
        if code.is_protocol_error() {
            w.append_answer(header, flag::ERROR);
            if !request.session.is_empty() {
                w.bytes(id::SESSION_ID, request.session);
            }
            let origin = Self::origin(&self.pcrf);
            w.bytes(id::ORIGIN_HOST, origin.host);
            w.bytes(id::ORIGIN_REALM, origin.realm);
            w.u32(id::ORIGIN_STATE_ID, self.pcrf.start);
            w.result(code);
        } else {
            answer::begin(w, header, request.session, Self::origin(&self.pcrf));
            answer::result(w, code, how, false);
            answer::request(w, request);
        }
        parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
        w.finish();
        0
    }
}
