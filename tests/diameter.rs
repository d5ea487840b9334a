//! Diameter by raw bytes: what comes back for bad input, whole conversations of two peers, and that no bytes harm.
//!
//! `tests/data/diameter/*.hex` are messages in hexadecimal digits; `#` begins a comment.

#![cfg(feature = "pcrf")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use strowger::pcrf::diameter::check::{self, Grammar, Here, Origin, Refusal};
use strowger::pcrf::diameter::owned::OwnedMessage;
use strowger::pcrf::diameter::peer::{Event, Local, Peer, Peers, Reason, Reconnect, State};
use strowger::pcrf::diameter::{
    Avp, AvpId, Framed, GX, Mask, Message, Raw, ResultCode, Writer, command, flag, frame, id,
};

/// An AVP of any code as bytes, with the length that its value has.
fn avp(code: u32, flags: u8, vendor: Option<u32>, value: &[u8]) -> Vec<u8> {
    let size = 8 + if vendor.is_some() { 4 } else { 0 } + value.len();
    avp_of_length(code, flags, vendor, value, size as u32)
}

/// An AVP that lies about its length.
fn avp_of_length(code: u32, flags: u8, vendor: Option<u32>, value: &[u8], length: u32) -> Vec<u8> {
    let mut bytes = code.to_be_bytes().to_vec();
    bytes.push(flags | if vendor.is_some() { 0x80 } else { 0 });
    bytes.extend(&length.to_be_bytes()[1..]);
    bytes.extend(vendor.map(u32::to_be_bytes).into_iter().flatten());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn message(flags: u8, command: u32, application: u32, avps: &[Vec<u8>]) -> Vec<u8> {
    let body = avps.concat();
    let mut bytes = (20 + body.len() as u32).to_be_bytes().to_vec();
    bytes[0] = 1;
    bytes.extend(command.to_be_bytes());
    bytes[4] = flags;
    for word in [application, 0x1111_1111, 0x2222_2222] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(body);
    bytes
}

fn session() -> Vec<u8> {
    avp(263, 0x40, None, b"pcef;1;1")
}

fn subscriber() -> Vec<u8> {
    let kind = avp(450, 0x40, None, &[0, 0, 0, 1]);
    let data = avp(444, 0x40, None, b"001010000000001");
    avp(443, 0x40, None, &[kind, data].concat())
}

/// The AVPs of a good CCR-I.
fn good() -> Vec<Vec<u8>> {
    vec![
        session(),
        avp(258, 0x40, None, &GX.to_be_bytes()),
        avp(264, 0x40, None, b"pcef.example"),
        avp(296, 0x40, None, b"example"),
        avp(283, 0x40, None, b"example"),
        avp(416, 0x40, None, &[0, 0, 0, 1]),
        avp(415, 0x40, None, &[0, 0, 0, 0]),
        subscriber(),
        avp(30, 0x40, None, b"internet"),
    ]
}

/// The good one without an AVP.
fn without(code: u32) -> Vec<Vec<u8>> {
    let mut avps = good();
    avps.retain(|avp| avp[..4] != code.to_be_bytes());
    avps
}

/// The good one with another AVP instead of the one of this code.
fn instead(code: u32, other: Vec<u8>) -> Vec<Vec<u8>> {
    let mut avps = good();
    let at = avps.iter().position(|avp| avp[..4] == code.to_be_bytes());
    avps[at.unwrap()] = other;
    avps
}

fn and(more: Vec<u8>) -> Vec<Vec<u8>> {
    let mut avps = good();
    avps.push(more);
    avps
}

const HERE: Here<'_> = Here {
    host: b"pcrf.example",
    realm: b"example",
    commands: &[command::CREDIT_CONTROL],
};

const ORIGIN: Origin<'_> = Origin {
    host: b"pcrf.example",
    realm: b"example",
    state: Some(5),
};

/// All checks of a request in their order.
fn judge<'a>(message: Message<'a>, grammar: &Grammar) -> Option<Refusal<'a>> {
    match check::request(message, grammar, &HERE) {
        Err(refusal) => Some(refusal),
        Ok(found) => check::request_type(&found)
            .err()
            .or_else(|| check::initial(&found)),
    }
}

/// Result (a negative one is experimental), E bit, Failed-AVP.
fn verdict(bytes: &[u8]) -> (i64, bool, Option<Vec<u8>>) {
    let request = Message::new(bytes).expect("the frame is sound");
    let grammar = Grammar::credit_control(&[id::RAT_TYPE]);
    let Some(refusal) = judge(request, &grammar) else {
        return (2001, false, None);
    };
    let mut writer = Writer::new();
    refusal.answer(request, &ORIGIN, &mut writer);
    let answer = Message::new(writer.all()).expect("an answer can be read");
    let mut avps = answer.avps();
    assert!(
        avps.by_ref()
            .all(|avp| avp.is(id::FAILED_AVP) || whole(&avp))
            && avps.defect().is_none()
    );
    assert_eq!(answer.header().command, request.header().command);
    assert_eq!(answer.header().hop_by_hop, 0x1111_1111);
    assert_eq!(answer.header().end_to_end, 0x2222_2222);
    assert!(!answer.header().is_request());
    assert_eq!(answer.find(id::ORIGIN_HOST).unwrap().value, b"pcrf.example");
    let result = match answer.find(id::RESULT_CODE) {
        Some(avp) => i64::from(avp.u32().unwrap()),
        None => {
            let group = answer.find(id::EXPERIMENTAL_RESULT).unwrap();
            assert_eq!(group.child(id::VENDOR_ID).unwrap().u32(), Some(10415));
            -i64::from(
                group
                    .child(id::EXPERIMENTAL_RESULT_CODE)
                    .unwrap()
                    .u32()
                    .unwrap(),
            )
        }
    };
    let failed = answer.find(id::FAILED_AVP).map(|avp| avp.value.to_vec());
    (result, answer.header().is_error(), failed)
}

/// A group can be walked over, and so can the groups in it.
fn whole(avp: &Raw<'_>) -> bool {
    if !avp.id().is_group() {
        return true;
    }
    let mut children = avp.children();
    children.by_ref().all(|child| whole(&child)) && children.defect().is_none()
}

#[test]
fn bad_requests_get_what_they_owe() {
    let ccr = |avps: Vec<Vec<u8>>| message(0xc0, 272, GX, &avps);
    let umi = |child: Vec<u8>| avp(1067, 0, Some(10415), &child);
    let cases: Vec<(&str, Vec<u8>, i64, bool, Option<Vec<u8>>)> = vec![
        ("good", ccr(good()), 2001, false, None),
        (
            "unknown command",
            message(0xc0, 999, GX, &good()),
            3001,
            true,
            None,
        ),
        (
            "unknown base command",
            message(0x80, 999, 0, &[session()]),
            3001,
            true,
            None,
        ),
        (
            "ASR is not of Gx",
            message(0xc0, 274, GX, &good()),
            3001,
            true,
            None,
        ),
        (
            "STR is not of Gx",
            message(0xc0, 275, GX, &good()),
            3001,
            true,
            None,
        ),
        (
            "unknown application",
            message(0xc0, 272, 77, &good()),
            3007,
            true,
            None,
        ),
        ("R and E", message(0xe0, 272, GX, &good()), 3008, true, None),
        (
            "no Session-Id",
            ccr(without(263)),
            5005,
            false,
            Some(avp(263, 0x40, None, b"")),
        ),
        (
            "no CC-Request-Type",
            ccr(without(416)),
            5005,
            false,
            Some(avp(416, 0x40, None, &[0; 4])),
        ),
        (
            "no CC-Request-Number",
            ccr(without(415)),
            5005,
            false,
            Some(avp(415, 0x40, None, &[0; 4])),
        ),
        (
            "no Auth-Application-Id",
            ccr(without(258)),
            5005,
            false,
            Some(avp(258, 0x40, None, &[0; 4])),
        ),
        (
            "no Subscription-Id",
            ccr(without(443)),
            -5140,
            false,
            Some(avp(443, 0x40, None, b"")),
        ),
        (
            "no Called-Station-Id",
            ccr(without(30)),
            -5140,
            false,
            Some(avp(30, 0x40, None, b"")),
        ),
        (
            "CC-Request-Type 9",
            ccr(instead(416, avp(416, 0x40, None, &[0, 0, 0, 9]))),
            5004,
            false,
            Some(avp(416, 0x40, None, &[0, 0, 0, 9])),
        ),
        (
            "EVENT_REQUEST",
            ccr(instead(416, avp(416, 0x40, None, &[0, 0, 0, 4]))),
            5004,
            false,
            Some(avp(416, 0x40, None, &[0, 0, 0, 4])),
        ),
        (
            "CC-Request-Type twice",
            ccr(and(avp(416, 0x40, None, &[0, 0, 0, 2]))),
            5009,
            false,
            Some(avp(416, 0x40, None, &[0, 0, 0, 2])),
        ),
        (
            "length below 8",
            ccr(and(avp_of_length(264, 0x40, None, b"abcd", 7))),
            5014,
            false,
            Some(avp(264, 0x40, None, b"")),
        ),
        (
            "length below 12 with a vendor",
            ccr(and(avp_of_length(1032, 0, Some(10415), &[0; 4], 11))),
            5014,
            false,
            Some(avp(1032, 0, Some(10415), &[0; 4])),
        ),
        (
            "length beyond the message",
            ccr(and(avp_of_length(415, 0x40, None, &[0; 4], 200))),
            5014,
            false,
            Some(avp(415, 0x40, None, &[0; 4])),
        ),
        (
            "half a header at the end",
            ccr(and(vec![0, 0, 1, 8])),
            5014,
            false,
            Some(avp(264, 0, None, b"")),
        ),
        (
            "a number of 3 bytes",
            ccr(instead(415, avp(415, 0x40, None, &[0, 0, 1]))),
            5014,
            false,
            Some(avp(415, 0x40, None, &[0, 0, 1])),
        ),
        (
            "a child overruns its group",
            ccr(instead(
                443,
                avp(
                    443,
                    0x40,
                    None,
                    &avp_of_length(444, 0x40, None, b"0010", 60),
                ),
            )),
            5014,
            false,
            Some(avp(443, 0x40, None, &avp(444, 0x40, None, b""))),
        ),
        (
            "a child of 3 bytes",
            ccr(instead(
                443,
                avp(443, 0x40, None, &avp(450, 0x40, None, &[0, 0, 1])),
            )),
            5014,
            false,
            Some(avp(443, 0x40, None, &avp(450, 0x40, None, &[0, 0, 1]))),
        ),
        (
            "a grandchild that overruns",
            ccr(and(umi(avp(
                446,
                0x40,
                None,
                &avp_of_length(421, 0x40, None, &[0; 8], 17),
            )))),
            5014,
            false,
            Some(umi(avp(446, 0x40, None, &avp(421, 0x40, None, &[0; 8])))),
        ),
        (
            "unknown and mandatory",
            ccr(and(avp(9999, 0x40, None, b"what?"))),
            5001,
            false,
            Some(avp(9999, 0x40, None, b"what?")),
        ),
        (
            "unknown vendor and mandatory",
            ccr(and(avp(1, 0x40, Some(4711), b"w"))),
            5001,
            false,
            Some(avp(1, 0x40, Some(4711), b"w")),
        ),
        (
            "unknown and mandatory in a group",
            ccr(and(umi(avp(9999, 0x40, None, b"what?")))),
            5001,
            false,
            Some(umi(avp(9999, 0x40, None, b"what?"))),
        ),
        (
            "unknown and optional",
            ccr(and(avp(9999, 0, None, b"what?"))),
            2001,
            false,
            None,
        ),
        (
            "unknown vendor, optional",
            ccr(and(avp(9999, 0, Some(4711), b"what?"))),
            2001,
            false,
            None,
        ),
        (
            "another realm",
            ccr(instead(283, avp(283, 0x40, None, b"elsewhere"))),
            3003,
            true,
            None,
        ),
        (
            "our realm in capitals",
            ccr(instead(283, avp(283, 0x40, None, b"EXAMPLE"))),
            2001,
            false,
            None,
        ),
        (
            "another host",
            ccr(and(avp(293, 0x40, None, b"other.example"))),
            3002,
            true,
            None,
        ),
        (
            "us",
            ccr(and(avp(293, 0x40, None, b"pcrf.example"))),
            2001,
            false,
            None,
        ),
        (
            "Service-Context-Id",
            ccr(and(avp(461, 0x40, None, b"x"))),
            2001,
            false,
            None,
        ),
    ];
    for (name, bytes, result, is_error, failed) in cases {
        assert_eq!(verdict(&bytes), (result, is_error, failed), "{name}");
    }
}

#[test]
fn answers_copy_session_and_proxies() {
    let proxy = |name: &[u8]| {
        let host = avp(280, 0x40, None, name);
        let state = avp(33, 0x40, None, &[1, 2, 3]);
        avp(284, 0x40, None, &[host, state].concat())
    };
    let mut avps = without(416);
    avps.insert(1, proxy(b"one"));
    avps.push(proxy(b"second"));
    let bytes = message(0xc0, 272, GX, &avps);
    let request = Message::new(&bytes).unwrap();
    let refusal = judge(request, &Grammar::credit_control(&[])).unwrap();
    let mut writer = Writer::new();
    refusal.answer(request, &ORIGIN, &mut writer);
    let answer = Message::new(writer.all()).unwrap();
    assert_eq!(answer.header().flags, flag::PROXIABLE);
    let codes: Vec<u32> = answer.avps().map(|avp| avp.code).collect();
    assert_eq!(codes, [263, 258, 264, 296, 268, 415, 278, 279, 284, 284]);
    let hosts: Vec<_> = answer
        .avps()
        .filter_map(|avp| Some(avp.child(id::PROXY_HOST)?.value))
        .collect();
    assert_eq!(hosts, [&b"one"[..], b"second"]);
}

/// A server, and the messages it sends when it gets these bytes; with what happened to it.
fn serve(local: Local, bytes: &[u8]) -> (Peer, Vec<Vec<u8>>, Vec<String>) {
    let mut peer = Peer::server(Arc::new(local), 1, 0);
    peer.receive(bytes);
    let events = events(&mut peer, 0);
    let sent = messages(&peer.take_output());
    (peer, sent, events)
}

fn events(peer: &mut Peer, now: u64) -> Vec<String> {
    let mut events = Vec::new();
    while let Some(event) = peer.next_event(now) {
        events.push(match event {
            Event::Message(message) => format!("message {}", message.header().command),
            other => format!("{other:?}"),
        });
    }
    events
}

fn messages(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let Framed::Message(message) = frame(bytes, usize::MAX) else {
            panic!("rubbish is sent");
        };
        found.push(message.bytes().to_vec());
        bytes = &bytes[message.bytes().len()..];
    }
    found
}

fn result(bytes: &[u8]) -> u32 {
    let answer = Message::new(bytes).unwrap();
    answer.find(id::RESULT_CODE).unwrap().u32().unwrap()
}

fn local() -> Local {
    Local::new("pcrf.example", "example")
}

fn cer(applications: &[Vec<u8>]) -> Vec<u8> {
    let mut avps = vec![
        avp(264, 0x40, None, b"pcef.example"),
        avp(296, 0x40, None, b"example"),
        avp(257, 0x40, None, &[0, 1, 127, 0, 0, 1]),
        avp(266, 0x40, None, &[0; 4]),
        avp(269, 0, None, b"raw"),
    ];
    avps.extend_from_slice(applications);
    message(0x80, 257, 0, &avps)
}

fn bare(application: u32) -> Vec<u8> {
    avp(258, 0x40, None, &application.to_be_bytes())
}

fn with_vendor(application: u32) -> Vec<u8> {
    let vendor = avp(266, 0x40, None, &10415_u32.to_be_bytes());
    avp(260, 0x40, None, &[vendor, bare(application)].concat())
}

#[test]
fn capabilities_are_exchanged() {
    let relay = avp(259, 0x40, None, &[0xff; 4]);
    for applications in [
        bare(GX),
        with_vendor(GX),
        bare(u32::MAX),
        relay,
        [bare(4), with_vendor(GX)].concat(),
    ] {
        let (peer, sent, events) = serve(local(), &cer(&[applications]));
        assert_eq!(events, ["Open"]);
        assert_eq!(sent.len(), 1);
        assert_eq!(result(&sent[0]), 2001);
        let answer = Message::new(&sent[0]).unwrap();
        assert_eq!(answer.header().flags, 0);
        for id in [
            id::ORIGIN_HOST,
            id::ORIGIN_REALM,
            id::HOST_IP_ADDRESS,
            id::VENDOR_ID,
            id::PRODUCT_NAME,
        ] {
            assert!(answer.find(id).is_some(), "{}", id.name());
        }
        let group = answer.find(id::VENDOR_SPECIFIC_APPLICATION_ID).unwrap();
        assert_eq!(
            group.child(id::AUTH_APPLICATION_ID).unwrap().u32(),
            Some(GX)
        );
        assert_eq!(
            (peer.host(), peer.realm()),
            (&b"pcef.example"[..], &b"example"[..])
        );
    }
}

#[test]
fn bad_capabilities_end_the_connection() {
    let listed = || Local {
        peers: Peers::Listed(vec!["Known.Example".into()]),
        ..local()
    };
    let nameless = message(0x80, 257, 0, &[avp(296, 0x40, None, b"example"), bare(GX)]);
    let unknown = cer(&[bare(GX), avp(9999, 0x40, None, b"?")]);
    let tls = cer(&[bare(GX), avp(299, 0x40, None, &[0, 0, 0, 1])]);
    let cases = [
        (
            "no common application",
            local(),
            cer(&[bare(4)]),
            5010,
            false,
            None,
        ),
        ("no application", local(), cer(&[]), 5010, false, None),
        ("unlisted", listed(), cer(&[bare(GX)]), 3010, true, None),
        (
            "no Origin-Host",
            local(),
            nameless,
            5005,
            false,
            Some(avp(264, 0x40, None, b"")),
        ),
        (
            "unknown AVP",
            local(),
            unknown,
            5001,
            false,
            Some(avp(9999, 0x40, None, b"?")),
        ),
        ("only TLS within", local(), tls, 5017, false, None),
    ];
    for (name, local, bytes, code, is_error, failed) in cases {
        let (mut peer, sent, events) = serve(local, &bytes);
        assert_eq!(sent.len(), 1, "{name}");
        assert_eq!(result(&sent[0]), code, "{name}");
        let answer = Message::new(&sent[0]).unwrap();
        assert_eq!(answer.header().is_error(), is_error, "{name}");
        let found = answer.find(id::FAILED_AVP).map(|avp| avp.value.to_vec());
        assert_eq!(found, failed, "{name}");
        assert_eq!(
            events,
            [format!("Closed(Refused({:?}))", ResultCode::base(code))],
            "{name}"
        );
        assert_eq!(peer.state(), State::Closed);
        peer.receive(&cer(&[bare(GX)]));
        assert!(peer.next_event(1).is_none());
    }
    let known = Local {
        peers: Peers::Listed(vec!["PCEF.example".into()]),
        ..local()
    };
    assert_eq!(serve(known, &cer(&[bare(GX)])).2, ["Open"]);
}

#[test]
fn what_is_no_diameter_is_closed_at_once() {
    let mut other_version = cer(&[bare(GX)]);
    other_version[0] = 2;
    let length = |length: u32| {
        let mut bytes = cer(&[bare(GX)]);
        bytes[1..4].copy_from_slice(&length.to_be_bytes()[1..]);
        bytes
    };
    let answer = |bytes: Vec<u8>| {
        let mut bytes = bytes;
        bytes[4] = 0;
        bytes
    };
    let cases: Vec<(&str, Vec<u8>, Option<u32>, Reason)> = vec![
        ("TLS", vec![0x16, 3, 1, 2, 0], None, Reason::Tls),
        ("HTTP", b"GET / HTTP/1.1\r\n".to_vec(), None, Reason::Text),
        ("bytes", vec![0xde, 0xad, 0xbe, 0xef], None, Reason::Foreign),
        ("zeros", vec![0; 64], None, Reason::Foreign),
        ("version 2", other_version, Some(5011), Reason::Version),
        ("length 0", length(0), Some(5015), Reason::Length),
        ("length 19", length(19), Some(5015), Reason::Length),
        ("length 22", length(22), Some(5015), Reason::Length),
        (
            "length of 16 MiB",
            length(0xff_fffc),
            Some(5015),
            Reason::Length,
        ),
        (
            "length of an answer",
            answer(length(0)),
            None,
            Reason::Length,
        ),
        (
            "CCR first",
            message(0xc0, 272, GX, &good()),
            None,
            Reason::BeforeCapabilities,
        ),
        (
            "DWR first",
            message(0x80, 280, 0, &[]),
            None,
            Reason::BeforeCapabilities,
        ),
        (
            "CEA first",
            message(0, 257, 0, &[]),
            None,
            Reason::BeforeCapabilities,
        ),
    ];
    for (name, bytes, code, reason) in cases {
        let (peer, sent, events) = serve(local(), &bytes);
        assert_eq!(events, [format!("Closed({reason:?})")], "{name}");
        assert_eq!(sent.first().map(|bytes| result(bytes)), code, "{name}");
        assert!(peer.deadline().is_none());
    }
}

/// A server whose connection is open.
fn open() -> Peer {
    let state = avp(278, 0x40, None, &[0, 0, 0, 3]);
    let (peer, _, events) = serve(local(), &cer(&[bare(GX), state]));
    assert_eq!(events, ["Open"]);
    assert_eq!(peer.origin_state(), Some(3));
    peer
}

#[test]
fn input_comes_in_pieces() {
    let mut bytes = cer(&[bare(GX)]);
    bytes.extend(message(0xc0, 272, GX, &good()));
    bytes.extend(message(
        0x80,
        280,
        0,
        &[avp(264, 0x40, None, b"pcef.example")],
    ));
    for size in [1, 3, 19, 20, 21, 100, 1000] {
        let mut peer = Peer::server(Arc::new(local()), 1, 0);
        let mut all = Vec::new();
        for piece in bytes.chunks(size) {
            peer.receive(piece);
            all.extend(events(&mut peer, 0));
        }
        assert_eq!(all, ["Open", "message 272"], "{size}");
        let sent = messages(&peer.take_output());
        assert_eq!(sent.len(), 2);
        let watchdog = Message::new(&sent[1]).unwrap();
        assert_eq!((watchdog.header().command, result(&sent[1])), (280, 2001));
        assert_eq!(watchdog.find(id::ORIGIN_STATE_ID).unwrap().u32(), Some(1));
    }
}

#[test]
fn a_peer_tells_that_it_restarted() {
    let mut peer = open();
    let watchdog = |state: u8| message(0x80, 280, 0, &[avp(278, 0x40, None, &[0, 0, 0, state])]);
    peer.receive(&watchdog(3));
    assert!(events(&mut peer, 1).is_empty());
    peer.receive(&watchdog(4));
    assert_eq!(events(&mut peer, 2), ["Restarted(4)"]);
    peer.receive(&watchdog(4));
    assert!(events(&mut peer, 3).is_empty());
    assert_eq!(peer.origin_state(), Some(4));
}

#[test]
fn bad_requests_of_the_connection_keep_it() {
    let cases = [
        (message(0xa0, 280, 0, &[]), 3008),
        (message(0x80, 280, 0, &[avp(9999, 0x40, None, b"?")]), 5001),
        (
            message(0x80, 280, 0, &[avp_of_length(264, 0x40, None, b"abcd", 7)]),
            5014,
        ),
        (message(0x80, 280, 0, &[avp(278, 0x40, None, &[1])]), 5014),
        (cer(&[bare(GX)]), 2001),
        (message(0x80, 280, 0, &[]), 2001),
    ];
    let mut peer = open();
    for (bytes, code) in cases {
        peer.receive(&bytes);
        assert!(events(&mut peer, 1).is_empty());
        let sent = messages(&peer.take_output());
        assert_eq!(result(&sent[0]), code);
        assert_eq!(peer.state(), State::Open);
    }
    assert_eq!(peer.counters().refused, 4);
}

#[test]
fn the_watchdog_bites_after_two_misses() {
    for seed in 0..50 {
        let mut peer = Peer::server(Arc::new(local()), seed, 0);
        peer.receive(&cer(&[bare(GX)]));
        assert_eq!(peer.next_event(1000), Some(Event::Open));
        peer.take_output();
        let mut at = 1000;
        let wait = |peer: &mut Peer, at: &mut u64| {
            let next = peer.deadline().unwrap();
            assert!((28_000..=32_000).contains(&(next - *at)), "{}", next - *at);
            peer.tick(next - 1);
            assert!(peer.output().is_empty() && peer.next_event(next - 1).is_none());
            peer.tick(next);
            *at = next;
        };
        wait(&mut peer, &mut at);
        let sent = messages(&peer.take_output());
        let request = Message::new(&sent[0]).unwrap();
        assert!(request.header().is_request() && request.header().command == 280);
        assert!(!peer.is_suspect());
        if seed % 2 == 0 {
            // The answer resets it all.
            peer.receive(&message(
                0,
                280,
                0,
                &[avp(268, 0x40, None, &2001_u32.to_be_bytes())],
            ));
            assert!(peer.next_event(at).is_none());
            wait(&mut peer, &mut at);
            assert_eq!(messages(&peer.take_output()).len(), 1);
        }
        wait(&mut peer, &mut at);
        assert!(peer.is_suspect() && peer.output().is_empty());
        if seed % 3 == 0 {
            // Any other message shows that it lives, though the answer still lacks.
            peer.receive(&message(0xc0, 272, GX, &good()));
            assert!(matches!(peer.next_event(at), Some(Event::Message(_))));
            assert!(!peer.is_suspect());
            wait(&mut peer, &mut at);
            assert!(peer.is_suspect());
        }
        wait(&mut peer, &mut at);
        assert_eq!(peer.next_event(at), Some(Event::Closed(Reason::Watchdog)));
    }
}

#[test]
fn a_silent_connection_is_closed() {
    let mut peer = Peer::server(Arc::new(local()), 1, 100);
    assert_eq!(peer.deadline(), Some(5100));
    peer.receive(&[1, 0, 0]);
    assert!(peer.next_event(4000).is_none());
    peer.tick(5099);
    assert!(peer.next_event(5099).is_none());
    peer.tick(5100);
    assert_eq!(
        peer.next_event(5100),
        Some(Event::Closed(Reason::CapabilitiesTimeout))
    );
}

/// Carries bytes between two peers until both are silent.
fn exchange(one: &mut Peer, other: &mut Peer) -> [Vec<String>; 2] {
    let mut happened = [Vec::new(), Vec::new()];
    loop {
        let (from_one, from_other) = (one.take_output(), other.take_output());
        if from_one.is_empty() && from_other.is_empty() {
            return happened;
        }
        one.receive(&from_other);
        other.receive(&from_one);
        happened[0].extend(events(one, 0));
        happened[1].extend(events(other, 0));
    }
}

#[test]
fn peers_connect_and_part() {
    for cause in [0, 2] {
        let mut client = Peer::client(Arc::new(Local::new("pcef.example", "example")), 2, 0);
        let mut server = Peer::server(Arc::new(local()), 1, 0);
        let [one, other] = exchange(&mut client, &mut server);
        assert_eq!(
            (one, other),
            (vec!["Open".to_owned()], vec!["Open".to_owned()])
        );
        assert_eq!(client.host(), b"pcrf.example");
        client.send(&message(0xc0, 272, GX, &good()));
        assert_eq!(exchange(&mut client, &mut server)[1], ["message 272"]);
        server.disconnect(cause, 0);
        // What was asked before is still answered.
        server.send(&message(0x40, 272, GX, &[session()]));
        let [one, other] = exchange(&mut client, &mut server);
        assert_eq!(one, [format!("Closed(ByPeer({cause}))")]);
        assert_eq!(other, ["Closed(ByUs)"]);
    }
    // No answer to the request for the end.
    let mut peer = open();
    peer.disconnect(0, 1000);
    assert_eq!(
        (peer.state(), peer.deadline()),
        (State::Closing, Some(6000))
    );
    peer.tick(6000);
    assert_eq!(peer.next_event(6000), Some(Event::Closed(Reason::ByUs)));
}

#[test]
fn refused_clients_know_why() {
    let listed = Local {
        peers: Peers::Listed(Vec::new()),
        ..local()
    };
    let mut client = Peer::client(Arc::new(Local::new("pcef.example", "example")), 2, 0);
    let mut server = Peer::server(Arc::new(listed), 1, 0);
    let [one, _] = exchange(&mut client, &mut server);
    assert_eq!(
        one,
        [format!("Closed(Refused({:?}))", ResultCode::UNKNOWN_PEER)]
    );
}

#[test]
fn reconnection_waits_longer_each_time() {
    let mut again = Reconnect::new(3);
    let mut expected = 1000;
    for _ in 0..10 {
        let pause = again.lost(0, None);
        assert!(
            (expected * 3 / 4..=expected * 5 / 4).contains(&pause),
            "{pause}"
        );
        expected = (expected * 2).min(30_000);
    }
    again.open();
    assert!(again.lost(0, None) <= 1250);
    assert!(again.lost(0, Some(Reason::ByPeer(2))) >= 22_500);
    for _ in 0..100 {
        assert!(again.lost(0, None) <= 37_500);
    }
}

/// The corpus: files of hexadecimal digits.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/diameter");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "hex"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let digits: Vec<u8> = text
                .lines()
                .flat_map(|line| line.split('#').next().unwrap().bytes())
                .filter(u8::is_ascii_hexdigit)
                .collect();
            let bytes = digits
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect();
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                bytes,
            )
        })
        .collect()
}

/// Does everything that can be done with bytes; the mask, walking and owned decoding must agree.
fn survive(bytes: &[u8]) {
    let (peer, _, _) = serve(local(), bytes);
    assert!(peer.counters().received <= 1 + bytes.len() as u64 / 20);
    let mut peer = open();
    peer.receive(bytes);
    events(&mut peer, 1);
    assert!(peer.output().len() <= 4096 + 40 * bytes.len());
    let Framed::Message(message) = frame(bytes, 1 << 16) else {
        return;
    };
    let owned = OwnedMessage::decode(message);
    let few = Mask::new(&[
        id::SESSION_ID,
        id::CC_REQUEST_TYPE,
        id::SUBSCRIPTION_ID,
        id::EVENT_TRIGGER,
    ]);
    let many: Mask = (1..200).filter_map(AvpId::from_index).collect();
    for mask in [Mask::default(), few, many] {
        let found = mask.select(message);
        assert_eq!(found.count() as usize, owned.avps.len());
        let groups: Vec<_> = found.groups().collect();
        let walked: Vec<_> = message.avps().filter(|avp| avp.id().is_group()).collect();
        assert_eq!(groups, walked);
        for row in Avp::all() {
            let by_mask: Vec<_> = found.all(row.id).collect();
            let walked: Vec<_> = message.avps().filter(|avp| avp.is(row.id)).collect();
            assert_eq!(by_mask, walked);
            assert_eq!(found.has(row.id), !walked.is_empty());
            assert_eq!(found.is_repeated(row.id), walked.len() > 1);
            for (raw, decoded) in walked.iter().zip(owned.all(row.id)) {
                if !row.id.is_group() {
                    let (mut one, mut other) = (Vec::new(), Vec::new());
                    row.text(raw.value, &mut one);
                    decoded.text(&mut other);
                    assert_eq!(one, other, "{}", row.name);
                }
            }
        }
    }
    let grammar = Grammar::credit_control(&[]);
    if let Some(refusal) = judge(message, &grammar) {
        let mut writer = Writer::new();
        refusal.answer(message, &ORIGIN, &mut writer);
        let answer = Message::new(writer.all()).expect("answers can be read");
        let mut avps = answer.avps();
        assert!(avps.by_ref().count() > 2 && avps.defect().is_none());
        if let Some(failed) = answer.find(id::FAILED_AVP) {
            let mut inner = failed.children();
            assert_eq!(inner.by_ref().count(), 1);
            assert!(inner.defect().is_none());
        }
    }
}

#[test]
fn the_corpus_is_survived() {
    let corpus = corpus();
    assert!(corpus.len() >= 10);
    for (name, bytes) in corpus {
        println!("{name}");
        survive(&bytes);
        // And each beginning, and each byte replaced.
        for end in 0..bytes.len().min(600) {
            survive(&bytes[..end]);
        }
        for at in 0..bytes.len().min(120) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                survive(&bytes);
            }
        }
    }
}

/// AVPs that may be anything, known ones more often.
fn any_avp() -> impl Strategy<Value = Vec<u8>> {
    let known = (1..200_usize).prop_map(|at| {
        let id = AvpId::from_index(at).unwrap();
        (id.code(), (id.vendor() != 0).then_some(id.vendor()))
    });
    let foreign = (any::<u32>(), prop::option::of(any::<u32>()));
    let kind = prop_oneof![4 => known, 1 => foreign];
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        prop::collection::vec(any::<u8>(), 4..=4),
        Just(subscriber()),
    ];
    (
        kind,
        any::<bool>(),
        value,
        prop::option::weighted(0.05, 0..60_u32),
    )
        .prop_map(|((code, vendor), mandatory, value, lie)| {
            let flags = if mandatory { 0x40 } else { 0 };
            match lie {
                Some(length) => avp_of_length(code, flags, vendor, &value, length),
                None => avp(code, flags, vendor, &value),
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&bytes);
        let mut framed = bytes;
        framed.resize(framed.len().next_multiple_of(4).max(20), 0);
        let length = framed.len() as u32;
        framed[..4].copy_from_slice(&length.to_be_bytes());
        framed[0] = 1;
        survive(&framed);
    }

    #[test]
    fn any_avps_are_survived(avps in prop::collection::vec(any_avp(), 0..30), good_first in any::<bool>()) {
        let mut all = if good_first { good() } else { Vec::new() };
        all.extend(avps);
        survive(&message(0xc0, 272, GX, &all));
        survive(&message(0x80, 257, 0, &all));
        survive(&message(0x80, 280, 0, &all));
    }

    #[test]
    fn what_is_written_is_read(numbers in prop::collection::vec(any::<u64>(), 0..20), text in ".{0,60}") {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 1, 2);
        for number in &numbers {
            writer.group(id::USED_SERVICE_UNIT, |w| {
                w.u64(id::CC_TOTAL_OCTETS, *number);
                w.u32(id::CC_TIME, *number as u32);
            });
            writer.text(id::SESSION_ID, &text);
        }
        let message = Message::new(writer.finish()).unwrap();
        let mask = Mask::new(&[id::USED_SERVICE_UNIT]);
        let found = mask.select(message);
        let read: Vec<u64> = found
            .all(id::USED_SERVICE_UNIT)
            .filter_map(|group| group.child(id::CC_TOTAL_OCTETS)?.u64())
            .collect();
        prop_assert_eq!(read, numbers);
        prop_assert!(found.is_sound());
        prop_assert!(found.all(id::SESSION_ID).all(|avp| avp.value == text.as_bytes()));
    }
}
