//! Messages by raw bytes.

use strowger::pcrf::diameter::GX;

/// An AVP of any code as bytes, with the length that its value has.
pub(crate) fn avp(code: u32, flags: u8, vendor: Option<u32>, value: &[u8]) -> Vec<u8> {
    let size = 8 + if vendor.is_some() { 4 } else { 0 } + value.len();
    avp_of_length(code, flags, vendor, value, size as u32)
}

/// An AVP that lies about its length.
pub(crate) fn avp_of_length(
    code: u32,
    flags: u8,
    vendor: Option<u32>,
    value: &[u8],
    length: u32,
) -> Vec<u8> {
    let mut bytes = code.to_be_bytes().to_vec();
    bytes.push(flags | if vendor.is_some() { 0x80 } else { 0 });
    bytes.extend(&length.to_be_bytes()[1..]);
    bytes.extend(vendor.map(u32::to_be_bytes).into_iter().flatten());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

pub(crate) fn message(flags: u8, command: u32, application: u32, avps: &[Vec<u8>]) -> Vec<u8> {
    let body = avps.concat();
    let mut bytes = (20 + body.len() as u32).to_be_bytes().to_vec();
    bytes[0] = 1;
    bytes.extend(command.to_be_bytes());
    bytes[4] = flags;
    for word in [application, 0x1111_1111, 0x2222_2222] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(body);
    bytes
}

pub(crate) fn session() -> Vec<u8> {
    avp(263, 0x40, None, b"pcef;1;1")
}

pub(crate) fn subscriber() -> Vec<u8> {
    let kind = avp(450, 0x40, None, &[0, 0, 0, 1]);
    let data = avp(444, 0x40, None, b"001010000000001");
    avp(443, 0x40, None, &[kind, data].concat())
}

/// The AVPs of a good CCR-I.
pub(crate) fn good() -> Vec<Vec<u8>> {
    vec![
        session(),
        avp(258, 0x40, None, &GX.to_be_bytes()),
        avp(264, 0x40, None, b"pcef.example"),
        avp(296, 0x40, None, b"example"),
        avp(283, 0x40, None, b"example"),
        avp(416, 0x40, None, &[0, 0, 0, 1]),
        avp(415, 0x40, None, &[0, 0, 0, 0]),
        subscriber(),
        avp(30, 0x40, None, b"internet"),
    ]
}

/// The good one without an AVP.
pub(crate) fn without(code: u32) -> Vec<Vec<u8>> {
    let mut avps = good();
    avps.retain(|avp| avp[..4] != code.to_be_bytes());
    avps
}

/// The good one with another AVP instead of the one of this code.
pub(crate) fn instead(code: u32, other: Vec<u8>) -> Vec<Vec<u8>> {
    let mut avps = good();
    let at = avps.iter().position(|avp| avp[..4] == code.to_be_bytes());
    avps[at.unwrap()] = other;
    avps
}

pub(crate) fn and(more: Vec<u8>) -> Vec<Vec<u8>> {
    let mut avps = good();
    avps.push(more);
    avps
}
