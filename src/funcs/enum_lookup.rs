//! ENUMLOOKUP, ENUMQUERY, ENUMRESULT and TXTCIDNAME: telephone numbers in the domain name system (RFC 6116).

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::ere::Ere;
use crate::base::scan::{atoi, int};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, NameRecord, OutsideRequest, RecordKind};

/// Looks a number up.
pub static ENUMLOOKUP: Function = Function::read(
    "ENUMLOOKUP",
    "The address of a telephone number, by ENUM.",
    "number[,service[,options[,record[,suffix]]]]",
    "Asks for the NAPTR records of the digits in reverse under the suffix, `e164.arpa` if not said, and gives what the \
     rule of the record of this number (1 if not said) makes of the number, without the scheme before its colon. The \
     service is that of the record, `sip` if not said, or `ALL`; then the scheme stays. Options: `c` counts records, \
     `u` keeps the scheme, `s` reads `number*domain` (ISN), `i` looks below the branch `i` of the country code, `d` asks \
     for the name as it is. Dashes do not count. The engine must allow the network.",
    |cx: &mut Cx<'_>, arguments, _| {
        let mut arguments = standard(arguments, 5).into_iter();
        let Some(number) = arguments.next() else {
            cx.log(&code::BAD_ARGUMENT, || "ENUMLOOKUP needs a number".to_owned());
            return Answer::Failed;
        };
        let service = arguments.next().filter(|s| !s.is_empty());
        let options = arguments.next().unwrap_or_default();
        let record = arguments.next().map_or(1, |n| atoi(&n)).max(1) as usize;
        let number: Vec<u8> = number.into_iter().filter(|b| *b != b'-').take(79).collect();
        let question = Question {
            number,
            service: service.unwrap_or_else(|| b"sip".to_vec()),
            suffix: arguments.next().unwrap_or_else(|| SUFFIX.to_vec()),
            options,
        };
        look_up(cx, "ENUMLOOKUP", question, move |_, question, found, out| {
            if question.options.contains(&b'c') {
                out.extend_from_slice(found.len().to_string().as_bytes());
            } else if let Some(uri) = found.get(record - 1) {
                let whole = question.wants_all() || question.options.contains(&b'u');
                out.extend_from_slice(if whole { uri } else { without_scheme(uri) });
            }
            Answer::Done
        })
    },
)
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${ENUMLOOKUP(+431234567)}]",
    expect: "[]",
}]);

/// Begin a lookup.
pub static ENUMQUERY: Function = Function::read(
    "ENUMQUERY",
    "Looks a telephone number up by ENUM, for ENUMRESULT().",
    "number[,service[,suffix]]",
    "The value is an id for ENUMRESULT(). The service is `sip` if not said; the suffix `e164.zone`, as in Asterisk, so \
     say `e164.arpa`. The engine must allow the network.",
    |cx: &mut Cx<'_>, arguments, _| {
        let mut arguments = standard(arguments, 3).into_iter();
        let Some(number) = arguments.next() else {
            cx.log(&code::BAD_ARGUMENT, || "ENUMQUERY needs a number".to_owned());
            return Answer::Failed;
        };
        let question = Question {
            number,
            service: arguments.next().unwrap_or_else(|| b"sip".to_vec()),
            suffix: arguments.next().unwrap_or_else(|| b"e164.zone".to_vec()),
            options: Vec::new(),
        };
        look_up(cx, "ENUMQUERY", question, |cx, question, found, out| {
            let id = (0..)
                .map(|n: u32| n.to_string())
                .find(|id| cx.channel().setting(&key(id.as_bytes())).is_none())
                .unwrap_or_default();
            let lines: Vec<&[u8]> = found
                .iter()
                .map(|uri| {
                    if question.wants_all() {
                        uri
                    } else {
                        without_scheme(uri)
                    }
                })
                .collect();
            cx.channel_mut()
                .set_setting(&key(id.as_bytes()), &lines.join(&b'\n'));
            out.extend_from_slice(id.as_bytes());
            Answer::Done
        })
    },
)
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${ENUMQUERY(+431234567,sip,e164.arpa)}]",
    expect: "[]",
}]);

/// Results of a lookup.
pub static ENUMRESULT: Function = Function::read(
    "ENUMRESULT",
    "A result of ENUMQUERY().",
    "id,number|getnum",
    "`getnum` gives how many there are; otherwise the result of this number, from 1 on.",
    |cx: &mut Cx<'_>, arguments, out| {
        let mut arguments = standard(arguments, 2).into_iter();
        let (id, number) = (
            arguments.next().unwrap_or_default(),
            arguments.next().unwrap_or_default(),
        );
        if id.is_empty() || number.is_empty() {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "ENUMRESULT needs an id and the number of a result".to_owned()
            });
            return Answer::Failed;
        }
        let Some(results) = cx.channel().setting(&key(&id)).cloned() else {
            cx.log(&code::NOT_FOUND, || {
                format!("ENUMQUERY gave no id `{}`", bstr::BStr::new(&id))
            });
            return Answer::Failed;
        };
        let mut results = results.split(|b| *b == b'\n').filter(|r| !r.is_empty());
        if number.eq_ignore_ascii_case(b"getnum") {
            out.extend_from_slice(results.count().to_string().as_bytes());
            return Answer::Done;
        }
        let Some((number, _)) = int(&number) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                format!("`{}` is no number of a result", bstr::BStr::new(&number))
            });
            return Answer::Failed;
        };
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let Some(uri) = index.and_then(|index| results.nth(index)) else {
            cx.log(&code::NOT_FOUND, || {
                format!("ENUMRESULT has no result {number}")
            });
            return Answer::Failed;
        };
        out.extend_from_slice(uri);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Without a query",
    dialplan: "",
    evaluate: "[${ENUMRESULT(0,1)}]",
    expect: "[]",
}]);

/// The name of a caller.
pub static TXTCIDNAME: Function = Function::read(
    "TXTCIDNAME",
    "The name of a caller, by the domain name system.",
    "number[,suffix]",
    "The first string of the TXT record of the digits in reverse under the suffix, `e164.arpa` if not said; empty where \
     there is none. The engine must allow the network.",
    |cx: &mut Cx<'_>, arguments, _| {
        let mut arguments = standard(arguments, 2).into_iter();
        let Some(number) = arguments.next() else {
            cx.log(&code::BAD_ARGUMENT, || "TXTCIDNAME needs a number".to_owned());
            return Answer::Failed;
        };
        if !network_allowed(cx, "TXTCIDNAME") {
            return Answer::Failed;
        }
        let suffix = arguments.next().unwrap_or_else(|| SUFFIX.to_vec());
        let number = number.get(..129).unwrap_or(&number);
        let name = [reversed(number), suffix].concat();
        Answer::Await(
            resolve(&name, RecordKind::Text),
            Box::new(|_, event, out| {
                if let Event::Records(records) = event
                    && let Some(NameRecord::Text(strings)) = records.first()
                    && let Some(first) = strings.first()
                {
                    out.extend_from_slice(first);
                }
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${TXTCIDNAME(5551234)}]",
    expect: "[]",
}]);

/// Where telephone numbers are.
const SUFFIX: &[u8] = b"e164.arpa";

/// Where the channel keeps the results of a query, one a line.
fn key(id: &[u8]) -> Vec<u8> {
    [b"ENUMQUERY ", id].concat()
}

/// What is asked for.
struct Question {
    number: Vec<u8>,
    service: Vec<u8>,
    suffix: Vec<u8>,
    options: Vec<u8>,
}

impl Question {
    fn wants_all(&self) -> bool {
        self.service.eq_ignore_ascii_case(b"ALL")
    }

    /// The name in the domain name system, and the number that rules are applied to.
    fn name(&self) -> (Vec<u8>, Vec<u8>) {
        let has = |letter: u8| self.options.contains(&letter);
        let plain = self.number.strip_prefix(b"n").unwrap_or(&self.number);
        let star = |text: &[u8]| text.iter().position(|b| *b == b'*');
        let input = plain.get(..star(plain).unwrap_or(plain.len()));
        let input = input.unwrap_or(plain).to_vec();
        let number = self.number.strip_prefix(b"+").unwrap_or(&self.number);
        let (left, middle) = match star(number) {
            // Of several kinds the first of this order counts; a star makes it the first.
            Some(star) => {
                let (left, rest) = number.split_at_checked(star).unwrap_or((number, &[]));
                (left, [rest.get(1..).unwrap_or(&[]), b"."].concat())
            }
            None if has(b's') => (number, Vec::new()),
            None if has(b'i') => {
                let (country, rest) = number
                    .split_at_checked(country_code(number))
                    .unwrap_or((&[], number));
                (rest, [b"i.", reversed(country).as_slice()].concat())
            }
            None if has(b'd') => (&[][..], [number, b"."].concat()),
            None => (number, Vec::new()),
        };
        let name = [reversed(left), middle, self.suffix.clone()].concat();
        (name, input)
    }
}

/// The digits in reverse, a dot after each.
fn reversed(number: &[u8]) -> Vec<u8> {
    number
        .iter()
        .rev()
        .filter(|b| b.is_ascii_digit())
        .flat_map(|b| [*b, b'.'])
        .collect()
}

/// Digits of the country code at the start of a number (ITU E.164).
fn country_code(number: &[u8]) -> usize {
    if number.len() < 3 {
        return 0;
    }
    match number {
        [b'1' | b'7', ..] => 1,
        [b'2', b'0' | b'7', ..]
        | [b'3', b'0'..=b'4' | b'6' | b'9', ..]
        | [b'4', b'0' | b'1' | b'3'..=b'9', ..]
        | [b'5', b'1'..=b'8', ..]
        | [b'6', b'0'..=b'6', ..]
        | [b'8', b'1' | b'2' | b'4' | b'6', ..]
        | [b'9', b'0'..=b'5' | b'8', ..] => 2,
        _ => 3,
    }
}

fn without_scheme(uri: &[u8]) -> &[u8] {
    let colon = uri.iter().position(|b| *b == b':');
    colon.and_then(|at| uri.get(at + 1..)).unwrap_or(uri)
}

/// Whether the network may be used; a log entry is made where not.
pub(super) fn network_allowed(cx: &mut Cx<'_>, function: &str) -> bool {
    if !cx.allow().net {
        cx.log(&code::NOT_ALLOWED, || {
            format!("{function}: the engine does not allow the network")
        });
    }
    cx.allow().net
}

fn resolve(name: &[u8], kind: RecordKind) -> Effect {
    Effect::Outside(OutsideRequest::Resolve {
        name: Text::from(name),
        kind,
    })
}

/// Asks, and goes on with what the rules of the records make of the number, in the order of the records.
fn look_up(
    cx: &mut Cx<'_>,
    function: &str,
    question: Question,
    then: impl FnOnce(&mut Cx<'_>, &Question, &[Vec<u8>], &mut Vec<u8>) -> Answer + Send + 'static,
) -> Answer {
    if !network_allowed(cx, function) {
        return Answer::Failed;
    }
    let (name, input) = question.name();
    Answer::Await(
        resolve(&name, RecordKind::Rewriting),
        Box::new(move |cx, event, out| {
            let records = match event {
                Event::Records(records) => records,
                _ => Vec::new(),
            };
            let mut found = Vec::new();
            for record in &records {
                let NameRecord::Rewriting {
                    order,
                    preference,
                    flags,
                    services,
                    rule,
                } = record
                else {
                    continue;
                };
                let applied = if flags.first().is_some_and(|f| f.eq_ignore_ascii_case(&b'u')) {
                    applied(rule, &input)
                } else {
                    None
                };
                let Some(uri) = applied else {
                    // As in Asterisk, what follows a record that cannot be used is not looked at.
                    cx.log(&code::OUTSIDE_FAILED, || {
                        format!("a NAPTR record cannot be used: `{rule}`")
                    });
                    break;
                };
                let fits = question.wants_all()
                    || service(services).eq_ignore_ascii_case(&question.service);
                if fits && !uri.is_empty() {
                    found.push((*order, *preference, uri));
                }
            }
            found.sort_by_key(|(order, preference, _)| (*order, *preference));
            let found: Vec<Vec<u8>> = found.into_iter().map(|(_, _, uri)| uri).collect();
            then(cx, &question, &found, out)
        }),
    )
}

/// The service of `E2U+service`, `E2U+type:service` or the older `service+E2U`.
fn service(services: &[u8]) -> &[u8] {
    use bstr::ByteSlice as _;
    let first = [&b"E2U+"[..], b"e2u+"]
        .iter()
        .find_map(|mark| services.find(mark));
    if let Some(at) = first {
        let name = services.get(at + 4..).unwrap_or(&[]);
        return match name.find_byte(b':') {
            Some(colon) => name.get(colon + 1..).unwrap_or(&[]),
            None => name,
        };
    }
    let last = [&b"+E2U"[..], b"+e2u"]
        .iter()
        .find_map(|mark| services.find(mark));
    let name = last.and_then(|at| services.get(..at)).unwrap_or(&[]);
    name.split(|b| *b == b':').next().unwrap_or(name)
}

/// Shorter rules mean nothing.
const SHORTEST_RULE: usize = 7;

/// What `!pattern!replacement!` makes of the number; `None` where it does not fit.
fn applied(rule: &[u8], number: &[u8]) -> Option<Vec<u8>> {
    let (mark, rest) = rule.split_first()?;
    if rule.len() < SHORTEST_RULE {
        return None;
    }
    let rest = rest.strip_suffix(&[*mark])?;
    let middle = rest.iter().position(|b| b == mark)?;
    let (pattern, replacement) = (rest.get(..middle)?, rest.get(middle + 1..)?);
    let groups = Ere::compile(pattern).ok()?.groups(number)?;
    let mut out = Vec::new();
    let mut bytes = replacement.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'\\'
            && let Some(digit) = bytes.as_slice().first().filter(|b| b.is_ascii_digit())
        {
            bytes.next();
            let group = groups.get(usize::from(digit - b'0'))?.clone();
            out.extend_from_slice(group.and_then(|range| number.get(range)).unwrap_or(&[]));
        } else if byte == b' ' || byte.is_ascii_graphic() {
            out.push(byte);
        } else {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: &str, options: &str) -> (String, String) {
        let question = Question {
            number: number.into(),
            service: b"sip".to_vec(),
            suffix: b"e164.arpa".to_vec(),
            options: options.into(),
        };
        let (name, input) = question.name();
        (
            String::from_utf8(name).unwrap(),
            String::from_utf8(input).unwrap(),
        )
    }

    #[test]
    fn names_of_numbers() {
        let pair = |name: &str, input: &str| (name.to_owned(), input.to_owned());
        assert_eq!(name("+4312", ""), pair("2.1.3.4.e164.arpa", "+4312"));
        assert_eq!(name("1234*256", ""), pair("4.3.2.1.256.e164.arpa", "1234"));
        assert_eq!(name("+4312", "i"), pair("2.1.i.3.4.e164.arpa", "+4312"));
        assert_eq!(name("some.name", "d"), pair("some.name.e164.arpa", "some.name"));
    }

    #[test]
    fn services_and_rules() {
        assert_eq!(service(b"E2U+sip"), b"sip");
        assert_eq!(service(b"E2U+voice:tel"), b"tel");
        assert_eq!(service(b"sip+E2U"), b"sip");
        assert_eq!(service(b"http"), b"");
        let rule = |rule: &str, number: &str| {
            applied(rule.as_bytes(), number.as_bytes()).map(|uri| String::from_utf8(uri).unwrap())
        };
        let all = rule(r"!^.*$!sip:info@example.com!", "+4312");
        assert_eq!(all.as_deref(), Some("sip:info@example.com"));
        let groups = rule(r"!^\+43(.)(.*)$!sip:\2-\1@example.com!", "+431234");
        assert_eq!(groups.as_deref(), Some("sip:234-1@example.com"));
        assert_eq!(rule(r"!^\+44.*$!sip:x@example.com!", "+431234"), None);
        assert_eq!(rule(r"!^.*$!sip:x@example.com", "+431234"), None);
    }
}
