//! A request of Gx, as far as somebody reads it.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::pcrf::counters::Counters;
use crate::pcrf::diameter::check::Grammar;
use crate::pcrf::diameter::owned::{OwnedAvp, OwnedMessage, Value};
use crate::pcrf::diameter::{AvpId, Header, Message, Raw, Selected, id};
use crate::pcrf::policy::{Accumulate, Policy};

/// What the engine itself reads, beside what every request must have.
const PROTOCOL: &[AvpId] = &[
    id::CHARGING_RULE_REPORT,
    id::SUPPORTED_FEATURES,
    id::PROXY_INFO,
];

/// What holds for a session until another request brings it anew.
pub(crate) const STANDING: &[AvpId] = &[
    id::CALLED_STATION_ID,
    id::FRAMED_IP_ADDRESS,
    id::FRAMED_IPV6_PREFIX,
    id::IP_CAN_TYPE,
    id::RAT_TYPE,
    id::TGPP_RAT_TYPE,
    id::TGPP_SGSN_MCC_MNC,
    id::TGPP_USER_LOCATION_INFO,
    id::TGPP_MS_TIMEZONE,
    id::AN_GW_ADDRESS,
    id::QOS_INFORMATION,
    id::DEFAULT_EPS_BEARER_QOS,
    id::NETWORK_REQUEST_SUPPORT,
    id::BEARER_CONTROL_MODE,
    id::USER_EQUIPMENT_INFO,
    id::TGPP_SELECTION_MODE,
    id::TGPP_CHARGING_CHARACTERISTICS,
    id::TGPP_SGSN_ADDRESS,
];

/// The grammar of requests for a policy: what the engine reads, what sessions keep, and what the dialplan reads.
pub(crate) fn grammar(policy: &Policy) -> Grammar {
    // What finds no place is found by walking, when it is asked for.
    Grammar::credit_control(&[PROTOCOL, STANDING, policy.reads().avps()].concat())
}

/// A message as it was taken apart.
pub(crate) enum Parts<'a, 'm> {
    /// Places of the AVPs that somebody reads.
    Selected(Selected<'a, 'm>),
    /// Everything, in values of its own.
    Owned(Message<'a>, Arc<OwnedMessage>),
}

/// Octets of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Octets {
    total: Option<u64>,
    input: Option<u64>,
    output: Option<u64>,
}

impl Octets {
    fn add(&mut self, id: AvpId, value: Option<u64>) {
        let to = match id {
            id::CC_TOTAL_OCTETS => &mut self.total,
            id::CC_INPUT_OCTETS => &mut self.input,
            id::CC_OUTPUT_OCTETS => &mut self.output,
            _ => return,
        };
        if let Some(value) = value {
            *to = Some(to.unwrap_or(0).saturating_add(value));
        }
    }

    /// What counts of them.
    pub(crate) fn counted(&self, how: Accumulate) -> u64 {
        let (input, output) = (self.input.unwrap_or(0), self.output.unwrap_or(0));
        let mut sum = 0u64;
        if how.total {
            sum = self.total.unwrap_or(input.saturating_add(output));
        }
        if how.input {
            sum = sum.saturating_add(input);
        }
        if how.output {
            sum = sum.saturating_add(output);
        }
        sum
    }
}

/// What of a message the engine needs.
#[derive(Debug, Default)]
pub(crate) struct Request<'r> {
    pub(crate) session: &'r [u8],
    pub(crate) host: &'r [u8],
    pub(crate) realm: &'r [u8],
    pub(crate) state: Option<u32>,
    pub(crate) kind: u32,
    pub(crate) number: u32,
    /// Subscription-Ids: type and text.
    pub(crate) ids: SmallVec<[(u32, &'r [u8]); 3]>,
    pub(crate) triggers: SmallVec<[u32; 4]>,
    /// Monitoring keys and what was used of them; usage without a key has none.
    pub(crate) usage: SmallVec<[(&'r [u8], Octets); 2]>,
    /// Feature-List-ID and Feature-List of 3GPP.
    pub(crate) features: SmallVec<[(u32, u32); 2]>,
    /// Names of rules that the PCEF could not enforce.
    pub(crate) failures: u32,
}

impl<'a, 'm> Parts<'a, 'm> {
    /// Takes over what was found, or decodes everything.
    pub(crate) fn of(found: Selected<'a, 'm>, masked: bool, counters: &Counters) -> Self {
        if masked {
            return Self::Selected(found);
        }
        let message = found.message();
        let owned = OwnedMessage::decode(message);
        counters.avps.add(owned.count() as u64);
        counters.copied.add(message.bytes().len() as u64);
        Self::Owned(message, Arc::new(owned))
    }

    pub(crate) fn message(&self) -> Message<'a> {
        match self {
            Self::Selected(selected) => selected.message(),
            Self::Owned(message, _) => *message,
        }
    }

    pub(crate) fn header(&self) -> Header {
        self.message().header()
    }

    /// Whether there is such an AVP.
    pub(crate) fn has(&self, id: AvpId) -> bool {
        match self {
            Self::Selected(selected) => selected.has(id),
            Self::Owned(_, owned) => owned.first(id).is_some(),
        }
    }

    /// All AVPs of a kind as they were received.
    pub(crate) fn each_raw(&self, id: AvpId, mut visit: impl FnMut(Raw<'a>)) {
        match self {
            Self::Selected(selected) => selected.all(id).for_each(visit),
            Self::Owned(message, _) => {
                for avp in message.avps().filter(|avp| avp.is(id)) {
                    visit(avp);
                }
            }
        }
    }

    /// What the engine needs.
    pub(crate) fn request(&self, counters: &Counters) -> Request<'_> {
        match self {
            Self::Selected(selected) => {
                let request = from_selected(selected);
                let inner = 3 * (request.ids.len() + request.features.len());
                let reports = 4 * request.usage.len() + request.triggers.len();
                counters.avps.add((6 + inner + reports) as u64);
                request
            }
            Self::Owned(_, owned) => from_owned(owned),
        }
    }
}

fn from_selected<'a>(selected: &Selected<'a, '_>) -> Request<'a> {
    let text = |id| selected.first(id).map_or(&[][..], |avp| avp.value);
    let number = |id| selected.first(id).and_then(|avp| avp.u32());
    let mut request = Request {
        session: text(id::SESSION_ID),
        host: text(id::ORIGIN_HOST),
        realm: text(id::ORIGIN_REALM),
        state: number(id::ORIGIN_STATE_ID),
        kind: number(id::CC_REQUEST_TYPE).unwrap_or(0),
        number: number(id::CC_REQUEST_NUMBER).unwrap_or(0),
        ..Request::default()
    };
    for avp in selected.all(id::SUBSCRIPTION_ID) {
        let kind = avp
            .child(id::SUBSCRIPTION_ID_TYPE)
            .and_then(|avp| avp.u32());
        if let (Some(kind), Some(text)) = (kind, avp.child(id::SUBSCRIPTION_ID_DATA)) {
            request.ids.push((kind, text.value));
        }
    }
    let triggers = selected.all(id::EVENT_TRIGGER);
    request
        .triggers
        .extend(triggers.filter_map(|avp| avp.u32()));
    for avp in selected.all(id::USAGE_MONITORING_INFORMATION) {
        let mut octets = Octets::default();
        let mut reported = false;
        for units in avp.children().filter(|avp| avp.is(id::USED_SERVICE_UNIT)) {
            reported = true;
            for value in units.children() {
                octets.add(value.id(), value.u64());
            }
        }
        if let (Some(key), true) = (avp.child(id::MONITORING_KEY), reported) {
            request.usage.push((key.value, octets));
        }
    }
    for avp in selected.all(id::SUPPORTED_FEATURES) {
        let number = |id| avp.child(id).and_then(|avp| avp.u32());
        if let (Some(10_415), Some(list), Some(bits)) = (
            number(id::VENDOR_ID),
            number(id::FEATURE_LIST_ID),
            number(id::FEATURE_LIST),
        ) {
            request.features.push((list, bits));
        }
    }
    for avp in selected.all(id::CHARGING_RULE_REPORT) {
        let status = avp.child(id::PCC_RULE_STATUS).and_then(|avp| avp.u32());
        request.failures += u32::from(status.is_some_and(|status| status != 0));
    }
    request
}

/// The bytes of a decoded text.
fn text(avp: &OwnedAvp) -> &[u8] {
    match &avp.value {
        Value::Text(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        _ => &[],
    }
}

fn from_owned(owned: &OwnedMessage) -> Request<'_> {
    let bytes = |id| owned.first(id).map_or(&[][..], text);
    let number = |id| owned.first(id).and_then(OwnedAvp::u32);
    let mut request = Request {
        session: bytes(id::SESSION_ID),
        host: bytes(id::ORIGIN_HOST),
        realm: bytes(id::ORIGIN_REALM),
        state: number(id::ORIGIN_STATE_ID),
        kind: number(id::CC_REQUEST_TYPE).unwrap_or(0),
        number: number(id::CC_REQUEST_NUMBER).unwrap_or(0),
        ..Request::default()
    };
    for avp in owned.all(id::SUBSCRIPTION_ID) {
        let kind = avp.child(id::SUBSCRIPTION_ID_TYPE).and_then(OwnedAvp::u32);
        if let (Some(kind), Some(data)) = (kind, avp.child(id::SUBSCRIPTION_ID_DATA)) {
            request.ids.push((kind, text(data)));
        }
    }
    let triggers = owned.all(id::EVENT_TRIGGER);
    request.triggers.extend(triggers.filter_map(OwnedAvp::u32));
    for avp in owned.all(id::USAGE_MONITORING_INFORMATION) {
        let mut octets = Octets::default();
        let mut reported = false;
        for units in avp.children() {
            if units.id == id::USED_SERVICE_UNIT {
                reported = true;
                for value in units.children() {
                    octets.add(value.id, value.u64());
                }
            }
        }
        if let (Some(key), true) = (avp.child(id::MONITORING_KEY), reported) {
            request.usage.push((text(key), octets));
        }
    }
    for avp in owned.all(id::SUPPORTED_FEATURES) {
        let number = |id| avp.child(id).and_then(OwnedAvp::u32);
        if let (Some(10_415), Some(list), Some(bits)) = (
            number(id::VENDOR_ID),
            number(id::FEATURE_LIST_ID),
            number(id::FEATURE_LIST),
        ) {
            request.features.push((list, bits));
        }
    }
    for avp in owned.all(id::CHARGING_RULE_REPORT) {
        let status = avp.child(id::PCC_RULE_STATUS).and_then(OwnedAvp::u32);
        request.failures += u32::from(status.is_some_and(|status| status != 0));
    }
    request
}

/// Appends what of the standing AVPs holds after a request; says whether the request brought any.
pub(crate) fn standing(parts: &Parts<'_, '_>, before: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    let mut any = false;
    let mut append = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        let zeros = out.len().next_multiple_of(4) - out.len();
        out.extend_from_slice([0; 3].get(..zeros).unwrap_or_default());
    };
    for id in STANDING {
        if parts.has(*id) {
            any = true;
            parts.each_raw(*id, |avp| append(avp.bytes));
        } else if !before.is_empty() {
            for avp in crate::pcrf::diameter::Avps::new(before).filter(|avp| avp.is(*id)) {
                append(avp.bytes);
            }
        }
    }
    any
}
