//! What settings can be, and the words for it.

use std::time::Duration;

/// A pause of this length joins six requests at 3,000 a second, and adds a millisecond to an answer on average.
pub(super) const GATHER: Duration = Duration::from_millis(2);
/// A longer one would be seen by PCEFs.
pub(super) const LONGEST_GATHER: Duration = Duration::from_millis(100);
/// Changes of one commit: more only take memory.
pub(super) const MOST_CHANGES: usize = 1_000_000;

/// `10s`, `5m`, `24h`, `100ms`; a number alone is seconds.
pub(super) fn duration(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let millis = match unit.trim() {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.checked_mul(millis)?))
}

pub(super) fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// The least and the most of a time, in milliseconds, and the words for it. What the engine counts in seconds is one at
/// least; what answers wait for is shorter than a PCEF waits.
fn bounds(name: &[u8]) -> Option<(u64, u64, &'static str)> {
    Some(match name {
        b"session_ttl" => (
            1000,
            366 * 86_400_000,
            "a time from 1s to 366d, such as 24h",
        ),
        b"tombstone" => (1000, 86_400_000, "a time from 1s to 24h, such as 5m"),
        b"push_timeout" => (10, 600_000, "a time from 10ms to 10m, such as 5s"),
        b"release_repeat" => (10, 86_400_000, "a time from 10ms to 24h, such as 1m"),
        b"store_patience" => (1, 600_000, "a time from 1ms to 10m, such as 2s"),
        b"interval" => (1, 60_000, "a time from 1ms to 1m, such as 100ms"),
        b"batch_idle" => (0, 1000, "a time up to 1s, such as 1ms"),
        b"batch_age" => (0, 1000, "a time up to 1s, such as 4ms"),
        _ => return None,
    })
}

/// A time that this setting can have.
pub(super) fn pause(name: &[u8], text: &[u8]) -> Option<Duration> {
    let (least, most, _) = bounds(name)?;
    let range = Duration::from_millis(least)..=Duration::from_millis(most);
    duration(text).filter(|own| range.contains(own))
}

/// DiameterIdentity is a host name (RFC 6733 §4.3.1): labels of letters, digits and hyphens, with dots between them.
pub(super) fn identity(text: &[u8]) -> Option<Vec<u8>> {
    let is_label = |label: &[u8]| {
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        (1..=63).contains(&label.len())
            && label.iter().all(fits)
            && label.first() != Some(&b'-')
            && label.last() != Some(&b'-')
    };
    let sound = text.len() <= 255 && text.split(|byte| *byte == b'.').all(is_label);
    sound.then(|| text.to_vec())
}

/// HOST:PORT, where HOST is a name or an address, one of IPv6 in brackets.
pub(super) fn address(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let (host, port) = text.rsplit_once(':')?;
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_host = match host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
    {
        Some(host) => host.parse::<std::net::Ipv6Addr>().is_ok(),
        None => identity(host.as_bytes()).is_some(),
    };
    (is_port && is_host).then(|| text.to_owned())
}

/// What may stand in the place of a value that cannot be.
pub(super) fn wanted(name: &[u8]) -> Option<&'static str> {
    if let Some((_, _, words)) = bounds(name) {
        return Some(words);
    }
    Some(match name {
        b"host" => "a host name of letters, digits, hyphens and dots, such as pcrf.example",
        b"realm" => "a domain name of letters, digits, hyphens and dots, such as example",
        b"listen" => "an address with a port, such as 127.0.0.1:3868",
        b"store" => "mem, redb:FILE, postgres://USER@HOST:PORT/DATABASE or host=… dbname=…",
        b"durability" => "strict, relaxed or mem",
        b"batch" => "a number from 1 to 1000000",
        b"peers" => "any or listed",
        b"experimental" => "ts, result-only or both",
        b"unknown_subscriber" => "a result from 3000 to 5999, or policy",
        b"late_request" => "5453 or 5012",
        b"usage_report" => "33 or 26",
        b"refusals" => "a number, 0 for none",
        b"push_rate" => "a number above 0",
        b"max_message" => "a number of bytes from 1024 to 262140",
        b"gather" => "yes, no or a time up to 100ms",
        b"workers" => "a number from 1 to 256",
        b"log" => "warning or info",
        b"connect" => "the peer's HOST:PORT, such as 127.0.0.1:3868",
        b"type" => "peer",
        _ => return None,
    })
}
