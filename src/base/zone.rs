//! Time zones by name, read once, and the local zone.

use std::sync::{Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};

static LOCAL: OnceLock<Zone> = OnceLock::new();

/// A time zone; a clone is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The zone of this process: `TZ`, then the system's setting, then UTC. Read once.
    pub fn local() -> Self {
        LOCAL
            .get_or_init(|| Self(TimeZone::try_system().unwrap_or(TimeZone::UTC)))
            .clone()
    }

    /// Where `TZ` says nothing the local zone is UTC, whatever the system's setting. Counts only before
    /// the local zone is first asked for.
    pub fn without_tz_is_utc() {
        if std::env::var_os("TZ").is_none() {
            // A zone that was read already stays.
            let _ = LOCAL.set(Self::utc());
        }
    }

    /// The zone of a name such as `Europe/Berlin` or a POSIX rule such as `EST5EDT,M3.2.0,M11.1.0`; an
    /// empty name is the local zone. An unknown name means UTC, as for Asterisk. Each name is looked up once.
    pub fn named(name: &[u8]) -> Self {
        Self::find(name).unwrap_or_else(Self::utc)
    }

    /// The zone of a name, if there is one. Names are case-sensitive, as files are.
    pub fn find(name: &[u8]) -> Option<Self> {
        static KNOWN: OnceLock<Mutex<StableMap<Text, Option<Zone>>>> = OnceLock::new();
        if name.is_empty() {
            return Some(Self::local());
        }
        let mut known = KNOWN
            .get_or_init(|| Mutex::new(stable_map()))
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(zone) = known.get(name) {
            return zone.clone();
        }
        let zone = read(name);
        // Names can come from callers' variables: what is remembered of them must stay bounded.
        if known.len() < 4096 {
            known.insert(Text::from(name), zone.clone());
        }
        zone
    }

    /// Civil time in this zone of seconds since 1970 UTC. Times outside years -9999 to 9999 are clamped.
    pub fn civil(&self, epoch: i64) -> DateTime {
        self.0.to_datetime(timestamp(epoch))
    }

    /// Seconds east of UTC at a time (seconds since 1970 UTC), and the time until which that stays so.
    pub fn offset(&self, epoch: i64) -> (i64, i64) {
        let at = timestamp(epoch);
        let offset = i64::from(self.0.to_offset(at).seconds());
        let next = self.0.following(at).next();
        (
            offset,
            next.map_or(i64::MAX, |next| next.timestamp().as_second()),
        )
    }

    /// The zone itself, for formatting.
    pub fn time_zone(&self) -> &TimeZone {
        &self.0
    }
}

fn timestamp(epoch: i64) -> Timestamp {
    Timestamp::from_second(epoch).unwrap_or(if epoch < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

fn read(name: &[u8]) -> Option<Zone> {
    let name = std::str::from_utf8(name).ok()?;
    if let Ok(zone) = TimeZone::get(name)
        && zone.iana_name().is_none_or(|known| known == name)
    {
        return Some(Zone(zone));
    }
    TimeZone::posix(name).ok().map(Zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_zones_are_utc() {
        assert_eq!(Zone::named(b"No/Such"), Zone::utc());
        assert_eq!(Zone::named(b"\xff"), Zone::utc());
        assert_eq!(Zone::named(b"EST5").civil(0).hour(), 19);
        assert_eq!(Zone::utc().civil(i64::MAX).year(), 9999);
    }
}
