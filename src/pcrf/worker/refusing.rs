//! Refusals: requests that are wrong, late, of unknown sessions or subscribers.

use std::sync::Arc;

use crate::pcrf::answer;
use crate::pcrf::diameter::check::Refusal;
use crate::pcrf::diameter::{Header, Message, ResultCode, Writer, id};
use crate::pcrf::optimise::Switch;
use crate::pcrf::request::{Parts, Request};
use crate::pcrf::session::Tombstone;
use crate::pcrf::sessions::{Id, Shard};
use crate::pcrf::settings::Experimental;
use crate::pcrf::store::Change;
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
        answer::begin(w, &message.header(), text(id::SESSION_ID), origin);
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
        let origin = Self::origin(&self.pcrf);
        let mark = if code.is_protocol_error() {
            answer::begin_error(w, header, request.session, origin);
            let mark = w.avps().len();
            w.result(code);
            mark
        } else {
            answer::begin(w, header, request.session, origin);
            let mark = w.avps().len();
            answer::result(w, code, how, false);
            answer::request(w, request);
            mark
        };
        self.refusal.clear();
        self.refusal
            .extend_from_slice(w.avps().get(mark..).unwrap_or_default());
        parts.each_raw(id::PROXY_INFO, |avp| w.copy(&avp));
        w.finish();
        0
    }

    /// Refuses a CCR-I whose usage was counted, and remembers that: its repetition counts nothing.
    pub(super) fn refuse_initial(
        &mut self,
        call: &Call<'_, '_, '_>,
        shard: &mut Shard,
        version: u64,
        code: ResultCode,
        w: &mut Writer,
    ) {
        let pcrf = self.pcrf.clone();
        let id = match pcrf.remove(shard, call.request.session) {
            // A session that it replaces is over.
            Some((id, _)) => id,
            None => Arc::from(call.request.session),
        };
        self.refuse_call(call, code, w);
        let tombstone = Tombstone {
            last: call.this,
            until: call.until(pcrf.settings()),
            answer: call.tables.interner.intern(&self.refusal),
        };
        self.bury(&id, &tombstone, version);
        if let Some(oldest) = shard.refuse(id, tombstone, pcrf.settings().refusals) {
            self.batch.push(&Change::DropSession { id: &oldest });
        }
    }

    /// Adds a tombstone to the changes.
    pub(super) fn bury(&mut self, id: &Id, tombstone: &Tombstone, version: u64) {
        let tables = &self.pcrf.tables;
        if self.pcrf.journal.keeps() || !tables.switches.is_on(Switch::Commit) {
            self.blob.clear();
            tombstone.write(&mut self.blob);
            self.batch.push(&Change::PutSession {
                id,
                expected: version,
                blob: &self.blob,
            });
        }
    }
}
