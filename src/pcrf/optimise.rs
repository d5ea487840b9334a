//! The seven optimisations as switches. What is off is done the naive way, with the same answers.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::pcrf::store::Upsert;

/// The names, in the order of the article that they follow.
pub const NAMES: [&str; 7] = [
    "commit",
    "upsert",
    "umcache",
    "memo",
    "netsnap",
    "mask",
    "timecache",
];

/// One optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    /// Only what changed is written, together with what others changed. Off: a transaction around each of four steps.
    Commit,
    /// Records are got, updated, else inserted under locks of a part. Off: one lock over the write.
    Upsert,
    /// Monitoring keys are compiled once. Off: three tables are joined for each request.
    Umcache,
    /// A decision whose inputs did not change is reused. Off: the dialplan runs for each request.
    Memo,
    /// Peers are kept in memory. Off: the peer's row is read for each request.
    Netsnap,
    /// Only AVPs that somebody reads are found, without copies. Off: everything is decoded into values of its own.
    Mask,
    /// The text of a second is made once in it. Off: for each line of the log.
    Timecache,
}

impl Switch {
    /// All, in the order of [`NAMES`].
    pub const ALL: [Self; 7] = [
        Self::Commit,
        Self::Upsert,
        Self::Umcache,
        Self::Memo,
        Self::Netsnap,
        Self::Mask,
        Self::Timecache,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// By its name.
    pub fn by_name(name: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|switch| switch.name().as_bytes() == name)
    }
}

const OFF: u8 = 0;
const ON: u8 = 1;
const NATIVE: u8 = 2;

/// What is on; may be changed while requests are answered.
#[derive(Debug)]
pub struct Switches([AtomicU8; 7]);

impl Default for Switches {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU8::new(ON)))
    }
}

impl Switches {
    /// Whether an optimisation is on.
    #[inline]
    pub fn is_on(&self, switch: Switch) -> bool {
        self.0
            .get(switch as usize)
            .is_some_and(|own| own.load(Ordering::Relaxed) != OFF)
    }

    /// Turns one on or off.
    pub fn set(&self, switch: Switch, on: bool) {
        self.store(switch, if on { ON } else { OFF });
    }

    /// Turns all on or off.
    pub fn set_all(&self, on: bool) {
        for switch in Switch::ALL {
            self.set(switch, on);
        }
    }

    fn store(&self, switch: Switch, value: u8) {
        if let Some(own) = self.0.get(switch as usize) {
            own.store(value, Ordering::Relaxed);
        }
    }

    /// How the store writes usage.
    pub fn upsert(&self) -> Upsert {
        match self
            .0
            .get(Switch::Upsert as usize)
            .map(|own| own.load(Ordering::Relaxed))
        {
            Some(OFF) => Upsert::Locking,
            Some(NATIVE) => Upsert::Native,
            _ => Upsert::Optimistic,
        }
    }

    /// Applies `NAME=on`, `NAME=off`, `all=on`, `all=off` or `upsert=native`.
    pub fn apply(&self, setting: &str) -> Result<(), String> {
        let wrong = || {
            format!(
                "`{setting}` is no switch: NAME=on|off (or upsert=native), where NAME is all, {}",
                NAMES.join(", ")
            )
        };
        let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        let value = match value {
            "on" | "yes" | "true" | "1" => ON,
            "off" | "no" | "false" | "0" => OFF,
            "native" if name == "upsert" => NATIVE,
            _ => return Err(wrong()),
        };
        if name == "all" {
            self.set_all(value == ON);
            return Ok(());
        }
        let switch = Switch::by_name(name.as_bytes()).ok_or_else(wrong)?;
        self.store(switch, value);
        Ok(())
    }

    /// All as `NAME=on` or `NAME=off`.
    pub fn list(&self) -> Vec<String> {
        Switch::ALL
            .into_iter()
            .map(|switch| {
                let value = match switch {
                    Switch::Upsert if self.upsert() == Upsert::Native => "native",
                    _ if self.is_on(switch) => "on",
                    _ => "off",
                };
                format!("{}={value}", switch.name())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_set_by_name() {
        let switches = Switches::default();
        assert!(Switch::ALL.into_iter().all(|switch| switches.is_on(switch)));
        switches.apply("all=off").unwrap();
        switches.apply("memo=on").unwrap();
        switches.apply("upsert=native").unwrap();
        assert_eq!(
            switches.list().join(" "),
            "commit=off upsert=native umcache=off memo=on netsnap=off mask=off timecache=off"
        );
        for wrong in ["memo", "memo=native", "nonsense=on", "=", ""] {
            assert!(switches.apply(wrong).is_err(), "{wrong}");
        }
    }
}
