//! CALLCOMPLETION, FEATURE, FEATUREMAP and `LOG_GROUP`: settings of a channel that are written and read back.

use crate::base::condition::is_yes;
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

/// Call completion.
pub static CALLCOMPLETION: Function = Function::read_write(
    "CALLCOMPLETION",
    "A setting of call completion of this channel.",
    "item",
    "Items are cc_agent_policy, cc_monitor_policy, cc_offer_timer, cc_recall_timer, ccbs_available_timer, \
     ccnr_available_timer, cc_max_agents, cc_max_monitors, cc_agent_dialstring, cc_callback_macro and cc_callback_sub. \
     The host completes calls.",
    |cx: &mut Cx<'_>, item, out| read(cx, "CALLCOMPLETION", COMPLETION, item, out),
    |cx: &mut Cx<'_>, item, value| write(cx, "CALLCOMPLETION", COMPLETION, item, value),
)
.examples(&[Example {
    title: "One that is set, one that is not",
    dialplan: "Set(CALLCOMPLETION(cc_agent_policy)=generic)",
    evaluate: "${CALLCOMPLETION(cc_agent_policy)} ${CALLCOMPLETION(cc_monitor_policy)}",
    expect: "generic never",
}]);

/// Features.
pub static FEATURE: Function = Function::read_write(
    "FEATURE",
    "A setting of the features of this channel.",
    "item",
    "Items are those of features.conf, such as featuredigittimeout, pickupexten or courtesytone, and `inherit`. What was \
     not written is what Asterisk has without a features.conf.",
    |cx: &mut Cx<'_>, item, out| read(cx, "FEATURE", FEATURES, item, out),
    |cx: &mut Cx<'_>, item, value| write(cx, "FEATURE", FEATURES, item, value),
)
.examples(&[Example {
    title: "Pickup",
    dialplan: "Set(FEATURE(courtesytone)=beep)",
    evaluate: "${FEATURE(courtesytone)} ${FEATURE(pickupexten)}",
    expect: "beep *8",
}]);

/// Digits of features.
pub static FEATUREMAP: Function = Function::read_write(
    "FEATUREMAP",
    "The digits of a feature on this channel.",
    "feature",
    "Features are blindxfer, disconnect, atxfer, automon, automixmon and parkcall.",
    |cx: &mut Cx<'_>, item, out| read(cx, "FEATUREMAP", DIGITS, item, out),
    |cx: &mut Cx<'_>, item, value| write(cx, "FEATUREMAP", DIGITS, item, value),
)
.examples(&[Example {
    title: "Other digits",
    dialplan: "Set(FEATUREMAP(atxfer)=*2)",
    evaluate: "${FEATUREMAP(atxfer)} ${FEATUREMAP(blindxfer)}",
    expect: "*2 #",
}]);

/// The group of the channel in log files.
pub static LOG_GROUP: Function = Function::write_only(
    "LOG_GROUP",
    "The group under which log files show this channel.",
    "",
    "Kept for the host, which writes the log.",
    |cx: &mut Cx<'_>, _, value| {
        cx.channel_mut().set_setting(b"LOG_GROUP", value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A group",
    dialplan: "Set(LOG_GROUP()=tests)",
    evaluate: "on",
    expect: "on",
}]);

/// Items and what they are until they are written.
type Items = &'static [(&'static str, &'static str)];

const COMPLETION: Items = &[
    ("cc_agent_dialstring", ""),
    ("cc_agent_policy", "never"),
    ("cc_callback_macro", ""),
    ("cc_callback_sub", ""),
    ("cc_max_agents", "5"),
    ("cc_max_monitors", "5"),
    ("cc_monitor_policy", "never"),
    ("cc_offer_timer", "20"),
    ("cc_recall_timer", "20"),
    ("ccbs_available_timer", "4800"),
    ("ccnr_available_timer", "7200"),
];

const FEATURES: Items = &[
    ("atxferabort", "*1"),
    ("atxfercallbackretries", "2"),
    ("atxfercomplete", "*2"),
    ("atxferdropcall", "0"),
    ("atxferloopdelay", "10"),
    ("atxfernoanswertimeout", "15"),
    ("atxferswap", "*4"),
    ("atxferthreeway", "*3"),
    ("courtesytone", ""),
    ("featuredigittimeout", "1000"),
    ("inherit", "no"),
    ("pickupexten", "*8"),
    ("pickupfailsound", ""),
    ("pickupsound", ""),
    ("recordingfailsound", ""),
    ("transferannouncesound", "pbx-transfer"),
    ("transferdialattempts", "3"),
    ("transferdigittimeout", "3"),
    ("transferinvalidsound", "privacy-incorrect"),
    ("transferretrysound", "pbx-invalid"),
    ("xferfailsound", "beeperr"),
    ("xfersound", "beep"),
];

const DIGITS: Items = &[
    ("atxfer", ""),
    ("automixmon", ""),
    ("automon", ""),
    ("blindxfer", "#"),
    ("disconnect", "*"),
    ("parkcall", ""),
];

/// Where the setting is kept, and what it is until it is written.
fn setting(
    cx: &mut Cx<'_>,
    function: &str,
    items: Items,
    item: &[u8],
) -> Option<(Vec<u8>, &'static str)> {
    let known = items
        .iter()
        .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(item));
    if known.is_none() {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("{function} does not know `{}`", bstr::BStr::new(item))
        });
    }
    known.map(|(name, usual)| (format!("{function} {name}").into_bytes(), *usual))
}

fn read(
    cx: &mut Cx<'_>,
    function: &str,
    items: Items,
    item: &[u8],
    out: &mut Vec<u8>,
) -> Answer {
    let Some((key, usual)) = setting(cx, function, items, item) else {
        return Answer::Failed;
    };
    match cx.channel().setting(&key) {
        Some(value) => out.extend_from_slice(value),
        None => out.extend_from_slice(usual.as_bytes()),
    }
    Answer::Done
}

fn write(cx: &mut Cx<'_>, function: &str, items: Items, item: &[u8], value: &[u8]) -> Flow {
    let Some((key, usual)) = setting(cx, function, items, item) else {
        return Flow::Next;
    };
    let item = item.to_ascii_lowercase();
    match accepted(function, &item, usual, value) {
        Some(value) => cx.channel_mut().set_setting(&key, &value),
        None => cx.log(&code::BAD_ARGUMENT, || {
            format!(
                "{function}({}) cannot be `{}`",
                bstr::BStr::new(&item),
                bstr::BStr::new(value)
            )
        }),
    }
    Flow::Next
}

/// A value in the form in which it is read back; `None` where an item cannot have it. Items whose usual value is a
/// number or a switch take nothing else.
fn accepted(function: &str, item: &[u8], usual: &str, value: &[u8]) -> Option<Vec<u8>> {
    let one_of = |words: &[&str]| {
        let found = words
            .iter()
            .find(|word| word.as_bytes().eq_ignore_ascii_case(value));
        found.map(|word| word.as_bytes().to_vec())
    };
    match (function, item) {
        ("CALLCOMPLETION", b"cc_agent_policy") => one_of(&["never", "native", "generic"]),
        ("CALLCOMPLETION", b"cc_monitor_policy") => {
            one_of(&["never", "native", "generic", "always"])
        }
        ("FEATURE", b"inherit") => Some(if is_yes(value) { &b"yes"[..] } else { b"no" }.to_vec()),
        ("FEATURE", b"atxferdropcall") => Some(if is_yes(value) { &b"1"[..] } else { b"0" }.to_vec()),
        _ if usual.parse::<u32>().is_ok() => {
            let (number, rest) = int(value)?;
            (number >= 0 && rest.is_empty()).then(|| number.to_string().into_bytes())
        }
        _ => Some(value.to_vec()),
    }
}
