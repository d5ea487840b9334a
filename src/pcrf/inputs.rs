//! What decisions of the server read: the request, the session, the subscriber, what was used.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::base::value::append_int;
use crate::pcrf::diameter::owned::OwnedMessage;
use crate::pcrf::diameter::{AvpId, Avps, Kind, id};
use crate::pcrf::directory::Row;
use crate::pcrf::policy::{AvpPath, Inputs, Policy, Quota};
use crate::pcrf::request::{Parts, Request, STANDING};
use crate::pcrf::session::Session;
use crate::pcrf::tables::Tables;

/// Inputs that are used again for each decision.
pub(crate) struct GxInputs {
    tables: Arc<Tables>,
    policy: Option<Arc<Policy>>,
    /// Values of AVPs that the dialplan reads.
    arena: Vec<u8>,
    /// Where they are: AVP, beginning, length.
    avps: Vec<(AvpId, u32, u32)>,
    /// The request, where it was decoded as a whole.
    owned: Option<Arc<OwnedMessage>>,
    row: Option<Row>,
    subscriber: Vec<u8>,
    session: Vec<u8>,
    peer: Vec<u8>,
    standing: Vec<u8>,
    started: i64,
    triggers: SmallVec<[u32; 4]>,
    usage_report: u32,
    now: i64,
    /// What was read of usage, so that a second reading gives the same.
    quotas: RefCell<SmallVec<[(SmallVec<[u8; 24]>, Quota); 2]>>,
}

impl GxInputs {
    pub(crate) fn new(tables: Arc<Tables>) -> Self {
        Self {
            tables,
            policy: None,
            arena: Vec::new(),
            avps: Vec::new(),
            owned: None,
            row: None,
            subscriber: Vec::new(),
            session: Vec::new(),
            peer: Vec::new(),
            standing: Vec::new(),
            started: 0,
            triggers: SmallVec::new(),
            usage_report: 33,
            now: 0,
            quotas: RefCell::default(),
        }
    }

    /// Sets what a session has; the request is added by [`request`](Self::request).
    pub(crate) fn set(
        &mut self,
        policy: &Arc<Policy>,
        id: &[u8],
        session: &Session,
        peer: &[u8],
        row: Option<&Row>,
        now: i64,
    ) {
        if self
            .policy
            .as_ref()
            .is_none_or(|own| !Arc::ptr_eq(own, policy))
        {
            self.policy = Some(policy.clone());
        }
        self.arena.clear();
        self.avps.clear();
        self.owned = None;
        self.row = row.cloned();
        let copy = |to: &mut Vec<u8>, from: &[u8]| {
            to.clear();
            to.extend_from_slice(from);
        };
        copy(&mut self.subscriber, &session.subscriber);
        copy(&mut self.session, id);
        copy(&mut self.peer, peer);
        copy(&mut self.standing, &session.standing);
        self.started = session.started;
        self.triggers.clear();
        self.now = now;
        self.quotas.borrow_mut().clear();
    }

    /// Adds what the request brings beside what stands.
    pub(crate) fn request(
        &mut self,
        parts: &Parts<'_, '_>,
        request: &Request<'_>,
        usage_report: u32,
    ) {
        self.triggers.extend_from_slice(&request.triggers);
        self.usage_report = usage_report;
        let Some(policy) = self.policy.clone() else {
            return;
        };
        let mut copied = 0;
        let mut add = |id: AvpId| {
            if STANDING.contains(&id) {
                return;
            }
            parts.each_raw(id, |avp| {
                let begin = self.arena.len() as u32;
                self.arena.extend_from_slice(avp.value);
                self.avps.push((id, begin, avp.value.len() as u32));
                copied += avp.value.len() as u64;
            });
        };
        match parts {
            Parts::Selected(_) if !policy.reads().all_avps() => {
                policy.reads().avps().iter().copied().for_each(&mut add);
            }
            _ => {
                let mut seen = SmallVec::<[AvpId; 32]>::new();
                for avp in parts.message().avps() {
                    if !seen.contains(&avp.id()) && avp.id() != AvpId::UNKNOWN {
                        seen.push(avp.id());
                        add(avp.id());
                    }
                }
            }
        }
        if let Parts::Owned(_, owned) = parts {
            self.owned = Some(owned.clone());
        }
        self.tables.counters.copied.add(copied);
    }

    /// The value of an AVP.
    fn value(&self, avp: AvpId, index: usize) -> Option<&[u8]> {
        if STANDING.contains(&avp) {
            return Avps::new(&self.standing)
                .filter(|own| own.is(avp))
                .nth(index)
                .map(|own| own.value);
        }
        let (_, begin, length) = self
            .avps
            .iter()
            .filter(|(own, ..)| *own == avp)
            .nth(index)?;
        let begin = *begin as usize;
        self.arena.get(begin..begin + *length as usize)
    }

    /// The limit of a key and what was used of it.
    pub(crate) fn quota_of(&self, key: &[u8]) -> Quota {
        let mut quotas = self.quotas.borrow_mut();
        if let Some((_, quota)) = quotas.iter().find(|(own, _)| own.as_slice() == key) {
            return *quota;
        }
        let quota = match &self.policy {
            Some(policy) => {
                let row = self.row.as_ref();
                self.tables
                    .quota(policy, key, &self.subscriber, row, self.now)
            }
            None => Quota::default(),
        };
        quotas.push((SmallVec::from_slice(key), quota));
        quota
    }
}

impl Inputs for GxInputs {
    fn avp(&self, path: AvpPath, out: &mut Vec<u8>) -> bool {
        let index = usize::from(path.index);
        if let Some(owned) = &self.owned
            && !STANDING.contains(&path.avp)
        {
            // A whole group is shown by its bytes, which a decoded one does not have.
            let group = matches!(path.avp.avp().kind, Kind::Grouped(_));
            let found = owned.all(path.avp).nth(index);
            match (found, path.sub) {
                (None, _) => return false,
                (Some(avp), None) if !group => {
                    avp.text(out);
                    return true;
                }
                (Some(avp), Some(sub)) if !matches!(sub.avp().kind, Kind::Grouped(_)) => {
                    let child = avp.child(sub);
                    return child.inspect(|child| child.text(out)).is_some();
                }
                _ => {}
            }
        }
        let Some(value) = self.value(path.avp, index) else {
            return false;
        };
        match path.sub {
            None => path.avp.avp().text(value, out),
            Some(sub) => match Avps::new(value).find(|avp| avp.is(sub)) {
                Some(child) => sub.avp().text(child.value, out),
                None => return false,
            },
        }
        true
    }

    fn subscriber(&self, field: &[u8], out: &mut Vec<u8>) -> bool {
        let value = self.row.as_ref().and_then(|row| row.field(field));
        value
            .inspect(|value| out.extend_from_slice(value))
            .is_some()
    }

    fn quota(&self, key: &[u8]) -> Quota {
        self.quota_of(key)
    }

    fn session(&self, field: &[u8], out: &mut Vec<u8>) -> bool {
        // Names are short; a longer one is none of these.
        let mut lower = [0; 16];
        let Some(name) = lower.get_mut(..field.len()) else {
            return false;
        };
        name.copy_from_slice(field);
        name.make_ascii_lowercase();
        match &*name {
            b"id" => out.extend_from_slice(&self.session),
            b"peer" => out.extend_from_slice(&self.peer),
            b"apn" => return self.avp(AvpPath::first(id::CALLED_STATION_ID), out),
            b"ip" => {
                return self.avp(AvpPath::first(id::FRAMED_IP_ADDRESS), out)
                    || self.avp(AvpPath::first(id::FRAMED_IPV6_PREFIX), out);
            }
            b"imsi" | b"msisdn" => return self.subscriber(name, out),
            b"subscriber" => out.extend_from_slice(&self.subscriber),
            b"started" => append_int(self.started, out),
            _ => return false,
        }
        true
    }

    fn triggered(&self, event: u32) -> bool {
        // In the oldest releases USAGE_REPORT has another number.
        let event = if event == 33 {
            self.usage_report
        } else {
            event
        };
        self.triggers.contains(&event)
    }

    fn now(&self) -> i64 {
        self.now
    }
}
