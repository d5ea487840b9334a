//! Answers that refuse a request, and the Failed-AVP in them: RFC 6733 §7.2 and §7.5.

use super::dictionary::{WIDTHS, id};
use super::message::{Defect, Message, Raw, command, flag};
use super::{AvpId, GX, ResultCode, Writer};

/// What is named in Failed-AVP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed<'a> {
    /// Nothing.
    Nothing,
    /// An AVP as it was received.
    Whole(Raw<'a>),
    /// An AVP that lacks: its header, and as many zeros as its kind needs.
    Missing(AvpId),
    /// An AVP whose length is impossible: its header, and as many zeros as its kind needs.
    Header(Defect<'a>),
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The result.
    pub result: ResultCode,
    /// What Failed-AVP holds.
    pub failed: Failed<'a>,
    /// The groups around it, from outside to inside.
    pub within: Vec<Raw<'a>>,
}

impl<'a> Refusal<'a> {
    /// A refusal that names no AVP.
    pub fn plain(result: ResultCode) -> Refusal<'a> {
        Refusal {
            result,
            failed: Failed::Nothing,
            within: Vec::new(),
        }
    }

    /// A refusal because of a received AVP.
    pub fn of(result: ResultCode, avp: Raw<'a>) -> Refusal<'a> {
        Refusal {
            failed: Failed::Whole(avp),
            ..Refusal::plain(result)
        }
    }

    /// A refusal because of an AVP that lacks.
    pub fn missing(result: ResultCode, id: AvpId) -> Refusal<'a> {
        Refusal {
            failed: Failed::Missing(id),
            ..Refusal::plain(result)
        }
    }

    /// A refusal because of an impossible length.
    pub fn defect(defect: Defect<'a>) -> Refusal<'a> {
        Refusal {
            failed: Failed::Header(defect),
            ..Refusal::plain(ResultCode::INVALID_AVP_LENGTH)
        }
    }

    pub(super) fn inside(mut self, group: Raw<'a>) -> Refusal<'a> {
        self.within.insert(0, group);
        self
    }

    /// Appends Failed-AVP, where there is something to name.
    pub fn write_failed(&self, writer: &mut Writer) {
        if self.failed == Failed::Nothing {
            return;
        }
        writer.open(id::FAILED_AVP);
        for group in &self.within {
            writer.open_any(group.code, group.vendor, group.flags);
        }
        match self.failed {
            Failed::Nothing => {}
            Failed::Whole(avp) => writer.copy(&avp),
            Failed::Missing(id) => writer.bytes(id, zeros(id)),
            Failed::Header(defect) => {
                let id = AvpId::of(defect.code, defect.vendor);
                if defect.flags & flag::VENDOR != 0 && defect.vendor == 0 {
                    // The vendor lacks, or is the IETF: the header is shown as it came.
                    writer.any_with_vendor(defect.code, defect.flags, zeros(id));
                } else {
                    writer.any(defect.code, defect.vendor, defect.flags, zeros(id));
                }
            }
        }
        for _ in &self.within {
            writer.close();
        }
        writer.close();
    }

    /// Writes the whole answer: E bit and the minimal grammar for protocol errors; for others of Gx the AVPs that its
    /// answers have. Session-Id and Proxy-Info are copied as far as the request can be read.
    pub fn answer(&self, request: Message<'_>, origin: &Origin<'_>, writer: &mut Writer) {
        let header = request.header();
        let flags = if self.result.is_protocol_error() {
            flag::ERROR
        } else {
            0
        };
        writer.start_answer(&header, flags);
        self.answer_avps(request, origin, writer);
        writer.finish();
    }

    /// As [`Refusal::answer`], behind the messages that stand in the writer.
    pub fn append_answer(&self, request: Message<'_>, origin: &Origin<'_>, writer: &mut Writer) {
        let header = request.header();
        let flags = if self.result.is_protocol_error() {
            flag::ERROR
        } else {
            0
        };
        writer.append_answer(&header, flags);
        self.answer_avps(request, origin, writer);
        writer.finish();
    }

    fn answer_avps(&self, request: Message<'_>, origin: &Origin<'_>, writer: &mut Writer) {
        let sound = |id: AvpId| request.find(id).filter(|avp| !avp.has_wrong_width());
        if let Some(session) = sound(id::SESSION_ID) {
            writer.copy(&session);
        }
        let full = !self.result.is_protocol_error()
            && request.header().command == command::CREDIT_CONTROL
            && request.header().application == GX;
        if full {
            writer.u32(id::AUTH_APPLICATION_ID, GX);
        }
        writer.bytes(id::ORIGIN_HOST, origin.host);
        writer.bytes(id::ORIGIN_REALM, origin.realm);
        writer.result(self.result);
        if full {
            for id in [id::CC_REQUEST_TYPE, id::CC_REQUEST_NUMBER] {
                if let Some(number) = sound(id).and_then(|avp| avp.u32()) {
                    writer.u32(id, number);
                }
            }
        }
        if let Some(state) = origin.state {
            writer.u32(id::ORIGIN_STATE_ID, state);
        }
        self.write_failed(writer);
        for info in request.avps().filter(|avp| avp.is(id::PROXY_INFO)) {
            writer.copy(&info);
        }
    }
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Origin-Host.
    pub host: &'a [u8],
    /// Origin-Realm.
    pub realm: &'a [u8],
    /// Origin-State-Id.
    pub state: Option<u32>,
}

/// The value that stands for one that lacks: zeros of the width of its kind.
fn zeros(id: AvpId) -> &'static [u8] {
    let width = WIDTHS.get(id.index()).copied().unwrap_or(0);
    match width {
        4 => &[0; 4],
        8 => &[0; 8],
        _ => &[],
    }
}
