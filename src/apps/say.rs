//! `SayNumber`, `SayOrdinal`, `SayDigits`, `SayAlpha`, `SayAlphaCase`, `SayPhonetic`, `SayMoney`.

use super::background::ALL_DIGITS;
use super::playback::all_there;
use crate::base::Text;
use crate::base::arguments;
use crate::base::duration::leading_number;
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow, Play, Sound};

macro_rules! say {
    ($($name:ident $spoken:literal $synopsis:literal $syntax:literal $run:ident $doc:literal;)*) => {$(
        #[doc = $synopsis]
        pub static $name: Application = Application::new(
            $spoken,
            $synopsis,
            $syntax,
            $doc,
            |cx, data| $run(cx, $spoken, data),
        )
        .support(Support::Simulated);
    )*};
}

say! {
    SAY_NUMBER "SayNumber" "Say a number." "number[,gender]" number
        "Says a whole number. What is no number is not said; a gender other than f, m, c, n or p ends the call.";
    SAY_ORDINAL "SayOrdinal" "Say an ordinal number." "number[,gender]" number
        "Says a whole number as first, second and so on.";
    SAY_DIGITS "SayDigits" "Say digits." "text" text
        "Says the digits of a text one by one. With SAY_DTMF_INTERRUPT a pressed digit begins a new extension.";
    SAY_ALPHA "SayAlpha" "Say characters." "text" text
        "Spells a text.";
    SAY_ALPHA_CASE "SayAlphaCase" "Say characters with their case." "casetype,text" text
        "Spells a text and says which letters are capitals.";
    SAY_PHONETIC "SayPhonetic" "Say a text in the phonetic alphabet." "text" text
        "Spells a text in words of the phonetic alphabet.";
    SAY_MONEY "SayMoney" "Say an amount of money." "amount" text
        "Says an amount of money.";
}

fn number(cx: &mut Cx<'_>, kind: &'static str, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let text = fields.first().map_or(&[][..], Vec::as_slice);
    let Some((number, _)) = leading_number(text) else {
        cx.log(&code::ARGUMENT_MISSING, || format!("{kind} needs a number"));
        return Flow::Next;
    };
    if let Some(gender) = fields.get(1)
        && !gender.is_empty()
        && !matches!(
            gender.first().map(u8::to_ascii_lowercase),
            Some(b'f' | b'm' | b'c' | b'n' | b'p')
        )
    {
        cx.log(&code::ARGUMENT_MISSING, || {
            format!("{kind} does not know this gender")
        });
        return Flow::Leave;
    }
    say(
        cx,
        kind,
        format!("{}", number.trunc()).into_bytes(),
        Interrupt::AsSet,
    )
}

fn text(cx: &mut Cx<'_>, kind: &'static str, data: &[u8]) -> Flow {
    if data.is_empty() {
        return Flow::Next;
    }
    say(cx, kind, data.to_vec(), Interrupt::AsSet)
}

/// When a digit begins a new extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupt {
    /// As `SAY_DTMF_INTERRUPT` tells.
    AsSet,
    /// Always.
    Always,
}

/// Lets the host say a text.
pub(super) fn say(
    cx: &mut Cx<'_>,
    kind: &'static str,
    text: Vec<u8>,
    interrupt: Interrupt,
) -> Flow {
    let interrupt = interrupt == Interrupt::Always
        || is_true_word(&cx.text_of(b"SAY_DTMF_INTERRUPT"));
    let play = Play {
        what: vec![Sound::Say {
            kind: Text::from(kind),
            text: Text::from(text),
        }],
        stop_on: if interrupt {
            Text::from(ALL_DIGITS)
        } else {
            Text::EMPTY
        },
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), |cx, event| {
        all_there(cx, &event);
        match event {
            Event::Hangup(_) => Flow::Leave,
            Event::Played {
                digit: Some(digit), ..
            }
            | Event::Digit(digit) => Flow::Digit(digit),
            _ => Flow::Next,
        }
    })
}

/// `yes`, `true`, `y`, `t`, `1`, `on`: what Asterisk takes for yes in settings.
fn is_true_word(text: &[u8]) -> bool {
    let word = text.to_ascii_lowercase();
    let known: [&[u8]; 6] = [b"yes", b"true", b"y", b"t", b"1", b"on"];
    known.contains(&word.as_slice())
}
