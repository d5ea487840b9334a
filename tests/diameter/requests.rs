//! What comes back for bad requests.

use strowger::pcrf::diameter::check::{self, Grammar, Here, Origin, Refusal};
use strowger::pcrf::diameter::{GX, Message, Places, Raw, Writer, command, flag, id};

use crate::build::{and, avp, avp_of_length, good, instead, message, session, without};

const HERE: Here<'_> = Here {
    host: b"pcrf.example",
    realm: b"example",
    commands: &[command::CREDIT_CONTROL],
};

pub(crate) const ORIGIN: Origin<'_> = Origin {
    host: b"pcrf.example",
    realm: b"example",
    state: Some(5),
};

/// All checks of a request in their order.
pub(crate) fn judge<'a>(message: Message<'a>, grammar: &Grammar) -> Option<Refusal<'a>> {
    match check::request(message, grammar, &HERE, &mut Places::default()) {
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
    let result = if let Some(avp) = answer.find(id::RESULT_CODE) {
        i64::from(avp.u32().unwrap())
    } else {
        let group = answer.find(id::EXPERIMENTAL_RESULT).unwrap();
        assert_eq!(group.child(id::VENDOR_ID).unwrap().u32(), Some(10415));
        let code = group.child(id::EXPERIMENTAL_RESULT_CODE).unwrap();
        -i64::from(code.u32().unwrap())
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
            "an APN without a name",
            ccr(instead(30, avp(30, 0x40, None, b""))),
            -5140,
            false,
            Some(avp(30, 0x40, None, b"")),
        ),
        (
            "a Session-Id without a text",
            ccr(instead(263, avp(263, 0x40, None, b""))),
            5004,
            false,
            Some(avp(263, 0x40, None, b"")),
        ),
        (
            "Auth-Application-Id of credit control",
            ccr(instead(258, avp(258, 0x40, None, &[0, 0, 0, 4]))),
            5004,
            false,
            Some(avp(258, 0x40, None, &[0, 0, 0, 4])),
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
