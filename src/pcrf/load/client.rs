//! A packet gateway on one connection: one thread sends on the schedule, one receives.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::population::Population;
use super::requests::{Place, Requests, re_auth_answer};
use super::schedule::{Kind, Schedule};
use super::{Histogram, LATE, LoadError};
use crate::pcrf::diameter::peer::{Event, Local, Peer};
use crate::pcrf::diameter::{Message, Writer, command, id};

/// How long the connection may take to open, and the last answers to come.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest sleep of the sender: answers to the server's own requests wait so long at most.
const NAP: Duration = Duration::from_millis(2);
/// Bytes that are sent at once at most.
const CHUNK: usize = 64 * 1024;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one run counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// From the time a request was due to its answer, for requests due in the window.
    pub(super) latency: Histogram,
    /// Answers in the window, by result; those of 3GPP count from 1,000,000.
    pub(super) codes: BTreeMap<u32, u64>,
    /// Requests due in the window.
    pub(super) sent: u64,
    /// Those of them that were sent late.
    pub(super) late: u64,
    /// Requests due in the window that were not sent because the run took too long.
    pub(super) left: u64,
    /// Requests of the server answered in the run.
    pub(super) pushes: u64,
}

/// What the receiver needs to know of the run.
#[derive(Debug, Default)]
struct Run {
    began: Option<Instant>,
    schedule: Option<Schedule>,
    /// Hop-by-hop identifier of place 0.
    base: u32,
    /// Places that count.
    window: std::ops::Range<u64>,
    counts: Counts,
}

#[derive(Debug)]
struct Shared {
    /// Bytes that the receiver wants sent.
    outbox: Mutex<Vec<u8>>,
    run: Mutex<Run>,
    /// Requests that were answered since the connection opened.
    answered: AtomicU64,
    over: AtomicBool,
    /// How the connection opened, or why it ended.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    realm: Vec<u8>,
    ended: Option<String>,
}

/// A connection to a server, open.
#[derive(Debug)]
pub struct Client {
    shared: Arc<Shared>,
    stream: TcpStream,
    local: Arc<Local>,
    realm: Vec<u8>,
    receiver: Option<JoinHandle<()>>,
    sent: u64,
    runs: u32,
    next: u32,
    /// Distinguishes this process' sessions from those of another.
    stamp: String,
}

/// How a run goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    pub(super) schedule: Schedule,
    /// Not counted, at the beginning.
    pub(super) warm_up: Duration,
    /// Counted, after that.
    pub(super) seconds: Duration,
    /// Requests that may be unanswered.
    pub(super) window: u32,
    /// Then it ends, however much of the schedule is left.
    pub(super) limit: Duration,
}

impl Client {
    /// Connects and exchanges capabilities.
    pub fn connect(address: SocketAddr, host: &str, realm: &str) -> Result<Self, LoadError> {
        let failed = |error| LoadError::Io(address.to_string(), error);
        let stream = TcpStream::connect(address).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let stamp = now.map_or(0, |now| now.as_millis() as u64);
        let mut local = Local::new(host, realm);
        local.origin_state = (stamp / 1000) as u32;
        let local = Arc::new(local);
        let shared = Arc::new(Shared {
            outbox: Mutex::default(),
            run: Mutex::default(),
            answered: AtomicU64::new(0),
            over: AtomicBool::new(false),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let mut peer = Peer::client(local.clone(), stamp, 0);
        let reading = stream.try_clone().map_err(failed)?;
        reading
            .set_read_timeout(Some(Duration::from_millis(200)))
            .map_err(failed)?;
        (&stream).write_all(&peer.take_output()).map_err(failed)?;
        let own = (shared.clone(), local.clone());
        let receiver = std::thread::Builder::new()
            .name("receive".to_owned())
            .spawn(move || receive(&own.0, &own.1, reading, peer))
            .map_err(failed)?;
        let mut client = Self {
            shared,
            stream,
            local,
            realm: Vec::new(),
            receiver: Some(receiver),
            sent: 0,
            runs: 0,
            next: 1,
            stamp: format!("{:x}", stamp & 0xff_ffff_ffff),
        };
        client.opened()?;
        Ok(client)
    }

    fn opened(&mut self) -> Result<(), LoadError> {
        let state = lock(&self.shared.state);
        let waits = |state: &mut State| !state.open && state.ended.is_none();
        let waited = self
            .shared
            .changed
            .wait_timeout_while(state, PATIENCE, waits);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.open {
            self.realm.clone_from(&state.realm);
            return Ok(());
        }
        let reason = state.ended.clone();
        Err(LoadError::Closed(reason.unwrap_or_else(|| {
            "no answer to our capabilities".to_owned()
        })))
    }

    fn failed(&self, error: io::Error) -> LoadError {
        match &lock(&self.shared.state).ended {
            Some(reason) => LoadError::Closed(reason.clone()),
            None => LoadError::Io("the connection".to_owned(), error),
        }
    }

    fn flush(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        if self.shared.over.load(Ordering::Acquire) {
            let gone = io::Error::from(io::ErrorKind::BrokenPipe);
            return Err(self.failed(gone));
        }
        let own = std::mem::take(&mut *lock(&self.shared.outbox));
        let mut sent = Ok(());
        for bytes in [&own[..], bytes] {
            if !bytes.is_empty() {
                sent = sent.and_then(|()| self.stream.write_all(bytes));
            }
        }
        sent.map_err(|error| self.failed(error))
    }

    /// Requests that are not answered.
    fn open(&self) -> u64 {
        let answered = self.shared.answered.load(Ordering::Acquire);
        self.sent.saturating_sub(answered)
    }

    /// Waits until fewer than that many requests are unanswered.
    fn wait_for(&mut self, unanswered: u64, until: Instant) -> Result<bool, LoadError> {
        while self.open() >= unanswered.max(1) {
            if Instant::now() > until {
                return Ok(false);
            }
            self.flush(&[])?;
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(true)
    }

    /// Runs a schedule: at the beginning of the window and at its end the function is called.
    pub(super) fn run(
        &mut self,
        course: &Course,
        population: &Population,
        mut at: impl FnMut(bool),
    ) -> Result<Counts, LoadError> {
        let schedule = course.schedule;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let first = schedule.place_at(nanoseconds(course.warm_up));
        let last = schedule.place_at(nanoseconds(course.warm_up + course.seconds));
        self.runs += 1;
        let base = self.next;
        let began = Instant::now();
        *lock(&self.shared.run) = Run {
            began: Some(began),
            schedule: Some(schedule),
            base,
            window: first..last,
            counts: Counts::default(),
        };
        let name = format!("{};{}", self.stamp, self.runs);
        let mut requests = Requests::new(&self.local, &self.realm, name);
        let (mut sent, mut late) = (0, 0);
        let mut place = 0;
        while place < last && began.elapsed() < course.limit {
            if place == first {
                at(true);
            }
            self.sleep_until(began, schedule.due(place))?;
            if !self.wait_for(u64::from(course.window), Instant::now() + PATIENCE)? {
                let silent = format!("no answer for {} s", PATIENCE.as_secs());
                return Err(LoadError::Closed(silent));
            }
            requests.clear();
            let now = nanoseconds(began.elapsed());
            let end = if place < first { first } else { last };
            // What is due goes out together, as far as the window reaches.
            let mut room = u64::from(course.window).saturating_sub(self.open()).max(1);
            while place < end
                && schedule.due(place) <= now
                && room > 0
                && requests.bytes().len() < CHUNK
            {
                if let Some((kind, session)) = schedule.request(place) {
                    let number = match kind {
                        Kind::Initial => 0,
                        Kind::Update => 1,
                        Kind::Terminate => 2,
                    };
                    let hop_by_hop = base.wrapping_add(place as u32);
                    let what = Place {
                        kind,
                        session,
                        number,
                        hop_by_hop,
                    };
                    requests.append(what, &population.session(session));
                    self.sent += 1;
                    room -= 1;
                    if place >= first {
                        sent += 1;
                        late += u64::from(now - schedule.due(place) > nanoseconds(LATE));
                    }
                }
                place += 1;
            }
            self.flush(requests.bytes())?;
        }
        at(false);
        self.wait_for(1, Instant::now() + PATIENCE)?;
        self.next = base.wrapping_add(place as u32);
        let mut counts = std::mem::take(&mut lock(&self.shared.run).counts);
        let left = last - place.max(first);
        counts.sent = sent;
        counts.late = late + left;
        counts.left = left;
        self.end_all(course, population, &mut requests, place)?;
        Ok(counts)
    }

    /// Ends the sessions that the schedule left, as fast as the window allows.
    fn end_all(
        &mut self,
        course: &Course,
        population: &Population,
        requests: &mut Requests,
        places: u64,
    ) -> Result<(), LoadError> {
        lock(&self.shared.run).window = 0..0;
        for session in course.schedule.endings(places) {
            requests.clear();
            let what = Place {
                kind: Kind::Terminate,
                session,
                number: course.schedule.ending_number(places, session),
                hop_by_hop: self.next,
            };
            requests.append(what, &population.session(session));
            self.next = self.next.wrapping_add(1);
            self.sent += 1;
            self.flush(requests.bytes())?;
            self.wait_for(u64::from(course.window), Instant::now() + PATIENCE)?;
        }
        self.wait_for(1, Instant::now() + PATIENCE)?;
        // An answer that is lost must not narrow the next run's window.
        self.sent = self.shared.answered.load(Ordering::Acquire);
        Ok(())
    }

    fn sleep_until(&mut self, began: Instant, due: u64) -> Result<(), LoadError> {
        let due = Duration::from_nanos(due);
        while let Some(left) = due
            .checked_sub(began.elapsed())
            .filter(|left| !left.is_zero())
        {
            std::thread::sleep(left.min(NAP));
            self.flush(&[])?;
        }
        Ok(())
    }

    /// Says goodbye.
    pub fn close(mut self) {
        self.shared.over.store(true, Ordering::Release);
        if let Some(receiver) = self.receiver.take() {
            // A panic there was printed.
            let _ = receiver.join();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        // It may be closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn end(shared: &Shared, reason: &str) {
    lock(&shared.state).ended = Some(reason.to_owned());
    shared.over.store(true, Ordering::Release);
    shared.changed.notify_all();
}

/// The receiver's thread.
fn receive(shared: &Shared, local: &Local, mut stream: TcpStream, mut peer: Peer) {
    let clock = Instant::now();
    let mut room = vec![0; CHUNK];
    let mut writer = Writer::new();
    let mut leaving = None;
    loop {
        let milliseconds = || u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
        match stream.read(&mut room) {
            Ok(0) => return end(shared, "the server closed it"),
            Ok(count) => peer.receive(room.get(..count).unwrap_or(&[])),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock
                        | io::ErrorKind::TimedOut
                        | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return end(shared, &error.to_string()),
        }
        peer.tick(milliseconds());
        let mut opened = false;
        let mut closed = None;
        let mut replies = Vec::new();
        let mut answered = 0;
        {
            let mut run = lock(&shared.run);
            let now = run.began.map(|began| began.elapsed());
            while let Some(event) = peer.next_event(milliseconds()) {
                match event {
                    Event::Open => opened = true,
                    Event::Restarted(_) => {}
                    Event::Closed(reason) => closed = Some(reason.name()),
                    Event::Message(message) if message.header().is_request() => {
                        run.counts.pushes += 1;
                        pushed(local, message, &mut writer, &mut replies);
                    }
                    Event::Message(message) => {
                        answered += 1;
                        count(&mut run, message, now);
                    }
                }
            }
        }
        shared.answered.fetch_add(answered, Ordering::AcqRel);
        if opened {
            let mut state = lock(&shared.state);
            state.open = true;
            state.realm = peer.realm().to_vec();
            shared.changed.notify_all();
        }
        replies.append(peer.output());
        let over = shared.over.load(Ordering::Acquire);
        if over && leaving.is_none() {
            leaving = Some(Instant::now());
            // DO_NOT_WANT_TO_TALK_TO_YOU
            peer.disconnect(2, milliseconds());
            replies.append(peer.output());
            // Nobody sends any more but we.
            replies.splice(0..0, std::mem::take(&mut *lock(&shared.outbox)));
        }
        if over {
            let stuck = leaving.is_some_and(|since| since.elapsed() > PATIENCE);
            if stream.write_all(&replies).is_err() || stuck {
                return end(shared, "it was left");
            }
        } else {
            lock(&shared.outbox).append(&mut replies);
        }
        if let Some(reason) = closed {
            return end(shared, reason);
        }
    }
}

/// Answers a decision that was pushed.
fn pushed(local: &Local, message: Message<'_>, writer: &mut Writer, replies: &mut Vec<u8>) {
    let session = message
        .find(id::SESSION_ID)
        .map_or(&[][..], |avp| avp.value);
    let known =
        message.header().command == command::RE_AUTH && session.starts_with(local.host.as_bytes());
    re_auth_answer(writer, local, &message.header(), session, known);
    replies.extend_from_slice(writer.all());
}

/// Counts an answer.
fn count(run: &mut Run, message: Message<'_>, now: Option<Duration>) {
    let place = u64::from(message.header().hop_by_hop.wrapping_sub(run.base));
    let (Some(schedule), Some(now)) = (run.schedule, now) else {
        return;
    };
    if !run.window.contains(&place) {
        return;
    }
    let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let latency = now.saturating_sub(schedule.due(place));
    run.counts.latency.add(latency);
    let plain = message.find(id::RESULT_CODE).and_then(|avp| avp.u32());
    let code = plain.or_else(|| {
        let group = message.find(id::EXPERIMENTAL_RESULT)?;
        let code = group.child(id::EXPERIMENTAL_RESULT_CODE)?.u32()?;
        Some(1_000_000 + code)
    });
    *run.counts.codes.entry(code.unwrap_or(0)).or_default() += 1;
}
