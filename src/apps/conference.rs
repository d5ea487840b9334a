//! `ConfBridge`, `ConfKick`.

use super::answer::answered;
use super::hosted::{Hosted, Status};
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments;
use crate::base::condition::is_yes;
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::facilities::{Participant, Profiles};
use crate::machine::{Cx, Effect, Event, Flow};

/// Take part in a conference.
pub static CONF_BRIDGE: Application = Application::new(
    "ConfBridge",
    "Take part in a conference.",
    "name[,bridge_profile[,user_profile[,menu]]]",
    "Answers and joins a conference until the caller leaves it. CONFBRIDGE_RESULT is FAILED, HANGUP, KICKED, ENDMARKED, \
     DTMF or TIMEOUT. A conference that is full, or locked for others than administrators, takes nobody: the call ends. \
     Settings are those of CONFBRIDGE(), then of the profiles. The host mixes and asks for the pin.",
    join,
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Until the caller leaves",
    dialplan: "ConfBridge(6000)",
    evaluate: "${CONFBRIDGE_RESULT} ${CONFBRIDGE_INFO(parties,6000)}",
    expect: "DTMF 0",
}]);

/// Remove from a conference.
pub static CONF_KICK: Application = Application::new(
    "ConfKick",
    "Remove from a conference.",
    "name[,channel]",
    "Removes a channel from a conference: `all`, the usual one, everybody, `participants` everybody but its \
     administrators. CONFKICKSTATUS is SUCCESS or FAILURE.",
    kick,
)
.support(Support::Simulated)
.examples(&[Example {
    title: "A conference of the host",
    dialplan: "ConfKick(6000)",
    evaluate: "${CONFKICKSTATUS}",
    expect: "SUCCESS",
}]);

/// What becomes of a participant.
static ENDS: Hosted = Hosted::new()
    .or_leaves()
    .sets(&[Status::new("CONFBRIDGE_RESULT", "DTMF", "FAILED")
        .timeout("TIMEOUT")
        .hangup("HANGUP")]);

fn join(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 4);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    if field(0).is_empty() {
        cx.set(b"CONFBRIDGE_RESULT", b"FAILED");
        return missing_argument(cx, "ConfBridge needs the name of a conference");
    }
    let name = Text::from(field(0));
    let (bridge, user) = (Text::from(field(1)), Text::from(field(2)));
    let data = Text::from(data);
    answered(cx, move |cx| {
        let switch = |option: &str| is_yes(&option_of(cx, "user", &user, option));
        let participant = Participant {
            channel: cx.channel().name.clone(),
            admin: switch("admin"),
            marked: switch("marked"),
            muted: switch("startmuted"),
        };
        let most = option_of(cx, "bridge", &bridge, "max_members");
        let most = std::str::from_utf8(&most).ok().and_then(|n| n.parse().ok());
        let most = most.filter(|most| *most > 0);
        let joined = cx
            .shared()
            .facilities()
            .conferences
            .join(&name, participant, most);
        if !joined {
            cx.log(&code::NOT_FOUND, || {
                format!("the conference `{name}` takes nobody else")
            });
            cx.set(b"CONFBRIDGE_RESULT", b"FAILED");
            return Flow::Leave;
        }
        let effect = Effect::Custom {
            name: Text::from("ConfBridge"),
            data,
        };
        Flow::wait_then(effect, move |cx, event| {
            let channel = cx.channel().name.clone();
            let mut facilities = cx.shared().facilities();
            facilities.conferences.leave(&name, &channel);
            drop(facilities);
            ENDS.ended(cx, event)
        })
    })
}

/// An option as CONFBRIDGE() set it, else as the profile has it; without a name the profile is the default one.
fn option_of(cx: &Cx<'_>, kind: &str, profile: &Text, option: &str) -> Text {
    let key = format!("CONFBRIDGE {kind},{option}");
    if let Some(value) = cx.channel().setting(key.as_bytes()) {
        return value.clone();
    }
    let facilities = cx.shared().facilities();
    let profiles: &Profiles = if kind == "user" {
        &facilities.conferences.users
    } else {
        &facilities.conferences.bridges
    };
    let usual = format!("default_{kind}");
    let name = if profile.is_empty() {
        usual.as_bytes()
    } else {
        profile.as_bytes()
    };
    let found = profiles.get(name).and_then(|p| p.get(option.as_bytes()));
    found.cloned().unwrap_or_default()
}

fn kick(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    if field(0).is_empty() {
        cx.set(b"CONFKICKSTATUS", b"FAILURE");
        missing_argument(cx, "ConfKick needs the name of a conference");
        return Flow::Next;
    }
    let whom = if field(1).is_empty() { b"all" } else { field(1) };
    let facilities = cx.shared().facilities();
    let room = facilities.conferences.get(field(0)).cloned();
    drop(facilities);
    let everybody = whom.eq_ignore_ascii_case(b"all");
    let participants = whom.eq_ignore_ascii_case(b"participants");
    let kicked: Vec<&[u8]> = room.iter().flat_map(|room| &room.participants)
        .filter(|who| {
            everybody || (participants && !who.admin) || who.channel.eq_ignore_ascii_case(whom)
        })
        .map(|who| who.channel.as_bytes())
        .collect();
    if room.is_some() && kicked.is_empty() {
        cx.log(&code::NOT_FOUND, || "nobody like that is in the conference".to_owned());
        cx.set(b"CONFKICKSTATUS", b"FAILURE");
        return Flow::Next;
    }
    // The host ends the effect of each of them with KICKED; of a conference that only it knows, it says whether.
    let effect = Effect::Custom {
        name: Text::from("ConfKick"),
        data: match &room {
            Some(_) => Text::from([&[field(0)][..], &kicked].concat().join(&b',')),
            None => Text::from(data),
        },
    };
    Flow::wait_then(effect, |cx, event| {
        let status: &[u8] = match event {
            Event::Failed(_) => b"FAILURE",
            _ => b"SUCCESS",
        };
        cx.set(b"CONFKICKSTATUS", status);
        match event {
            Event::Hangup(_) => Flow::Leave,
            _ => Flow::Next,
        }
    })
}
