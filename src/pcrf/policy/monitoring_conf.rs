//! monitoring.conf: what is counted, and how much of it may be used.
//!
//! ```text
//! [mk-gold]
//! limit=10G
//! period=month
//! warn=80
//! accumulate=total
//! grant=100M
//! source=wifi,0.5
//! pool=family
//! ```

use std::path::Path;

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};
use crate::base::zone::Zone;
use crate::diagnostic::{Report, code};
use crate::syntax::load::{Category, Reader, Setting, categories};

use super::amount::{amount, small};
use super::companion::{say, twice};
use super::inputs::Quota;
use super::wrong::grant;

/// After which time a counter begins at 0 again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Period {
    /// Never.
    #[default]
    None,
    /// Each midnight.
    Day,
    /// Each Monday.
    Week,
    /// Each first of a month.
    Month,
}

impl Period {
    /// A number for the period that a time (seconds since 1970) is in: it grows from one period to the next. It names
    /// the counter of the period.
    pub fn number(self, at: i64, zone: &Zone) -> u32 {
        let (offset, _) = zone.offset(at);
        let day = at
            .saturating_add(offset)
            .div_euclid(crate::base::civil::DAY);
        let number = match self {
            Period::None => 0,
            Period::Day => day,
            // 1970 began on a Thursday.
            Period::Week => (day + 3).div_euclid(7),
            Period::Month => {
                let (year, month, _) = crate::base::civil::date(day);
                (year - 1970) * 12 + month
            }
        };
        u32::try_from(number).unwrap_or(0)
    }
}

/// What of a report counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accumulate {
    /// CC-Total-Octets, or the sum of both directions where a report has no total.
    pub total: bool,
    /// CC-Input-Octets.
    pub input: bool,
    /// CC-Output-Octets.
    pub output: bool,
}

/// A monitoring key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitoringKey {
    /// What may be used in a period, bytes; `None` = as much as one likes.
    pub limit: Option<u64>,
    /// After which time counting begins anew.
    pub period: Period,
    /// Per cent of the limit from which a warning is due.
    pub warn: u32,
    /// What counts.
    pub accumulate: Accumulate,
    /// Bytes after which a report is due, where `Monitor()` does not say.
    pub grant: Option<u64>,
    /// Other sources of usage, and thousandths of what they report that count.
    pub sources: Vec<(Text, u32)>,
    /// The field of the subscriber that says who shares a counter; `None` = each has its own.
    pub pool: Option<Text>,
    /// Usage-Monitoring-Level: false = of the session, true = of rules.
    pub of_rules: bool,
}

impl Default for MonitoringKey {
    fn default() -> Self {
        Self {
            limit: None,
            period: Period::None,
            warn: 80,
            accumulate: Accumulate {
                total: true,
                input: false,
                output: false,
            },
            grant: None,
            sources: Vec::new(),
            pool: None,
            of_rules: false,
        }
    }
}

/// The keys that are known.
#[derive(Debug, Clone)]
pub struct Monitoring {
    by_name: StableMap<Text, MonitoringKey>,
    /// Whether there is a file: without one there is no list that a key could lack in.
    there: bool,
}

impl Default for Monitoring {
    fn default() -> Self {
        Self {
            by_name: stable_map(),
            there: false,
        }
    }
}

impl Monitoring {
    /// Reads a file; what is wrong in it is said and left out.
    pub fn read(path: &Path, reader: &mut dyn Reader) -> (Self, Report) {
        let (categories, mut report) = categories(path, reader);
        let mut monitoring = Self {
            there: true,
            ..Self::default()
        };
        for category in &categories {
            monitoring.add(category, &mut report);
        }
        (monitoring, report)
    }

    fn add(&mut self, category: &Category, report: &mut Report) {
        if self.by_name.contains_key(&category.name) {
            let message = format!(
                "the key `{}` is there twice; the first counts",
                category.name
            );
            say(report, &code::POLICY_NAME_TWICE, category.place, message);
            return;
        }
        let mut key = MonitoringKey::default();
        twice(category, &[b"source"], report);
        for setting in &category.settings {
            match set(&mut key, setting) {
                Ok(()) => {}
                Err(None) => {
                    let message = format!("a monitoring key has no `{}`", setting.name);
                    say(report, &code::SETTING_UNKNOWN, setting.place, message);
                }
                Err(Some(wrong)) => {
                    let message =
                        format!("`{}` cannot be `{}`: {wrong}", setting.name, setting.value);
                    say(report, &code::SETTING_INVALID, setting.place, message);
                }
            }
        }
        self.by_name.insert(category.name.clone(), key);
    }

    /// Whether there is a file of keys, be it empty.
    pub fn is_there(&self) -> bool {
        self.there
    }

    /// A key by name.
    pub fn key(&self, name: &[u8]) -> Option<&MonitoringKey> {
        self.by_name.get(name)
    }

    /// How much of a key is used, where so many bytes are, with the limit of the file.
    pub fn quota(&self, name: &[u8], used: u64) -> Quota {
        let key = self.key(name);
        Quota {
            used,
            limit: key.and_then(|key| key.limit),
            warn: key.map_or(80, |key| key.warn),
        }
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<&Text> {
        let mut names: Vec<&Text> = self.by_name.keys().collect();
        names.sort();
        names
    }
}

fn set(key: &mut MonitoringKey, setting: &Setting) -> Result<(), Option<&'static str>> {
    let value = setting.value.trim_ascii();
    let volume = || {
        amount(value).ok_or(Some(
            "a volume is a number of bytes, perhaps with k, M, G or T",
        ))
    };
    match setting.name.to_ascii_lowercase().as_slice() {
        b"limit" => {
            let without = value.eq_ignore_ascii_case(b"none");
            key.limit = if without { None } else { Some(volume()?) };
        }
        b"grant" => key.grant = Some(grant(value)?),
        b"period" => {
            key.period = match value.to_ascii_lowercase().as_slice() {
                b"none" => Period::None,
                b"day" | b"daily" => Period::Day,
                b"week" | b"weekly" => Period::Week,
                b"month" | b"monthly" => Period::Month,
                _ => return Err(Some("a period is none, day, week or month")),
            };
        }
        b"warn" => {
            let per_cent = value.strip_suffix(b"%").unwrap_or(value);
            let per_cent = small(per_cent).filter(|n| *n <= 100);
            key.warn = per_cent.ok_or(Some("a number of per cent is wanted, from 0 to 100"))?;
        }
        b"accumulate" | b"accumulators" => {
            let mut accumulate = Accumulate {
                total: false,
                input: false,
                output: false,
            };
            for word in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                match word.to_ascii_lowercase().as_slice() {
                    b"total" => accumulate.total = true,
                    b"input" => accumulate.input = true,
                    b"output" => accumulate.output = true,
                    _ => return Err(Some("what counts is total, input or output")),
                }
            }
            key.accumulate = accumulate;
        }
        b"source" => {
            let (name, factor) = match memchr::memchr(b',', value) {
                Some(at) => (
                    value.get(..at).unwrap_or(value),
                    value.get(at + 1..).unwrap_or(&[]),
                ),
                None => (value, &b"1"[..]),
            };
            // As a volume of thousandths: `0.5` is 500 of them.
            let factor = amount(&[factor.trim_ascii(), b"k"].concat());
            let factor = factor.and_then(|factor| u32::try_from(factor).ok());
            let factor = factor.ok_or(Some("a factor is a number such as 0.5"))?;
            let name = name.trim_ascii();
            if name.is_empty() {
                return Err(Some("a source has a name"));
            }
            if key
                .sources
                .iter()
                .any(|(known, _)| known.as_bytes() == name)
            {
                return Err(Some("that source is there already"));
            }
            key.sources.push((Text::from(name), factor));
        }
        b"pool" if value.is_empty() => {
            return Err(Some("a field of the subscribers is wanted"));
        }
        b"pool" => key.pool = Some(Text::from(value)),
        b"level" => {
            key.of_rules = match value.to_ascii_lowercase().as_slice() {
                b"session" => false,
                b"rule" | b"pcc_rule" => true,
                _ => return Err(Some("a level is session or rule")),
            };
        }
        _ => return Err(None),
    }
    Ok(())
}
