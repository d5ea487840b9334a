//! Reading a credit-control request of Gx: the mask over the headers, the whole message as owned values, and the crate
//! `diameter`.
//!
//! That crate's dictionary lacks the AVPs of Gx, and refuses a message with an AVP that it lacks; it is given a
//! dictionary with all AVPs of this request, so that it reads the same bytes.

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

use divan::Bencher;
use divan::counter::BytesCount;
use strowger::pcrf::diameter::owned::OwnedMessage;
use strowger::pcrf::diameter::{GX, Mask, Message, Writer, command, flag, id};

fn main() {
    let bytes = request();
    let message = Message::new(&bytes).unwrap();
    println!(
        "request: {} bytes, {} AVPs, {} with those in groups",
        bytes.len(),
        message.avps().count(),
        OwnedMessage::decode(message).count()
    );
    divan::main();
}

/// A CCR-I as a PCEF sends it.
fn request() -> Vec<u8> {
    let mut w = Writer::new();
    w.start(
        command::CREDIT_CONTROL,
        flag::REQUEST | flag::PROXIABLE,
        GX,
        1,
        2,
    );
    w.text(id::SESSION_ID, "pgw.epc;1764500000;17");
    w.u32(id::AUTH_APPLICATION_ID, GX);
    w.text(id::ORIGIN_HOST, "pgw.epc");
    w.text(id::ORIGIN_REALM, "epc");
    w.text(id::DESTINATION_REALM, "epc");
    w.u32(id::CC_REQUEST_TYPE, 1);
    w.u32(id::CC_REQUEST_NUMBER, 0);
    w.group(id::SUBSCRIPTION_ID, |w| {
        w.u32(id::SUBSCRIPTION_ID_TYPE, 1);
        w.text(id::SUBSCRIPTION_ID_DATA, "001010000000017");
    });
    w.bytes(id::FRAMED_IP_ADDRESS, &[10, 45, 0, 17]);
    w.u32(id::IP_CAN_TYPE, 5);
    w.u32(id::RAT_TYPE, 1004);
    w.text(id::CALLED_STATION_ID, "internet");
    w.finish().to_vec()
}

/// What the protocol and a policy of the usual kind read.
fn mask() -> Mask {
    Mask::new(&[
        id::SESSION_ID,
        id::ORIGIN_HOST,
        id::ORIGIN_REALM,
        id::DESTINATION_REALM,
        id::DESTINATION_HOST,
        id::AUTH_APPLICATION_ID,
        id::CC_REQUEST_TYPE,
        id::CC_REQUEST_NUMBER,
        id::ORIGIN_STATE_ID,
        id::SUBSCRIPTION_ID,
        id::USAGE_MONITORING_INFORMATION,
        id::EVENT_TRIGGER,
        id::CALLED_STATION_ID,
        id::RAT_TYPE,
        id::TGPP_SGSN_MCC_MNC,
        id::FRAMED_IP_ADDRESS,
    ])
}

#[divan::bench]
fn masked(bencher: Bencher<'_, '_>) {
    let (bytes, mask) = (request(), mask());
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            black_box(&black_box(&mask).select(message));
        });
}

/// As `masked`, and the values that a first decision reads.
#[divan::bench]
fn masked_and_read(bencher: Bencher<'_, '_>) {
    let (bytes, mask) = (request(), mask());
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            let found = mask.select(message);
            let subscriber = found
                .all(id::SUBSCRIPTION_ID)
                .filter_map(|avp| avp.child(id::SUBSCRIPTION_ID_DATA))
                .next();
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

#[divan::bench]
fn owned(bencher: Bencher<'_, '_>) {
    let bytes = request();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let message = Message::new(black_box(&bytes)).unwrap();
            OwnedMessage::decode(message)
        });
}
