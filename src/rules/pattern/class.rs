//! Sets of bytes: what a class of PCRE means without UTF and in the C locale.

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(super) const EMPTY: Self = Self([false; 256]);

    /// The bytes that a predicate chooses.
    pub(super) fn of(chosen: impl Fn(u8) -> bool) -> Self {
        let mut set = Self::EMPTY;
        for (place, byte) in set.0.iter_mut().zip(0u8..=255) {
            *place = chosen(byte);
        }
        set
    }

    pub(super) fn add(&mut self, byte: u8) {
        if let Some(place) = self.0.get_mut(usize::from(byte)) {
            *place = true;
        }
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        for (place, &there) in self.0.iter_mut().zip(&other.0) {
            *place |= there;
        }
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(false)
    }

    #[must_use]
    pub(super) fn negated(&self) -> Self {
        Self::of(|byte| !self.contains(byte))
    }

    /// With the other case of every letter.
    #[must_use]
    pub(super) fn caseless(&self) -> Self {
        Self::of(|byte| {
            self.contains(byte.to_ascii_lowercase()) || self.contains(byte.to_ascii_uppercase())
        })
    }

    /// The runs of bytes, first and last.
    pub(super) fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in (0u8..=255).filter(|&byte| self.contains(byte)) {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(byte) => *last = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }
}

/// `\d`, `\w`, `\s`, `\h`, `\v` and, as capitals, their opposites.
pub(super) fn escape(letter: u8) -> Option<ByteSet> {
    let set = match letter.to_ascii_lowercase() {
        b'd' => ByteSet::of(|b| b.is_ascii_digit()),
        b'w' => ByteSet::of(|b| b.is_ascii_alphanumeric() || b == b'_'),
        b's' => ByteSet::of(is_space),
        b'h' => ByteSet::of(|b| matches!(b, b'\t' | b' ' | 0xa0)),
        b'v' => ByteSet::of(|b| matches!(b, b'\n' | 0x0b | 0x0c | b'\r' | 0x85)),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() {
        set.negated()
    } else {
        set
    })
}

/// `[:name:]`.
pub(super) fn posix(name: &[u8], caseless: bool) -> Option<ByteSet> {
    let (negated, name) = match name.split_first() {
        Some((b'^', rest)) => (true, rest),
        _ => (false, name),
    };
    let set = match name {
        b"upper" | b"lower" if caseless => ByteSet::of(|b| b.is_ascii_alphabetic()),
        b"alpha" => ByteSet::of(|b| b.is_ascii_alphabetic()),
        b"lower" => ByteSet::of(|b| b.is_ascii_lowercase()),
        b"upper" => ByteSet::of(|b| b.is_ascii_uppercase()),
        b"alnum" => ByteSet::of(|b| b.is_ascii_alphanumeric()),
        b"ascii" => ByteSet::of(|b| b.is_ascii()),
        b"blank" => ByteSet::of(|b| matches!(b, b' ' | b'\t')),
        b"cntrl" => ByteSet::of(|b| b.is_ascii_control()),
        b"digit" => ByteSet::of(|b| b.is_ascii_digit()),
        b"graph" => ByteSet::of(|b| b.is_ascii_graphic()),
        b"print" => ByteSet::of(|b| b.is_ascii_graphic() || b == b' '),
        b"punct" => ByteSet::of(|b| b.is_ascii_punctuation()),
        b"space" => ByteSet::of(is_space),
        b"word" => ByteSet::of(|b| b.is_ascii_alphanumeric() || b == b'_'),
        b"xdigit" => ByteSet::of(|b| b.is_ascii_hexdigit()),
        _ => return None,
    };
    Some(if negated { set.negated() } else { set })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' ')
}
