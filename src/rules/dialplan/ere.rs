//! Patterns as POSIX extended regular expressions, as `REGEX()` of a dialplan line takes them.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// A pattern as the inside of the quotes of `REGEX("…" …)`. `Err` says what cannot be expressed.
pub(super) fn expression(tree: &Hir, lower: bool) -> Result<Vec<u8>, String> {
    let mut writer = Writer {
        out: Vec::new(),
        lower,
    };
    writer.tree(
        tree,
        Edge {
            start: true,
            end: true,
        },
        0,
    )?;
    Ok(writer.out)
}

/// The text, anchored at the start and perhaps at the end, for comparing variables with constants.
pub(super) fn constant(text: &[u8], whole: bool) -> Result<Vec<u8>, String> {
    let mut writer = Writer {
        out: Vec::new(),
        lower: false,
    };
    writer.special(b'^');
    for &byte in text {
        writer.byte(byte)?;
    }
    if whole {
        writer.special(b'$');
    }
    Ok(writer.out)
}

/// Whether the rest of the text before or after does not matter to what is written next.
#[derive(Clone, Copy)]
struct Edge {
    start: bool,
    end: bool,
}

const INNER: Edge = Edge {
    start: false,
    end: false,
};

/// Where a part of a pattern has sets that ask for a byte which may be one of several of a character. Two of those in
/// a row would share such a character, and take two where the expression reads characters.
#[derive(Clone, Copy)]
struct Shares {
    /// Such a set may be the first that asks for anything.
    first: bool,
    /// Such a set may be the last.
    last: bool,
    /// The part may be matched by nothing, or by bytes that no set asks for.
    passes: bool,
}

impl Shares {
    /// Bytes that are characters.
    const WHOLE: Self = Self {
        first: false,
        last: false,
        passes: false,
    };
    /// Nothing, or a set that asks for no byte.
    const FREE: Self = Self {
        first: false,
        last: false,
        passes: true,
    };
    /// A set that asks for a byte.
    const BYTE: Self = Self {
        first: true,
        last: true,
        passes: false,
    };

    /// One part behind another.
    fn then(self, next: Self) -> Result<Self, String> {
        if self.last && next.first {
            return Err(COUNTS.to_owned());
        }
        Ok(Self {
            first: self.first || (self.passes && next.first),
            last: next.last || (next.passes && self.last),
            passes: self.passes && next.passes,
        })
    }

    /// One part or another.
    fn or(self, other: Self) -> Self {
        Self {
            first: self.first || other.first,
            last: self.last || other.last,
            passes: self.passes || other.passes,
        }
    }
}

const COUNTS: &str = "a pattern that counts bytes beyond ASCII";

/// Trees nest no deeper than patterns do; this is a second fence.
const DEPTH: usize = 500;

struct Writer {
    out: Vec<u8>,
    /// The text that is searched is in lower case.
    lower: bool,
}

impl Writer {
    /// A byte of the expression. The splitting of arguments takes one backslash away and counts brackets.
    fn special(&mut self, byte: u8) {
        if b"\\()[]\"$".contains(&byte) {
            self.out.push(b'\\');
        }
        self.out.push(byte);
    }

    fn specials(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.special(byte));
    }

    /// A byte that stands for itself.
    fn byte(&mut self, byte: u8) -> Result<(), String> {
        let byte = if self.lower {
            byte.to_ascii_lowercase()
        } else {
            byte
        };
        match byte {
            b'\n' => self.out.extend_from_slice(b"${NL}"),
            // Braces would end the function call.
            b'{' => self.out.extend_from_slice(b"\\\\${OB}"),
            b'}' => self.out.extend_from_slice(b"\\\\${CB}"),
            _ if !byte.is_ascii() => return Err("a pattern with bytes beyond ASCII".to_owned()),
            _ if byte.is_ascii_control() => return Err("a pattern with control bytes".to_owned()),
            _ => {
                if b"\\^.[]$()|*+?".contains(&byte) {
                    self.special(b'\\');
                }
                self.special(byte);
            }
        }
        Ok(())
    }

    fn tree(&mut self, tree: &Hir, edge: Edge, depth: usize) -> Result<Shares, String> {
        if depth > DEPTH {
            return Err("a pattern that nests too deep".to_owned());
        }
        match tree.kind() {
            HirKind::Empty => Ok(Shares::FREE),
            HirKind::Literal(literal) => {
                for &byte in &literal.0 {
                    self.byte(byte)?;
                }
                Ok(Shares::WHOLE)
            }
            HirKind::Class(class) => self.class(class, edge.start || edge.end),
            HirKind::Look(Look::Start) => {
                self.special(b'^');
                Ok(Shares::FREE)
            }
            HirKind::Look(Look::End) => {
                self.special(b'$');
                Ok(Shares::FREE)
            }
            HirKind::Look(_) => Err("a pattern that looks around".to_owned()),
            HirKind::Repetition(repetition) => self.repetition(repetition, depth),
            HirKind::Capture(capture) => self.group(&capture.sub, edge, depth),
            HirKind::Concat(parts) => {
                let last = parts.len().saturating_sub(1);
                let mut whole = Shares::FREE;
                for (n, part) in parts.iter().enumerate() {
                    let edge = Edge {
                        start: edge.start && n == 0,
                        end: edge.end && n == last,
                    };
                    let next = if matches!(part.kind(), HirKind::Alternation(_)) {
                        self.group(part, edge, depth)?
                    } else {
                        self.tree(part, edge, depth + 1)?
                    };
                    whole = whole.then(next)?;
                }
                Ok(whole)
            }
            HirKind::Alternation(parts) => {
                let mut any = Shares::WHOLE;
                for (n, part) in parts.iter().enumerate() {
                    if n > 0 {
                        self.special(b'|');
                    }
                    if *part.kind() == HirKind::Empty {
                        self.specials("()");
                    }
                    any = any.or(self.tree(part, edge, depth + 1)?);
                }
                Ok(any)
            }
        }
    }

    fn repetition(&mut self, repetition: &Repetition, depth: usize) -> Result<Shares, String> {
        let (least, most) = (repetition.min, repetition.max);
        let mut shares = if let HirKind::Class(class) = repetition.sub.kind() {
            // A class that is repeated without bounds takes all bytes of a character.
            let shares = self.class(class, most.is_none() && least <= 1)?;
            if least == 0 && shares.first {
                Shares::FREE
            } else {
                shares
            }
        } else {
            let shares = self.group(&repetition.sub, INNER, depth)?;
            if most != Some(1) {
                shares.then(shares)?;
            }
            shares
        };
        shares.passes |= least == 0;
        match (least, most) {
            (0, None) => self.special(b'*'),
            (1, None) => self.special(b'+'),
            (0, Some(1)) => self.special(b'?'),
            _ => {
                if least.max(most.unwrap_or(0)) > 255 {
                    return Err("a repetition of more than 255 times".to_owned());
                }
                let most = most.map_or(String::new(), |most| most.to_string());
                self.specials(&format!("{{{least},{most}}}"));
            }
        }
        Ok(shares)
    }

    fn group(&mut self, tree: &Hir, edge: Edge, depth: usize) -> Result<Shares, String> {
        self.special(b'(');
        let shares = self.tree(tree, edge, depth + 1)?;
        self.special(b')');
        Ok(shares)
    }

    /// A set. One of bytes beyond ASCII is a set of characters here, which makes a difference where they are counted.
    fn class(&mut self, class: &Class, uncounted: bool) -> Result<Shares, String> {
        let mut members = [false; 128];
        let mut beyond = Beyond::default();
        match class {
            Class::Bytes(class) => {
                for range in class.ranges() {
                    note(
                        u32::from(range.start()),
                        u32::from(range.end()),
                        0xff,
                        &mut members,
                        &mut beyond,
                    );
                }
            }
            Class::Unicode(class) => {
                for range in class.ranges() {
                    note(
                        u32::from(range.start()),
                        u32::from(range.end()),
                        0x10_ffff,
                        &mut members,
                        &mut beyond,
                    );
                }
            }
        }
        if self.lower {
            for upper in b'A'..=b'Z' {
                if let Some(place) = members.get_mut(usize::from(upper)) {
                    *place = false;
                }
            }
        }
        if beyond.some && !beyond.all {
            return Err("a set with some bytes beyond ASCII".to_owned());
        }
        let is_of_bytes = beyond.all && matches!(class, Class::Bytes(_));
        if is_of_bytes && !uncounted {
            return Err(COUNTS.to_owned());
        }
        let negated = beyond.all;
        let listed: Vec<u8> = (0u8..128)
            .filter(|&byte| {
                let lost = self.lower && byte.is_ascii_uppercase();
                let member = members.get(usize::from(byte)).copied().unwrap_or(false);
                !lost && member != negated
            })
            .collect();
        if listed.is_empty() && !negated {
            return Err("a set without members".to_owned());
        }
        self.bracket(&listed, negated)?;
        Ok(if is_of_bytes {
            Shares::BYTE
        } else {
            Shares::WHOLE
        })
    }

    fn bracket(&mut self, listed: &[u8], negated: bool) -> Result<(), String> {
        let mut listed = listed.to_vec();
        if listed.is_empty() {
            // Everything, newlines too.
            self.special(b'.');
            return Ok(());
        }
        self.special(b'[');
        if negated {
            self.special(b'^');
        }
        let take = |listed: &mut Vec<u8>, wanted: &[u8]| {
            let all = wanted.iter().all(|byte| listed.contains(byte));
            if all {
                listed.retain(|byte| !wanted.contains(byte));
            }
            all
        };
        // Bytes that a line cannot hold go by the names of their classes.
        let mut tail = String::new();
        if take(&mut listed, b"\t\n\x0b\x0c\r ") {
            tail.push_str("[:space:]");
        }
        let controls: Vec<u8> = (0..32).chain([127]).collect();
        if take(&mut listed, &controls) {
            tail.push_str("[:cntrl:]");
        }
        if take(&mut listed, b"\t ") {
            tail.push_str("[:blank:]");
        }
        let newline = take(&mut listed, b"\n");
        let braces = (take(&mut listed, b"{"), take(&mut listed, b"}"));
        if listed.iter().any(u8::is_ascii_control) {
            return Err("a pattern with control bytes".to_owned());
        }
        // `]` stands first, `-` last, `^` anywhere but first.
        let bracket = take(&mut listed, b"]");
        let dash = take(&mut listed, b"-");
        let caret = take(&mut listed, b"^");
        let opening = take(&mut listed, b"[");
        if bracket {
            self.special(b']');
        }
        let mut rest = listed.as_slice();
        while let Some((&first, _)) = rest.split_first() {
            let run = rest
                .iter()
                .zip(first..)
                .take_while(|(have, want)| **have == *want)
                .count();
            let last = first + (run - 1) as u8;
            let same_kind = |kind: fn(&u8) -> bool| kind(&first) && kind(&last);
            let is_range = run > 2
                && (same_kind(u8::is_ascii_digit)
                    || same_kind(u8::is_ascii_lowercase)
                    || same_kind(u8::is_ascii_uppercase));
            if is_range {
                self.special(first);
                self.special(b'-');
                self.special(last);
                rest = rest.get(run..).unwrap_or_default();
            } else {
                self.special(first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        if opening {
            self.special(b'[');
        }
        self.specials(&tail);
        if newline {
            self.out.extend_from_slice(b"${NL}");
        }
        if braces.0 {
            self.out.extend_from_slice(b"${OB}");
        }
        if braces.1 {
            self.out.extend_from_slice(b"${CB}");
        }
        let alone = !bracket && listed.is_empty() && !opening && tail.is_empty() && !newline;
        if caret {
            if alone && !negated && !braces.0 && !braces.1 {
                if !dash {
                    return Err("a set of `^` alone".to_owned());
                }
                self.specials("-^]");
                return Ok(());
            }
            self.special(b'^');
        }
        if dash {
            self.special(b'-');
        }
        self.special(b']');
        Ok(())
    }
}

/// What a set has beyond ASCII.
#[derive(Default)]
struct Beyond {
    some: bool,
    all: bool,
}

fn note(start: u32, end: u32, largest: u32, members: &mut [bool; 128], beyond: &mut Beyond) {
    for code in start..=end.min(127) {
        if let Some(place) = members.get_mut(code as usize) {
            *place = true;
        }
    }
    if end > 127 {
        beyond.some = true;
        beyond.all |= start <= 128 && end == largest;
    }
}
