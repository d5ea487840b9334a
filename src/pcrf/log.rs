//! Lines for the log and for the operator's events.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::base::civil;
use crate::pcrf::counters::Counters;

/// Who takes lines.
pub trait Sink: Send + Sync {
    /// A line of the log, with its time stamp and a line feed.
    fn line(&self, line: &[u8]);
    /// An event as a JSON object, with a line feed.
    fn event(&self, line: &[u8]);
}

/// Takes lines and forgets them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Sink for Silent {
    fn line(&self, _line: &[u8]) {}
    fn event(&self, _line: &[u8]) {}
}

/// Writes lines for one thread: the text of the present second is kept.
#[derive(Debug, Default)]
pub struct Lines {
    stamp: String,
    second: Option<i64>,
    line: Vec<u8>,
}

impl Lines {
    /// Begins a line at a second since 1970.
    pub fn begin(&mut self, now: i64, cached: bool, counters: &Counters) -> &mut Vec<u8> {
        if !cached || self.second != Some(now) {
            self.stamp.clear();
            stamp(now, &mut self.stamp);
            self.second = Some(now);
            counters.stamps.up();
        }
        self.line.clear();
        self.line.extend_from_slice(self.stamp.as_bytes());
        self.line.push(b' ');
        &mut self.line
    }

    /// Ends the line and hands it on.
    pub fn end(&mut self, sink: &dyn Sink, counters: &Counters) {
        self.line.push(b'\n');
        counters.lines.up();
        sink.line(&self.line);
    }
}

/// Lets so many lines of a second through, and tells how many others there were.
#[derive(Debug, Default)]
pub struct Bounded(Mutex<(i64, u32, u64)>);

/// Lines of one kind in a second.
const MOST: u32 = 20;

impl Bounded {
    /// Writes a line at a second since 1970, unless there were too many in it.
    pub fn line(&self, now: i64, sink: &dyn Sink, line: impl FnOnce() -> String) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (second, count, left) = &mut *state;
        if *second != now {
            if *left > 0 {
                sink.line(format!("{left} lines of this kind were left out\n").as_bytes());
            }
            (*second, *count, *left) = (now, 0, 0);
        }
        if *count < MOST {
            *count += 1;
            sink.line(line().as_bytes());
        } else {
            *left += 1;
        }
    }
}

/// Appends `2026-11-30T17:00:00Z`.
pub fn stamp(now: i64, out: &mut String) {
    let day = now.div_euclid(civil::DAY);
    let second = now.rem_euclid(civil::DAY);
    let (year, month, of_month) = civil::date(day);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{year:04}-{month:02}-{of_month:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    );
}

/// Appends text from the network to a line: what would end the line, or command a terminal, is escaped.
pub fn plain(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        if byte.is_ascii_control() {
            out.extend(byte.escape_ascii());
        } else {
            out.push(*byte);
        }
    }
}

/// Text from the network, as [`plain`] has it.
pub fn printable(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    plain(bytes, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends bytes as a JSON string; what is not UTF-8 is replaced.
pub fn json(bytes: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes);
    out.push(b'"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push(b'\\');
                out.push(character as u8);
            }
            control if u32::from(control) < 0x20 => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(control)).as_bytes());
            }
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_made_once_a_second() {
        let counters = Counters::default();
        let mut lines = Lines::default();
        for _ in 0..3 {
            lines.begin(1_796_058_000, true, &counters);
            lines.end(&Silent, &counters);
        }
        assert_eq!((counters.stamps.get(), counters.lines.get()), (1, 3));
        lines.begin(1_796_058_000, false, &counters);
        assert_eq!(counters.stamps.get(), 2);
        assert_eq!(lines.line, b"2026-11-30T17:00:00Z ");
        let mut out = Vec::new();
        json(b"a\"b\n\xff", &mut out);
        assert_eq!(out, "\"a\\\"b\\u000a\u{fffd}\"".as_bytes());
    }
}
