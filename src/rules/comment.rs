//! Values in the first comment of a query, such as `/* hostgroup=9;cache_ttl=50 */`, which override the rules.

use crate::base::scan::atoi;
use crate::rules::digest::DigestBuffers;
use crate::rules::outcome::Numbers;
use crate::rules::settings::DigestSettings;

/// Whether the query has a comment that could hold values.
pub(crate) fn may_hold_values(query: &[u8]) -> bool {
    // A value needs `=` behind the mark.
    memchr::memrchr(b'=', query).is_some_and(|last| {
        let before = query.get(..last).unwrap_or_default();
        memchr::memmem::find(before, b"/*").is_some()
    })
}

/// Lets the first comment of a query override numbers.
pub(crate) fn override_by_comment(query: &[u8], settings: &DigestSettings, numbers: &mut Numbers) {
    if settings.enabled && may_hold_values(query) {
        let mut buffers = DigestBuffers::default();
        buffers.make(query, settings);
        if buffers.has_comment {
            apply(&buffers.comment, numbers);
        }
    }
}

/// Lets the comment override.
pub(crate) fn apply(comment: &[u8], numbers: &mut Numbers) {
    let end = memchr::memchr(0, comment).unwrap_or(comment.len());
    let comment = comment.get(..end).unwrap_or(comment);
    for part in comment.split(|&byte| byte == b';') {
        // Empty pieces between `=` do not count.
        let mut pieces = part.split(|&byte| byte == b'=').filter(|p| !p.is_empty());
        let (Some(key), Some(value)) = (pieces.next(), pieces.next()) else {
            continue;
        };
        let value = folded(value);
        let starts_with_digit = value.first().is_some_and(u8::is_ascii_digit);
        let number = atoi(&value);
        let key = folded(key).to_ascii_lowercase();
        if key == b"create_new_connection" {
            numbers.create_new_connection |= number == 1;
        }
        if !starts_with_digit {
            continue;
        }
        match key.as_slice() {
            b"cache_ttl" => numbers.cache_ttl = number,
            b"query_delay" => numbers.delay = number,
            b"query_retries" => numbers.retries = number,
            b"query_timeout" => numbers.timeout = number,
            b"hostgroup" => numbers.hostgroup = number,
            b"mirror" => numbers.mirror_hostgroup = number,
            b"max_lag_ms" if (0..=600_000).contains(&number) => numbers.max_lag_ms = number,
            _ => {}
        }
    }
}

/// Without blanks at the ends, and one for many inside.
fn folded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text.trim_ascii() {
        if !byte.is_ascii_whitespace() {
            out.push(byte);
        } else if out.last() != Some(&b' ') {
            out.push(b' ');
        }
    }
    out
}
