//! `PrivacyManager`.

use std::time::Duration;

use super::answer::answered;
use super::gather::{Question, ask, play};
use super::playback::sounds;
use crate::base::{Text, arguments, scan::int};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Flow};

/// Ask for the number of callers who show none.
pub static PRIVACY_MANAGER: Application = Application::new(
    "PrivacyManager",
    "Ask for the number of callers who show none.",
    "[attempts[,minlength[,options[,context]]]]",
    "Does nothing when the caller shows a number. Otherwise asks for one, three times at most and with ten digits at \
     least unless other numbers are given; with a context it must be an extension there. PRIVACYMGRSTATUS is SUCCESS or \
     FAILED.",
    run_privacy,
)
.support(Support::Simulated)
.examples(&[Example { title: "A caller who shows a number", dialplan: "Set(CALLERID(num)=5551234)\nPrivacyManager()", evaluate: "${PRIVACYMGRSTATUS}", expect: "SUCCESS" }]);

fn number(text: &[u8]) -> Option<usize> {
    int(text)
        .and_then(|(number, _)| usize::try_from(number).ok())
        .filter(|number| *number > 0)
}

/// What `PrivacyManager` asks for.
struct Privacy {
    left: usize,
    least: usize,
    context: Vec<u8>,
}

fn run_privacy(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let shown = cx.channel().caller.number.as_ref();
    if shown.is_some_and(|number| !number.is_empty()) {
        return privacy_ends(cx, b"SUCCESS");
    }
    let fields = arguments::standard(data, 4);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    let privacy = Privacy {
        left: number(field(0)).unwrap_or(3),
        least: number(field(1)).unwrap_or(10),
        context: field(3).to_vec(),
    };
    answered(cx, |_| {
        play(&["privacy-unident"], |cx| ask_number(cx, privacy))
    })
}

fn ask_number(cx: &mut Cx<'_>, mut privacy: Privacy) -> Flow {
    if privacy.left == 0 {
        return privacy_ends(cx, b"FAILED");
    }
    privacy.left -= 1;
    let question = Question {
        prompt: sounds(b"privacy-prompt"),
        most: 29,
        first: Some(Duration::from_millis(3200)),
        between: Some(Duration::from_secs(5)),
    };
    ask(cx, question, move |cx, entered| {
        let known = privacy.context.is_empty() || cx.exists(&privacy.context, &entered, 1);
        if entered.len() < privacy.least || !known {
            return play(&["privacy-incorrect"], |cx| ask_number(cx, privacy));
        }
        let caller = &mut cx.channel_mut().caller;
        caller.number = Some(Text::from(entered));
        caller.name = Some(Text::from("Privacy Manager"));
        play(&["privacy-thankyou"], |cx| privacy_ends(cx, b"SUCCESS"))
    })
}

fn privacy_ends(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    cx.set(b"PRIVACYMGRSTATUS", status);
    Flow::Next
}

