//! Any bytes on a connection, before and after capabilities, and as one message.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use strowger::pcrf::diameter::check::{self, Grammar, Here, Origin};
use strowger::pcrf::diameter::owned::OwnedMessage;
use strowger::pcrf::diameter::peer::{Local, Peer};
use strowger::pcrf::diameter::{Framed, Message, Places, Writer, command, frame};

fuzz_target!(|bytes: &[u8]| {
    let local = Arc::new(Local::new("pcrf.example", "example"));
    let mut raw = Peer::server(Arc::clone(&local), 1, 0);
    raw.receive(bytes);
    while raw.next_event(0).is_some() {}

    let mut client = Peer::client(Arc::clone(&local), 2, 0);
    let mut open = Peer::server(local, 1, 0);
    open.receive(&client.take_output());
    open.receive(bytes);
    while open.next_event(0).is_some() {}

    let Framed::Message(message) = frame(bytes, 1 << 16) else {
        return;
    };
    let owned = OwnedMessage::decode(message);
    let grammar = Grammar::credit_control(&[]);
    let here = Here {
        host: b"pcrf.example",
        realm: b"example",
        commands: &[command::CREDIT_CONTROL],
    };
    let origin = Origin {
        host: b"pcrf.example",
        realm: b"example",
        state: None,
    };
    let mut places = Places::default();
    for row in strowger::pcrf::diameter::Avp::all() {
        let found = grammar.select(message, &mut places);
        assert_eq!(found.all(row.id).count(), owned.all(row.id).count());
    }
    if let Err(refusal) = check::request(message, &grammar, &here, &mut places) {
        let mut writer = Writer::new();
        refusal.answer(message, &origin, &mut writer);
        assert!(Message::new(writer.all()).is_some());
    }
});
