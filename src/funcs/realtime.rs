//! `REALTIME`, `REALTIME_FIELD`, `REALTIME_HASH`, `REALTIME_STORE`, `REALTIME_DESTROY`: tables that the host offers.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{
    Answer, Cx, Effect, Event, Flow, OutsideRequest, RealtimeMatch, RealtimeRequest, RealtimeRow,
};

/// A row.
pub static REALTIME: Function = Function::read_write(
    "REALTIME",
    "A row of a realtime family.",
    "family,field[,value[,delimiter[,equals]]], written: family,field,value,field",
    "Reading gives the first row whose field has the value, each field as `name=value,`, also the last; the delimiters \
     may be others. Without a row there is no value. Writing sets one field of these rows. `field LIKE` and the signs \
     of comparison after a blank choose rows in other ways. Families are tables that the host offers \
     (`--realtime FAMILY=FILE.csv`).",
    |cx: &mut Cx<'_>, arguments, _| read(cx, "REALTIME", arguments, RealtimeRequest::Load),
    |cx: &mut Cx<'_>, arguments, value| update(cx, "REALTIME", arguments, value),
)
.examples(&[Example {
    title: "No such family",
    dialplan: "",
    evaluate: "[${REALTIME(sippeers,name,alice)}]",
    expect: "[]",
}]);

/// A field of a row.
pub static REALTIME_FIELD: Function = Function::read_write(
    "REALTIME_FIELD",
    "A field of a row of a realtime family.",
    "family,field,value,field",
    "The value of the last field in the first row whose first field has the value. Writing sets it.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 4);
        let [family, field, value, wanted] = arguments.as_slice() else {
            return misused(cx, "REALTIME_FIELD", "family,field,value,field");
        };
        let wanted = wanted.clone();
        let request = RealtimeRequest::Load(rows(family, field, value));
        load(request, move |_, row, out| {
            let found = row
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(&wanted));
            if let Some((_, value)) = found {
                out.extend_from_slice(value);
            }
        })
    },
    |cx: &mut Cx<'_>, arguments, value| update(cx, "REALTIME_FIELD", arguments, value),
)
.examples(&[Example {
    title: "No such family",
    dialplan: "",
    evaluate: "[${REALTIME_FIELD(sippeers,name,alice,callerid)}]",
    expect: "[]",
}]);

/// A row for HASH.
pub static REALTIME_HASH: Function = Function::read(
    "REALTIME_HASH",
    "A row of a realtime family in the form that HASH() takes.",
    "family,field,value",
    "Gives the values of the first row whose field has the value, a comma before each, and notes the names of the fields \
     in the same form in `~ODBCFIELDS~`: `Set(HASH(row)=${REALTIME_HASH(family,field,value)})` makes members of them.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 3);
        let [family, field, value] = arguments.as_slice() else {
            return misused(cx, "REALTIME_HASH", "family,field,value");
        };
        let request = RealtimeRequest::Load(rows(family, field, value));
        load(request, |cx, row, out| {
            let mut fields = Vec::new();
            for (name, value) in row {
                fields.push(b',');
                append_protected(name, &mut fields);
                out.push(b',');
                append_protected(value, out);
            }
            cx.set(b"~ODBCFIELDS~", &fields);
        })
    },
)
.examples(&[Example {
    title: "No such family",
    dialplan: "",
    evaluate: "[${REALTIME_HASH(sippeers,name,alice)}]",
    expect: "[]",
}]);

/// A new row.
pub static REALTIME_STORE: Function = Function::write_only(
    "REALTIME_STORE",
    "Adds a row to a realtime family.",
    "family,field1[,field2[,...]]",
    "The value holds the values of the fields, with commas between; at most 30. RTSTOREID is the number of the new row.",
    |cx: &mut Cx<'_>, arguments, value| {
        let mut arguments = standard(arguments, 1 + FIELDS).into_iter();
        let Some(family) = arguments.next() else {
            misused(cx, "REALTIME_STORE", "family,field1,…");
            return Flow::Next;
        };
        let values = standard(value, FIELDS);
        let row = arguments
            .zip(values)
            .map(|(field, value)| (Text::from(field), Text::from(value)))
            .collect();
        let family = Text::from(family);
        change(RealtimeRequest::Store { family, row }, |cx, number| {
            cx.set(b"RTSTOREID", number);
        })
    },
)
.examples(&[Example {
    title: "No such family",
    dialplan: "Set(REALTIME_STORE(calls,number,seconds)=5551234,20)",
    evaluate: "[${RTSTOREID}]",
    expect: "[]",
}]);

/// Remove a row.
pub static REALTIME_DESTROY: Function = Function::read(
    "REALTIME_DESTROY",
    "Removes rows of a realtime family and gives the first.",
    "family,field[,value[,delimiter[,equals]]]",
    "Gives what REALTIME() gives; then the rows are gone.",
    |cx: &mut Cx<'_>, arguments, _| {
        read(cx, "REALTIME_DESTROY", arguments, RealtimeRequest::Destroy)
    },
)
.examples(&[Example {
    title: "No such family",
    dialplan: "",
    evaluate: "[${REALTIME_DESTROY(calls,number,5551234)}]",
    expect: "[]",
}]);

/// Fields that REALTIME_STORE takes.
const FIELDS: usize = 30;

fn misused(cx: &mut Cx<'_>, function: &str, needs: &str) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || format!("{function} needs {needs}"));
    Answer::Failed
}

fn rows(family: &[u8], field: &[u8], value: &[u8]) -> RealtimeMatch {
    RealtimeMatch {
        family: Text::from(family),
        field: Text::from(field),
        value: Text::from(value),
    }
}

/// The first row in the form of REALTIME.
fn read(
    cx: &mut Cx<'_>,
    function: &str,
    arguments: &[u8],
    request: fn(RealtimeMatch) -> RealtimeRequest,
) -> Answer {
    let mut arguments = standard(arguments, 5).into_iter();
    let Some(family) = arguments.next() else {
        return misused(cx, function, "family,field[,value]");
    };
    let (field, value) = (
        arguments.next().unwrap_or_default(),
        arguments.next().unwrap_or_default(),
    );
    let after = arguments.next().unwrap_or_else(|| b",".to_vec());
    let equals = arguments.next().unwrap_or_else(|| b"=".to_vec());
    load(request(rows(&family, &field, &value)), move |_, row, out| {
        for (name, value) in row {
            for part in [&**name, &equals, &**value, &after] {
                out.extend_from_slice(part);
            }
        }
    })
}

/// Asks for rows; the first one becomes the value.
fn load(
    request: RealtimeRequest,
    print: impl FnOnce(&mut Cx<'_>, &RealtimeRow, &mut Vec<u8>) + Send + 'static,
) -> Answer {
    Answer::Await(
        Effect::Outside(OutsideRequest::Realtime(request)),
        Box::new(move |cx, event, out| match event {
            Event::Rows(rows) => match rows.first() {
                Some(row) => {
                    print(cx, row, out);
                    Answer::Done
                }
                None => Answer::Failed,
            },
            // Asterisk says nothing of a family that it does not have.
            _ => Answer::Failed,
        }),
    )
}

fn update(cx: &mut Cx<'_>, function: &str, arguments: &[u8], value: &[u8]) -> Flow {
    let mut arguments = standard(arguments, 4).into_iter();
    let Some(family) = arguments.next() else {
        misused(cx, function, "family,field,value,field");
        return Flow::Next;
    };
    let mut field = || arguments.next().unwrap_or_default();
    let rows = rows(&family, &field(), &field());
    let set = vec![(Text::from(field()), Text::from(value))];
    change(RealtimeRequest::Update { rows, set }, |_, _| {})
}

/// Changes a family.
fn change(
    request: RealtimeRequest,
    then: impl FnOnce(&mut Cx<'_>, &[u8]) + Send + 'static,
) -> Flow {
    let effect = Effect::Outside(OutsideRequest::Realtime(request));
    Flow::wait_then(effect, |cx, event| {
        match event {
            Event::Value(number) => then(cx, &number),
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(why) => cx.log(&code::OUTSIDE_FAILED, || {
                format!("the realtime family was not changed: {why}")
            }),
            _ => {}
        }
        Flow::Next
    })
}

/// Text with a backslash before each comma and backslash.
pub(super) fn append_protected(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        if matches!(byte, b',' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
}
