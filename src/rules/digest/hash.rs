//! SpookyHash V2 with seed 0, which ProxySQL makes of digests (Bob Jenkins, public domain).

const CONST: u64 = 0xdead_beef_dead_beef;
/// Bytes of a block of the long form.
const BLOCK: usize = 96;
/// Texts shorter than this take the short form.
const LONG: usize = 2 * BLOCK;

fn word(bytes: &[u8], index: usize) -> u64 {
    bytes
        .get(index * 8..index * 8 + 8)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

/// The bytes as a little-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| (value << 8) | u64::from(byte))
}

/// The lower 64 bits of the hash.
pub(crate) fn hash(text: &[u8]) -> u64 {
    if text.len() < LONG {
        short(text)
    } else {
        long(text)
    }
}

fn short(text: &[u8]) -> u64 {
    let (mut a, mut b, mut c, mut d) = (0u64, 0u64, CONST, CONST);
    let mut blocks = text.chunks_exact(32);
    for block in &mut blocks {
        c = c.wrapping_add(word(block, 0));
        d = d.wrapping_add(word(block, 1));
        [a, b, c, d] = mixed([a, b, c, d]);
        a = a.wrapping_add(word(block, 2));
        b = b.wrapping_add(word(block, 3));
    }
    let mut rest = blocks.remainder();
    if rest.len() >= 16 {
        c = c.wrapping_add(word(rest, 0));
        d = d.wrapping_add(word(rest, 1));
        [a, b, c, d] = mixed([a, b, c, d]);
        rest = rest.get(16..).unwrap_or_default();
    }
    d = d.wrapping_add((text.len() as u64) << 56);
    if rest.is_empty() {
        c = c.wrapping_add(CONST);
        d = d.wrapping_add(CONST);
    } else {
        let (low, high) = rest.split_at(rest.len().min(8));
        c = c.wrapping_add(number(low));
        d = d.wrapping_add(number(high));
    }
    ended([a, b, c, d])
}

fn mixed(mut h: [u64; 4]) -> [u64; 4] {
    const TURNS: [u32; 12] = [50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36];
    for (n, turn) in TURNS.into_iter().enumerate() {
        let [h0, h1, h2, h3] = &mut h;
        let (x, y, z) = match n % 4 {
            0 => (h2, h3, h0),
            1 => (h3, h0, h1),
            2 => (h0, h1, h2),
            _ => (h1, h2, h3),
        };
        *x = x.rotate_left(turn).wrapping_add(*y);
        *z ^= *x;
    }
    h
}

fn ended(mut h: [u64; 4]) -> u64 {
    const TURNS: [u32; 11] = [15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63];
    for (n, turn) in TURNS.into_iter().enumerate() {
        let [h0, h1, h2, h3] = &mut h;
        let (x, y) = match n % 4 {
            0 => (h3, h2),
            1 => (h0, h3),
            2 => (h1, h0),
            _ => (h2, h1),
        };
        *x ^= *y;
        *y = y.rotate_left(turn);
        *x = x.wrapping_add(*y);
    }
    h[0]
}

fn long(text: &[u8]) -> u64 {
    let mut h = [0u64; 12];
    for (n, word) in h.iter_mut().enumerate() {
        if n % 3 == 2 {
            *word = CONST;
        }
    }
    let mut blocks = text.chunks_exact(BLOCK);
    for block in &mut blocks {
        mix(&mut h, block);
    }
    let rest = blocks.remainder();
    let mut last = [0u8; BLOCK];
    for (place, &byte) in last.iter_mut().zip(rest) {
        *place = byte;
    }
    if let Some(place) = last.last_mut() {
        *place = rest.len() as u8;
    }
    for (n, place) in h.iter_mut().enumerate() {
        *place = place.wrapping_add(word(&last, n));
    }
    for _ in 0..3 {
        end_partly(&mut h);
    }
    h[0]
}

#[expect(
    clippy::indexing_slicing,
    reason = "all indices are taken modulo the length"
)]
fn mix(h: &mut [u64; 12], block: &[u8]) {
    const TURNS: [u32; 12] = [11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46];
    for (n, turn) in TURNS.into_iter().enumerate() {
        h[n] = h[n].wrapping_add(word(block, n));
        h[(n + 2) % 12] ^= h[(n + 10) % 12];
        h[(n + 11) % 12] ^= h[n];
        h[n] = h[n].rotate_left(turn);
        h[(n + 11) % 12] = h[(n + 11) % 12].wrapping_add(h[(n + 1) % 12]);
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "all indices are taken modulo the length"
)]
fn end_partly(h: &mut [u64; 12]) {
    const TURNS: [u32; 12] = [44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54];
    for (n, turn) in TURNS.into_iter().enumerate() {
        h[(n + 11) % 12] = h[(n + 11) % 12].wrapping_add(h[(n + 1) % 12]);
        h[(n + 2) % 12] ^= h[(n + 11) % 12];
        h[(n + 1) % 12] = h[(n + 1) % 12].rotate_left(turn);
    }
}
