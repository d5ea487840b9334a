//! `AgentLogin`, `AgentRequest`.

use super::answer::answered;
use super::hosted::{Hosted, Status};
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

/// Wait for calls as an agent.
pub static AGENT_LOGIN: Application = Application::new(
    "AgentLogin",
    "Wait for calls as an agent.",
    "id[,options]",
    "Answers and waits as this agent for calls; option `s` leaves out the announcement. AGENT_STATUS is INVALID or \
     ALREADY_LOGGED_IN when it fails; otherwise the call ends with the login. A host that keeps its agents for itself is \
     asked instead.",
    log_in,
)
.support(Support::Simulated)
.examples(&[Example {
    title: "A host with agents of its own",
    dialplan: "AgentLogin(1001)",
    evaluate: "[${AGENT_STATUS}]",
    expect: "[]",
}]);

/// Connect with an agent.
pub static AGENT_REQUEST: Application = Application::new(
    "AgentRequest",
    "Connect with an agent.",
    "id",
    "Connects with an agent who waits. AGENT_STATUS is INVALID, NOT_LOGGED_IN, BUSY, NOT_CONNECTED or ERROR. A host that \
     keeps its agents for itself is asked instead.",
    request,
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Who is asked for",
    dialplan: "AgentRequest()",
    evaluate: "${AGENT_STATUS}",
    expect: "INVALID",
}]);

static LOGIN: Hosted = Hosted::new().sets(&[Status::new("AGENT_STATUS", "", "INVALID")]);
static REQUEST: Hosted =
    Hosted::new().sets(&[Status::new("AGENT_STATUS", "", "INVALID").timeout("NOT_CONNECTED")]);

fn status(cx: &mut Cx<'_>, status: &str) -> Flow {
    cx.log(&code::NOT_FOUND, || format!("the agent is {status}"));
    cx.set(b"AGENT_STATUS", status.as_bytes());
    Flow::Next
}

fn log_in(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let id = fields.first().cloned().unwrap_or_default();
    if id.is_empty() {
        return status(cx, "INVALID");
    }
    let data = Text::from(data);
    answered(cx, move |cx| {
        let channel = cx.channel().name.clone();
        let mut facilities = cx.shared().facilities();
        let known = facilities.agents.are_known();
        let exists = facilities.agents.get(&id).is_some();
        let free = facilities.agents.log_in(&id, &channel);
        drop(facilities);
        if known && !free {
            return status(cx, if exists { "ALREADY_LOGGED_IN" } else { "INVALID" });
        }
        let effect = Effect::Custom {
            name: Text::from("AgentLogin"),
            data,
        };
        Flow::wait_then(effect, move |cx, event| {
            cx.shared().facilities().agents.forget_channel(&channel);
            if known {
                // The login ends with the call.
                return Flow::Leave;
            }
            LOGIN.ended(cx, event)
        })
    })
}

fn request(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 1);
    let id = fields.first().cloned().unwrap_or_default();
    if id.is_empty() {
        cx.set(b"AGENT_STATUS", b"INVALID");
        missing_argument(cx, "AgentRequest needs the id of an agent");
        return Flow::Next;
    }
    let mut facilities = cx.shared().facilities();
    let known = facilities.agents.are_known();
    let word = match facilities.agents.get_mut(&id) {
        None => Some("INVALID"),
        Some(agent) if agent.channel.is_none() => Some("NOT_LOGGED_IN"),
        Some(agent) if agent.busy => Some("BUSY"),
        Some(agent) => {
            agent.busy = true;
            None
        }
    };
    drop(facilities);
    if let Some(word) = word.filter(|_| known) {
        return status(cx, word);
    }
    let effect = Effect::Custom {
        name: Text::from("AgentRequest"),
        data: Text::from(data),
    };
    Flow::wait_then(effect, move |cx, event| {
        if let Some(agent) = cx.shared().facilities().agents.get_mut(&id) {
            agent.busy = false;
        }
        match event {
            // They spoke, and the call is over.
            Event::Done if known => Flow::Leave,
            event => REQUEST.ended(cx, event),
        }
    })
}
