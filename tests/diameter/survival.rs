//! That no bytes harm, and that all ways to read a message agree.

use std::path::Path;

use proptest::prelude::*;
use strowger::pcrf::diameter::check::Grammar;
use strowger::pcrf::diameter::owned::OwnedMessage;
use strowger::pcrf::diameter::{
    Avp, AvpId, Framed, GX, Mask, Message, Places, Writer, command, flag, frame, id,
};

use crate::build::{avp, avp_of_length, good, message, subscriber};
use crate::peers::{events, local, open, serve};
use crate::requests::{ORIGIN, judge};

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
        let mut places = Places::default();
        let found = mask.select(message, &mut places);
        assert_eq!(message.avps().count(), owned.avps.len());
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
        // And every third beginning, and each byte replaced.
        for end in (0..bytes.len().min(600)).step_by(3) {
            survive(&bytes[..end]);
        }
        for at in 0..bytes.len().min(120) {
            for value in [0, 7, 0xff] {
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
        let mut places = Places::default();
        let found = mask.select(message, &mut places);
        let read: Vec<u64> = found
            .all(id::USED_SERVICE_UNIT)
            .filter_map(|group| group.child(id::CC_TOTAL_OCTETS)?.u64())
            .collect();
        prop_assert_eq!(read, numbers);
        prop_assert!(found.is_sound());
        prop_assert!(found.all(id::SESSION_ID).all(|avp| avp.value == text.as_bytes()));
    }
}
