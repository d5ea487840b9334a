//! What a request owes before anybody decides about it: the results, and the Failed-AVP that goes with each, of
//! RFC 6733 §6.1, §7.1 and §7.5.
//!
//! All checks look at the received bytes, never at decoded values, so that they are the same whether the message is
//! decoded by a mask or as a whole. Where several things are wrong, the answer names one: header bits, application and command,
//! lengths, where the request should have gone, what is not understood, what stands too often, what lacks, values.

use smallvec::SmallVec;

use super::dictionary::id;
use super::message::{Avps, Header, Message, Raw};
pub use super::refusal::{Failed, Origin, Refusal};
use super::{AvpId, GX, Mask, Places, ResultCode, Selected};

/// Groups within groups that are looked into; none of Gx nests deeper than five.
const DEPTH: usize = 8;

/// The AVPs of one kind of request, and which of them must or may stand there once.
#[derive(Debug, Clone)]
pub struct Grammar {
    mask: Mask,
    required: SmallVec<[AvpId; 8]>,
    required_bits: u64,
    single_bits: u64,
}

/// What every CCR has, TS 29.212 §5.6.2.
const CREDIT_CONTROL: &[AvpId] = &[
    id::SESSION_ID,
    id::AUTH_APPLICATION_ID,
    id::ORIGIN_HOST,
    id::ORIGIN_REALM,
    id::DESTINATION_REALM,
    id::CC_REQUEST_TYPE,
    id::CC_REQUEST_NUMBER,
];

/// What a CCR has at most once, among the AVPs that the protocol itself or a policy reads.
const CREDIT_CONTROL_ONCE: &[AvpId] = &[
    id::DESTINATION_HOST,
    id::ORIGIN_STATE_ID,
    id::CALLED_STATION_ID,
    id::FRAMED_IP_ADDRESS,
    id::IP_CAN_TYPE,
    id::RAT_TYPE,
    id::TERMINATION_CAUSE,
];

/// What a CCR may have several times, and the protocol reads.
const CREDIT_CONTROL_OFTEN: &[AvpId] = &[
    id::SUBSCRIPTION_ID,
    id::USAGE_MONITORING_INFORMATION,
    id::EVENT_TRIGGER,
];

impl Grammar {
    /// A grammar of a request: what must stand there once, what may stand there once, and what else is read.
    pub fn new(required: &[AvpId], once: &[AvpId], read: &[AvpId]) -> Grammar {
        let mask: Mask = [required, once, read].concat().into_iter().collect();
        let bits = |ids: &[AvpId]| ids.iter().fold(0, |bits, id| bits | mask.bit(*id));
        Grammar {
            required: required.into(),
            required_bits: bits(required),
            single_bits: bits(required) | bits(once),
            mask,
        }
    }

    /// The grammar of Gx requests (CCR), with the AVPs that a policy reads beside those of the protocol.
    pub fn credit_control(read: &[AvpId]) -> Grammar {
        let read = [CREDIT_CONTROL_OFTEN, read].concat();
        Grammar::new(CREDIT_CONTROL, CREDIT_CONTROL_ONCE, &read)
    }

    /// The grammar of CER: what this end cannot do without. RFC 6733 §5.3.1 requires Host-IP-Address, Vendor-Id and
    /// Product-Name too; their lack is no reason to refuse a peer.
    pub fn capabilities() -> Grammar {
        let once = [id::VENDOR_ID, id::PRODUCT_NAME, id::ORIGIN_STATE_ID];
        Grammar::new(&[id::ORIGIN_HOST, id::ORIGIN_REALM], &once, &[])
    }

    /// The grammar of DWR and DPR, RFC 6733 §5.5.1 and §5.4.1. A DPR without a Disconnect-Cause is understood all the
    /// same.
    pub fn of_peer() -> Grammar {
        let required = [id::ORIGIN_HOST, id::ORIGIN_REALM];
        let once = [id::ORIGIN_STATE_ID, id::DISCONNECT_CAUSE];
        Grammar::new(&required, &once, &[])
    }

    /// The mask: all AVPs that are read.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Passes over a message.
    #[inline]
    pub fn select<'a, 'm>(
        &'m self,
        message: Message<'a>,
        places: &'m mut Places,
    ) -> Selected<'a, 'm> {
        self.mask.select(message, places)
    }

    /// What is wrong with the lengths of AVPs: 5014. The selection must be of this grammar.
    #[inline]
    pub fn lengths<'a>(&self, found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
        if let Some(avp) = found.narrow() {
            return Some(Refusal::of(ResultCode::INVALID_AVP_LENGTH, avp));
        }
        if let Some(defect) = found.defect() {
            return Some(Refusal::defect(defect));
        }
        if is_sound(found.message().avps(), DEPTH) {
            return None;
        }
        within(found, Search::Lengths)
    }

    /// What is not understood (5001), stands too often (5009) or lacks (5005). The selection must be of this grammar.
    #[inline]
    pub fn contents<'a>(&self, found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
        if let Some(avp) = found.unknown() {
            return Some(Refusal::of(ResultCode::AVP_UNSUPPORTED, avp));
        }
        if !is_sound(found.message().avps(), DEPTH)
            && let Some(unknown) = within(found, Search::Unknown)
        {
            return Some(unknown);
        }
        self.occurrences(found)
    }

    /// What stands too often, or lacks.
    #[inline]
    fn occurrences<'a>(&self, found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
        if found.repeats(self.single_bits) {
            return self.extra(found);
        }
        if found.lacks(self.required_bits) {
            return self.missing(found);
        }
        None
    }

    #[cold]
    fn extra<'a>(&self, found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
        let mut seen = 0;
        let extra = found.message().avps().find(|avp| {
            let bit = self.mask.bit(avp.id()) & self.single_bits;
            let again = seen & bit != 0;
            seen |= bit;
            again
        });
        extra.map(|avp| Refusal::of(ResultCode::AVP_OCCURS_TOO_MANY_TIMES, avp))
    }

    #[cold]
    fn missing<'a>(&self, found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
        let missing = self.required.iter().find(|id| !found.has(**id));
        missing.map(|id| Refusal::missing(ResultCode::MISSING_AVP, *id))
    }
}

/// What groups are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    Lengths,
    Unknown,
}

/// Groups that are only copied or shown are not looked into.
#[inline]
fn is_checked(group: &Raw<'_>) -> bool {
    !group.is(id::FAILED_AVP) && !group.is(id::PROXY_INFO)
}

/// True where nothing is wrong within any group: the quick answer of nearly all requests.
#[inline]
fn is_sound(mut avps: Avps<'_>, depth: usize) -> bool {
    for avp in avps.by_ref() {
        if avp.id().is_group() && depth > 0 && is_checked(&avp) && !is_sound_group(avp, depth - 1) {
            return false;
        }
    }
    true
}

fn is_sound_group(group: Raw<'_>, depth: usize) -> bool {
    let mut children = group.children();
    for child in children.by_ref() {
        let unknown = child.is_mandatory() && child.id() == AvpId::UNKNOWN;
        if unknown || child.has_wrong_width() {
            return false;
        }
    }
    children.defect().is_none() && is_sound(group.children(), depth)
}

/// The first thing wrong within the groups of a message.
#[cold]
fn within<'a>(found: &Selected<'a, '_>, search: Search) -> Option<Refusal<'a>> {
    found
        .groups()
        .filter(is_checked)
        .find_map(|group| in_group(group, DEPTH, search))
}

/// The first thing wrong within a group.
fn in_group<'a>(group: Raw<'a>, depth: usize, search: Search) -> Option<Refusal<'a>> {
    let mut children: Avps<'a> = group.children();
    for child in children.by_ref() {
        let id = child.id();
        let wrong = match search {
            Search::Lengths if child.has_wrong_width() => {
                Some(Refusal::of(ResultCode::INVALID_AVP_LENGTH, child))
            }
            Search::Unknown if id == AvpId::UNKNOWN && child.is_mandatory() => {
                Some(Refusal::of(ResultCode::AVP_UNSUPPORTED, child))
            }
            _ if id.is_group() && depth > 0 && is_checked(&child) => {
                in_group(child, depth - 1, search)
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Some(wrong.inside(group));
        }
    }
    match (search, children.defect()) {
        (Search::Lengths, Some(defect)) => Some(Refusal::defect(defect).inside(group)),
        _ => None,
    }
}

/// What this end is, as far as requests are judged by it.
#[derive(Debug, Clone, Copy)]
pub struct Here<'a> {
    /// Our host: a request with another Destination-Host is not for us.
    pub host: &'a [u8],
    /// Our realm.
    pub realm: &'a [u8],
    /// The commands that Gx requests to us may have.
    pub commands: &'a [u32],
}

/// Bits of the header that contradict each other: 3008.
#[inline]
pub fn header_bits<'a>(header: &Header) -> Option<Refusal<'a>> {
    (header.is_request() && header.is_error()).then(|| Refusal::plain(ResultCode::INVALID_HDR_BITS))
}

/// Applications and commands that are not served: 3007, 3001.
#[inline]
pub fn served<'a>(header: &Header, here: &Here<'_>) -> Option<Refusal<'a>> {
    match header.application {
        GX if here.commands.contains(&header.command) => None,
        GX | 0 => Some(Refusal::plain(ResultCode::COMMAND_UNSUPPORTED)),
        _ => Some(Refusal::plain(ResultCode::APPLICATION_UNSUPPORTED)),
    }
}

/// Where the request should have gone: 3003, 3002. Names are compared as those of hosts are, without regard to case.
#[inline]
pub fn destination<'a>(found: &Selected<'a, '_>, here: &Here<'_>) -> Option<Refusal<'a>> {
    let other = |id: AvpId, ours: &[u8]| {
        found
            .first(id)
            .is_some_and(|avp| avp.value != ours && !avp.value.eq_ignore_ascii_case(ours))
    };
    if other(id::DESTINATION_REALM, here.realm) {
        Some(Refusal::plain(ResultCode::REALM_NOT_SERVED))
    } else if other(id::DESTINATION_HOST, here.host) {
        Some(Refusal::plain(ResultCode::UNABLE_TO_DELIVER))
    } else {
        None
    }
}

/// Judges a request of an application: all checks in their order. `Ok` has what the mask of the grammar wants.
#[inline]
pub fn request<'a, 'g>(
    message: Message<'a>,
    grammar: &'g Grammar,
    here: &Here<'_>,
    places: &'g mut Places,
) -> Result<Selected<'a, 'g>, Refusal<'a>> {
    let header = message.header();
    if let Some(refusal) = header_bits(&header).or_else(|| served(&header, here)) {
        return Err(refusal);
    }
    let found = grammar.select(message, places);
    // One look into the groups serves both kinds of faults.
    let sound = found.is_sound() && is_sound(message.avps(), DEPTH);
    let wrong = if sound {
        destination(&found, here).or_else(|| grammar.occurrences(&found))
    } else {
        grammar
            .lengths(&found)
            .or_else(|| destination(&found, here))
            .or_else(|| grammar.contents(&found))
    };
    match wrong.or_else(|| values(&found, header.application)) {
        Some(refusal) => Err(refusal),
        None => Ok(found),
    }
}

/// Values that no request of an application has: a Session-Id without a text, and an Auth-Application-Id that is not
/// the application of the header, which RFC 6733 §6.8 requires: 5004.
#[inline]
fn values<'a>(found: &Selected<'a, '_>, application: u32) -> Option<Refusal<'a>> {
    let session = found
        .first(id::SESSION_ID)
        .filter(|avp| avp.value.is_empty());
    let other = || {
        found
            .first(id::AUTH_APPLICATION_ID)
            .filter(|avp| avp.u32() != Some(application))
    };
    let wrong = session.or_else(other)?;
    Some(Refusal::of(ResultCode::INVALID_AVP_VALUE, wrong))
}

/// CC-Request-Type: initial, update or termination; other values, and events, which Gx has none of, give 5004.
pub fn request_type<'a>(found: &Selected<'a, '_>) -> Result<u32, Refusal<'a>> {
    match found.first(id::CC_REQUEST_TYPE) {
        Some(avp) => match avp.u32() {
            Some(value @ 1..=3) => Ok(value),
            _ => Err(Refusal::of(ResultCode::INVALID_AVP_VALUE, avp)),
        },
        None => Err(Refusal::missing(
            ResultCode::MISSING_AVP,
            id::CC_REQUEST_TYPE,
        )),
    }
}

/// What a first decision cannot do without: the subscriber and the APN, else 5140 of 3GPP. An APN without a name is none.
pub fn initial<'a>(found: &Selected<'a, '_>) -> Option<Refusal<'a>> {
    let needed = [id::SUBSCRIPTION_ID, id::CALLED_STATION_ID];
    let empty = |id: AvpId| found.first(id).is_none_or(|avp| avp.value.is_empty());
    let missing = needed.into_iter().find(|id| empty(*id));
    missing.map(|id| Refusal::missing(ResultCode::ERROR_INITIAL_PARAMETERS, id))
}

impl AvpId {
    /// The place of an AVP, [`AvpId::UNKNOWN`] where the dictionary lacks it.
    pub fn of(code: u32, vendor: u32) -> AvpId {
        super::Avp::by_code(code, vendor).unwrap_or(AvpId::UNKNOWN)
    }
}
