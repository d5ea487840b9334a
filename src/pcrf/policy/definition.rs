//! What a rule is: Charging-Rule-Definition of TS 29.212 §5.3.4.

use crate::base::Text;
use crate::pcrf::form::{self, Reader};

use super::amount::{amount, small};
use super::wrong::yes_or_no;

/// The settings of a rule that is defined.
const SETTINGS: &[&str] = &[
    "qci",
    "arp",
    "mbr_dl",
    "mbr_ul",
    "gbr_dl",
    "gbr_ul",
    "flow",
    "rating_group",
    "service",
    "precedence",
    "online",
    "offline",
    "metering",
    "flow_status",
    "monitoring_key",
];

/// What installs a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuleKind {
    /// The PCEF knows it by its name (Charging-Rule-Name).
    #[default]
    Predefined,
    /// The PCEF knows a group of rules by its name (Charging-Rule-Base-Name).
    Base,
    /// We say what it is (Charging-Rule-Definition).
    Defined,
}

/// Allocation and retention priority, TS 29.212 §5.3.32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arp {
    /// From 1, the most important, to 15.
    pub level: u32,
    /// Whether it may take resources from others; `None` = not said.
    pub preempts: Option<bool>,
    /// Whether others may take its resources; `None` = not said.
    pub vulnerable: Option<bool>,
}

/// Which packets a flow is about; the values of Flow-Direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Not said.
    Unspecified = 0,
    /// To the user.
    Down = 1,
    /// From the user.
    Up = 2,
    /// Both.
    Both = 3,
}

/// A flow: an IPFilterRule of RFC 6733 §4.3.1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Which packets.
    pub direction: Direction,
    /// `permit out ip from any to assigned`
    pub filter: Text,
}

/// What a rule is. Rates are bits per second.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definition {
    /// What installs it.
    pub kind: RuleKind,
    /// QoS class identifier.
    pub qci: Option<u32>,
    /// Allocation and retention priority.
    pub arp: Option<Arp>,
    /// Most that may flow to the user.
    pub mbr_dl: Option<u64>,
    /// Most that may flow from the user.
    pub mbr_ul: Option<u64>,
    /// What is guaranteed to flow to the user.
    pub gbr_dl: Option<u64>,
    /// What is guaranteed to flow from the user.
    pub gbr_ul: Option<u64>,
    /// Packets that it is about.
    pub flows: Vec<Flow>,
    /// Rating-Group.
    pub rating_group: Option<u32>,
    /// Service-Identifier.
    pub service: Option<u32>,
    /// Rules of lower numbers are tried first.
    pub precedence: Option<u32>,
    /// Whether usage is charged online.
    pub online: Option<bool>,
    /// Whether usage is charged offline.
    pub offline: Option<bool>,
    /// Metering-Method: 0 duration, 1 volume, 2 both.
    pub metering: Option<u32>,
    /// Flow-Status: 0 uplink only, 1 downlink only, 2 enabled, 3 disabled, 4 removed.
    pub flow_status: Option<u32>,
    /// Key that its usage is counted under.
    pub monitoring_key: Option<Text>,
}

impl Definition {
    /// Whether there is such a setting.
    pub(super) fn has(name: &[u8]) -> bool {
        SETTINGS
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(name))
    }

    /// Sets what `name=value` says of a rule that is defined here. `Err` says what is wrong: `None` = there is no such
    /// name.
    pub(super) fn define(&mut self, name: &[u8], value: &[u8]) -> Result<(), Option<&'static str>> {
        self.kind = RuleKind::Defined;
        match name.to_ascii_lowercase().as_slice() {
            b"predefined" | b"base" => {
                return Err(Some(
                    "a rule that the PCEF knows is installed by InstallRule",
                ));
            }
            b"qci" => self.qci = Some(qci(value)?),
            b"arp" => self.arp = Some(arp(value)?),
            b"mbr_dl" => self.mbr_dl = Some(rate(value)?),
            b"mbr_ul" => self.mbr_ul = Some(rate(value)?),
            b"gbr_dl" => self.gbr_dl = Some(rate(value)?),
            b"gbr_ul" => self.gbr_ul = Some(rate(value)?),
            b"flow" => self.flows.push(flow(value)?),
            b"rating_group" => self.rating_group = Some(whole(value)?),
            b"service" => self.service = Some(whole(value)?),
            b"precedence" => self.precedence = Some(whole(value)?),
            b"online" => self.online = Some(yes_or_no(value)?),
            b"offline" => self.offline = Some(yes_or_no(value)?),
            b"metering" => {
                self.metering = Some(named(value, &["duration", "volume", "both"])?);
            }
            b"flow_status" => {
                let names = ["uplink", "downlink", "enabled", "disabled", "removed"];
                self.flow_status = Some(named(value, &names)?);
            }
            b"monitoring_key" if value.is_empty() => return Err(Some("a name is wanted")),
            b"monitoring_key" => self.monitoring_key = Some(Text::from(value)),
            _ => return Err(None),
        }
        Ok(())
    }

    /// A number that differs, as good as surely, where definitions differ.
    pub(super) fn hash(&self) -> u64 {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        xxhash_rust::xxh3::xxh3_64(&bytes) | 1
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.kind as u8);
        form::option(out, self.qci.map(u64::from));
        form::option(out, self.arp.map(packed));
        for rate in [self.mbr_dl, self.mbr_ul, self.gbr_dl, self.gbr_ul] {
            form::option(out, rate);
        }
        form::number(out, self.flows.len() as u64);
        for flow in &self.flows {
            out.push(flow.direction as u8);
            form::bytes(out, &flow.filter);
        }
        for number in [
            self.rating_group,
            self.service,
            self.precedence,
            self.online.map(u32::from),
            self.offline.map(u32::from),
            self.metering,
            self.flow_status,
        ] {
            form::option(out, number.map(u64::from));
        }
        out.push(u8::from(self.monitoring_key.is_some()));
        if let Some(key) = &self.monitoring_key {
            form::bytes(out, key);
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let kind = match from.byte()? {
            0 => RuleKind::Predefined,
            1 => RuleKind::Base,
            2 => RuleKind::Defined,
            _ => return None,
        };
        let narrow = |n: Option<u64>| match n {
            None => Some(None),
            Some(n) => u32::try_from(n).ok().map(Some),
        };
        let qci = narrow(from.option()?)?;
        let arp = from.option()?.map(unpacked);
        let (mbr_dl, mbr_ul) = (from.option()?, from.option()?);
        let (gbr_dl, gbr_ul) = (from.option()?, from.option()?);
        let flows = from.list(|from| {
            let direction = match from.byte()? {
                0 => Direction::Unspecified,
                1 => Direction::Down,
                2 => Direction::Up,
                3 => Direction::Both,
                _ => return None,
            };
            let filter = Text::from(from.bytes()?);
            Some(Flow { direction, filter })
        })?;
        let mut next = || narrow(from.option()?);
        Some(Self {
            kind,
            qci,
            arp,
            mbr_dl,
            mbr_ul,
            gbr_dl,
            gbr_ul,
            flows,
            rating_group: next()?,
            service: next()?,
            precedence: next()?,
            online: next()?.map(|n| n != 0),
            offline: next()?.map(|n| n != 0),
            metering: next()?,
            flow_status: next()?,
            monitoring_key: match from.byte()? {
                0 => None,
                _ => Some(Text::from(from.bytes()?)),
            },
        })
    }
}

/// A priority with its two answers as one number.
pub(super) fn packed(arp: Arp) -> u64 {
    let answer = |answer: Option<bool>| match answer {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    };
    u64::from(arp.level) | answer(arp.preempts) << 32 | answer(arp.vulnerable) << 40
}

pub(super) fn unpacked(number: u64) -> Arp {
    let answer = |bits: u64| match bits & 0xff {
        0 => None,
        1 => Some(false),
        _ => Some(true),
    };
    Arp {
        level: number as u32,
        preempts: answer(number >> 32),
        vulnerable: answer(number >> 40),
    }
}

/// A class from 1 to 254.
pub(super) fn qci(value: &[u8]) -> Result<u32, &'static str> {
    small(value)
        .filter(|qci| (1..=254).contains(qci))
        .ok_or("a QCI is a number from 1 to 254")
}

/// `LEVEL[/yes|no[/yes|no]]`: may it take from others, may others take from it.
pub(super) fn arp(value: &[u8]) -> Result<Arp, &'static str> {
    const WRONG: &str =
        "an ARP is a level from 1 to 15, perhaps with /yes or /no for both ways of pre-emption";
    let mut parts = value.split(|&byte| byte == b'/').map(<[u8]>::trim_ascii);
    let level = small(parts.next().unwrap_or(&[]))
        .filter(|level| (1..=15).contains(level))
        .ok_or(WRONG)?;
    let mut answer = || match parts.next() {
        None => Ok(None),
        Some(text) if text.eq_ignore_ascii_case(b"yes") => Ok(Some(true)),
        Some(text) if text.eq_ignore_ascii_case(b"no") => Ok(Some(false)),
        Some(_) => Err(WRONG),
    };
    let arp = Arp {
        level,
        preempts: answer()?,
        vulnerable: answer()?,
    };
    if parts.next().is_some() {
        return Err(WRONG);
    }
    Ok(arp)
}

/// Bits per second that Gx can carry.
pub(super) fn rate(value: &[u8]) -> Result<u64, &'static str> {
    amount(value)
        .filter(|rate| u32::try_from(*rate).is_ok())
        .ok_or("a rate is a number of bits per second below 4294967296, perhaps with k, M or G")
}

fn whole(value: &[u8]) -> Result<u32, &'static str> {
    small(value).ok_or("a whole number is wanted")
}

/// A number, or a name that stands for its place.
fn named(value: &[u8], names: &[&str]) -> Result<u32, &'static str> {
    let known = names
        .iter()
        .position(|name| name.as_bytes().eq_ignore_ascii_case(value));
    known
        .map(|at| at as u32)
        .or_else(|| small(value).filter(|n| (*n as usize) < names.len()))
        .ok_or("neither a name nor a number that is known")
}

/// `[down|up|both,]filter`; a filter is taken as it is where it says `permit in|out … from … to …`.
fn flow(value: &[u8]) -> Result<Flow, &'static str> {
    let directions = [
        (&b"down"[..], Direction::Down),
        (b"up", Direction::Up),
        (b"both", Direction::Both),
    ];
    let (direction, filter) = directions
        .iter()
        .find_map(|(name, direction)| {
            let rest = value.strip_prefix(*name)?.trim_ascii_start();
            let rest = rest
                .strip_prefix(b",")
                .or_else(|| rest.strip_prefix(b":"))?;
            Some((*direction, rest.trim_ascii()))
        })
        .unwrap_or((Direction::Unspecified, value));
    let mut words = filter
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let action = matches!(words.next(), Some(b"permit" | b"deny"));
    let way = matches!(words.next(), Some(b"in" | b"out"));
    let protocol = words.next().is_some();
    let words: Vec<&[u8]> = words.collect();
    let ends = words.first() == Some(&&b"from"[..]) && words.contains(&&b"to"[..]);
    if action && way && protocol && ends {
        Ok(Flow {
            direction,
            filter: Text::from(filter),
        })
    } else {
        Err("a flow is `permit out PROTOCOL from SOURCE to DESTINATION`")
    }
}
