//! Authenticate.

use std::time::Duration;

use super::answer::answered;
use super::gather::{Question, ask, play};
use super::playback::{missing_argument, sounds};
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::library::{Application, Support};
use crate::machine::{Cx, Flow};
use crate::store::StoreRequest;

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

#[derive(Clone)]
struct Check {
    password: Vec<u8>,
    database: bool,
    remove: bool,
    account: bool,
    most: usize,
    prompt: Vec<u8>,
}

impl Check {
    /// Says whether this is a right password.
    fn accepts(
        &self,
        cx: &mut Cx<'_>,
        entered: &[u8],
        then: impl FnOnce(&mut Cx<'_>, bool) -> Flow + Send + 'static,
    ) -> Flow {
        match self.password.strip_prefix(b"/") {
            Some(family) if self.database && !entered.is_empty() => {
                let (family, key) = (Text::from(family), Text::from(entered));
                let request = if self.remove {
                    StoreRequest::Remove { family, key }
                } else {
                    StoreRequest::Get { family, key }
                };
                Flow::store(cx, request, |cx, answer| {
                    then(cx, answer.value().is_some())
                })
            }
            // Nothing entered, or a file of passwords: nothing is right.
            Some(_) => then(cx, false),
            None => then(cx, self.password == entered),
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
        let checked = check.clone();
        check.accepts(cx, &entered.clone(), move |cx, accepted| {
            let check = checked;
            if accepted {
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
    })
}
