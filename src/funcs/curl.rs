//! CURL and CURLOPT.

use std::time::Duration;

use super::enum_lookup::network_allowed;
use super::realtime::append_protected;
use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::condition::is_yes;
use crate::base::scan::{atoi, before_zero, double, fixed, long, strip_end};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Effect, Event, Flow, OutsideRequest, WebRequest};

/// A page of the web.
pub static CURL: Function = Function::read_write(
    "CURL",
    "What a web server answers.",
    "url[,post-data]",
    "Asks with GET, or with POST where there are data, as a form. Blanks at the end are dropped. Redirections are \
     followed, and other things changed, as CURLOPT() says. Written, it keeps the answer in the file that the value \
     names. Addresses are those of http and https. The engine must allow the network (`--allow net`), and files for \
     writing.",
    |cx: &mut Cx<'_>, arguments, _| {
        let Some(request) = request(cx, arguments) else {
            return Answer::Failed;
        };
        let compatible = option(cx, "hashcompat").map(<[u8]>::to_vec);
        Answer::Await(
            Effect::Outside(OutsideRequest::Fetch(Box::new(request))),
            Box::new(move |cx, event, out| {
                let Some(page) = page(cx, event) else {
                    return Answer::Failed;
                };
                let page = strip_end(before_zero(&page));
                if page.is_empty() {
                    return Answer::Failed;
                }
                match compatible.as_deref() {
                    None | Some(b"no") => out.extend_from_slice(page),
                    Some(how) => fields(cx, page, how == b"legacy", out),
                }
                Answer::Done
            }),
        )
    },
    |cx: &mut Cx<'_>, arguments, path| {
        if !cx.allow().file {
            cx.log(&code::NOT_ALLOWED, || {
                "CURL: the engine does not allow writing files".to_owned()
            });
            return Flow::Next;
        }
        let Some(request) = request(cx, arguments) else {
            return Flow::Next;
        };
        let path = Text::from(path);
        let fetch = Effect::Outside(OutsideRequest::Fetch(Box::new(request)));
        Flow::wait_then(fetch, move |cx, event| {
            let Some(content) = page(cx, event) else {
                return Flow::Next;
            };
            let write = Effect::Outside(OutsideRequest::WriteFile {
                path,
                content,
                append: false,
            });
            Flow::wait_then(write, |cx, event| {
                if let Event::Failed(why) = event {
                    cx.log(&code::OUTSIDE_FAILED, || {
                        format!("CURL cannot write the file: {why}")
                    });
                }
                Flow::Next
            })
        })
    },
)
.support(Support::Partial("http and https only"))
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${CURL(http://routes.example.com/?to=5551234)}]",
    expect: "[]",
}]);

/// Options of CURL.
pub static CURLOPT: Function = Function::read_write(
    "CURLOPT",
    "An option of CURL() on this channel.",
    "option",
    "Seconds, perhaps with a fraction: conntimeout, httptimeout (180 if not set). Whole numbers: dnstimeout, ftptimeout, \
     maxredirs, proxyport. Yes or no: followlocation, header (the answer's header comes with it), ssl_verifypeer, \
     ssl_verifyhost, ftptext. Texts: cookie, failurecodes (status codes that count as failures, with commas between), \
     httpheader (each writing adds a line), proxy, proxyuserpwd, referer, useragent, userpwd. proxytype is http, socks4, \
     socks4a, socks5 or socks5hostname; hashcompat is yes, no or legacy (`+` is a blank): an answer of `a=1&b=2` comes \
     in the form that HASH() takes. What was never written has no value. dnstimeout (how long names are remembered), \
     ftptext and ftptimeout are kept and change nothing.",
    |cx: &mut Cx<'_>, name, out| {
        let Some((name, _)) = known(cx, name) else {
            return Answer::Failed;
        };
        match option(cx, name) {
            Some(value) => {
                out.extend_from_slice(value);
                Answer::Done
            }
            None => Answer::Failed,
        }
    },
    |cx: &mut Cx<'_>, name, value| {
        let Some((name, kind)) = known(cx, name) else {
            return Flow::Next;
        };
        let mut value = kind.canonical(value);
        if name == "httpheader"
            && let Some(before) = option(cx, name)
        {
            value = [before, b"\n", &value].concat();
        }
        cx.channel_mut().set_setting(&key(name), &value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A time-out",
    dialplan: "Set(CURLOPT(conntimeout)=2.50)\nSet(CURLOPT(header)=yes)",
    evaluate: "${CURLOPT(conntimeout)} ${CURLOPT(header)} [${CURLOPT(proxy)}]",
    expect: "2.500 1 []",
}]);

/// How long an answer may take.
const USUAL: Duration = Duration::from_mins(3);

/// The value of an option.
#[derive(Clone, Copy)]
enum Kind {
    Flag,
    Number,
    Seconds,
    Text,
    Proxy,
    Hash,
}

const OPTIONS: &[(&str, Kind)] = &[
    ("conntimeout", Kind::Seconds),
    ("cookie", Kind::Text),
    ("dnstimeout", Kind::Number),
    ("failurecodes", Kind::Text),
    ("followlocation", Kind::Flag),
    ("ftptext", Kind::Flag),
    ("ftptimeout", Kind::Number),
    ("hashcompat", Kind::Hash),
    ("header", Kind::Flag),
    ("httpheader", Kind::Text),
    ("httptimeout", Kind::Seconds),
    ("maxredirs", Kind::Number),
    ("proxy", Kind::Text),
    ("proxyport", Kind::Number),
    ("proxytype", Kind::Proxy),
    ("proxyuserpwd", Kind::Text),
    ("referer", Kind::Text),
    ("ssl_verifyhost", Kind::Flag),
    ("ssl_verifypeer", Kind::Flag),
    ("useragent", Kind::Text),
    ("userpwd", Kind::Text),
];

impl Kind {
    /// The value as it is read back.
    fn canonical(self, value: &[u8]) -> Vec<u8> {
        match self {
            Kind::Flag => if is_yes(value) { b"1" } else { b"0" }.to_vec(),
            Kind::Number => long(value).map_or(0, |(n, _)| n).to_string().into_bytes(),
            Kind::Seconds => {
                let seconds = double(value).map_or(0.0, |(n, _)| n);
                let milliseconds = (seconds * 1000.0) as i64;
                if milliseconds % 1000 == 0 {
                    (milliseconds / 1000).to_string().into_bytes()
                } else {
                    fixed(milliseconds as f64 / 1000.0, 3).into_bytes()
                }
            }
            Kind::Text => value.to_vec(),
            Kind::Proxy => {
                let value = value.to_ascii_lowercase();
                let named = [&b"socks4"[..], b"socks4a", b"socks5"];
                if named.contains(&value.as_slice()) {
                    value
                } else if value.starts_with(b"socks5") {
                    b"socks5hostname".to_vec()
                } else {
                    b"http".to_vec()
                }
            }
            Kind::Hash if value.eq_ignore_ascii_case(b"legacy") => b"legacy".to_vec(),
            Kind::Hash => if is_yes(value) { &b"yes"[..] } else { b"no" }.to_vec(),
        }
    }
}

fn known(cx: &mut Cx<'_>, name: &[u8]) -> Option<(&'static str, Kind)> {
    let found = OPTIONS
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
    if found.is_none() {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("CURLOPT does not know `{}`", bstr::BStr::new(name))
        });
    }
    found.copied()
}

/// Where the channel keeps an option.
fn key(name: &str) -> Vec<u8> {
    format!("CURLOPT {name}").into_bytes()
}

fn option<'a>(cx: &'a Cx<'_>, name: &str) -> Option<&'a [u8]> {
    cx.channel().setting(&key(name)).map(|value| &**value)
}

/// What is asked for; a log entry is made where that cannot be.
fn request(cx: &mut Cx<'_>, arguments: &[u8]) -> Option<WebRequest> {
    let mut arguments = standard(arguments, 2).into_iter();
    let url = arguments.next().unwrap_or_default();
    if url.is_empty() {
        cx.log(&code::BAD_ARGUMENT, || "CURL needs an address".to_owned());
        return None;
    }
    // A line end in an address would let it write lines of the request's header.
    if url.iter().any(|b| matches!(b, b'\r' | b'\n')) {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            "an address of CURL has a line end in it".to_owned()
        });
        return None;
    }
    if !network_allowed(cx, "CURL") {
        return None;
    }
    let seconds = |name: &str| {
        let seconds = double(option(cx, name)?)?.0;
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|time| !time.is_zero())
    };
    let flag = |name: &str| option(cx, name).map(|value| value == b"1");
    let text = |name: &str| option(cx, name).map(Text::from);
    let agent = text("useragent").unwrap_or_else(|| Text::from("asterisk-libcurl-agent/1.0"));
    let mut header = vec![(Text::from("User-Agent"), agent)];
    let plain = [("Referer", "referer"), ("Cookie", "cookie")];
    for (name, option) in plain {
        header.extend(text(option).map(|value| (Text::from(name), value)));
    }
    let lines = option(cx, "httpheader").unwrap_or(&[]);
    for line in lines.split(|b| *b == b'\n') {
        if let Some(colon) = line.iter().position(|b| *b == b':') {
            let (name, value) = line.split_at_checked(colon).unwrap_or_default();
            let value = value.get(1..).unwrap_or(&[]).trim_ascii();
            header.push((Text::from(name.trim_ascii()), Text::from(value)));
        }
    }
    let most = option(cx, "maxredirs").map_or(FOLLOWED, atoi);
    let failures = option(cx, "failurecodes").unwrap_or(&[]);
    Some(WebRequest {
        url: Text::from(url),
        post: arguments.next().map(Text::from),
        connect: seconds("conntimeout"),
        whole: seconds("httptimeout").unwrap_or(USUAL),
        redirects: if flag("followlocation") == Some(true) {
            u32::try_from(most).unwrap_or(FOLLOWED as u32)
        } else {
            0
        },
        proxy: proxy(cx),
        credentials: text("userpwd"),
        header,
        verifies: flag("ssl_verifypeer").unwrap_or(true)
            && flag("ssl_verifyhost").unwrap_or(true),
        shows_header: flag("header").unwrap_or(false),
        failures: failures
            .split(|b| *b == b',')
            .filter_map(|code| u16::try_from(atoi(code)).ok())
            .filter(|code| *code > 0)
            .collect(),
    })
}

/// So many redirections are followed where nothing else is said.
const FOLLOWED: i32 = 30;

/// The proxy as one address.
fn proxy(cx: &Cx<'_>) -> Option<Text> {
    let host = option(cx, "proxy").filter(|host| !host.is_empty())?;
    let mut address = Vec::new();
    let separator = bstr::ByteSlice::find(host, b"://");
    let (scheme, host) = match separator {
        Some(at) => (host.get(..at)?, host.get(at + 3..)?),
        None => (option(cx, "proxytype").unwrap_or(b"http"), host),
    };
    address.extend_from_slice(match scheme {
        b"socks5hostname" => b"socks5",
        other => other,
    });
    address.extend_from_slice(b"://");
    if let Some(user) = option(cx, "proxyuserpwd") {
        address.extend_from_slice(user);
        address.push(b'@');
    }
    address.extend_from_slice(host);
    if let Some(port) = option(cx, "proxyport") {
        address.push(b':');
        address.extend_from_slice(port);
    } else if !host.contains(&b':') {
        // What libcurl takes for a proxy without a port.
        address.extend_from_slice(b":1080");
    }
    Some(Text::from(address))
}

/// What came, or a log entry.
fn page(cx: &mut Cx<'_>, event: Event) -> Option<Text> {
    match event {
        Event::Value(page) => Some(page),
        Event::Failed(why) => {
            cx.log(&code::OUTSIDE_FAILED, || format!("CURL: {why}"));
            None
        }
        _ => None,
    }
}

/// `a=1&b=2` as values with commas between, and the names in `~ODBCFIELDS~`.
fn fields(cx: &mut Cx<'_>, page: &[u8], legacy: bool, out: &mut Vec<u8>) {
    let decoded = |text: &[u8]| {
        let mut text = text.to_vec();
        if legacy {
            for byte in text.iter_mut().filter(|b| **b == b'+') {
                *byte = b' ';
            }
        }
        super::uri::decoded(&text)
    };
    let mut names = Vec::new();
    for (i, pair) in page.split(|b| *b == b'&').enumerate() {
        let mut parts = pair.splitn(2, |b| *b == b'=');
        let name = parts.next().unwrap_or(&[]);
        let value = parts.next().unwrap_or(&[]);
        if i > 0 {
            names.push(b',');
            out.push(b',');
        }
        append_protected(&decoded(name), &mut names);
        append_protected(&decoded(value), out);
    }
    cx.set(b"~ODBCFIELDS~", &names);
}
