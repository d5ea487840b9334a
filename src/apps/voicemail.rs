//! `VoiceMail`, `VoiceMailMain`, `VMAuthenticate`, `VMSayName`, `VoiceMailPlayMsg`.

use std::time::Duration;

use super::answer::answered;
use super::hosted::{After, Hosted, Status, hosted};
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::facilities::{INBOX, Stored};
use crate::machine::{Cx, Effect, Event, Flow, Location};

hosted! {
    VOICE_MAIL_MAIN "VoiceMailMain" "Let the caller hear messages." "[mailbox[@context][,options]]"
        "Answers, asks for mailbox and password (not with the option `s`), and gives the menus of the voice mail."
        Hosted::new().answers().or_leaves();
    VM_AUTHENTICATE "VMAuthenticate" "Ask for the password of a mailbox." "[mailbox[@context][,options]]"
        "Asks for mailbox and password of the voice mail; without the right one the call ends. AUTH_MAILBOX is the mailbox \
         as the host tells it."
        Hosted::new().or_leaves().value_in("AUTH_MAILBOX");
    VM_SAY_NAME "VMSayName" "Say the name of a mailbox." "[mailbox[@context]]"
        "Plays the recorded name of the owner, or the number of the mailbox."
        Hosted::new().needs(1, After::Leave).answers();
    VOICE_MAIL_PLAY_MSG "VoiceMailPlayMsg" "Play one message." "[mailbox[@context]][,message]"
        "Plays a message by its id. VOICEMAIL_PLAYBACKSTATUS is SUCCESS or FAILED."
        Hosted::new()
            .needs(2, After::Leave)
            .answers()
            .sets(&[Status::new("VOICEMAIL_PLAYBACKSTATUS", "SUCCESS", "FAILED")]);
}

/// Take a message.
pub static VOICE_MAIL: Application = Application::new(
    "VoiceMail",
    "Take a message for a mailbox.",
    "mailbox[@context][&mailbox2[&...]][,options]",
    "Answers, greets and records a message for mailboxes. VMSTATUS is SUCCESS, USEREXIT or FAILED. During the greeting \
     `0` goes to the extension `o` and `*` to `a` of the present context, or of the one in the option `d`; options `u` \
     and `b` choose the greeting, `s` leaves out the instructions. Where the host told its mailboxes to the engine, the \
     message lies in each of them, for VMCOUNT() and VM_INFO(); an unknown one is FAILED.",
    run,
)
.support(Support::Simulated)
.examples(&[Example { title: "Leave a message", dialplan: "VoiceMail(42@office,u)", evaluate: "${VMSTATUS}", expect: "SUCCESS" }]);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let letters = options(
        &arguments::standard(data, 2)
            .into_iter()
            .nth(1)
            .unwrap_or_default(),
    );
    let context = match letters.argument(b'd') {
        Some(context) if !context.is_empty() => Text::from(context),
        _ => cx.location().context.clone(),
    };
    let urgent = letters.has(b'U');
    let boxes: Vec<Text> = arguments::standard(data, 2)
        .first()
        .map_or(&[][..], Vec::as_slice)
        .split(|b| *b == b'&')
        .filter(|name| !name.is_empty())
        .map(Text::from)
        .collect();
    let effect = Effect::Custom {
        name: Text::from("VoiceMail"),
        data: Text::from(data),
    };
    answered(cx, move |cx| {
        // Where the engine has the mailboxes, the first one decides whether there is a message at all.
        let facilities = cx.shared().facilities();
        let known = facilities.mailboxes.are_known();
        let first = boxes.first().filter(|name| facilities.mailboxes.get(name).is_some());
        let missing = known && first.is_none();
        drop(facilities);
        if missing {
            cx.log(&code::NOT_FOUND, || "no such mailbox".to_owned());
            cx.set(b"VMSTATUS", b"FAILED");
            return Flow::Next;
        }
        let began = cx.now();
        Flow::wait_then(effect, move |cx, event| {
            let (status, exten): (&[u8], Option<&str>) = match &event {
                Event::Hangup(_) => {
                    cx.set(b"VMSTATUS", b"FAILED");
                    return Flow::Leave;
                }
                Event::Digit(b'0') => (b"USEREXIT", Some("o")),
                Event::Digit(b'*') => (b"USEREXIT", Some("a")),
                Event::Digit(_) => (b"USEREXIT", None),
                Event::Value(word) => (word, None),
                Event::Failed(_) | Event::Timeout => (b"FAILED", None),
                _ => (b"SUCCESS", None),
            };
            if status == b"SUCCESS" {
                leave_message(cx, &boxes, urgent, began);
            }
            cx.set(b"VMSTATUS", status);
            match exten {
                Some(exten) if cx.exists(&context, exten.as_bytes(), 1) => Flow::Jump(Location {
                    context,
                    exten: Text::from(exten),
                    priority: 1,
                }),
                _ => Flow::Next,
            }
        })
    })
}

/// A message lies in every mailbox that has room.
fn leave_message(cx: &mut Cx<'_>, boxes: &[Text], urgent: bool, began: Duration) {
    let message = Stored {
        from: cx.channel().caller.number.clone().unwrap_or_default(),
        at: began,
        duration: cx.now().saturating_sub(began),
    };
    let folder: &[u8] = if urgent { b"Urgent" } else { INBOX.as_bytes() };
    let mut full = false;
    let mut facilities = cx.shared().facilities();
    for name in boxes {
        if let Some(mailbox) = facilities.mailboxes.get_mut(name) {
            full |= !mailbox.put(folder, message.clone());
        }
    }
    drop(facilities);
    if full {
        cx.log(&code::NOT_FOUND, || "a mailbox has no room".to_owned());
    }
}
