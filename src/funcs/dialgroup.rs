//! DIALGROUP.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow, StoreAnswer, StoreRequest};

/// Lists of devices to dial, kept in the store under this family, as Asterisk keeps them.
const FAMILY: &[u8] = b"dialgroup";

/// A list of devices.
pub static DIALGROUP: Function = Function::read_write(
    "DIALGROUP",
    "A group of devices to dial.",
    "group[,add|del]",
    "Read it as the argument of Dial: devices with `&` between. Writing replaces the group, or adds or removes one \
     device. Groups are kept in the persistent store.",
    |cx: &mut Cx<'_>, group, out| {
        let name = Text::from(group);
        Answer::store(cx, members_of(group), out, move |cx, answer, out| {
            let Some(members) = answer.value() else {
                cx.log(&code::NOT_FOUND, || format!("no dial group `{name}`"));
                return Answer::Failed;
            };
            out.extend_from_slice(&members);
            Answer::Done
        })
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let Some(group) = arguments.first() else {
            return Flow::Next;
        };
        let change = match arguments.get(1).map(|op| op.to_ascii_lowercase()).as_deref() {
            None | Some(b"") => {
                let members: Vec<&[u8]> = split(value).collect();
                return write(cx, group, &members);
            }
            Some(b"add") => Change::Add,
            Some(b"del") => Change::Remove,
            Some(_) => {
                cx.log(&code::BAD_ARGUMENT, || "DIALGROUP knows add and del".to_owned());
                return Flow::Next;
            }
        };
        let (group, device) = (group.clone(), value.to_vec());
        Flow::store(cx, members_of(&group), move |cx, answer| {
            if matches!(answer, StoreAnswer::Failed(_)) {
                return Flow::Next;
            }
            let before = answer.value().unwrap_or_default();
            let device = device.as_slice();
            let mut members: Vec<&[u8]> = split(&before).collect();
            match change {
                Change::Add if members.contains(&device) => {}
                Change::Add => members.push(device),
                Change::Remove => members.retain(|member| *member != device),
            }
            write(cx, &group, &members)
        })
    },
)
.examples(&[Example {
    title: "Two devices",
    dialplan: "Set(DIALGROUP(desk,add)=PJSIP/a)\nSet(DIALGROUP(desk,add)=PJSIP/b)",
    evaluate: "${DIALGROUP(desk)}",
    expect: "PJSIP/a&PJSIP/b",
}]);

#[derive(Debug, Clone, Copy)]
enum Change {
    Add,
    Remove,
}

fn split(members: &[u8]) -> impl Iterator<Item = &[u8]> {
    members.split(|b| *b == b'&').filter(|m| !m.is_empty())
}

fn members_of(group: &[u8]) -> StoreRequest {
    StoreRequest::Get {
        family: Text::from(FAMILY),
        key: Text::from(group),
    }
}

fn write(cx: &mut Cx<'_>, group: &[u8], members: &[&[u8]]) -> Flow {
    let request = StoreRequest::Put {
        family: Text::from(FAMILY),
        key: Text::from(group),
        value: Text::from(members.join(&b'&')),
    };
    Flow::store(cx, request, |_, _| Flow::Next)
}
