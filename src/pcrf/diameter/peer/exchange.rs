//! The messages of a connection itself: capabilities, watchdogs, the goodbye. RFC 6733 §5.3 to §5.6.

use std::sync::Arc;

use super::{Event, Peer, Reason, State};
use crate::pcrf::diameter::check::{self, Grammar, Refusal};
use crate::pcrf::diameter::message::{Message, command};
use crate::pcrf::diameter::{Places, RELAY, ResultCode, Selected, id};

impl Peer {
    /// A message of the connection itself.
    pub(super) fn base(&mut self, message: Message<'_>, now: u64) {
        let header = message.header();
        match (header.command, header.is_request(), self.state) {
            (command::CAPABILITIES_EXCHANGE, true, State::Waiting) if self.is_server => {
                self.capabilities(message, now);
            }
            (command::CAPABILITIES_EXCHANGE, false, State::Waiting) if !self.is_server => {
                self.capabilities_answered(message, now);
            }
            (_, _, State::Waiting) => self.close(Reason::BeforeCapabilities),
            (_, true, _) => self.base_request(message),
            (command::DEVICE_WATCHDOG, false, _) => {
                self.pending = false;
                self.learn_state(message);
            }
            (command::DISCONNECT_PEER, false, State::Closing) => self.close(Reason::ByUs),
            // Answers to nothing are dropped.
            _ => {}
        }
    }

    /// Requests on an open connection.
    fn base_request(&mut self, message: Message<'_>) {
        let header = message.header();
        if header.command == command::CAPABILITIES_EXCHANGE {
            // Capabilities again are examined as the first ones were, RFC 6733 §5.6.
            if let Some(refusal) = self.unacceptable(message) {
                let result = refusal.result;
                self.refuse(&refusal, message);
                self.close(Reason::Refused(result));
                return;
            }
            self.accept(message);
            self.learn_state(message);
            return;
        }
        let grammar = Grammar::of_peer();
        let mut places = Places::default();
        if let Err(refusal) = judge(message, &grammar, &mut places) {
            self.refuse(&refusal, message);
            return;
        }
        self.writer.start_answer(&header, 0);
        self.writer.result(ResultCode::SUCCESS);
        self.origin();
        if header.command == command::DEVICE_WATCHDOG {
            self.writer
                .u32(id::ORIGIN_STATE_ID, self.local.origin_state);
        }
        self.flush();
        if header.command == command::DISCONNECT_PEER {
            let cause = message.find(id::DISCONNECT_CAUSE).and_then(|avp| avp.u32());
            self.close(Reason::ByPeer(cause.unwrap_or(0)));
        } else {
            self.learn_state(message);
        }
    }

    fn learn_state(&mut self, message: Message<'_>) {
        if let Some(state) = message.find(id::ORIGIN_STATE_ID).and_then(|avp| avp.u32()) {
            if self.origin_state.is_some_and(|before| state > before) {
                self.events.push_back(Event::Restarted(state));
            }
            self.origin_state = Some(self.origin_state.map_or(state, |before| before.max(state)));
        }
    }

    fn capabilities(&mut self, message: Message<'_>, now: u64) {
        if let Some(refusal) = self.unacceptable(message) {
            let result = refusal.result;
            // Whoever is told of the end wants to know whose it was.
            self.learn(message);
            self.refuse(&refusal, message);
            self.close(Reason::Refused(result));
            return;
        }
        self.learn(message);
        self.accept(message);
        self.opened(now);
    }

    /// Answers capabilities with our own.
    fn accept(&mut self, message: Message<'_>) {
        self.writer.start_answer(&message.header(), 0);
        self.writer.result(ResultCode::SUCCESS);
        self.describe();
        let bare = message
            .avps()
            .any(|avp| avp.is(id::AUTH_APPLICATION_ID) && avp.u32() != Some(RELAY));
        self.applications(bare);
        self.flush();
    }

    /// What is wrong with capabilities.
    fn unacceptable<'a>(&self, message: Message<'a>) -> Option<Refusal<'a>> {
        let grammar = Grammar::capabilities();
        let mut places = Places::default();
        let found = match judge(message, &grammar, &mut places) {
            Ok(found) => found,
            Err(refusal) => return Some(refusal),
        };
        let named = found.first(id::ORIGIN_HOST);
        let host = named.map_or(&b""[..], |avp| avp.value);
        // A name is one of RFC 6733 §4.3.1, as far as lines and tables need it to be.
        if host.is_empty() || host.len() > 255 || !host.iter().all(u8::is_ascii_graphic) {
            return named.map(|avp| Refusal::of(ResultCode::INVALID_AVP_VALUE, avp));
        }
        // A connection has one host from its first capabilities on, and it is not this one.
        let own = host.eq_ignore_ascii_case(self.local.host.as_bytes());
        let other = own || !self.host.is_empty() && !host.eq_ignore_ascii_case(&self.host);
        if other || !self.local.peers.admits(host) {
            return Some(Refusal::plain(ResultCode::UNKNOWN_PEER));
        }
        // 0 is no security: TLS within the connection is not offered.
        let mut security = found.all(id::INBAND_SECURITY_ID).peekable();
        if security.peek().is_some() && security.all(|avp| avp.u32() != Some(0)) {
            return Some(Refusal::plain(ResultCode::NO_COMMON_SECURITY));
        }
        let common = has_application(found.message(), self.local.application);
        (!common).then(|| Refusal::plain(ResultCode::NO_COMMON_APPLICATION))
    }

    fn capabilities_answered(&mut self, message: Message<'_>, now: u64) {
        let code = message.find(id::RESULT_CODE).and_then(|avp| avp.u32());
        match code {
            Some(2001) if message.find(id::ORIGIN_HOST).is_some() => {
                self.learn(message);
                if has_application(message, self.local.application) {
                    self.opened(now);
                } else {
                    self.close(Reason::Refused(ResultCode::NO_COMMON_APPLICATION));
                }
            }
            _ => self.close(Reason::Refused(ResultCode::base(code.unwrap_or(0)))),
        }
    }

    fn learn(&mut self, message: Message<'_>) {
        let value = |id| {
            message
                .find(id)
                .map_or_else(Vec::new, |avp| avp.value.to_vec())
        };
        self.host = value(id::ORIGIN_HOST);
        self.realm = value(id::ORIGIN_REALM);
        self.origin_state = message.find(id::ORIGIN_STATE_ID).and_then(|avp| avp.u32());
    }

    fn opened(&mut self, now: u64) {
        self.state = State::Open;
        self.set_watchdog(now);
        self.events.push_back(Event::Open);
    }

    /// Answers with an error; capabilities have more in their answers than the minimal grammar.
    fn refuse(&mut self, refusal: &Refusal<'_>, message: Message<'_>) {
        self.counters.refused += 1;
        let header = message.header();
        if header.command == command::CAPABILITIES_EXCHANGE && !refusal.result.is_protocol_error() {
            self.writer.start_answer(&header, 0);
            self.writer.result(refusal.result);
            self.describe();
            self.applications(false);
            refusal.write_failed(&mut self.writer);
        } else {
            let local = Arc::clone(&self.local);
            refusal.answer(message, &local.origin(), &mut self.writer);
        }
        self.flush();
    }
}

/// Judges a message of the connection itself.
fn judge<'a, 'g>(
    message: Message<'a>,
    grammar: &'g Grammar,
    places: &'g mut Places,
) -> Result<Selected<'a, 'g>, Refusal<'a>> {
    if let Some(refusal) = check::header_bits(&message.header()) {
        return Err(refusal);
    }
    let found = grammar.select(message, places);
    match grammar.lengths(&found).or_else(|| grammar.contents(&found)) {
        Some(refusal) => Err(refusal),
        None => Ok(found),
    }
}

/// True where capabilities name the application, or a relay, which has all of them.
fn has_application(message: Message<'_>, application: u32) -> bool {
    let named = |id, value: Option<u32>| {
        value == Some(RELAY) || (id == id::AUTH_APPLICATION_ID && value == Some(application))
    };
    let is_id = |id| id == id::AUTH_APPLICATION_ID || id == id::ACCT_APPLICATION_ID;
    message.avps().any(|avp| match avp.id() {
        id if is_id(id) => named(id, avp.u32()),
        id::VENDOR_SPECIFIC_APPLICATION_ID => avp
            .children()
            .any(|child| is_id(child.id()) && named(child.id(), child.u32())),
        _ => false,
    })
}
