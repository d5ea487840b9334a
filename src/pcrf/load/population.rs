//! Who the sessions of a load belong to.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

/// Each so many-th session reports so much that its quota passes a step.
const CROSSING: u64 = 20;
/// Of [`CROSSING`] sessions, those of the first APN.
const FIRST_APN: u64 = 14;
/// The monitoring key of the plan `gold` of `dialplans/gx.conf`.
pub(super) const KEY: &str = "mk-gold";
/// Bytes of a usual update, of an update that passes a step, of an end.
const UPDATE: u64 = 4_000_000;
const STEP: u64 = 8_200_000_000;
const END: u64 = 1_000_000;

/// Subscribers and where they are.
///
/// Sessions take subscribers evenly, each once in a round. Three of four have the plan `gold` of `dialplans/gx.conf`,
/// whose volume is counted; the others have `basic`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Population {
    /// How many subscribers.
    pub subscribers: u32,
    /// The APNs; 70 % of the sessions have the first, the others share the rest.
    pub apns: Vec<String>,
    /// Per cent of the sessions that are in a foreign network.
    pub roaming: u8,
}

impl Default for Population {
    fn default() -> Self {
        Self {
            subscribers: 100_000,
            apns: ["internet", "ims", "iot.meter"].map(str::to_owned).to_vec(),
            roaming: 5,
        }
    }
}

/// One session of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session<'p> {
    /// Number of the subscriber.
    pub subscriber: u64,
    /// The APN.
    pub apn: &'p str,
    /// MCC and MNC of the network that serves.
    pub plmn: &'static str,
    /// Whether its volume is counted.
    pub is_metered: bool,
    /// Bytes that its update reports.
    pub update: u64,
    /// Bytes that its end reports.
    pub end: u64,
    /// The address of the terminal.
    pub address: Ipv4Addr,
}

fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

fn is_gold(subscriber: u64) -> bool {
    (subscriber / CROSSING) % 4 != 3
}

impl Population {
    /// The IMSI of a subscriber, in the network that is home in the samples.
    pub fn imsi(subscriber: u64) -> String {
        format!("00101{:010}", subscriber + 1_000_000)
    }

    /// The MSISDN of a subscriber.
    pub fn msisdn(subscriber: u64) -> String {
        format!("4915{:08}", subscriber + 1_000_000)
    }

    /// All subscribers as a file to import.
    pub fn csv(&self) -> String {
        let mut text = String::from("imsi,msisdn,status,plan,roaming,family,parental,promo\n");
        for subscriber in 0..u64::from(self.subscribers) {
            let plan = if is_gold(subscriber) { "gold" } else { "basic" };
            let (imsi, msisdn) = (Self::imsi(subscriber), Self::msisdn(subscriber));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{imsi},{msisdn},active,{plan},yes,,no,");
        }
        text
    }

    /// The session of this number.
    pub fn session(&self, number: u64) -> Session<'_> {
        let groups = (u64::from(self.subscribers) / CROSSING).max(1);
        let (turn, slot) = (number / CROSSING, number % CROSSING);
        let round = turn / groups;
        let crosses = slot == 0;
        // 7919 is a prime: the groups are taken in another order than that of the file.
        let mut group = (turn % groups).wrapping_mul(7919) % groups;
        if crosses && group % 4 == 3 {
            group -= 1;
        }
        // Another twentieth of the subscribers passes steps in each round.
        let subscriber = (group * CROSSING + (slot + round) % CROSSING)
            .min(u64::from(self.subscribers).saturating_sub(1));
        let apn = if slot < FIRST_APN {
            0
        } else {
            let others = (self.apns.len() as u64).saturating_sub(1).max(1);
            let of = (slot - FIRST_APN) * others / (CROSSING - FIRST_APN);
            usize::try_from(of + 1).unwrap_or(0)
        };
        let apn = self.apns.get(apn).or(self.apns.first());
        let is_abroad = !crosses && mix(number) % 100 < u64::from(self.roaming);
        let is_metered = slot < FIRST_APN && !is_abroad && is_gold(subscriber);
        let [_, b, c, d] = (number as u32).to_be_bytes();
        Session {
            subscriber,
            apn: apn.map_or("internet", String::as_str),
            plmn: if is_abroad { "26201" } else { "00101" },
            is_metered,
            update: if crosses { STEP } else { UPDATE },
            end: END,
            address: Ipv4Addr::new(10, b, c, d),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_said() {
        let population = Population::default();
        let mut seen = std::collections::BTreeSet::new();
        let (mut abroad, mut crossing, mut metered, mut first) = (0, 0, 0, 0);
        for number in 0..100_000 {
            let session = population.session(number);
            seen.insert(session.subscriber);
            abroad += u32::from(session.plmn != "00101");
            crossing += u32::from(session.update == STEP && session.is_metered);
            metered += u32::from(session.is_metered);
            first += u32::from(session.apn == "internet");
        }
        assert!(seen.len() > 95_000, "{}", seen.len());
        assert!((4_000..6_000).contains(&abroad), "{abroad}");
        assert_eq!((crossing, first), (5_000, 70_000));
        assert!((45_000..55_000).contains(&metered), "{metered}");
        assert_eq!(population.csv().lines().count(), 100_001);
        let one = Population {
            subscribers: 1,
            apns: vec!["a".to_owned()],
            ..Population::default()
        };
        assert!((0..1000).all(|number| one.session(number).subscriber == 0));
    }
}
