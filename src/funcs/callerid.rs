//! CALLERID, CONNECTEDLINE and REDIRECTING.

use crate::base::arguments::standard;
use crate::base::callerid::{presentation, split};
use crate::base::scan::{atoi, int, strip, strip_end};
use crate::base::{Text, Value};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow, Party};

/// The caller.
pub static CALLERID: Function = Function::read_write(
    "CALLERID",
    "A part of the caller id.",
    "item[,caller id]",
    "Items are `all` (`\"Name\" <number>`), `name`, `num`, each with `-valid`, `-pres`, `-plan` or `-charset`, \
     `pres`, `ton`, `tag`, `subaddr` with `-valid`, `-type`, `-odd`; with `ani-`, `priv-` or `dnid-` before them those \
     of other parties; `ani`, `ani2`, `dnid`, `rdnis`. With a second argument `all`, `name` and `num` are read from \
     that text.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        if item.is_empty() {
            return Answer::Done;
        }
        if let Some(text) = arguments.get(1) {
            let (name, number) = split(text);
            match item.as_slice() {
                b"name" => out.extend_from_slice(&name),
                b"num" | b"number" => out.extend_from_slice(&number),
                b"all" => all(&name, &number, out),
                _ => return unknown(cx, "CALLERID", &item),
            }
            return Answer::Done;
        }
        match caller_item(&item) {
            CallerItem::Redirecting => {
                let party = &*cx.channel().redirecting;
                out.extend_from_slice(Id(party, b"from-").number().unwrap_or(&[]));
            }
            CallerItem::Ani2 => {
                let number = find(&cx.channel().caller, b"ani2").map_or(0, |t| atoi(t));
                out.extend_from_slice(format!("{number:02}").as_bytes());
            }
            CallerItem::Of(prefix, member) => {
                if !Id(&cx.channel().caller, prefix).read(member, out) {
                    return unknown(cx, "CALLERID", &item);
                }
            }
            CallerItem::Unknown => return unknown(cx, "CALLERID", &item),
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        if item.is_empty() {
            return Flow::Next;
        }
        let value = strip(value);
        let done = match caller_item(&item) {
            CallerItem::Redirecting => {
                Id(&mut *cx.channel_mut().redirecting, b"from-").write(b"num", value)
            }
            CallerItem::Ani2 => match int(value) {
                Some((number, _)) => {
                    let number = Value::integer(i64::from(number)).to_text();
                    put(&mut cx.channel_mut().caller, b"ani2", Some(&number));
                    Written::Done
                }
                None => Written::BadValue,
            },
            CallerItem::Of(prefix, member) => {
                Id(&mut cx.channel_mut().caller, prefix).write(member, value)
            }
            CallerItem::Unknown => Written::Unknown,
        };
        written(cx, "CALLERID", &item, done)
    },
)
.examples(&[Example {
    title: "All and its parts",
    dialplan: "Set(CALLERID(all)=\"Bob\" <204>)",
    evaluate: "${CALLERID(num)} ${CALLERID(name)} ${CALLERID(all)}",
    expect: "204 Bob \"Bob\" <204>",
}]);

/// The other side.
pub static CONNECTEDLINE: Function = Function::read_write(
    "CONNECTEDLINE",
    "A part of the id of the connected party.",
    "item[,i]",
    "Items are those of CALLERID, with `priv-` for the private party, and `source`. `i` sends no update, which makes \
     no difference here.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        if item == b"source" {
            let source = find(&cx.channel().connected, b"source");
            out.extend_from_slice(source.map_or(b"unknown", Text::as_bytes));
            return Answer::Done;
        }
        let (prefix, member) = party(&item, &[b"priv-"]);
        if Id(&*cx.channel().connected, prefix).read(member, out) {
            return Answer::Done;
        }
        unknown(cx, "CONNECTEDLINE", &item)
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        let value = strip(value);
        if item == b"source" {
            const SOURCES: [&str; 5] = ["unknown", "answer", "diversion", "transfer", "transfer_alerting"];
            let known = SOURCES.iter().any(|s| s.as_bytes().eq_ignore_ascii_case(value));
            if !known {
                return written(cx, "CONNECTEDLINE", &item, Written::BadValue);
            }
            put(&mut cx.channel_mut().connected, b"source", Some(&value.to_ascii_lowercase()));
            return Flow::Next;
        }
        let (prefix, member) = party(&item, &[b"priv-"]);
        let done = Id(&mut *cx.channel_mut().connected, prefix).write(member, value);
        written(cx, "CONNECTEDLINE", &item, done)
    },
)
.examples(&[Example {
    title: "Show another number",
    dialplan: "Set(CONNECTEDLINE(num,i)=300)",
    evaluate: "${CONNECTEDLINE(all)}",
    expect: "\"\" <300>",
}]);

/// Diversions.
pub static REDIRECTING: Function = Function::read_write(
    "REDIRECTING",
    "A part of what is known of diversions.",
    "item[,i]",
    "Items are those of CALLERID with `orig-`, `from-`, `to-` (each perhaps with `priv-` before it), `reason`, \
     `orig-reason` and `count`.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        let store = &*cx.channel().redirecting;
        match item.as_slice() {
            b"reason" | b"orig-reason" => {
                out.extend_from_slice(find(store, &item).map_or(b"unknown", Text::as_bytes));
                return Answer::Done;
            }
            b"count" => {
                out.extend_from_slice(find(store, &item).map_or(b"0", Text::as_bytes));
                return Answer::Done;
            }
            b"pres" => {
                out.extend_from_slice(Id(store, b"from-").presentation().as_bytes());
                return Answer::Done;
            }
            _ => {}
        }
        let (prefix, member) = party(&item, REDIRECTIONS);
        if !prefix.is_empty() && Id(store, prefix).read(member, out) {
            return Answer::Done;
        }
        unknown(cx, "REDIRECTING", &item)
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let item = item(arguments.first());
        let value = strip(value);
        let store = &mut *cx.channel_mut().redirecting;
        let done = match item.as_slice() {
            b"reason" | b"orig-reason" => {
                put(store, &item, Some(value));
                Written::Done
            }
            b"count" => match int(value) {
                Some((number, _)) => {
                    put(store, &item, Some(&Value::integer(i64::from(number)).to_text()));
                    Written::Done
                }
                None => Written::BadValue,
            },
            b"pres" => {
                Id(&mut *store, b"from-").write(b"pres", value);
                Id(store, b"to-").write(b"pres", value)
            }
            _ => {
                let (prefix, member) = party(&item, REDIRECTIONS);
                if prefix.is_empty() {
                    Written::Unknown
                } else {
                    Id(store, prefix).write(member, value)
                }
            }
        };
        written(cx, "REDIRECTING", &item, done)
    },
)
.examples(&[Example {
    title: "Who forwarded",
    dialplan: "Set(REDIRECTING(from-num,i)=204)",
    evaluate: "${REDIRECTING(from-num)} ${CALLERID(rdnis)}",
    expect: "204 204",
}]);

const REDIRECTIONS: &[&[u8]] = &[b"orig-", b"from-", b"to-", b"priv-orig-", b"priv-from-", b"priv-to-"];

fn item(argument: Option<&Vec<u8>>) -> Vec<u8> {
    strip_end(argument.map_or(&[][..], Vec::as_slice)).to_ascii_lowercase()
}

/// Prefix of the party and item of it.
fn party<'a>(item: &'a [u8], prefixes: &[&'static [u8]]) -> (&'static [u8], &'a [u8]) {
    for prefix in prefixes {
        if let Some(member) = item.strip_prefix(*prefix) {
            return (prefix, member);
        }
    }
    (b"", item)
}

enum CallerItem<'a> {
    Of(&'static [u8], &'a [u8]),
    Redirecting,
    Ani2,
    Unknown,
}

fn caller_item(item: &[u8]) -> CallerItem<'_> {
    match item {
        b"ani" => CallerItem::Of(b"ani-", b"num"),
        b"ani2" => CallerItem::Ani2,
        b"dnid" => CallerItem::Of(b"dnid-", b"num"),
        b"rdnis" => CallerItem::Redirecting,
        _ => {
            let (prefix, member) = party(item, &[b"ani-", b"priv-", b"dnid-"]);
            // A dialled number has neither name nor presentation.
            let dialled = matches!(member, b"num" | b"num-plan") || member.starts_with(b"subaddr");
            if prefix == b"dnid-" && !dialled {
                return CallerItem::Unknown;
            }
            CallerItem::Of(prefix, member)
        }
    }
}

fn all(name: &[u8], number: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[b"\"", name, b"\" <", number, b">"].concat());
}

fn unknown(cx: &mut Cx<'_>, function: &str, item: &[u8]) -> Answer {
    written(cx, function, item, Written::Unknown);
    Answer::Failed
}

fn written(cx: &mut Cx<'_>, function: &str, item: &[u8], done: Written) -> Flow {
    let fault = match done {
        Written::Done => return Flow::Next,
        Written::Unknown => "is not known",
        Written::BadValue => "does not take this value",
    };
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        format!("the item `{}` of {function} {fault}", bstr::BStr::new(item))
    });
    Flow::Next
}

fn find<'a>(party: &'a Party, key: &[u8]) -> Option<&'a Text> {
    let found = party.items.iter().find(|(name, _)| name.as_bytes() == key);
    found.map(|(_, value)| value)
}

fn put(party: &mut Party, key: &[u8], value: Option<&[u8]>) {
    party.items.retain(|(name, _)| name.as_bytes() != key);
    if let Some(value) = value {
        party.items.push((Text::from(key), Text::from(value)));
    }
}

#[derive(Clone, Copy)]
enum Written {
    Done,
    Unknown,
    BadValue,
}

/// One of the ids that a party record holds, by the prefix of its items. That without a prefix has its number
/// and name in fields of their own.
struct Id<P>(P, &'static [u8]);

impl Id<&Party> {
    fn get(&self, item: &[u8]) -> Option<&[u8]> {
        if self.1.is_empty() {
            match item {
                b"num" => return self.0.number.as_deref(),
                b"name" => return self.0.name.as_deref(),
                _ => {}
            }
        }
        find(self.0, &[self.1, item].concat()).map(Text::as_bytes)
    }

    fn number(&self) -> Option<&[u8]> {
        self.get(b"num")
    }

    /// What both number and name allow to show.
    fn presentation(&self) -> &str {
        let of = |item: &[u8]| self.get(item).and_then(|text| std::str::from_utf8(text).ok());
        if self.number().is_some() {
            of(b"num-pres").unwrap_or("allowed_not_screened")
        } else if self.get(b"name").is_some() {
            of(b"name-pres").unwrap_or("allowed_not_screened")
        } else {
            "unavailable"
        }
    }

    fn read(&self, member: &[u8], out: &mut Vec<u8>) -> bool {
        let text = |item: &[u8]| self.get(item).unwrap_or(&[]);
        let flag = |there: bool| if there { &b"1"[..] } else { b"0" };
        let value = match member {
            b"all" => {
                all(text(b"name"), text(b"num"), out);
                return true;
            }
            b"name" | b"num" | b"tag" | b"subaddr" => text(member),
            b"number" => text(b"num"),
            b"name-valid" => flag(self.get(b"name").is_some()),
            b"num-valid" => flag(self.get(b"num").is_some()),
            b"name-charset" => self.get(member).unwrap_or(b"iso8859-1"),
            b"name-pres" | b"num-pres" => self.get(member).unwrap_or(b"allowed_not_screened"),
            b"num-plan" | b"ton" => self.get(b"num-plan").unwrap_or(b"0"),
            b"subaddr-valid" | b"subaddr-type" | b"subaddr-odd" => self.get(member).unwrap_or(b"0"),
            b"pres" => self.presentation().as_bytes(),
            _ => return false,
        };
        out.extend_from_slice(value);
        true
    }
}

impl Id<&mut Party> {
    fn put(&mut self, item: &[u8], value: Option<&[u8]>) {
        if self.1.is_empty() {
            match item {
                b"num" => {
                    self.0.number = value.map(Text::from);
                    return;
                }
                b"name" => {
                    self.0.name = value.map(Text::from);
                    return;
                }
                _ => {}
            }
        }
        put(self.0, &[self.1, item].concat(), value);
    }

    fn write(&mut self, member: &[u8], value: &[u8]) -> Written {
        let number = |value: &[u8]| Value::integer(i64::from(atoi(value))).to_text();
        match member {
            b"all" => {
                let (name, number) = split(value);
                self.put(b"name", Some(&name));
                self.put(b"num", Some(&number));
            }
            b"name" | b"num" | b"tag" | b"name-charset" => self.put(member, Some(value)),
            b"number" => self.put(b"num", Some(value)),
            b"name-valid" | b"num-valid" => {
                let item = member.strip_suffix(b"-valid").unwrap_or(member);
                if atoi(value) == 0 {
                    self.put(item, None);
                } else {
                    let present = Id(&*self.0, self.1).get(item).unwrap_or(&[]).to_vec();
                    self.put(item, Some(&present));
                }
            }
            b"name-pres" | b"num-pres" | b"pres" => {
                let Some(name) = presentation(value) else {
                    return Written::BadValue;
                };
                if member == b"pres" {
                    self.put(b"name-pres", Some(name.as_bytes()));
                    self.put(b"num-pres", Some(name.as_bytes()));
                } else {
                    self.put(member, Some(name.as_bytes()));
                }
            }
            b"num-plan" | b"ton" => match int(value) {
                Some(_) => self.put(b"num-plan", Some(&number(value))),
                None => return Written::BadValue,
            },
            b"subaddr" => {
                self.put(b"subaddr", Some(value));
                self.put(b"subaddr-valid", Some(b"1"));
            }
            b"subaddr-valid" | b"subaddr-odd" => {
                let flag: &[u8] = if atoi(value) == 0 { b"0" } else { b"1" };
                self.put(member, Some(flag));
            }
            // 0 is NSAP, 2 user specified; nothing else is stored.
            b"subaddr-type" => {
                let kind: &[u8] = if atoi(value) == 0 { b"0" } else { b"2" };
                self.put(member, Some(kind));
            }
            _ => return Written::Unknown,
        }
        Written::Done
    }
}
