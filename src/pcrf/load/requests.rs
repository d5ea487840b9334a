//! Requests of Gx as a packet gateway sends them.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};

use super::population::{KEY, Population, Session};
use super::schedule::Kind;
use crate::pcrf::diameter::peer::Local;
use crate::pcrf::diameter::{GX, Header, ResultCode, TGPP, Writer, command, flag, id};

/// USER_LOCATION_CHANGE and USAGE_REPORT of Event-Trigger.
const LOCATION: u32 = 13;
const USAGE: u32 = 33;

/// Builds requests on one buffer.
#[derive(Debug)]
pub(super) struct Requests {
    writer: Writer,
    session: String,
    host: String,
    realm: String,
    destination: String,
    /// What tells the sessions of this run from those of others.
    run: String,
}

/// What identifies one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) kind: Kind,
    /// Number of the session in this run.
    pub(super) session: u64,
    /// CC-Request-Number.
    pub(super) number: u32,
    pub(super) hop_by_hop: u32,
}

impl Requests {
    pub(super) fn new(local: &Local, destination: &[u8], run: String) -> Self {
        Self {
            writer: Writer::new(),
            session: String::new(),
            host: local.host.clone(),
            realm: local.realm.clone(),
            destination: String::from_utf8_lossy(destination).into_owned(),
            run,
        }
    }

    /// The requests since the last [`clear`](Self::clear).
    pub(super) fn bytes(&self) -> &[u8] {
        self.writer.all()
    }

    pub(super) fn clear(&mut self) {
        self.writer.clear();
    }

    /// Appends a request.
    pub(super) fn append(&mut self, place: Place, session: &Session<'_>) {
        self.session.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.session, "{};{};{}", self.host, self.run, place.session);
        let w = &mut self.writer;
        let flags = flag::REQUEST | flag::PROXIABLE;
        w.append(
            command::CREDIT_CONTROL,
            flags,
            GX,
            place.hop_by_hop,
            place.hop_by_hop,
        );
        w.text(id::SESSION_ID, &self.session);
        w.u32(id::AUTH_APPLICATION_ID, GX);
        w.text(id::ORIGIN_HOST, &self.host);
        w.text(id::ORIGIN_REALM, &self.realm);
        w.text(id::DESTINATION_REALM, &self.destination);
        let kind = match place.kind {
            Kind::Initial => 1,
            Kind::Update => 2,
            Kind::Terminate => 3,
        };
        w.u32(id::CC_REQUEST_TYPE, kind);
        w.u32(id::CC_REQUEST_NUMBER, place.number);
        subscription(w, 0, &Population::msisdn(session.subscriber));
        subscription(w, 1, &Population::imsi(session.subscriber));
        match place.kind {
            Kind::Initial => initial(w, session),
            Kind::Update => update(w, session),
            Kind::Terminate => {
                // DIAMETER_LOGOUT
                w.u32(id::TERMINATION_CAUSE, 1);
                used(w, session, session.end);
            }
        }
        w.finish();
    }
}

fn subscription(w: &mut Writer, kind: u32, text: &str) {
    w.group(id::SUBSCRIPTION_ID, |w| {
        w.u32(id::SUBSCRIPTION_ID_TYPE, kind);
        w.text(id::SUBSCRIPTION_ID_DATA, text);
    });
}

fn surroundings(w: &mut Writer, session: &Session<'_>) {
    w.bytes(id::FRAMED_IP_ADDRESS, &session.address.octets());
    // 3GPP-EPS, EUTRAN
    w.u32(id::IP_CAN_TYPE, 5);
    w.u32(id::RAT_TYPE, 1004);
    w.text(id::CALLED_STATION_ID, session.apn);
    w.text(id::TGPP_SGSN_MCC_MNC, session.plmn);
    let [_, _, c, d] = session.address.octets();
    let location = [130, 0, 0xf1, 0x10, 0, c, 0, 0xf1, 0x10, 0, 0, c, d];
    w.bytes(id::TGPP_USER_LOCATION_INFO, &location);
}

fn initial(w: &mut Writer, session: &Session<'_>) {
    w.group(id::SUPPORTED_FEATURES, |w| {
        w.u32(id::VENDOR_ID, TGPP);
        w.u32(id::FEATURE_LIST_ID, 1);
        w.u32(id::FEATURE_LIST, 11);
    });
    // NETWORK_REQUEST SUPPORTED
    w.u32(id::NETWORK_REQUEST_SUPPORT, 1);
    surroundings(w, session);
    w.bytes(id::TGPP_MS_TIMEZONE, &[4, 0]);
    w.address(id::AN_GW_ADDRESS, IpAddr::V4(Ipv4Addr::new(10, 255, 0, 1)));
    w.group(id::QOS_INFORMATION, |w| {
        w.u32(id::APN_AGGREGATE_MAX_BITRATE_UL, 50_000_000);
        w.u32(id::APN_AGGREGATE_MAX_BITRATE_DL, 100_000_000);
    });
    w.group(id::DEFAULT_EPS_BEARER_QOS, |w| {
        w.u32(id::QOS_CLASS_IDENTIFIER, 9);
        w.group(id::ALLOCATION_RETENTION_PRIORITY, |w| {
            w.u32(id::PRIORITY_LEVEL, 10);
            w.u32(id::PRE_EMPTION_CAPABILITY, 1);
            w.u32(id::PRE_EMPTION_VULNERABILITY, 0);
        });
    });
}

fn update(w: &mut Writer, session: &Session<'_>) {
    surroundings(w, session);
    let event = if session.is_metered { USAGE } else { LOCATION };
    w.u32(id::EVENT_TRIGGER, event);
    used(w, session, session.update);
}

fn used(w: &mut Writer, session: &Session<'_>, octets: u64) {
    if !session.is_metered {
        return;
    }
    w.group(id::USAGE_MONITORING_INFORMATION, |w| {
        w.text(id::MONITORING_KEY, KEY);
        w.group(id::USED_SERVICE_UNIT, |w| {
            w.u64(id::CC_TOTAL_OCTETS, octets);
            w.u64(id::CC_INPUT_OCTETS, octets / 8);
            w.u64(id::CC_OUTPUT_OCTETS, octets - octets / 8);
        });
        // SESSION_LEVEL
        w.u32(id::USAGE_MONITORING_LEVEL, 0);
    });
}

/// The answer to a decision that was pushed.
pub(super) fn re_auth_answer(
    w: &mut Writer,
    local: &Local,
    header: &Header,
    session: &[u8],
    known: bool,
) {
    w.start_answer(header, 0);
    w.bytes(id::SESSION_ID, session);
    w.result(if known {
        ResultCode::SUCCESS
    } else {
        ResultCode::UNKNOWN_SESSION_ID
    });
    w.text(id::ORIGIN_HOST, &local.host);
    w.text(id::ORIGIN_REALM, &local.realm);
    w.finish();
}
