//! ICONV.

use crate::base::arguments::standard;
use crate::base::scan::{before_zero, strip};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx};

/// Another character set.
pub static ICONV: Function = Function::read(
    "ICONV",
    "Text in another character set.",
    "from,to,text",
    "An empty name means UTF-8. The text ends at a zero byte. What the target cannot show ends the text.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let [from, to, text] = arguments.as_slice() else {
            cx.log(&code::BAD_ARGUMENT, || {
                "ICONV needs two character sets and a text".to_owned()
            });
            return Answer::Failed;
        };
        let (Some(from), Some(to)) = (Charset::named(from), Charset::named(to)) else {
            cx.log_at(&code::ICONV_CHARSET, Level::Error, || {
                "ICONV does not know a character set".to_owned()
            });
            return Answer::Failed;
        };
        let mut bytes = Vec::new();
        let (characters, mut whole) = from.decode(text);
        for c in characters {
            if !to.encode(c, &mut bytes) {
                whole = false;
                break;
            }
        }
        if !whole {
            cx.log(&code::ICONV_CONVERSION, || {
                "the text cannot be converted".to_owned()
            });
        }
        out.extend_from_slice(before_zero(&bytes));
        Answer::Done
    },
)
.support(Support::Partial(
    "UTF-8, UTF-16, US-ASCII, ISO-8859-1, CP1252, CP1251 and KOI8-R only",
))
.examples(&[Example {
    title: "To Latin 1 and back",
    dialplan: "",
    evaluate: "${ICONV(ISO-8859-1,UTF-8,${ICONV(UTF-8,ISO-8859-1,é)})}",
    expect: "é",
}]);

/// A character set.
#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Utf16 { little: bool },
    /// ASCII, and these characters from byte 128 on; `U+FFFD` where there is none.
    Bytes(&'static str),
}

const LATIN_1: &str = "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\
     \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
const CP1252: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ\
     \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
const CP1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї\
     АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
const KOI8_R: &str = "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©\
     юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ";

impl Charset {
    /// By name, without regard to case and to blanks around it; an empty name is that of the locale.
    fn named(name: &[u8]) -> Option<Self> {
        Some(match strip(name).to_ascii_uppercase().as_slice() {
            b"" | b"UTF-8" | b"UTF8" => Charset::Utf8,
            b"UTF-16LE" | b"UTF16LE" => Charset::Utf16 { little: true },
            b"UTF-16BE" | b"UTF16BE" => Charset::Utf16 { little: false },
            b"ASCII" | b"US-ASCII" | b"ANSI_X3.4-1968" => Charset::Bytes(""),
            b"ISO-8859-1" | b"ISO8859-1" | b"LATIN1" | b"L1" => Charset::Bytes(LATIN_1),
            b"CP1252" | b"WINDOWS-1252" => Charset::Bytes(CP1252),
            b"CP1251" | b"WINDOWS-1251" => Charset::Bytes(CP1251),
            b"KOI8-R" | b"KOI8R" => Charset::Bytes(KOI8_R),
            _ => return None,
        })
    }

    /// The characters up to the first that is not valid, and whether there is none.
    fn decode(self, text: &[u8]) -> (Vec<char>, bool) {
        match self {
            Charset::Utf8 => match text.utf8_chunks().next() {
                Some(chunk) => (
                    chunk.valid().chars().collect(),
                    chunk.invalid().is_empty(),
                ),
                None => (Vec::new(), true),
            },
            Charset::Utf16 { little } => {
                let (pairs, rest) = text.as_chunks::<2>();
                let units = pairs.iter().map(|pair| {
                    if little {
                        u16::from_le_bytes(*pair)
                    } else {
                        u16::from_be_bytes(*pair)
                    }
                });
                let decoded: Vec<_> = char::decode_utf16(units).collect();
                let good: Vec<char> = decoded.iter().map_while(|c| c.as_ref().ok().copied()).collect();
                let whole = good.len() == decoded.len() && rest.is_empty();
                (good, whole)
            }
            Charset::Bytes(high) => {
                let character = |&b: &u8| match b.checked_sub(128) {
                    None => Some(char::from(b)),
                    Some(i) => high.chars().nth(usize::from(i)).filter(|c| *c != '\u{fffd}'),
                };
                let good: Vec<char> = text.iter().map_while(character).collect();
                let whole = good.len() == text.len();
                (good, whole)
            }
        }
    }

    /// Appends a character; false where there is none.
    fn encode(self, c: char, out: &mut Vec<u8>) -> bool {
        match self {
            Charset::Utf8 => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Charset::Utf16 { little } => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(&if little {
                        unit.to_le_bytes()
                    } else {
                        unit.to_be_bytes()
                    });
                }
            }
            Charset::Bytes(_) if c.is_ascii() => out.push(c as u8),
            Charset::Bytes(high) => match high.chars().position(|other| other == c) {
                Some(i) if c != '\u{fffd}' => out.push(128 + i as u8),
                _ => return false,
            },
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_128_characters() {
        for table in [LATIN_1, CP1252, CP1251, KOI8_R] {
            assert_eq!(table.chars().count(), 128);
        }
        assert_eq!(LATIN_1.chars().nth(0xe9 - 128), Some('é'));
        assert_eq!(KOI8_R.chars().nth(0xd4 - 128), Some('т'));
        assert_eq!(CP1251.chars().nth(0xff - 128), Some('я'));
    }
}
