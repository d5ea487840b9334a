//! Character sets by the names of glibc. Those of several bytes come from `encoding_rs`; those of one byte for each
//! character, of which that crate has few, and what `//TRANSLIT` writes, from two tables. They hold what the `iconv`
//! of glibc 2.36 answered in the locale C when it was asked for every byte of every set, and for every character in
//! ASCII; nothing in them is from its source. All numbers are hexadecimal.
//!
//! `tables.txt`: names, and after a tab runs of `first byte:characters`, in which `-` is no character and `*n` goes on
//! for n characters; bytes that are not named stand for the characters of their number.
//!
//! `transliteration.txt`: a character, and after a tab its text; `*n` goes on for n characters, each text the next
//! character. In the order of the characters.

use std::sync::LazyLock;

use encoding_rs::{DecoderResult, Encoding};

use crate::base::symbol::{StableMap, stable_map};

/// A character set.
pub(super) enum Charset {
    Utf8,
    /// In words of so many bytes, with a mark at the start where the order of bytes is not said.
    Wide { bytes: usize, order: Order },
    Utf7,
    /// One byte for each character.
    Single(Vec<Option<char>>),
    /// One of the web.
    Web(&'static Encoding),
}

/// The order of bytes in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Big,
    Little,
    /// The little end first, after a mark.
    Marked,
}

/// Sets of several bytes: names of glibc, and the name in the encoding standard of the web.
const WEB: &[(&str, &str)] = &[
    ("BIG5 BIG-5 BIG-FIVE BIGFIVE CN-BIG5 CP950 BIG5-HKSCS BIG5HKSCS", "big5"),
    ("EUC-JP EUCJP UJIS CSEUCPKDFMTJAPANESE EUC-JP-MS EUCJP-MS EUCJP-OPEN EUCJP-WIN", "euc-jp"),
    ("EUC-KR EUCKR CSEUCKR UHC CP949 MSCP949", "euc-kr"),
    ("GBK CP936 MS936 WINDOWS-936 EUC-CN EUCCN GB2312 CN-GB CSGB2312", "gbk"),
    ("GB18030", "gb18030"),
    ("ISO-2022-JP ISO2022JP CSISO2022JP", "iso-2022-jp"),
    (
        "SHIFT_JIS SHIFT-JIS SJIS CSSHIFTJIS MS_KANJI CP932 MS932 IBM932 IBM-932 SJIS-OPEN SJIS-WIN WINDOWS-31J \
         CSWINDOWS31J IBM943 IBM-943",
        "shift_jis",
    ),
];

const TABLES: &str = include_str!("tables.txt");
const TRANSLITERATIONS: &str = include_str!("transliteration.txt");

/// Characters in a row whose texts are in a row, too.
struct Run {
    first: u32,
    count: u32,
    text: &'static str,
}

/// The transliterations, in the order of the characters.
static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    let run = |line: &'static str| {
        let (place, text) = line.split_once('\t')?;
        let (first, count) = place.split_once('*').unwrap_or((place, "1"));
        Some(Run {
            first: number(first)?,
            count: number(count)?,
            text,
        })
    };
    TRANSLITERATIONS.lines().filter_map(run).collect()
});

/// The lines of the table by name.
static SINGLE: LazyLock<StableMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut lines = stable_map();
    for line in TABLES.lines() {
        let (names, runs) = line.split_once('\t').unwrap_or((line, ""));
        for name in names.split(' ') {
            lines.insert(name, runs);
        }
    }
    lines
});

impl Charset {
    /// By name in capitals; an empty name is that of the locale.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        let wide = |bytes, order| Some(Charset::Wide { bytes, order });
        match name {
            "" | "UTF-8" | "UTF8" | "ISO-10646/UTF8" | "ISO-10646/UTF-8" | "ISO-IR-193" => {
                Some(Charset::Utf8)
            }
            "UTF-16" | "UTF16" | "UNICODE" | "CSUNICODE" => wide(2, Order::Marked),
            "UTF-16LE" | "UTF16LE" | "UCS-2" | "UCS2" | "UCS-2LE" | "UNICODELITTLE"
            | "ISO-10646/UCS2" => wide(2, Order::Little),
            "UTF-16BE" | "UTF16BE" | "UCS-2BE" | "UNICODEBIG" => wide(2, Order::Big),
            "UTF-32" | "UTF32" => wide(4, Order::Marked),
            "UTF-32LE" | "UTF32LE" | "UCS-4LE" | "WCHAR_T" => wide(4, Order::Little),
            "UTF-32BE" | "UTF32BE" | "UCS-4" | "UCS4" | "UCS-4BE" | "CSUCS4" | "ISO-10646"
            | "10646-1:1993" | "10646-1:1993/UCS4" | "ISO-10646/UCS4" => wide(4, Order::Big),
            "UTF-7" | "UTF7" => Some(Charset::Utf7),
            _ => match SINGLE.get(name) {
                Some(runs) => Some(Charset::Single(table(runs))),
                None => WEB
                    .iter()
                    .find(|(names, _)| names.split(' ').any(|known| known == name))
                    .and_then(|(_, label)| Encoding::for_label(label.as_bytes()))
                    .map(Charset::Web),
            },
        }
    }

    /// The characters, `None` where something is not valid.
    pub(super) fn decode(&self, text: &[u8]) -> Vec<Option<char>> {
        match self {
            Charset::Utf8 => {
                let mut characters = Vec::new();
                for chunk in text.utf8_chunks() {
                    characters.extend(chunk.valid().chars().map(Some));
                    characters.extend(chunk.invalid().iter().map(|_| None));
                }
                characters
            }
            Charset::Wide { bytes, order } => wide(text, *bytes, *order),
            Charset::Utf7 => seven::decode(text),
            Charset::Single(table) => text
                .iter()
                .map(|b| table.get(usize::from(*b)).copied().flatten())
                .collect(),
            Charset::Web(encoding) => web(encoding, text),
        }
    }

    /// Whether it has a character.
    pub(super) fn shows(&self, c: char) -> bool {
        match self {
            Charset::Utf8 | Charset::Wide { .. } | Charset::Utf7 => true,
            Charset::Single(table) => table.contains(&Some(c)),
            Charset::Web(encoding) => {
                let mut text = [0; 4];
                let (_, _, unknown) = encoding.encode(c.encode_utf8(&mut text));
                !unknown
            }
        }
    }

    /// A text that it shows, in its bytes.
    pub(super) fn encode(&self, text: &str) -> Vec<u8> {
        match self {
            Charset::Utf8 => text.as_bytes().to_vec(),
            Charset::Wide { bytes, order } => {
                let mark = (*order == Order::Marked).then_some('\u{feff}');
                let characters = mark.into_iter().chain(text.chars());
                let words: Vec<u32> = if *bytes == 2 {
                    let text: String = characters.collect();
                    text.encode_utf16().map(u32::from).collect()
                } else {
                    characters.map(u32::from).collect()
                };
                let mut out = Vec::new();
                for word in words {
                    let mut word = word.to_be_bytes();
                    let skipped = word.len() - *bytes;
                    let word = word.get_mut(skipped..).unwrap_or_default();
                    if *order != Order::Big {
                        word.reverse();
                    }
                    out.extend_from_slice(word);
                }
                out
            }
            Charset::Utf7 => seven::encode(text),
            Charset::Single(table) => text
                .chars()
                .filter_map(|c| table.iter().position(|known| *known == Some(c)))
                .map(|byte| byte as u8)
                .collect(),
            Charset::Web(encoding) => encoding.encode(text).0.into_owned(),
        }
    }
}

/// The characters of the 256 bytes.
fn table(runs: &str) -> Vec<Option<char>> {
    let mut table: Vec<Option<char>> = (0..=255u8).map(|b| Some(char::from(b))).collect();
    for run in runs.split(' ') {
        let Some((first, characters)) = run.split_once(':') else {
            continue;
        };
        let mut byte = usize::from_str_radix(first, 16).unwrap_or(0);
        for item in characters.split(',') {
            let (first, count) = item.split_once('*').unwrap_or((item, "1"));
            let first = u32::from_str_radix(first, 16).ok();
            for n in 0..u32::from_str_radix(count, 16).unwrap_or(1) {
                let c = first.and_then(|first| char::from_u32(first + n));
                if let Some(place) = table.get_mut(byte) {
                    *place = c;
                }
                byte += 1;
            }
        }
    }
    table
}

/// Words of two or four bytes.
fn wide(text: &[u8], bytes: usize, order: Order) -> Vec<Option<char>> {
    let mut words: Vec<Option<u32>> = text
        .chunks(bytes)
        .map(|word| {
            let value = word.iter().fold(0, |value, b| value << 8 | u32::from(*b));
            (word.len() == bytes).then_some(value)
        })
        .collect();
    let swapped = |word: u32| word.swap_bytes() >> (8 * (4 - bytes));
    let mark = words.first().copied().flatten();
    let little = match order {
        Order::Big => false,
        Order::Little => true,
        Order::Marked => {
            let marked = mark.is_some_and(|mark| mark == 0xfeff || swapped(mark) == 0xfeff);
            let little = !marked || mark != Some(0xfeff);
            if marked {
                words.remove(0);
            }
            little
        }
    };
    let words = words
        .into_iter()
        .map(|word| word.map(|word| if little { swapped(word) } else { word }));
    if bytes == 4 {
        return words.map(|word| char::from_u32(word?)).collect();
    }
    // An incomplete word is as bad as half a pair.
    let units = words.map(|word| word.map_or(0xd800, |word| word as u16));
    char::decode_utf16(units).map(Result::ok).collect()
}

fn web(encoding: &'static Encoding, text: &[u8]) -> Vec<Option<char>> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut characters = Vec::new();
    let mut rest = text;
    let mut buffer = String::with_capacity(1024);
    loop {
        let (result, read) =
            decoder.decode_to_string_without_replacement(rest, &mut buffer, true);
        characters.extend(buffer.chars().map(Some));
        buffer.clear();
        rest = rest.get(read..).unwrap_or_default();
        match result {
            DecoderResult::InputEmpty => return characters,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(_, _) => characters.push(None),
        }
    }
}

/// Another way to write a character in ASCII, as glibc has it without a locale.
pub(super) fn transliteration(c: char) -> Option<String> {
    let wanted = u32::from(c);
    let after = RUNS.partition_point(|run| run.first <= wanted);
    let run = RUNS.get(after.checked_sub(1)?)?;
    match wanted - run.first {
        0 => Some(run.text.to_owned()),
        n if n < run.count => {
            let start = run.text.chars().next()?;
            char::from_u32(u32::from(start) + n).map(String::from)
        }
        _ => None,
    }
}

/// UTF-7 (RFC 2152).
mod seven {
    use base64::Engine as _;
    use base64::alphabet::STANDARD;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_encode_padding(false)
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireNone),
    );

    pub(super) fn decode(text: &[u8]) -> Vec<Option<char>> {
        let mut characters = Vec::new();
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'+' {
                characters.push(byte.is_ascii().then(|| char::from(byte)));
                continue;
            }
            let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
            let end = tail.iter().position(|b| !inside(b)).unwrap_or(tail.len());
            let (encoded, after) = tail.split_at_checked(end).unwrap_or((tail, &[]));
            let closed = after.first() == Some(&b'-');
            rest = if closed { after.get(1..).unwrap_or(&[]) } else { after };
            if encoded.is_empty() {
                characters.push(closed.then_some('+'));
                continue;
            }
            let bytes = BASE64.decode(encoded).unwrap_or_default();
            if bytes.is_empty() {
                characters.push(None);
            }
            let units = bytes
                .as_chunks::<2>()
                .0
                .iter()
                .map(|pair| u16::from_be_bytes(*pair));
            characters.extend(char::decode_utf16(units).map(Result::ok));
        }
        characters
    }

    /// Characters that stand for themselves.
    fn is_direct(c: char) -> bool {
        c.is_ascii_alphanumeric() || "'(),-./:? \t\r\n".contains(c)
    }

    pub(super) fn encode(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // What follows an encoded run without a `-` would be taken for a part of it.
            let direct = is_direct(first);
            let same = |c: char| is_direct(c) == direct;
            let end = rest.find(|c: char| !same(c)).unwrap_or(rest.len());
            let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = after;
            if direct {
                out.extend_from_slice(run.as_bytes());
            } else if run == "+" {
                out.extend_from_slice(b"+-");
            } else {
                let bytes: Vec<u8> = run.encode_utf16().flat_map(u16::to_be_bytes).collect();
                out.push(b'+');
                out.extend_from_slice(BASE64.encode(bytes).as_bytes());
                out.push(b'-');
            }
        }
        out
    }
}
