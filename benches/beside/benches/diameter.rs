//! Reading a credit-control request of Gx: the mask over the headers, the whole message as owned values, and the crate
//! `diameter`.
//!
//! That crate's dictionary lacks the AVPs of Gx, and refuses a message with an AVP that it lacks; it is given
//! all AVPs of ours beside its own, so that it reads the same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a bench fails by panicking"
)]

use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

use diameter::DiameterMessage;
use diameter::avp::AvpType;
use diameter::dictionary::{AvpDefinition, DEFAULT_DICT_XML, Dictionary};
use divan::Bencher;
use divan::counter::BytesCount;
use strowger::pcrf::diameter::owned::OwnedMessage;
use strowger::pcrf::diameter::{
    Avp, GX, Grammar, Here, Kind, Message, Places, Writer, check, command, flag, id,
};

fn main() {
    for name in REQUESTS {
        let bytes = request(name);
        let message = Message::new(&bytes).unwrap();
        println!(
            "{name}: {} bytes, {} AVPs, {} with those in groups",
            bytes.len(),
            message.avps().count(),
            OwnedMessage::decode(message).count()
        );
    }
    divan::main();
}

/// The beginning of each request.
fn begin(w: &mut Writer, kind: u32, number: u32) {
    let flags = flag::REQUEST | flag::PROXIABLE;
    w.start(command::CREDIT_CONTROL, flags, GX, 1, 2);
    w.text(id::SESSION_ID, "pgw.epc;1764500000;17");
    w.u32(id::AUTH_APPLICATION_ID, GX);
    w.text(id::ORIGIN_HOST, "pgw.epc");
    w.text(id::ORIGIN_REALM, "epc");
    w.text(id::DESTINATION_REALM, "epc");
    w.u32(id::CC_REQUEST_TYPE, kind);
    w.u32(id::CC_REQUEST_NUMBER, number);
}

/// A CCR-I as a PCEF sends it.
fn initial() -> Vec<u8> {
    let mut w = Writer::new();
    begin(&mut w, 1, 0);
    w.group(id::SUBSCRIPTION_ID, |w| {
        w.u32(id::SUBSCRIPTION_ID_TYPE, 1);
        w.text(id::SUBSCRIPTION_ID_DATA, "001010000000017");
    });
    w.bytes(id::FRAMED_IP_ADDRESS, &[10, 45, 0, 17]);
    w.u32(id::IP_CAN_TYPE, 5);
    w.u32(id::RAT_TYPE, 1004);
    w.text(id::CALLED_STATION_ID, "internet");
    w.text(id::TGPP_SGSN_MCC_MNC, "00101");
    w.finish().to_vec()
}

/// A CCR-U with a volume, as most requests are.
fn update() -> Vec<u8> {
    let mut w = Writer::new();
    begin(&mut w, 2, 7);
    w.u32(id::EVENT_TRIGGER, 33);
    w.group(id::USAGE_MONITORING_INFORMATION, |w| {
        w.text(id::MONITORING_KEY, "mk-gold");
        w.group(id::USED_SERVICE_UNIT, |w| {
            w.u64(id::CC_TOTAL_OCTETS, 4_000_000)
        });
        w.u32(id::USAGE_MONITORING_LEVEL, 0);
    });
    w.finish().to_vec()
}

const REQUESTS: [&str; 2] = ["initial", "update"];

fn request(name: &str) -> Vec<u8> {
    if name == "initial" {
        initial()
    } else {
        update()
    }
}

/// What the protocol and a policy of the usual kind read.
fn grammar() -> Grammar {
    Grammar::credit_control(&[id::TGPP_SGSN_MCC_MNC])
}

/// One pass that finds all wanted AVPs.
#[divan::bench(args = REQUESTS, sample_size = 64)]
fn masked(bencher: Bencher<'_, '_>, name: &str) {
    let (bytes, grammar) = (request(name), grammar());
    let mut places = Places::default();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            let found = black_box(&grammar).select(message, &mut places);
            // All that was found must be there for whoever looks.
            black_box(&found).is_sound()
        });
}

/// The pass, and all that a request owes before somebody decides about it.
#[divan::bench(args = REQUESTS, sample_size = 64)]
fn masked_and_checked(bencher: Bencher<'_, '_>, name: &str) {
    let (bytes, grammar) = (request(name), grammar());
    let mut places = Places::default();
    let here = Here {
        host: b"pcrf.epc",
        realm: b"epc",
        commands: &[command::CREDIT_CONTROL],
    };
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            check::request(message, black_box(&grammar), &here, &mut places).is_ok()
        });
}

/// The pass, and the values that a first decision reads.
#[divan::bench(sample_size = 64)]
fn masked_and_read(bencher: Bencher<'_, '_>) {
    let (bytes, grammar) = (initial(), grammar());
    let mut places = Places::default();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            let found = black_box(&grammar).select(message, &mut places);
            let subscriber = found
                .all(id::SUBSCRIPTION_ID)
                .find_map(|avp| avp.child(id::SUBSCRIPTION_ID_DATA));
            black_box((
                found.first(id::SESSION_ID).unwrap().value,
                found.first(id::CC_REQUEST_TYPE).unwrap().u32(),
                found.first(id::CC_REQUEST_NUMBER).unwrap().u32(),
                found.first(id::CALLED_STATION_ID).unwrap().value,
                found.first(id::RAT_TYPE).unwrap().u32(),
                subscriber.unwrap().value,
            ))
        });
}

/// All of the message as owned values.
#[divan::bench(args = REQUESTS, sample_size = 64)]
fn owned(bencher: Bencher<'_, '_>, name: &str) {
    let bytes = request(name);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            // Whoever makes values also lets go of them.
            drop(black_box(OwnedMessage::decode(message)));
        });
}

/// The dictionary of the crate `diameter`, and all AVPs of ours.
fn foreign_dictionary() -> Arc<Dictionary> {
    let mut dictionary = Dictionary::new(&[&DEFAULT_DICT_XML]);
    for avp in Avp::all() {
        dictionary.add_avp(AvpDefinition {
            code: avp.code,
            vendor_id: (avp.vendor != 0).then_some(avp.vendor),
            name: avp.name.to_owned(),
            avp_type: match avp.kind {
                Kind::Unsigned32 => AvpType::Unsigned32,
                Kind::Unsigned64 => AvpType::Unsigned64,
                Kind::Integer32 => AvpType::Integer32,
                Kind::Integer64 => AvpType::Integer64,
                Kind::Enumerated(_) => AvpType::Enumerated,
                Kind::Utf8 | Kind::Filter => AvpType::UTF8String,
                Kind::Identity => AvpType::Identity,
                Kind::Uri => AvpType::DiameterURI,
                Kind::Octets | Kind::Opaque | Kind::Ipv6Prefix => AvpType::OctetString,
                Kind::Ipv4 => AvpType::AddressIPv4,
                Kind::Address => AvpType::Address,
                Kind::Time => AvpType::Time,
                Kind::Grouped(_) => AvpType::Grouped,
            },
            m_flag: avp.flags() & flag::MANDATORY != 0,
        });
    }
    Arc::new(dictionary)
}

/// The crate `diameter`.
#[divan::bench(args = REQUESTS, sample_size = 64)]
fn foreign(bencher: Bencher<'_, '_>, name: &str) {
    let (bytes, dictionary) = (request(name), foreign_dictionary());
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let mut reader = Cursor::new(black_box(&bytes));
            let message = DiameterMessage::decode_from(&mut reader, Arc::clone(&dictionary));
            drop(black_box(message.unwrap()));
        });
}
