//! ICONV.

mod charset;

use crate::base::arguments::standard;
use crate::base::scan::{before_zero, strip};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx};
use charset::Charset;

/// Another character set.
pub static ICONV: Function = Function::read(
    "ICONV",
    "Text in another character set.",
    "from,to,text",
    "Character sets have the names that glibc gives them, in any case; an empty name means UTF-8. Those of several bytes \
     are the ones of the web. What the target cannot \
     show, or is not valid, ends the text with a warning; `//TRANSLIT` after the target's name writes it in another way, \
     `//IGNORE` leaves it out. The text ends at a zero byte.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let [from, to, text] = arguments.as_slice() else {
            cx.log(&code::BAD_ARGUMENT, || {
                "ICONV needs two character sets and a text".to_owned()
            });
            return Answer::Failed;
        };
        let (from, _) = name_and_options(from);
        let (to, options) = name_and_options(to);
        let (Some(from), Some(to)) = (Charset::named(&from), Charset::named(&to)) else {
            cx.log_at(&code::ICONV_CHARSET, Level::Error, || {
                "ICONV does not know a character set".to_owned()
            });
            return Answer::Failed;
        };
        let (bytes, whole) = convert(&from, &to, text, options);
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
    "no EUC-TW, JOHAB, TSCII, T.61, ISO 6937, JIS X 0213, ISO-2022-CN or -KR, no EBCDIC of two bytes",
))
.examples(&[
    Example {
        title: "To Latin 1 and back",
        dialplan: "",
        evaluate: "${ICONV(ISO-8859-1,UTF-8,${ICONV(UTF-8,ISO-8859-1,é)})}",
        expect: "é",
    },
    Example {
        title: "A name for a display that knows ASCII only",
        dialplan: "",
        evaluate: "${ICONV(UTF-8,ASCII//TRANSLIT,Æther “5 €”)}",
        expect: "AEther \"5 EUR\"",
    },
]);

/// What is done about characters that cannot be converted.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    transliterates: bool,
    ignores: bool,
}

/// The name in capitals, and what follows it after `//`.
fn name_and_options(text: &[u8]) -> (Vec<u8>, Options) {
    use bstr::ByteSlice as _;
    let text = strip(text).to_ascii_uppercase();
    let mut parts = text.split_str("//");
    let name = parts.next().unwrap_or(&[]).to_vec();
    let mut options = Options::default();
    for option in parts.flat_map(|part| part.split(|b| matches!(b, b',' | b'/'))) {
        options.transliterates |= option == b"TRANSLIT";
        options.ignores |= option == b"IGNORE";
    }
    (name, options)
}

/// The converted text, and whether all of it was converted.
fn convert(from: &Charset, to: &Charset, text: &[u8], options: Options) -> (Vec<u8>, bool) {
    let mut shown = String::new();
    let mut whole = true;
    for decoded in from.decode(text) {
        match decoded {
            Some(c) if to.shows(c) => shown.push(c),
            Some(c) if options.transliterates && to.shows('?') => {
                let other = charset::transliteration(c);
                let fitting = other.filter(|other| other.chars().all(|c| to.shows(c)));
                shown.push_str(fitting.as_deref().unwrap_or("?"));
            }
            _ => {
                whole = false;
                if !options.ignores {
                    break;
                }
            }
        }
    }
    (to.encode(&shown), whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iconv(from: &str, to: &str, text: &[u8]) -> Option<(Vec<u8>, bool)> {
        let (from, _) = name_and_options(from.as_bytes());
        let (to, options) = name_and_options(to.as_bytes());
        Some(convert(
            &Charset::named(&from)?,
            &Charset::named(&to)?,
            text,
            options,
        ))
    }

    fn good(from: &str, to: &str, text: &[u8]) -> Vec<u8> {
        let (bytes, whole) = iconv(from, to, text).unwrap();
        assert!(whole, "{from} {to}");
        bytes
    }

    /// Answers of glibc 2.36.
    #[test]
    fn converted_as_glibc_does() {
        assert_eq!(good("UTF-8", "latin1", "é".as_bytes()), b"\xe9");
        assert_eq!(good("l1", "utf8", b"\xe9"), "é".as_bytes());
        assert_eq!(good("UTF-8", "IBM037", b"ABC 1"), b"\xc1\xc2\xc3\x40\xf1");
        assert_eq!(good("CP437", "UTF-8", b"\x81"), "ü".as_bytes());
        assert_eq!(good("UTF-8", "SJIS", "日本".as_bytes()), b"\x93\xfa\x96\x7b");
        assert_eq!(good("EUC-JP", "UTF-8", b"\xc6\xfc"), "日".as_bytes());
        assert_eq!(good("UTF-8", "BIG5", "中".as_bytes()), b"\xa4\xa4");
        assert_eq!(good("GB2312", "UTF-8", b"\xd6\xd0"), "中".as_bytes());
        assert_eq!(
            good("UTF-8", "ISO-2022-JP", "日x".as_bytes()),
            b"\x1b$BF|\x1b(Bx"
        );
        assert_eq!(good("UTF-8", "UTF-16", b"a"), b"\xff\xfea\0");
        assert_eq!(good("UTF-8", "UCS-4", b"a"), b"\0\0\0a");
        assert_eq!(good("UTF-16", "UTF-8", b"\xfe\xff\0a"), b"a");
        assert_eq!(good("UTF-7", "UTF-8", b"Hi +AOk-+-x"), "Hi é+x".as_bytes());
        assert_eq!(good("UTF-8", "UTF-7", "Hi éé+x".as_bytes()), b"Hi +AOkA6QAr-x");
    }

    #[test]
    fn what_cannot_be_converted() {
        let utf8 = "aéb".as_bytes();
        assert_eq!(iconv("UTF-8", "ASCII", utf8), Some((b"a".to_vec(), false)));
        let left_out = iconv("UTF-8", "ASCII//IGNORE", utf8);
        assert_eq!(left_out, Some((b"ab".to_vec(), false)));
        assert_eq!(good("UTF-8", "ASCII//TRANSLIT", utf8), b"a?b");
        assert_eq!(good("UTF-8", "ASCII//translit", "½ß€".as_bytes()), b" 1/2 ssEUR");
        assert_eq!(iconv("UTF-8", "NOSUCHSET", b"a"), None);
        let broken = iconv("UTF-8", "UTF-8", b"a\xffb");
        assert_eq!(broken, Some((b"a".to_vec(), false)));
    }
}
