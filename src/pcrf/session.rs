//! One Gx session, and its byte form in the store.

use crate::pcrf::form::{self, Reader};
use crate::pcrf::interned::{Interned, Interner};

/// First byte of a blob: a live session in this form.
const LIVE: u8 = 3;
/// First byte of a blob: a live session in the form before, which knew neither leftovers nor releases.
const LIVE_BEFORE: u8 = 1;
/// First byte of a blob: a session that is over, in this form.
const OVER: u8 = 2;

/// No boundary of time: what was decided holds for ever.
pub const NEVER: i64 = i64::MAX;

/// A request as duplicates are recognised: RFC 8506 §8.2 and RFC 6733 §3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// CC-Request-Type.
    pub kind: u32,
    /// CC-Request-Number.
    pub number: u32,
    /// The end-to-end identifier.
    pub end_to_end: u32,
}

/// A session is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// A value of Session-Release-Cause.
    pub cause: u32,
    /// The operator wants it; otherwise the policy does, which may change its mind.
    pub operator: bool,
}

/// A live session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// How often it was written to the store.
    pub version: u64,
    /// Origin-Host of its PCEF, by its number among the known hosts.
    pub peer: u32,
    /// When it began, seconds since 1970.
    pub started: i64,
    /// When its PCEF was last heard of, seconds since 1970.
    pub seen: i64,
    /// The last request that was answered.
    pub last: Request,
    /// The PCEF may not have what we think: the next message tells everything.
    pub stale: bool,
    /// RAR that tell it something and wait for their answer.
    pub unconfirmed: u32,
    /// How often it was told something.
    pub told: u32,
    /// It was to be told something, and its host was away. Not in the store: after a start all are looked at.
    pub owed: bool,
    /// It is to end.
    pub release: Option<Release>,
    /// When its PCEF is asked again to end it, seconds since 1970; 0 = at once. Not in the store.
    pub release_due: i64,
    /// What the PCEF may have beside what was decided, in the policy's byte form: what messages removed of which nobody
    /// knows whether they arrived. Empty = nothing.
    pub leftover: Vec<u8>,
    /// When what was decided must be looked at again, seconds since 1970.
    pub boundary: i64,
    /// Key of the subscriber's row, or the identity that was given where there is none.
    pub subscriber: Vec<u8>,
    /// AVPs of requests that hold until another request brings new ones, as they were received.
    pub standing: Vec<u8>,
    /// What was decided, in the policy's byte form.
    pub wanted: Interned,
    /// What the decision read, in the policy's byte form.
    pub memo: Vec<u8>,
    /// AVPs of the last answer from its result on, without Proxy-Info.
    pub answer: Interned,
    /// Hash of what the store has and holds for the session; 0 = it must be written.
    pub digest: u64,
}

/// A session that is over, kept so that a repeated CCR-T gets its answer again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tombstone {
    /// The last request.
    pub last: Request,
    /// When it may be forgotten, seconds since 1970.
    pub until: i64,
    /// AVPs of the last answer from its result on, without Proxy-Info.
    pub answer: Interned,
}

/// What a blob holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    /// A live session, and the Origin-Host of its PCEF.
    Live(Box<Session>, Vec<u8>),
    /// One that is over.
    Over(Tombstone),
}

fn request(out: &mut Vec<u8>, request: Request) {
    form::number(out, u64::from(request.kind));
    form::number(out, u64::from(request.number));
    form::number(out, u64::from(request.end_to_end));
}

fn read_request(reader: &mut Reader<'_>) -> Option<Request> {
    Some(Request {
        kind: u32::try_from(reader.number()?).ok()?,
        number: u32::try_from(reader.number()?).ok()?,
        end_to_end: u32::try_from(reader.number()?).ok()?,
    })
}

/// 0 for none, else the cause and who wants it.
fn packed(release: Option<Release>) -> u64 {
    release.map_or(0, |release| {
        ((u64::from(release.cause) + 1) << 1) | u64::from(release.operator)
    })
}

fn unpacked(packed: u64) -> Option<Release> {
    let cause = u32::try_from((packed >> 1).checked_sub(1)?).ok()?;
    Some(Release {
        cause,
        operator: packed & 1 != 0,
    })
}

impl Session {
    /// The policy wants the session to end, or does not want it any more. What the operator wants stays.
    pub fn release_as(&mut self, cause: Option<u32>) {
        if self.release.is_some_and(|release| release.operator) {
            return;
        }
        if self.release.is_none() {
            self.release_due = 0;
        }
        self.release = cause.map(|cause| Release {
            cause,
            operator: false,
        });
    }

    /// Whether it is to be looked at at that time, in seconds since 1970.
    pub fn is_due(&self, at: i64) -> bool {
        self.boundary == at || (self.release.is_some() && self.release_due == at)
    }

    /// Appends the byte form; `host` is the Origin-Host of its PCEF. Gives the length of the part that says what holds
    /// for the session; behind it is what every request may change. A memo is no part of what holds: one that was made
    /// before is as true of the same decision.
    pub fn write(&self, host: &[u8], out: &mut Vec<u8>) -> usize {
        let begin = out.len();
        out.push(LIVE);
        form::bytes(out, host);
        form::signed(out, self.started);
        // A message that waits for its answer now is not known to have arrived after a restart.
        out.push(u8::from(self.stale || self.unconfirmed > 0));
        form::number(out, packed(self.release));
        form::bytes(out, &self.leftover);
        form::signed(out, self.boundary);
        form::bytes(out, &self.subscriber);
        form::bytes(out, &self.standing);
        form::bytes(out, &self.wanted);
        let holds = out.len() - begin;
        form::bytes(out, &self.memo);
        form::signed(out, self.seen);
        request(out, self.last);
        form::bytes(out, &self.answer);
        holds
    }

    /// Appends the byte form; gives a hash of what holds for the session, which is never 0.
    pub fn write_digested(&self, host: &[u8], out: &mut Vec<u8>) -> u64 {
        let begin = out.len();
        let holds = self.write(host, out);
        let holds = out.get(begin..begin + holds).unwrap_or_default();
        xxhash_rust::xxh3::xxh3_64(holds) | 1
    }

    /// Bytes that it takes in memory beside its Session-Id.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + self.leftover.capacity()
            + self.subscriber.capacity()
            + self.standing.capacity()
            + self.wanted.size()
            + self.memo.capacity()
            + self.answer.size()
    }

    /// Keeps what other sessions have alike together with them.
    pub fn share(&mut self, interner: &Interner) {
        self.wanted = interner.intern(&self.wanted);
        self.answer = interner.intern(&self.answer);
    }

    /// Gives back what its buffers have too much.
    pub fn shrink(&mut self) {
        self.leftover.shrink_to_fit();
        self.subscriber.shrink_to_fit();
        self.standing.shrink_to_fit();
        self.memo.shrink_to_fit();
    }
}

impl Tombstone {
    /// Appends the byte form.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(OVER);
        form::signed(out, self.until);
        request(out, self.last);
        form::bytes(out, &self.answer);
    }
}

impl Blob {
    /// Reads a blob of that version; `None` = it is none of ours.
    pub fn read(version: u64, bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let blob = match reader.byte()? {
            form @ (LIVE | LIVE_BEFORE) => {
                let host = reader.bytes()?.to_vec();
                let mut session = Session {
                    version,
                    started: reader.signed()?,
                    stale: reader.byte()? != 0,
                    ..Session::default()
                };
                if form == LIVE {
                    session.release = unpacked(reader.number()?);
                    session.leftover = reader.bytes()?.to_vec();
                }
                session.boundary = reader.signed()?;
                session.subscriber = reader.bytes()?.to_vec();
                session.standing = reader.bytes()?.to_vec();
                session.wanted = reader.bytes()?.into();
                session.memo = reader.bytes()?.to_vec();
                session.seen = reader.signed()?;
                session.last = read_request(&mut reader)?;
                session.answer = reader.bytes()?.into();
                Self::Live(Box::new(session), host)
            }
            OVER => Self::Over(Tombstone {
                until: reader.signed()?,
                last: read_request(&mut reader)?,
                answer: reader.bytes()?.into(),
            }),
            _ => return None,
        };
        reader.is_empty().then_some(blob)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session {
            version: 7,
            peer: 0,
            started: 1_796_000_000,
            seen: 1_796_000_010,
            last: Request {
                kind: 2,
                number: 4,
                end_to_end: u32::MAX,
            },
            stale: true,
            unconfirmed: 0,
            told: 0,
            owed: false,
            release: Some(Release {
                cause: u32::MAX,
                operator: true,
            }),
            release_due: 0,
            leftover: vec![4; 9],
            boundary: NEVER,
            subscriber: b"001010000000001".to_vec(),
            standing: vec![1; 200],
            wanted: [2; 50][..].into(),
            memo: vec![],
            answer: [3; 300][..].into(),
            digest: 0,
        }
    }

    #[test]
    fn blobs_come_back() {
        let session = session();
        let mut out = Vec::new();
        let holds = session.write(b"pcef.example", &mut out);
        assert!(holds < out.len());
        let read = Blob::read(7, &out).unwrap();
        assert_eq!(
            read,
            Blob::Live(Box::new(session), b"pcef.example".to_vec())
        );
        for cut in 0..out.len() {
            assert_eq!(Blob::read(7, out.get(..cut).unwrap()), None);
        }
        let tombstone = Tombstone {
            until: 5,
            last: Request::default(),
            answer: [1, 2][..].into(),
        };
        let mut out = Vec::new();
        tombstone.write(&mut out);
        assert_eq!(Blob::read(0, &out), Some(Blob::Over(tombstone)));
        assert_eq!(Blob::read(0, b"\x09"), None);
    }

    #[test]
    fn what_every_request_changes_is_behind_what_holds() {
        let (one, mut other) = (session(), session());
        other.seen += 60;
        other.last.number += 1;
        other.answer = b"9"[..].into();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let (x, y) = (one.write(b"h", &mut a), other.write(b"h", &mut b));
        assert_eq!(a.get(..x), b.get(..y));
    }

    #[test]
    fn a_message_without_an_answer_is_in_doubt_after_a_restart() {
        let session = Session {
            stale: false,
            unconfirmed: 1,
            release: None,
            ..session()
        };
        let mut out = Vec::new();
        session.write(b"h", &mut out);
        let Some(Blob::Live(read, _)) = Blob::read(7, &out) else {
            panic!()
        };
        assert!(read.stale && read.release.is_none());
    }

    #[test]
    fn the_form_before_is_read() {
        let mut out = vec![LIVE_BEFORE];
        form::bytes(&mut out, b"h");
        form::signed(&mut out, 5);
        out.push(1);
        form::signed(&mut out, NEVER);
        for text in [&b"001"[..], b"s", b"w", b"m"] {
            form::bytes(&mut out, text);
        }
        form::signed(&mut out, 6);
        request(&mut out, Request::default());
        form::bytes(&mut out, b"a");
        let Some(Blob::Live(read, host)) = Blob::read(1, &out) else {
            panic!()
        };
        assert_eq!((host.as_slice(), read.started), (&b"h"[..], 5));
        assert!(read.stale && read.leftover.is_empty() && *read.answer == *b"a");
    }
}
