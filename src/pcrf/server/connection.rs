//! One connection: bytes in, messages to the worker, answers out in their order.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};

use super::dialling::{Dialled, Over};
use super::gather::Pauses;
use super::{Shared, now};
use crate::pcrf::diameter::message::command;
use crate::pcrf::diameter::peer::{Event, Peer, Reason};
use crate::pcrf::diameter::{ResultCode, Writer};
use crate::pcrf::engine::lock;
use crate::pcrf::log::printable;
use crate::pcrf::push::Outgoing;
use crate::pcrf::worker::Worker;

/// Bytes of answers that may wait for the disk before no more is read.
const WAITING: usize = 16 << 20;
/// How long a peer may not take what it is sent.
const STUCK: Duration = Duration::from_secs(30);
/// Room for received bytes.
const ROOM: usize = 64 * 1024;

/// Answers that wait for a commit, in their order.
#[derive(Default)]
struct Waiting {
    answers: VecDeque<(u64, Vec<u8>)>,
    bytes: usize,
}

impl Waiting {
    fn push(&mut self, after: u64, bytes: Vec<u8>) {
        self.bytes += bytes.len();
        self.answers.push_back((after, bytes));
    }

    /// Takes what may leave.
    fn take(&mut self, durable: u64, out: &mut Vec<u8>) {
        while self
            .answers
            .front()
            .is_some_and(|(after, _)| *after <= durable)
        {
            if let Some((_, bytes)) = self.answers.pop_front() {
                self.bytes -= bytes.len();
                out.extend_from_slice(&bytes);
            }
        }
    }
}

/// One connection.
struct Connection {
    shared: Arc<Shared>,
    worker: Rc<RefCell<Worker>>,
    pauses: Arc<Pauses>,
    id: u64,
    peer: Peer,
    /// The host that must answer, where we made the connection.
    expected: Option<Vec<u8>>,
    /// Capabilities were exchanged.
    opened: bool,
    writer: Writer,
    waiting: Waiting,
    durable: watch::Receiver<u64>,
    /// Bytes that may leave now.
    out: Vec<u8>,
    reason: Option<Reason>,
}

/// A connection for a worker.
pub(super) struct Dealt {
    pub(super) stream: std::net::TcpStream,
    /// Where we made it.
    pub(super) dialled: Option<Dialled>,
}

pub(super) async fn run(
    shared: Arc<Shared>,
    worker: Rc<RefCell<Worker>>,
    pauses: Arc<Pauses>,
    Dealt { stream, dialled }: Dealt,
    id: u64,
) {
    let Ok(stream) = TcpStream::from_std(stream) else {
        return;
    };
    // Answers are small, and nobody waits for more of them.
    let _ = stream.set_nodelay(true);
    let (sender, receiver) = mpsc::unbounded_channel();
    lock(&shared.senders).insert(id, sender);
    shared.connections.fetch_add(1, Ordering::Relaxed);
    if dialled.is_none() {
        shared.pcrf.tables().counters.accepted.up();
    }
    let seed = id ^ u64::from(shared.pcrf.origin_state()).rotate_left(32) ^ now().unsigned_abs();
    let clock = elapsed(&shared);
    let role = match dialled {
        Some(_) => Peer::client,
        None => Peer::server,
    };
    let mut connection = Connection {
        peer: role(shared.local.clone(), seed, clock),
        expected: dialled.as_ref().map(|own| own.host.clone()),
        opened: false,
        durable: shared.durable.clone(),
        shared: shared.clone(),
        worker,
        pauses,
        id,
        writer: Writer::new(),
        waiting: Waiting::default(),
        out: Vec::new(),
        reason: None,
    };
    let address = stream.peer_addr();
    connection.serve(stream, receiver).await;
    lock(&shared.senders).remove(&id);
    shared.connections.fetch_sub(1, Ordering::Relaxed);
    shared.pcrf.disconnected(id);
    let counters = &shared.pcrf.tables().counters;
    counters.closed(connection.reason).up();
    if let Some(dialled) = dialled {
        // The server may stop, and nobody listen.
        let _ = dialled.over.send(Over {
            opened: connection.opened,
            reason: connection.reason,
        });
    }
    let own = connection.peer.counters();
    counters.base_refused.add(own.refused);
    counters.watchdogs_missed.add(own.missed);
    let seconds = now().div_euclid(1000);
    shared.closed.line(seconds, &*shared.sink, || {
        let host = printable(connection.peer.host());
        let from = address.map_or_else(|_| String::new(), |address| address.to_string());
        let reason = match connection.reason {
            None => "connection closed".to_owned(),
            Some(Reason::Refused(code)) => {
                let name = code.name().unwrap_or("unknown result");
                format!("capabilities refused: {} {name}", code.value)
            }
            Some(reason) => reason.name().to_owned(),
        };
        let space = if host.is_empty() { "" } else { " " };
        format!("{from}{space}{host}: {reason}\n")
    });
}

fn elapsed(shared: &Shared) -> u64 {
    u64::try_from(shared.started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Connection {
    async fn serve(
        &mut self,
        mut stream: TcpStream,
        mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    ) {
        let mut stopped = self.shared.stop.subscribe();
        let mut durable = self.durable.clone();
        let mut ticks = tokio::time::interval(Duration::from_millis(200));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stopping = *stopped.borrow();
        let (mut reading, mut writing) = stream.split();
        // Since when only answers that wait keep the connection.
        let mut ended: Option<Instant> = None;
        loop {
            let crowded = self.waiting.bytes > WAITING;
            let waits = !self.waiting.answers.is_empty();
            tokio::select! {
                biased;
                changed = durable.changed(), if waits => {
                    if changed.is_err() {
                        return;
                    }
                }
                read = async {
                    let buffer = self.peer.buffer();
                    buffer.reserve(ROOM);
                    reading.read_buf(buffer).await
                }, if !crowded && self.reason.is_none() => match read {
                    Ok(0) | Err(_) => return,
                    Ok(_) => self.process(),
                },
                message = outgoing.recv() => match message {
                    Some(message) => self.waiting.push(message.after, message.bytes),
                    None => return,
                },
                _ = ticks.tick() => if self.reason.is_none() {
                    let clock = elapsed(&self.shared);
                    self.peer.tick(clock);
                    self.process();
                },
                _ = stopped.changed(), if !stopping => {
                    stopping = true;
                    let clock = elapsed(&self.shared);
                    // REBOOTING
                    self.peer.disconnect(0, clock);
                    self.process();
                }
            }
            let upto = if self.shared.strict {
                *self.durable.borrow()
            } else {
                u64::MAX
            };
            if self.reason.is_some() && !self.waiting.answers.is_empty() {
                // The last word follows the answers that wait for the disk.
                ended.get_or_insert_with(Instant::now);
                self.waiting.push(0, std::mem::take(self.peer.output()));
            } else {
                self.out.append(self.peer.output());
            }
            self.waiting.take(upto, &mut self.out);
            if !self.out.is_empty() {
                let sent = tokio::time::timeout(STUCK, writing.write_all(&self.out)).await;
                self.out.clear();
                if !matches!(sent, Ok(Ok(()))) {
                    return;
                }
            }
            let late = ended.is_some_and(|ended| ended.elapsed() > STUCK);
            if self.reason.is_some() && (self.waiting.answers.is_empty() || late) {
                return;
            }
        }
    }

    /// Answers what was received.
    fn process(&mut self) {
        let mut requests = 0;
        let now = now();
        let clock = elapsed(&self.shared);
        let pcrf = self.shared.pcrf.clone();
        let mut after = 0;
        self.writer.clear();
        {
            let mut worker = self.worker.borrow_mut();
            while let Some(event) = self.peer.next_event(clock) {
                match event {
                    // At once: what follows in the same read is from a host that is known.
                    Event::Open => {
                        let (host, realm) = (self.peer.host(), self.peer.realm());
                        let is_other = |own: &Vec<u8>| !own.eq_ignore_ascii_case(host);
                        if self.expected.as_ref().is_some_and(is_other) {
                            self.reason = Some(Reason::Refused(ResultCode::UNKNOWN_PEER));
                            break;
                        }
                        self.opened = true;
                        let state = self.peer.origin_state();
                        pcrf.host_connected(host, realm, state, self.id);
                    }
                    Event::Restarted(state) => {
                        let (host, realm) = (self.peer.host(), self.peer.realm());
                        pcrf.host_connected(host, realm, Some(state), self.id);
                    }
                    Event::Message(message) => {
                        let header = message.header();
                        if header.is_request() {
                            requests += 1;
                            let before = self.writer.all().len();
                            let number = worker.request(self.id, message, now, &mut self.writer);
                            // Where answers wait for a store that is away, refusals do not wait behind them.
                            if number == 0
                                && self.shared.strict
                                && self.shared.pcrf.journal.is_crowded()
                            {
                                let refused = self.writer.split_off(before);
                                self.peer.send(&refused);
                            }
                            after = after.max(number);
                        } else if header.command == command::RE_AUTH {
                            worker.re_auth_answer(message, now);
                        }
                    }
                    Event::Closed(reason) => self.reason = Some(reason),
                }
                // Before the peer speaks for itself again: what it says last follows the answers.
                if !self.shared.strict {
                    self.peer.send(self.writer.all());
                    self.writer.clear();
                }
            }
        }
        self.pauses.add(requests);
        // What is left waits for the disk.
        if !self.writer.all().is_empty() {
            self.waiting.push(after, self.writer.all().to_vec());
        }
    }
}
