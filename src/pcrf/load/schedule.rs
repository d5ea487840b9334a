//! Which request is sent when.

/// What a request is, by its CC-Request-Type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A session begins.
    Initial,
    /// It reports what it used.
    Update,
    /// It ends.
    Terminate,
}

/// A fixed schedule: at full rate each third request begins a session, reports of one that began a second before, and
/// ends one that began two seconds before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Requests per second.
    pub rate: u32,
    /// Sessions that begin in a second: so many sessions lie between a beginning and an update.
    pub distance: u64,
}

impl Schedule {
    /// The schedule of a rate.
    pub fn of_rate(rate: u32) -> Self {
        Self {
            rate,
            distance: u64::from(rate.div_ceil(3)).max(1),
        }
    }

    /// More than any server does, on sessions that end soon.
    pub(super) fn without_pause() -> Self {
        Self {
            rate: 1_000_000,
            distance: 100,
        }
    }

    /// When the place is due, in nanoseconds from the beginning.
    pub fn due(&self, place: u64) -> u64 {
        let nanoseconds = u128::from(place) * 1_000_000_000 / u128::from(self.rate.max(1));
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }

    /// The first place that is due at or after a time in nanoseconds.
    pub fn place_at(&self, nanoseconds: u64) -> u64 {
        let place = (u128::from(nanoseconds) * u128::from(self.rate)).div_ceil(1_000_000_000);
        u64::try_from(place).unwrap_or(u64::MAX)
    }

    /// What is sent at a place, and for which session; nothing in the first seconds where sessions are still too young.
    pub fn request(&self, place: u64) -> Option<(Kind, u64)> {
        let session = place / 3;
        match place % 3 {
            0 => Some((Kind::Initial, session)),
            1 => Some((Kind::Update, session.checked_sub(self.distance)?)),
            _ => Some((Kind::Terminate, session.checked_sub(2 * self.distance)?)),
        }
    }

    /// The requests that end all sessions, where places below this one were sent.
    pub fn endings(&self, places: u64) -> std::ops::Range<u64> {
        let begun = places.div_ceil(3);
        let ended = (places / 3).saturating_sub(2 * self.distance);
        ended..begun
    }

    /// The CC-Request-Number of the end of a session, where places below this one were sent.
    pub fn ending_number(&self, places: u64, session: u64) -> u32 {
        let updated = (session + self.distance) * 3 + 1 < places;
        if updated { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_its_three_requests_in_order() {
        let schedule = Schedule::of_rate(30);
        let places = 3000;
        let mut sessions = std::collections::BTreeMap::<u64, Vec<(Kind, u64)>>::new();
        for place in 0..places {
            if let Some((kind, session)) = schedule.request(place) {
                sessions.entry(session).or_default().push((kind, place));
            }
        }
        let open = schedule.endings(places);
        for (session, requests) in &sessions {
            let kinds: Vec<Kind> = requests.iter().map(|(kind, _)| *kind).collect();
            let all = [Kind::Initial, Kind::Update, Kind::Terminate];
            assert_eq!(kinds, all[..kinds.len()], "{session}");
            assert_eq!(open.contains(session), kinds.len() < 3, "{session}");
            if kinds.len() < 3 {
                let number = schedule.ending_number(places, *session);
                assert_eq!(number as usize, kinds.len());
            } else {
                let second = schedule.due(requests[1].1) - schedule.due(requests[0].1);
                assert!((900_000_000..1_100_000_000).contains(&second));
            }
        }
        assert_eq!(schedule.place_at(schedule.due(100)), 100);
    }
}
