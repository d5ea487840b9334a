//! DIALGROUP.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

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
        let Some(members) = cx.shared().store().get(FAMILY, group) else {
            cx.log(&code::NOT_FOUND, || {
                format!("no dial group `{}`", bstr::BStr::new(group))
            });
            return Answer::Failed;
        };
        out.extend_from_slice(&members);
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let Some(group) = arguments.first() else {
            return Flow::Next;
        };
        let store = cx.shared().store().get(FAMILY, group).unwrap_or_default();
        let mut members: Vec<&[u8]> = store.split(|b| *b == b'&').filter(|m| !m.is_empty()).collect();
        match arguments.get(1).map(|op| op.to_ascii_lowercase()).as_deref() {
            None | Some(b"") => {
                members = value.split(|b| *b == b'&').filter(|m| !m.is_empty()).collect();
            }
            Some(b"add") if members.contains(&value) => {}
            Some(b"add") => members.push(value),
            Some(b"del") => members.retain(|m| *m != value),
            Some(_) => {
                cx.log(&code::BAD_ARGUMENT, || "DIALGROUP knows add and del".to_owned());
                return Flow::Next;
            }
        }
        let members = Text::from(members.join(&b'&'));
        cx.shared().store().put(FAMILY, group, &members);
        Flow::Next
    },
)
.examples(&[Example {
    title: "Two devices",
    dialplan: "Set(DIALGROUP(desk,add)=PJSIP/a)\nSet(DIALGROUP(desk,add)=PJSIP/b)",
    evaluate: "${DIALGROUP(desk)}",
    expect: "PJSIP/a&PJSIP/b",
}]);
