//! What is shown of a session.

use std::sync::Arc;

use crate::pcrf::answer::REVALIDATION_TIMEOUT;
use crate::pcrf::diameter::{AvpId, Avps, id};
use crate::pcrf::engine::Pcrf;
use crate::pcrf::policy::Wanted;
use crate::pcrf::session::NEVER;

/// A session as commands show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct View {
    /// Session-Id.
    pub id: String,
    /// Origin-Host of its PCEF.
    pub peer: String,
    /// What usage is counted under.
    pub subscriber: String,
    /// Called-Station-Id.
    pub apn: String,
    /// Framed-IP-Address.
    pub ip: String,
    /// When it began, seconds since 1970.
    pub started: i64,
    /// When its PCEF was heard of last, seconds since 1970.
    pub seen: i64,
    /// Number of its last request.
    pub number: u32,
    /// Installed rules.
    pub rules: Vec<String>,
    /// Armed events, by number.
    pub triggers: Vec<u32>,
    /// Monitoring keys, used octets, and the limit if there is one.
    pub usage: Vec<(String, u64, Option<u64>)>,
    /// When its decision is looked at again, seconds since 1970.
    pub until: Option<i64>,
    /// Whether its PCEF may not have what we think.
    pub stale: bool,
    /// Why it is to end, a value of Session-Release-Cause, if it is.
    pub release: Option<u32>,
    /// Bytes that it takes in memory.
    pub bytes: usize,
}

/// The events that the PCEF is to report; a time to ask again is one, too.
fn armed(wanted: &Wanted) -> Vec<u32> {
    let mut armed = wanted.triggers.clone();
    if wanted.revalidate.is_some() && !armed.contains(&REVALIDATION_TIMEOUT) {
        armed.push(REVALIDATION_TIMEOUT);
        armed.sort_unstable();
    }
    armed
}

impl Pcrf {
    /// A session, to be shown.
    pub fn view(&self, id: &[u8], now: i64) -> Option<View> {
        let mut shard = self.tables.sessions.shard(id)?;
        let (own, session) = shard.get(id)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let avp = |wanted: AvpId| {
            let mut out = Vec::new();
            let mut avps = Avps::new(&session.standing);
            if let Some(avp) = avps.find(|avp| avp.is(wanted)) {
                wanted.avp().text(avp.value, &mut out);
            }
            text(&out)
        };
        let wanted = Wanted::decode(&session.wanted).map(|(wanted, _)| wanted);
        let wanted = wanted.unwrap_or_default();
        let row = self.tables.directory.by_key(&session.subscriber);
        let policy = self.policy();
        Some(View {
            id: text(own),
            peer: self
                .tables
                .hosts
                .get(session.peer)
                .map(|host: Arc<_>| text(&host.name))
                .unwrap_or_default(),
            subscriber: text(&session.subscriber),
            apn: avp(id::CALLED_STATION_ID),
            ip: avp(id::FRAMED_IP_ADDRESS),
            started: session.started,
            seen: session.seen,
            number: session.last.number,
            rules: wanted.rules.iter().map(|rule| text(&rule.name)).collect(),
            triggers: armed(&wanted),
            usage: wanted
                .monitors
                .iter()
                .map(|monitor| {
                    let quota = self.tables.quota(
                        &policy,
                        &monitor.key,
                        &session.subscriber,
                        row.as_ref(),
                        now.div_euclid(1000),
                    );
                    (text(&monitor.key), quota.used, quota.limit)
                })
                .collect(),
            until: (session.boundary != NEVER).then_some(session.boundary),
            stale: session.stale,
            release: session.release.map(|release| release.cause),
            bytes: session.size() + own.len(),
        })
    }
}
