//! CONFBRIDGE, `CONFBRIDGE_CHANNELS` and `CONFBRIDGE_INFO`.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::facilities::{Conference, Participant};
use crate::machine::{Answer, Cx, Flow};

/// Settings of a conference.
pub static CONFBRIDGE: Function = Function::write_only(
    "CONFBRIDGE",
    "A setting of the conference that this channel will join.",
    "user|bridge|menu,option",
    "Options are those of the profiles in confbridge.conf, for a profile of this channel's own that ConfBridge uses. \
     `template` begins with the settings of a profile, `clear` forgets what was set. A warning where type, option or \
     value are not possible.",
    |cx: &mut Cx<'_>, arguments, value| {
        let fields = standard(arguments, 2);
        let [kind, option] = fields.as_slice() else {
            return refused(cx, arguments);
        };
        let kind = kind.to_ascii_lowercase();
        let option = option.to_ascii_lowercase();
        if option.is_empty() || !allowed(cx, &kind, &option, value) {
            return refused(cx, arguments);
        }
        let prefix = [b"CONFBRIDGE ", kind.as_slice(), b","].concat();
        if option == b"clear" {
            let settings = &mut cx.channel_mut().settings;
            settings.retain(|(key, _)| !key.starts_with(&prefix));
            return Flow::Next;
        }
        if option == b"template" {
            for (option, value) in template(cx, &kind, value).unwrap_or_default() {
                let key = [&prefix, option.as_bytes()].concat();
                cx.channel_mut().set_setting(&key, &value);
            }
        }
        let key = [prefix, option].concat();
        cx.channel_mut().set_setting(&key, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "Silent at first",
    dialplan: "Set(CONFBRIDGE(user,startmuted)=yes)\nConfBridge(6000)",
    evaluate: "${CONFBRIDGE_RESULT}",
    expect: "DTMF",
}]);

/// Channels in a conference.
pub static CONFBRIDGE_CHANNELS: Function = Function::read(
    "CONFBRIDGE_CHANNELS",
    "The channels in a conference.",
    "admins|marked|parties,conference",
    "Names with commas between, in the order in which they joined; empty when nobody is there.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((question, room)) = asked(cx, "CONFBRIDGE_CHANNELS", CHANNELS, arguments) else {
            return Answer::Failed;
        };
        let names: Vec<&[u8]> = room
            .participants
            .iter()
            .filter(|who| counts(&question, who))
            .map(|who| who.channel.as_bytes())
            .collect();
        out.extend_from_slice(&names.join(&b','));
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nobody",
    dialplan: "",
    evaluate: "[${CONFBRIDGE_CHANNELS(parties,6000)}]",
    expect: "[]",
}]);

/// What is known of a conference.
pub static CONFBRIDGE_INFO: Function = Function::read(
    "CONFBRIDGE_INFO",
    "How many are in a conference, or whether it is locked or muted.",
    "admins|locked|marked|muted|parties,conference",
    "Counts, and for `locked` and `muted` 1 or 0. 0 when nobody is there.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((question, room)) = asked(cx, "CONFBRIDGE_INFO", INFO, arguments) else {
            return Answer::Failed;
        };
        let value = match question.as_slice() {
            b"locked" => i64::from(room.locked),
            b"muted" => i64::from(room.muted),
            _ => {
                let counted = room.participants.iter().filter(|who| counts(&question, who));
                counted.count() as i64
            }
        };
        append_int(value, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nobody",
    dialplan: "",
    evaluate: "${CONFBRIDGE_INFO(parties,6000)}",
    expect: "0",
}]);

/// What can be asked of a conference.
const INFO: &[&str] = &["admins", "locked", "marked", "muted", "parties"];
/// Which channels can be asked for.
const CHANNELS: &[&str] = &["admins", "marked", "parties"];

fn counts(question: &[u8], who: &Participant) -> bool {
    match question {
        b"admins" => who.admin,
        b"marked" => who.marked,
        _ => true,
    }
}

/// A known question and the conference, one without anybody where it does not exist.
fn asked(
    cx: &mut Cx<'_>,
    function: &str,
    questions: &[&str],
    arguments: &[u8],
) -> Option<(Vec<u8>, Conference)> {
    let fields = standard(arguments, 2);
    let [question, conference] = fields.as_slice() else {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("{function} needs a question and a conference")
        });
        return None;
    };
    let question = question.to_ascii_lowercase();
    let known = questions.iter().any(|known| known.as_bytes() == question);
    if !known || conference.is_empty() {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("{function} does not know `{}`", bstr::BStr::new(&question))
        });
        return None;
    }
    let facilities = cx.shared().facilities();
    let room = facilities.conferences.get(conference).cloned();
    Some((question, room.unwrap_or_default()))
}

fn refused(cx: &mut Cx<'_>, arguments: &[u8]) -> Flow {
    cx.log(&code::BAD_ARGUMENT, || {
        format!(
            "CONFBRIDGE({}) cannot be set so: type, option or value is not possible",
            bstr::BStr::new(arguments)
        )
    });
    Flow::Next
}

/// Options of a participant that are on or off.
const USER_SWITCHES: &[&str] = &[
    "admin", "marked", "startmuted", "music_on_hold_when_empty", "quiet", "announce_user_count",
    "announce_only_user", "wait_marked", "end_marked", "end_marked_any", "talk_detection_events",
    "dtmf_passthrough", "announce_join_leave", "announce_join_leave_review", "denoise",
    "dsp_drop_silence", "jitterbuffer", "send_events", "echo_events", "text_messaging",
    "answer_channel", "hear_own_join_sound",
];
/// Options of a participant that are numbers.
const USER_NUMBERS: &[&str] = &["dsp_silence_threshold", "dsp_talking_threshold", "timeout"];
/// Options of a participant that are texts.
const USER_TEXTS: &[&str] = &[
    "announce_user_count_all", "music_on_hold_class", "announcement", "pin", "tag",
];
/// Options of a conference that are on or off.
const BRIDGE_SWITCHES: &[&str] = &[
    "record_conference", "record_file_append", "record_file_timestamp", "enable_events",
    "binaural_active",
];
/// Options of a conference that are numbers.
const BRIDGE_NUMBERS: &[&str] = &[
    "max_members", "video_update_discard", "remb_send_interval", "remb_estimated_bitrate",
    "maximum_sample_rate",
];
/// Options of a conference that are texts.
const BRIDGE_TEXTS: &[&str] = &[
    "record_file", "record_options", "record_command", "regcontext", "language",
    "internal_sample_rate", "remb_behavior",
];
/// Of whom a conference shows video.
const VIDEO: &[&str] = &["none", "follow_talker", "last_marked", "first_marked", "sfu"];

/// Whether an option of a kind of profile can have a value.
fn allowed(cx: &Cx<'_>, kind: &[u8], option: &[u8], value: &[u8]) -> bool {
    let is_in = |list: &[&str], text: &[u8]| list.iter().any(|known| known.as_bytes() == text);
    if option == b"clear" {
        return matches!(kind, b"user" | b"bridge" | b"menu");
    }
    if option == b"template" {
        return template(cx, kind, value).is_some();
    }
    let switch = is_in(
        &["yes", "no", "true", "false", "on", "off", "1", "0", "y", "n", "t", "f"],
        &value.to_ascii_lowercase(),
    );
    let number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    match kind {
        b"user" => {
            (is_in(USER_SWITCHES, option) && switch)
                || (is_in(USER_NUMBERS, option) && number)
                || is_in(USER_TEXTS, option)
        }
        b"bridge" => {
            (is_in(BRIDGE_SWITCHES, option) && switch)
                || (is_in(BRIDGE_NUMBERS, option) && number)
                || is_in(BRIDGE_TEXTS, option)
                || option.starts_with(b"sound_")
                || (option == b"video_mode" && is_in(VIDEO, value))
                || (option == b"mixing_interval" && is_in(&["10", "20", "40", "80"], value))
        }
        // The keys that are pressed, and what they do.
        b"menu" => {
            let key = |b: &u8| b.is_ascii_digit() || matches!(b, b'*' | b'#' | b'a'..=b'd');
            option.iter().all(key) && !value.is_empty()
        }
        _ => false,
    }
}

/// The settings of a profile.
fn template(cx: &Cx<'_>, kind: &[u8], name: &[u8]) -> Option<Vec<(Text, Text)>> {
    let facilities = cx.shared().facilities();
    let profiles = match kind {
        b"user" => &facilities.conferences.users,
        b"bridge" => &facilities.conferences.bridges,
        _ => &facilities.conferences.menus,
    };
    let profile = profiles.get(name)?;
    let settings = profile.iter().map(|(k, v)| (k.clone(), v.clone()));
    Some(settings.collect())
}
