//! Authenticate.

use std::time::Duration;

use super::answer::answered;
use super::gather::{Question, ask, play};
use super::playback::{missing_argument, sounds};
use crate::base::arguments::{self, options};
use crate::library::{Application, Support};
use crate::machine::{Cx, Flow};

/// Ask for a password.
pub static AUTHENTICATE: Application = Application::new(
    "Authenticate",
    "Ask for a password.",
    "password[,options[,maxdigits[,prompt]]]",
    "Answers and asks up to three times for a password, entered with `#` at its end; without the right one the call \
     ends. Options: `d` the password is a family of the DB, whose keys are the passwords; `r` removes the key that was \
     used; `a` makes the password the account code. With `maxdigits` no `#` is needed.",
    run,
)
.support(Support::Partial(
    "passwords in a file, with or without accounts (option m), are not read",
));

/// How often a password may be tried.
const ATTEMPTS: u32 = 3;

struct Check {
    password: Vec<u8>,
    database: bool,
    remove: bool,
    account: bool,
    most: usize,
    prompt: Vec<u8>,
}

impl Check {
    /// Whether this is a right password.
    fn accepts(&self, cx: &Cx<'_>, entered: &[u8]) -> bool {
        match self.password.strip_prefix(b"/") {
            Some(family) if self.database => {
                if entered.is_empty() {
                    return false;
                }
                let mut store = cx.shared().store();
                let found = store.get(family, entered).is_some();
                if found && self.remove {
                    store.remove(family, entered);
                }
                found
            }
            // A file of passwords: nothing is right.
            Some(_) => false,
            None => self.password == entered,
        }
    }
}

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 4).into_iter();
    let mut field = || fields.next().unwrap_or_default();
    let (password, letters, most, prompt) = (field(), options(&field()), field(), field());
    if password.is_empty() {
        return missing_argument(cx, "Authenticate needs a password");
    }
    let most = std::str::from_utf8(&most)
        .ok()
        .and_then(|text| text.trim().parse::<usize>().ok())
        .filter(|most| (1..=255).contains(most));
    let check = Check {
        password,
        database: letters.has(b'd'),
        remove: letters.has(b'r'),
        account: letters.has(b'a'),
        most: most.unwrap_or(255),
        prompt: if prompt.is_empty() {
            b"agent-pass".to_vec()
        } else {
            prompt
        },
    };
    answered(cx, move |cx| attempt(cx, check, ATTEMPTS))
}

fn attempt(cx: &mut Cx<'_>, check: Check, left: u32) -> Flow {
    let question = Question {
        prompt: sounds(&check.prompt),
        most: check.most,
        first: Some(Duration::from_secs(10)),
        between: None,
    };
    ask(cx, question, move |cx, entered| {
        if check.accepts(cx, &entered) {
            if check.account {
                cx.channel_mut().set_item(b"accountcode", &entered);
            }
            return play(&["auth-thankyou"], |_| Flow::Next);
        }
        if left > 1 {
            let check = Check {
                prompt: b"auth-incorrect".to_vec(),
                ..check
            };
            return attempt(cx, check, left - 1);
        }
        play(&["vm-goodbye"], |_| Flow::Leave)
    })
}
