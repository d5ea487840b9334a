//! Authenticate.

use std::time::Duration;

use md5::{Digest, Md5};

use super::answer::answered;
use super::gather::{Question, ask, play};
use super::playback::{missing_argument, sounds};
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Effect, Event, Flow, OutsideRequest, StoreRequest};

/// Ask for a password.
pub static AUTHENTICATE: Application = Application::new(
    "Authenticate",
    "Ask for a password.",
    "password[,options[,maxdigits[,prompt]]]",
    "Answers and asks up to three times for a password, entered with `#` at its end; without the right one the call \
     ends. A password that begins with `/` is a file with one password on each line. Options: `d` it is a family of the \
     DB, whose keys are the passwords; `r` removes the key that was used; `m` the lines of the file are \
     `account:MD5 digest of the password`; `a` makes the password, or the account of the line, the account code. With \
     `maxdigits` no `#` is needed.",
    run,
);

/// How often a password may be tried.
const ATTEMPTS: u32 = 3;

#[derive(Clone)]
struct Check {
    password: Vec<u8>,
    database: bool,
    remove: bool,
    account: bool,
    accounts: bool,
    most: usize,
    prompt: Vec<u8>,
}

impl Check {
    /// The file that holds the passwords.
    fn file(&self) -> Option<Text> {
        let in_file = !self.database && self.password.starts_with(b"/");
        in_file.then(|| Text::from(self.password.as_slice()))
    }

    /// The account of a right password, which is the password.
    fn accepted(
        &self,
        cx: &mut Cx<'_>,
        entered: Vec<u8>,
        then: impl FnOnce(&mut Cx<'_>, Option<Vec<u8>>) -> Flow + Send + 'static,
    ) -> Flow {
        match self.password.strip_prefix(b"/") {
            Some(_) if entered.is_empty() => then(cx, None),
            Some(family) => {
                let (family, key) = (Text::from(family), Text::from(entered.as_slice()));
                let request = if self.remove {
                    StoreRequest::Remove { family, key }
                } else {
                    StoreRequest::Get { family, key }
                };
                Flow::store(cx, request, |cx, answer| {
                    then(cx, answer.value().is_some().then_some(entered))
                })
            }
            None => {
                let right = self.password == entered;
                then(cx, right.then_some(entered))
            }
        }
    }

    /// The account of a password that a line of the file has.
    fn accepted_by_file(&self, content: &[u8], entered: &[u8]) -> Option<Vec<u8>> {
        let mut digest = Vec::new();
        for byte in Md5::digest(entered) {
            digest.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        content
            .split(|b| *b == b'\n')
            .filter(|line| !line.is_empty())
            .find_map(|line| {
                if !self.accounts {
                    return (line == entered).then(|| line.to_vec());
                }
                let colon = line.iter().position(|b| *b == b':')?;
                let (account, secret) = line.split_at_checked(colon)?;
                (secret.get(1..)? == digest).then(|| account.to_vec())
            })
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
        accounts: letters.has(b'm'),
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
        let Some(file) = check.file() else {
            let checked = check.clone();
            return check.accepted(cx, entered, move |cx, account| {
                judge(cx, checked, left, account)
            });
        };
        let request = Effect::Outside(OutsideRequest::ReadFile(file));
        Flow::wait_then(request, move |cx, event| {
            let account = match event {
                Event::Value(content) => check.accepted_by_file(&content, &entered),
                Event::Hangup(_) => return Flow::Leave,
                _ => {
                    cx.log(&code::NOT_FOUND, || {
                        "the file of passwords cannot be read".to_owned()
                    });
                    None
                }
            };
            judge(cx, check, left, account)
        })
    })
}

/// What follows: with the account of a right password, or without one.
fn judge(cx: &mut Cx<'_>, check: Check, left: u32, account: Option<Vec<u8>>) -> Flow {
    if let Some(account) = account {
        if check.account {
            cx.channel_mut().set_item(b"accountcode", &account);
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
}
