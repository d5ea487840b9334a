//! `PRESENCE_STATE`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::facilities::Presence;
use crate::machine::{Answer, Cx, Flow, StoreRequest};

/// Custom presence is kept in the store under this family, as Asterisk keeps it.
const FAMILY: &[u8] = b"CustomPresence";
/// What begins the name of custom presence.
const CUSTOM: &[u8] = b"CustomPresence:";
const STATES: &[&str] = &[
    "not_set",
    "unavailable",
    "available",
    "away",
    "xa",
    "chat",
    "dnd",
];

/// Presence of a person.
pub static PRESENCE_STATE: Function = Function::read_write(
    "PRESENCE_STATE",
    "Whether somebody is there.",
    "provider,field[,e]",
    "Fields are `value` (not_set, unavailable, available, away, xa, chat or dnd), `subtype` and `message`. \
     `CustomPresence:…` can be written: `value,subtype,message[,e]`; with `e` subtype and message are given in base64. \
     Read with `e` they come in base64. Custom presence is kept in the persistent store, and is not_set at first; that \
     of others is what the host told.",
    read,
    |cx: &mut Cx<'_>, provider, value| {
        match after_custom(provider) {
            None => cx.log(&code::BAD_ARGUMENT, || {
                "PRESENCE_STATE can only be written for `CustomPresence:`".to_owned()
            }),
            Some([]) => cx.log(&code::BAD_ARGUMENT, || {
                "PRESENCE_STATE needs the name of a custom presence".to_owned()
            }),
            Some(_) if parse(value).is_none() => cx.log(&code::BAD_ARGUMENT, || {
                format!("no presence `{}`", bstr::BStr::new(value))
            }),
            Some(name) => {
                let request = StoreRequest::Put {
                    family: Text::from(FAMILY),
                    key: Text::from(name),
                    value: Text::from(value),
                };
                return Flow::store(cx, request, |_, _| Flow::Next);
            }
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "Away",
    dialplan: "Set(PRESENCE_STATE(CustomPresence:anna)=away,lunch,back at 1)",
    evaluate: "${PRESENCE_STATE(CustomPresence:anna,value)} ${PRESENCE_STATE(CustomPresence:anna,message)}",
    expect: "away back at 1",
}]);

fn read(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    let arguments = standard(arguments, 3);
    let (Some(provider), Some(field)) = (
        arguments.first().filter(|a| !a.is_empty()),
        arguments.get(1).filter(|a| !a.is_empty()),
    ) else {
        cx.log(&code::BAD_ARGUMENT, || {
            "PRESENCE_STATE needs a provider and a field".to_owned()
        });
        return Answer::Failed;
    };
    let (provider, field) = (Text::from(provider.as_slice()), field.to_ascii_lowercase());
    let encode = arguments.get(2).is_some_and(|o| o.contains(&b'e'));
    let Some(name) = after_custom(&provider) else {
        let told = cx.shared().facilities().presences.get(&provider).cloned();
        return show(cx, &provider, told, &field, encode, out);
    };
    let request = StoreRequest::Get {
        family: Text::from(FAMILY),
        key: Text::from(name),
    };
    Answer::store(cx, request, out, move |cx, answer, out| {
        let stored = custom(answer.value());
        show(cx, &provider, stored, &field, encode, out)
    })
}

fn show(
    cx: &mut Cx<'_>,
    provider: &Text,
    presence: Option<Presence>,
    field: &[u8],
    encode: bool,
    out: &mut Vec<u8>,
) -> Answer {
    let Some(presence) = presence else {
        cx.log(&code::NOT_FOUND, || {
            format!("nothing is known of `{provider}`")
        });
        return Answer::Failed;
    };
    let text = match field {
        b"value" => {
            out.extend_from_slice(&presence.value);
            return Answer::Done;
        }
        b"subtype" => presence.subtype,
        b"message" => presence.message,
        _ => return Answer::Failed,
    };
    if encode {
        out.extend_from_slice(STANDARD.encode(text.as_bytes()).as_bytes());
    } else {
        out.extend_from_slice(&text);
    }
    Answer::Done
}

/// What was written of a custom presence; `None` where that is none.
fn custom(stored: Option<Text>) -> Option<Presence> {
    let Some(stored) = stored else {
        return Some(Presence {
            value: Text::from("not_set"),
            ..Presence::default()
        });
    };
    let [value, subtype, message, options] = parse(&stored)?;
    // Written in base64, for texts with commas.
    let plain = |text: &[u8]| {
        if options.contains(&b'e') {
            STANDARD.decode(text).ok().map(Text::from)
        } else {
            Some(Text::from(text))
        }
    };
    Some(Presence {
        value: Text::from(value.to_ascii_lowercase()),
        subtype: plain(subtype)?,
        message: plain(message)?,
    })
}

fn after_custom(provider: &[u8]) -> Option<&[u8]> {
    let (head, rest) = provider.split_at_checked(CUSTOM.len())?;
    head.eq_ignore_ascii_case(CUSTOM).then_some(rest)
}

/// Value, subtype, message, options; `None` where the value is no state, or an option other than `e` is there.
fn parse(text: &[u8]) -> Option<[&[u8]; 4]> {
    let mut fields = text.splitn(4, |b| *b == b',');
    let mut next = || fields.next().unwrap_or(&[]);
    let all = [next(), next(), next(), next()];
    let [value, _, _, options] = all;
    let known = STATES
        .iter()
        .any(|state| state.as_bytes().eq_ignore_ascii_case(value));
    (known && (options.is_empty() || options.contains(&b'e'))).then_some(all)
}
