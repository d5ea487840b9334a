//! SRVQUERY and SRVRESULT.

use super::enum_lookup::network_allowed;
use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, NameRecord, OutsideRequest, RecordKind};

/// Begin a lookup.
pub static SRVQUERY: Function = Function::read(
    "SRVQUERY",
    "Looks a service up in the domain name system.",
    "service",
    "The service is a name such as `_sip._udp.example.com`; it is also the value, the id for SRVRESULT(). The engine must \
     allow the network.",
    |cx: &mut Cx<'_>, service, _| {
        if service.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "SRVQUERY needs a service".to_owned());
            return Answer::Failed;
        }
        let id = service.to_vec();
        look_up(cx, service, move |_, _, out| {
            out.extend_from_slice(&id);
            Answer::Done
        })
    },
)
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${SRVQUERY(_sip._udp.example.com)}]",
    expect: "[]",
}]);

/// Results of a lookup.
pub static SRVRESULT: Function = Function::read(
    "SRVRESULT",
    "A result of SRVQUERY().",
    "id,number|getnum[,field]",
    "`getnum` gives how many there are. Otherwise a field of the result of this number, from 1 on, in the order in which \
     they are to be tried (RFC 2782): host, port, priority or weight. What was not asked for yet is asked for now.",
    |cx: &mut Cx<'_>, arguments, out| {
        let mut arguments = standard(arguments, 3).into_iter();
        let mut argument = || arguments.next().unwrap_or_default();
        let (id, number, field) = (argument(), argument(), argument());
        if id.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || {
                "SRVRESULT needs an id and a number".to_owned()
            });
            return Answer::Failed;
        }
        match cx.channel().setting(&key(&id)).cloned() {
            Some(results) => result(cx, &results, &number, &field, out),
            None => look_up(cx, &id, move |cx, results, out| {
                result(cx, results, &number, &field, out)
            }),
        }
    },
)
.examples(&[Example {
    title: "Refused unless the network is allowed",
    dialplan: "",
    evaluate: "[${SRVRESULT(_sip._udp.example.com,1,host)}]",
    expect: "[]",
}]);

/// Where the channel keeps the results of a service: `priority weight port host`, one a line.
fn key(service: &[u8]) -> Vec<u8> {
    [b"SRVQUERY ", service].concat()
}

/// Asks, keeps the results on the channel, and goes on with them.
fn look_up(
    cx: &mut Cx<'_>,
    service: &[u8],
    then: impl FnOnce(&mut Cx<'_>, &[u8], &mut Vec<u8>) -> Answer + Send + 'static,
) -> Answer {
    if !network_allowed(cx, "SRVQUERY") {
        return Answer::Failed;
    }
    let name = service.to_vec();
    let request = OutsideRequest::Resolve {
        name: Text::from(service),
        kind: RecordKind::Service,
    };
    Answer::Await(
        Effect::Outside(request),
        Box::new(move |cx, event, out| {
            let Event::Records(records) = event else {
                cx.log_at(&code::OUTSIDE_FAILED, Level::Notice, || {
                    format!("no answer about `{}`", bstr::BStr::new(&name))
                });
                return Answer::Failed;
            };
            let lines: Vec<String> = in_turn(cx, records)
                .iter()
                .map(|s| format!("{} {} {} {}", s.priority, s.weight, s.port, s.host))
                .collect();
            let results = lines.join("\n").into_bytes();
            cx.channel_mut().set_setting(&key(&name), &results);
            then(cx, &results, out)
        }),
    )
}

/// A host that offers the service.
struct Server {
    priority: u16,
    weight: u16,
    port: u16,
    host: Text,
}

/// In the order in which they are to be tried: by priority, and among equals by lot, in which the weights count.
fn in_turn(cx: &Cx<'_>, records: Vec<NameRecord>) -> Vec<Server> {
    let mut open: Vec<Server> = records
        .into_iter()
        .filter_map(|record| match record {
            NameRecord::Service {
                priority,
                weight,
                port,
                target,
            } => Some(Server {
                priority,
                weight,
                port,
                host: target,
            }),
            _ => None,
        })
        .collect();
    // Those without weight come first, so that they have a small chance (RFC 2782).
    open.sort_by_key(|s| (s.priority, s.weight > 0));
    let mut done = Vec::with_capacity(open.len());
    while let Some(first) = open.first() {
        let priority = first.priority;
        let equals = open.iter().take_while(|s| s.priority == priority);
        let sum: u64 = equals.map(|s| u64::from(s.weight)).sum();
        let drawn = cx.environment().random() % (sum + 1);
        let mut so_far = 0;
        let chosen = open.iter().position(|s| {
            so_far += u64::from(s.weight);
            so_far >= drawn
        });
        done.push(open.remove(chosen.unwrap_or(0)));
    }
    done
}

fn result(
    cx: &mut Cx<'_>,
    results: &[u8],
    number: &[u8],
    field: &[u8],
    out: &mut Vec<u8>,
) -> Answer {
    let mut lines = results.split(|b| *b == b'\n').filter(|l| !l.is_empty());
    if number.eq_ignore_ascii_case(b"getnum") {
        out.extend_from_slice(lines.count().to_string().as_bytes());
        return Answer::Done;
    }
    let error = |cx: &mut Cx<'_>, level: Level, message: &str| {
        cx.log_at(&code::BAD_ARGUMENT, level, || message.to_owned());
        Answer::Failed
    };
    if field.is_empty() {
        return error(cx, Level::Error, "SRVRESULT needs a field");
    }
    let Some((number, _)) = int(number) else {
        return error(cx, Level::Error, "SRVRESULT needs the number of a result");
    };
    let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
    let Some(line) = index.and_then(|index| lines.nth(index)) else {
        return error(cx, Level::Error, "SRVRESULT has no result of this number");
    };
    let fields = [&b"priority"[..], b"weight", b"port", b"host"];
    let place = fields.iter().position(|f| f.eq_ignore_ascii_case(field));
    let value = place.and_then(|place| line.splitn(4, |b| *b == b' ').nth(place));
    match value {
        Some(value) => {
            out.extend_from_slice(value);
            Answer::Done
        }
        None => error(cx, Level::Warning, "SRVRESULT does not know this field"),
    }
}
