//! The later stages: blanks beside brackets and operators go, signs go, lists of values and rows of lists are cut.

use super::{is_name, is_operator};

use crate::rules::settings::DigestSettings;

fn at(text: &[u8], index: usize) -> u8 {
    text.get(index).copied().unwrap_or(0)
}

/// The byte some places before; `0` before the start, as the original has it.
fn before(text: &[u8], index: usize, back: usize) -> u8 {
    index
        .checked_sub(back)
        .map_or(b'0', |index| at(text, index))
}

/// Blanks beside brackets, commas and operators, and signs of single values.
pub(super) fn operators(text: &[u8], settings: &DigestSettings, out: &mut Vec<u8>) {
    out.clear();
    for (n, &byte) in text.iter().enumerate() {
        let (left, right) = (before(text, n, 1), at(text, n + 1));
        let goes = match byte {
            b' ' => {
                left == b'('
                    || right == b')'
                    || left == b','
                    || right == b','
                    || (is_operator(left) && right == b'?')
                    || (is_operator(right) && left == b'?')
            }
            b'+' | b'-' => {
                let value_follows = right == b'?' || right == b' ';
                let stands_alone = |byte: u8| !is_name(byte) && byte != b'?' && byte != b')';
                if left == b' ' {
                    let further = before(text, n, 2);
                    is_name(further) || (stands_alone(further) && value_follows)
                } else {
                    stands_alone(left) && value_follows
                }
            }
            b'0'..=b'9' if settings.no_digits => {
                if out.last().is_some_and(|&last| last != b'?') {
                    out.push(b'?');
                }
                true
            }
            _ => false,
        };
        if !goes {
            out.push(byte);
        }
    }
}

/// `(?,?,?,?,?)` to `(?,?,?,...)`.
pub(super) fn lists(text: &[u8], limit: usize, out: &mut Vec<u8>) {
    out.clear();
    let Some(end) = text.len().checked_sub(1) else {
        return;
    };
    let mut inside = false;
    let mut cur = 0;
    while cur <= end {
        if inside && out.len() > 4 && out.ends_with(b",...") && end > cur {
            cur = past_values(text, cur, end);
        }
        let here = cur;
        let fits = cur + limit * 2 < end;
        let is_list = inside
            && fits
            && at(text, cur) == b'?'
            && at(text, cur + 1) == b','
            && at(text, cur + 2) == b'?'
            && matches!(at(text, cur + 3), b',' | b')')
            && !is_operator(before(text, cur, 1));
        if is_list {
            cur = list(text, cur, end, limit, out);
        } else {
            out.push(at(text, cur));
            cur += 1;
        }
        match at(text, here) {
            b'(' => inside = true,
            b')' => inside = false,
            _ => {}
        }
    }
}

/// Goes past values that follow what was cut already.
fn past_values(text: &[u8], cur: usize, end: usize) -> usize {
    let mut next = cur + usize::from(at(text, cur) == b',');
    let mut is_last = false;
    while next < end {
        if at(text, next) == b'?' && at(text, next + 1) == b',' {
            next += 2;
            continue;
        }
        if at(text, next) == b'?' && at(text, next + 1) == b')' {
            next += 1;
            is_last = true;
        }
        break;
    }
    if next > cur + 1 || is_last { next } else { cur }
}

fn list(text: &[u8], cur: usize, end: usize, limit: usize, out: &mut Vec<u8>) -> usize {
    let mut next = cur;
    let mut values = 0;
    let mut closed = false;
    while next < end {
        if at(text, next) == b'?' && at(text, next + 1) == b',' {
            next += 2;
            values += 1;
        } else {
            closed = at(text, next + 1) == b')';
            break;
        }
    }
    let length = values * 2 + usize::from(closed);
    if length < limit * 2 + 3 {
        for _ in 0..values {
            out.extend_from_slice(b"?,");
        }
        return next;
    }
    for _ in 0..limit {
        out.extend_from_slice(b"?,");
    }
    out.extend_from_slice(b"...");
    if closed { next + 1 } else { next - 1 }
}

/// `(?,?,?,...),(?,?,?,...),…` to the first of them and `...`.
pub(super) fn groups(text: &[u8], limit: usize, most: usize, out: &mut Vec<u8>) {
    out.clear();
    let Some(end) = text.len().checked_sub(1) else {
        return;
    };
    // With the comma behind it.
    let size = limit * 2 + 6;
    let is_group = |from: usize| {
        text.get(from..from + size - 1).is_some_and(|group| {
            group.strip_prefix(b"(").is_some_and(|rest| {
                rest.strip_suffix(b"...)")
                    .is_some_and(|values| values.chunks(2).all(|pair| pair == b"?,"))
            })
        })
    };
    let mut cur = 0;
    while cur <= end {
        if out.len() > 5 && out.ends_with(b"),...") {
            let mut next = cur + usize::from(matches!(at(text, cur), b',' | b' '));
            while next + size - 2 <= end && is_group(next) {
                next += if next + size - 1 == end {
                    size - 1
                } else {
                    size
                };
            }
            if next > cur + 1 {
                cur = next - 1;
                continue;
            }
            if next >= end {
                break;
            }
        }
        let starts =
            at(text, cur) == b'(' && at(text, cur + 1) == b'?' && at(text, cur + 2) == b',';
        if starts && cur + size * (most + 1) <= end + 2 {
            let mut next = cur;
            let mut found = 0;
            while next + size - 2 <= end && is_group(next) {
                next += size - 1;
                next += usize::from(at(text, next) == b',');
                found += 1;
            }
            if found > most {
                out.extend_from_slice(text.get(cur..cur + size * most).unwrap_or_default());
                out.extend_from_slice(b"...");
                cur = next;
            }
        }
        if cur > end {
            break;
        }
        out.push(at(text, cur));
        cur += 1;
    }
}
