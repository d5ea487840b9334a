//! One connection to a peer: capabilities, watchdog, disconnection (RFC 6733 §5, RFC 3539), without input and output.
//!
//! The host gives received bytes and the time, sends what stands in [`Peer::output`], and closes the connection after
//! [`Event::Closed`], once that is sent:
//!
//! ```
//! use std::sync::Arc;
//! use strowger::pcrf::diameter::peer::{Event, Local, Peer};
//!
//! let mut client = Peer::client(Arc::new(Local::new("pcef.example", "example")), 7, 0);
//! let mut server = Peer::server(Arc::new(Local::new("pcrf.example", "example")), 8, 0);
//! server.receive(&client.take_output());
//! assert_eq!(server.next_event(0), Some(Event::Open));
//! client.receive(&server.take_output());
//! assert_eq!(client.next_event(0), Some(Event::Open));
//! assert_eq!(server.host(), b"pcef.example");
//! ```

mod exchange;
mod local;
mod random;
mod reconnect;

use std::collections::VecDeque;
use std::sync::Arc;

pub use local::{Counters, Local, Peers, Reason};
pub use reconnect::Reconnect;

use random::Random;

use super::message::{Framed, Header, Malformed, Message, command, flag, frame};
use super::{ResultCode, TGPP, Writer, id};

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The peer's capabilities (CER for a server, CEA for a client) are waited for.
    Waiting,
    /// Applications may talk.
    Open,
    /// We asked for the end (DPR), and wait for the answer.
    Closing,
    /// Nothing more is read or sent.
    Closed,
}

/// What happened on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Capabilities were exchanged; [`Peer::host`] and its like are known.
    Open,
    /// The peer says on an open connection that it started anew, with its new Origin-State-Id.
    Restarted(u32),
    /// A message that is not of the connection itself: a request or an answer of an application.
    Message(Message<'a>),
    /// The connection has ended: close it when the output is sent.
    Closed(Reason),
}

/// One connection.
#[derive(Debug)]
pub struct Peer {
    local: Arc<Local>,
    state: State,
    is_server: bool,
    input: Vec<u8>,
    /// Bytes of the input that are done with.
    read: usize,
    output: Vec<u8>,
    writer: Writer,
    events: VecDeque<Event<'static>>,
    /// When [`Peer::tick`] has something to do.
    timer: u64,
    /// A watchdog request has no answer yet.
    pending: bool,
    /// And one period has passed since.
    suspect: bool,
    random: Random,
    hop_by_hop: u32,
    end_to_end: u32,
    host: Vec<u8>,
    realm: Vec<u8>,
    origin_state: Option<u32>,
    counters: Counters,
}

impl Peer {
    /// A connection that was accepted. Times are milliseconds of any clock that does not go back; `seed` is random.
    pub fn server(local: Arc<Local>, seed: u64, now: u64) -> Peer {
        let mut random = Random(seed);
        let (hop_by_hop, end_to_end) = (random.next() as u32, random.next() as u32);
        Peer {
            timer: now + u64::from(local.capabilities),
            local,
            state: State::Waiting,
            is_server: true,
            input: Vec::new(),
            read: 0,
            output: Vec::new(),
            writer: Writer::new(),
            events: VecDeque::new(),
            pending: false,
            suspect: false,
            random,
            hop_by_hop,
            end_to_end,
            host: Vec::new(),
            realm: Vec::new(),
            origin_state: None,
            counters: Counters::default(),
        }
    }

    /// A connection that we made: it begins with our capabilities.
    pub fn client(local: Arc<Local>, seed: u64, now: u64) -> Peer {
        let mut peer = Peer::server(local, seed, now);
        peer.is_server = false;
        peer.start_request(command::CAPABILITIES_EXCHANGE);
        peer.describe();
        peer.applications(false);
        peer.flush();
        peer
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// The peer's Origin-Host, empty before capabilities.
    pub fn host(&self) -> &[u8] {
        &self.host
    }

    /// The peer's Origin-Realm, empty before capabilities.
    pub fn realm(&self) -> &[u8] {
        &self.realm
    }

    /// The peer's Origin-State-Id, as far as it told one.
    pub fn origin_state(&self) -> Option<u32> {
        self.origin_state
    }

    /// True where the peer has not answered a watchdog request for a whole period: send nothing new to it.
    pub fn is_suspect(&self) -> bool {
        self.suspect
    }

    /// What it counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// When [`Peer::tick`] must be called at the latest.
    pub fn deadline(&self) -> Option<u64> {
        (self.state != State::Closed).then_some(self.timer)
    }

    /// Bytes to be sent; take away what was.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// All bytes to be sent, taken away.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Sends whole messages of an application; nothing on a connection that is not open.
    pub fn send(&mut self, messages: &[u8]) {
        if matches!(self.state, State::Open | State::Closing) {
            self.output.extend_from_slice(messages);
        }
    }

    /// New identifiers for a request of ours: hop-by-hop, end-to-end.
    pub fn identifiers(&mut self) -> (u32, u32) {
        self.hop_by_hop = self.hop_by_hop.wrapping_add(1);
        self.end_to_end = self.end_to_end.wrapping_add(1);
        (self.hop_by_hop, self.end_to_end)
    }

    /// Takes received bytes; call [`Peer::next_event`] until it gives none.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.state != State::Closed {
            self.buffer().extend_from_slice(bytes);
        }
    }

    /// The memory behind whose end received bytes are to be put, instead of [`Peer::receive`].
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if self.read == self.input.len() {
            self.input.clear();
        } else {
            self.input.drain(..self.read);
        }
        self.read = 0;
        &mut self.input
    }

    /// What happened, one after another.
    pub fn next_event(&mut self, now: u64) -> Option<Event<'_>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if self.state == State::Closed {
                return None;
            }
            let rest = self.input.get(self.read..).unwrap_or(&[]);
            let header = match frame(rest, self.local.limit) {
                Framed::More(_) => return None,
                Framed::Malformed(malformed) => {
                    self.malformed(malformed);
                    continue;
                }
                Framed::Message(message) => message.header(),
            };
            let start = self.read;
            self.read += header.length as usize;
            self.counters.received += 1;
            self.heard(now);
            if self.is_application(&header) {
                let bytes = self.input.get(start..self.read)?;
                return Message::new(bytes).map(Event::Message);
            }
            // The input is put aside so that answers can be written while it is read.
            let input = std::mem::take(&mut self.input);
            if let Some(message) = input.get(start..self.read).and_then(Message::new) {
                self.base(message, now);
            }
            if self.state != State::Closed {
                self.input = input;
            }
        }
    }

    /// Does what is due.
    pub fn tick(&mut self, now: u64) {
        if self.state == State::Closed || now < self.timer {
            return;
        }
        match self.state {
            State::Waiting => self.close(Reason::CapabilitiesTimeout),
            State::Closing => self.close(Reason::ByUs),
            State::Open if !self.pending => {
                self.pending = true;
                self.counters.watchdogs += 1;
                self.set_watchdog(now);
                self.start_request(command::DEVICE_WATCHDOG);
                self.origin();
                self.writer
                    .u32(id::ORIGIN_STATE_ID, self.local.origin_state);
                self.flush();
            }
            State::Open if !self.suspect => {
                self.suspect = true;
                self.counters.missed += 1;
                self.set_watchdog(now);
            }
            State::Open => {
                self.counters.missed += 1;
                self.close(Reason::Watchdog);
            }
            State::Closed => {}
        }
    }

    /// Asks the peer for the end, with a Disconnect-Cause: 0 rebooting, 1 busy, 2 do not want to talk to you.
    pub fn disconnect(&mut self, cause: u32, now: u64) {
        match self.state {
            State::Open => {
                self.state = State::Closing;
                self.timer = now + u64::from(self.local.disconnect);
                self.start_request(command::DISCONNECT_PEER);
                self.origin();
                self.writer.u32(id::DISCONNECT_CAUSE, cause);
                self.flush();
            }
            State::Waiting => self.close(Reason::ByUs),
            State::Closing | State::Closed => {}
        }
    }

    /// True for messages that somebody else answers.
    fn is_application(&self, header: &Header) -> bool {
        let own = matches!(
            header.command,
            command::CAPABILITIES_EXCHANGE | command::DEVICE_WATCHDOG | command::DISCONNECT_PEER
        );
        !own && matches!(self.state, State::Open | State::Closing)
    }

    fn heard(&mut self, now: u64) {
        if self.state == State::Open {
            self.suspect = false;
            self.set_watchdog(now);
        }
    }

    fn set_watchdog(&mut self, now: u64) {
        // Two seconds more or less, RFC 3539 §3.4.1; less where the period itself is short.
        let period = u64::from(self.local.watchdog);
        let jitter = (period / 4).min(2000);
        self.timer = now + period - jitter + self.random.below(2 * jitter + 1);
    }

    fn close(&mut self, reason: Reason) {
        if self.state != State::Closed {
            self.state = State::Closed;
            self.events.push_back(Event::Closed(reason));
            self.input = Vec::new();
            self.read = 0;
        }
    }

    fn malformed(&mut self, malformed: Malformed) {
        let (reason, answer) = match malformed {
            Malformed::Version(header) => (
                Reason::Version,
                Some((header, ResultCode::UNSUPPORTED_VERSION)),
            ),
            Malformed::Length(header) => (
                Reason::Length,
                Some((header, ResultCode::INVALID_MESSAGE_LENGTH)),
            ),
            Malformed::Foreign(0x16) => (Reason::Tls, None),
            Malformed::Foreign(byte) if byte.is_ascii_alphabetic() => (Reason::Text, None),
            Malformed::Foreign(_) => (Reason::Foreign, None),
        };
        if let Some((header, result)) = answer.filter(|(header, _)| header.is_request()) {
            self.writer.start_answer(&header, 0);
            self.writer.result(result);
            self.origin();
            self.flush();
        }
        self.close(reason);
    }

    fn start_request(&mut self, command: u32) {
        let (hop_by_hop, end_to_end) = self.identifiers();
        self.writer
            .start(command, flag::REQUEST, 0, hop_by_hop, end_to_end);
    }

    fn origin(&mut self) {
        self.writer.text(id::ORIGIN_HOST, &self.local.host);
        self.writer.text(id::ORIGIN_REALM, &self.local.realm);
    }

    /// What capabilities say of this end.
    fn describe(&mut self) {
        self.origin();
        for address in &self.local.addresses {
            self.writer.address(id::HOST_IP_ADDRESS, *address);
        }
        self.writer.u32(id::VENDOR_ID, 0);
        self.writer.text(id::PRODUCT_NAME, &self.local.product);
        self.writer
            .u32(id::ORIGIN_STATE_ID, self.local.origin_state);
    }

    /// The application, with its vendor and, for peers that say it so, bare.
    fn applications(&mut self, bare: bool) {
        let application = self.local.application;
        self.writer.u32(id::SUPPORTED_VENDOR_ID, TGPP);
        if bare {
            self.writer.u32(id::AUTH_APPLICATION_ID, application);
        }
        self.writer.group(id::VENDOR_SPECIFIC_APPLICATION_ID, |w| {
            w.u32(id::VENDOR_ID, TGPP);
            w.u32(id::AUTH_APPLICATION_ID, application);
        });
    }

    fn flush(&mut self) {
        self.output.extend_from_slice(self.writer.finish());
    }
}
