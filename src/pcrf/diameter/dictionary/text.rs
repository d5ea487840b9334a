//! Values as texts, as a dialplan reads them.

use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Avp, Kind};
use crate::pcrf::diameter::message::with_family;

/// Seconds between 1900 (Diameter's times) and 1970.
pub(crate) const TIME_OFFSET: u32 = 2_208_988_800;

impl Avp {
    /// Appends a value as text: numbers in decimal digits (enumerated values too), addresses and prefixes as usual,
    /// times as seconds since 1970, texts as they are, opaque bytes and values of a wrong length in hexadecimal
    /// digits. A group is shown in hexadecimal digits too.
    pub fn text(&self, value: &[u8], out: &mut Vec<u8>) {
        match self.kind {
            Kind::Unsigned32 | Kind::Enumerated(_) => match value.try_into() {
                Ok(bytes) => number(u32::from_be_bytes(bytes), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Unsigned64 => match value.try_into() {
                Ok(bytes) => number(u64::from_be_bytes(bytes), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Integer32 => match value.try_into() {
                Ok(bytes) => number(i32::from_be_bytes(bytes), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Integer64 => match value.try_into() {
                Ok(bytes) => number(i64::from_be_bytes(bytes), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Time => match value.try_into() {
                Ok(bytes) => number(unix_seconds(u32::from_be_bytes(bytes)), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Utf8 | Kind::Identity | Kind::Uri | Kind::Filter | Kind::Octets => {
                out.extend_from_slice(value);
            }
            Kind::Ipv4 => match <[u8; 4]>::try_from(value) {
                Ok(bytes) => show(Ipv4Addr::from(bytes), out),
                Err(_) => hexadecimal(value, out),
            },
            Kind::Ipv6Prefix => match value {
                [_, length, prefix @ ..] if prefix.len() <= 16 && *length <= 128 => {
                    let mut bytes = [0; 16];
                    for (to, from) in bytes.iter_mut().zip(prefix) {
                        *to = *from;
                    }
                    show(Ipv6Addr::from(bytes), out);
                    out.push(b'/');
                    number(*length, out);
                }
                _ => hexadecimal(value, out),
            },
            Kind::Address => match with_family(value) {
                Some(address) => show(address, out),
                None => hexadecimal(value, out),
            },
            Kind::Opaque | Kind::Grouped(_) => hexadecimal(value, out),
        }
    }
}

/// Seconds since 1970; times before 1968 are those of the era that begins in 2036, RFC 6733 §4.3.1.
pub(crate) fn unix_seconds(time: u32) -> i64 {
    let era = if time & 0x8000_0000 == 0 {
        1_i64 << 32
    } else {
        0
    };
    i64::from(time) + era - i64::from(TIME_OFFSET)
}

fn number(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn show(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}

fn hexadecimal(value: &[u8], out: &mut Vec<u8>) {
    for byte in value {
        for digit in [byte >> 4, byte & 15] {
            out.push(if digit < 10 {
                b'0' + digit
            } else {
                b'a' + digit - 10
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pcrf::diameter::id;

    fn text(of: crate::pcrf::diameter::AvpId, value: &[u8]) -> String {
        let mut out = Vec::new();
        of.avp().text(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_shown() {
        assert_eq!(text(id::RAT_TYPE, &[0, 0, 3, 236]), "1004");
        assert_eq!(text(id::RAT_TYPE, &[0, 3, 236]), "0003ec");
        assert_eq!(
            text(id::CC_TOTAL_OCTETS, &[0, 0, 0, 1, 0, 0, 0, 0]),
            "4294967296"
        );
        assert_eq!(text(id::FRAMED_IP_ADDRESS, &[10, 0, 0, 1]), "10.0.0.1");
        assert_eq!(
            text(id::FRAMED_IPV6_PREFIX, &[0, 64, 32, 1, 13, 184]),
            "2001:db8::/64"
        );
        assert_eq!(text(id::FRAMED_IPV6_PREFIX, &[0]), "00");
        assert_eq!(text(id::AN_GW_ADDRESS, &[0, 1, 127, 0, 0, 1]), "127.0.0.1");
        assert_eq!(text(id::AN_GW_ADDRESS, &[0, 9, 127]), "00097f");
        assert_eq!(text(id::CALLED_STATION_ID, b"internet"), "internet");
        assert_eq!(text(id::TGPP_MS_TIMEZONE, &[0x40, 1]), "4001");
        // 1 January 2026, and a time of the second era (7 February 2036).
        assert_eq!(
            text(id::REVALIDATION_TIME, &3_976_214_400_u32.to_be_bytes()),
            "1767225600"
        );
        assert_eq!(
            text(id::REVALIDATION_TIME, &0_u32.to_be_bytes()),
            "2085978496"
        );
    }
}
