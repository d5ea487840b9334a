//! AGENT and `AMI_CLIENT`: who is logged in.

use crate::base::arguments::standard;
use crate::base::value::append_int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// An agent.
pub static AGENT: Function = Function::read(
    "AGENT",
    "A value of an agent.",
    "id[:item]",
    "`status`, the usual item, is LOGGEDIN or LOGGEDOUT; `name` is the agent's, `mohclass` the music of callers on hold, \
     `channel` the device on which the agent is logged in, `fullchannel` the whole name of that channel. Empty with a \
     warning where there is no such agent.",
    |cx: &mut Cx<'_>, arguments, out| {
        let mut parts = arguments.splitn(2, |b| *b == b':');
        let id = parts.next().unwrap_or(&[]);
        if id.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "AGENT needs the id of an agent".to_owned());
            return Answer::Failed;
        }
        let item = parts.next().unwrap_or(b"status").to_ascii_lowercase();
        let agent = cx.shared().facilities().agents.get(id).cloned();
        let Some(agent) = agent else {
            cx.log(&code::NOT_FOUND, || format!("no agent `{}`", bstr::BStr::new(id)));
            return Answer::Failed;
        };
        let channel = agent.channel.as_deref().unwrap_or(&[]);
        out.extend_from_slice(match item.as_slice() {
            b"status" if agent.channel.is_some() => b"LOGGEDIN",
            b"status" => b"LOGGEDOUT",
            b"name" => &agent.name,
            b"mohclass" => &agent.music,
            b"channel" => match channel.iter().rposition(|b| *b == b'-') {
                Some(end) => channel.get(..end).unwrap_or(channel),
                None => channel,
            },
            b"fullchannel" => channel,
            _ => &[],
        });
        Answer::Done
    },
)
.examples(&[Example {
    title: "None is there",
    dialplan: "",
    evaluate: "[${AGENT(1001:status)}]",
    expect: "[]",
}]);

/// Sessions of a management client.
pub static AMI_CLIENT: Function = Function::read(
    "AMI_CLIENT",
    "How often a management client is logged in.",
    "login,sessions",
    "The number of sessions under that name, as the host tells it.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        match fields.as_slice() {
            [login, field] if !login.is_empty() && field.eq_ignore_ascii_case(b"sessions") => {
                let sessions = cx.shared().facilities().clients.sessions(login);
                append_int(i64::from(sessions.unwrap_or(0)), out);
                Answer::Done
            }
            _ => {
                cx.log(&code::BAD_ARGUMENT, || {
                    "AMI_CLIENT needs a login and `sessions`".to_owned()
                });
                Answer::Failed
            }
        }
    },
)
.examples(&[Example {
    title: "Nobody is logged in",
    dialplan: "",
    evaluate: "${AMI_CLIENT(admin,sessions)}",
    expect: "0",
}]);
