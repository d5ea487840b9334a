//! Conversations of peers.

use std::sync::Arc;

use strowger::pcrf::diameter::peer::{Event, Local, Peer, Peers, Reason, Reconnect, State};
use strowger::pcrf::diameter::{Framed, GX, Message, ResultCode, frame, id};

use crate::build::{avp, avp_of_length, good, message, session};

/// A server, and the messages it sends when it gets these bytes; with what happened to it.
pub(crate) fn serve(local: Local, bytes: &[u8]) -> (Peer, Vec<Vec<u8>>, Vec<String>) {
    let mut peer = Peer::server(Arc::new(local), 1, 0);
    peer.receive(bytes);
    let events = events(&mut peer, 0);
    let sent = messages(&peer.take_output());
    (peer, sent, events)
}

pub(crate) fn events(peer: &mut Peer, now: u64) -> Vec<String> {
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

pub(crate) fn local() -> Local {
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

/// A DWR with some more AVPs.
fn watchdog(more: &[Vec<u8>]) -> Vec<u8> {
    let mut avps = vec![
        avp(264, 0x40, None, b"pcef.example"),
        avp(296, 0x40, None, b"example"),
    ];
    avps.extend_from_slice(more);
    message(0x80, 280, 0, &avps)
}

/// A server whose connection is open.
pub(crate) fn open() -> Peer {
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
    bytes.extend(watchdog(&[]));
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
    let watchdog = |state: u8| watchdog(&[avp(278, 0x40, None, &[0, 0, 0, state])]);
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
        (watchdog(&[]), 2001),
        (message(0x80, 280, 0, &[]), 5005),
    ];
    let mut peer = open();
    for (bytes, code) in cases {
        peer.receive(&bytes);
        assert!(events(&mut peer, 1).is_empty());
        let sent = messages(&peer.take_output());
        assert_eq!(result(&sent[0]), code);
        assert_eq!(peer.state(), State::Open);
    }
    assert_eq!(peer.counters().refused, 5);
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

#[test]
fn capabilities_on_an_open_connection_are_examined_anew() {
    let first = cer(&[bare(GX)]);
    // As before: the connection stays.
    let (peer, sent, _) = serve(local(), &[first.clone(), first.clone()].concat());
    assert_eq!(
        sent.iter().map(|own| result(own)).collect::<Vec<_>>(),
        [2001, 2001]
    );
    assert_eq!(peer.state(), State::Open);
    // No application in common, a host of another name, none at all.
    let other = message(
        0x80,
        257,
        0,
        &[
            avp(264, 0x40, None, b"other.example"),
            avp(296, 0x40, None, b"example"),
            avp(257, 0x40, None, &[0, 1, 127, 0, 0, 1]),
            avp(266, 0x40, None, &[0; 4]),
            avp(269, 0, None, b"raw"),
            bare(GX),
        ],
    );
    let nameless = message(0x80, 257, 0, &[avp(296, 0x40, None, b"example"), bare(GX)]);
    for (second, code) in [(cer(&[bare(4)]), 5010), (other, 3010), (nameless, 5005)] {
        let (peer, sent, events) = serve(local(), &[first.clone(), second].concat());
        assert_eq!(
            sent.iter().map(|own| result(own)).collect::<Vec<_>>(),
            [2001, code]
        );
        assert_eq!(peer.state(), State::Closed);
        assert!(
            events.last().unwrap().starts_with("Closed(Refused"),
            "{events:?}"
        );
    }
}

#[test]
fn a_host_has_a_name() {
    for host in [
        &b""[..],
        b"a b",
        b"h\n127.0.0.1: forged",
        b"\xff\xfe",
        &[b'x'; 300],
        b"PCRF.example",
    ] {
        let bytes = message(
            0x80,
            257,
            0,
            &[
                avp(264, 0x40, None, host),
                avp(296, 0x40, None, b"example"),
                avp(257, 0x40, None, &[0, 1, 127, 0, 0, 1]),
                avp(266, 0x40, None, &[0; 4]),
                avp(269, 0, None, b"raw"),
                bare(GX),
            ],
        );
        let (peer, sent, _) = serve(local(), &bytes);
        // Nobody else has our own name.
        let code = if host == b"PCRF.example" { 3010 } else { 5004 };
        assert_eq!(result(&sent[0]), code, "{host:?}");
        assert_eq!(peer.state(), State::Closed);
    }
}

#[test]
fn watchdogs_and_disconnects_say_who_they_are_from() {
    for command in [280, 282] {
        let cause = avp(273, 0x40, None, &[0; 4]);
        let request = message(0x80, command, 0, &[avp(296, 0x40, None, b"example"), cause]);
        let (peer, sent, _) = serve(local(), &[cer(&[bare(GX)]), request].concat());
        let answer = Message::new(&sent[1]).unwrap();
        assert_eq!(result(&sent[1]), 5005, "{command}");
        let failed = answer.find(id::FAILED_AVP).unwrap();
        assert!(failed.child(id::ORIGIN_HOST).is_some());
        assert_eq!(peer.state(), State::Open);
    }
}
