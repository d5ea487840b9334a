//! voicemail.conf and minivm.conf.

use super::{invalid, is, number, unknown};
use crate::base::Text;
use crate::diagnostic::Report;
use crate::machine::facilities::{Account, Facilities, Mailbox};
use crate::syntax::load::{Category, Setting};

/// What holds for every mailbox where it says nothing else.
#[derive(Default)]
struct Usual {
    timezone: Text,
    language: Text,
    locale: Text,
    most: Option<usize>,
}

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    let mut usual = Usual::default();
    for category in categories {
        if is(&category.name, "general") {
            for setting in &category.settings {
                match setting.name.to_ascii_lowercase().as_slice() {
                    b"tz" => usual.timezone = setting.value.clone(),
                    b"language" => usual.language = setting.value.clone(),
                    b"locale" => usual.locale = setting.value.clone(),
                    b"maxmsg" => usual.most = number(report, setting).map(|n| n as usize),
                    _ => {}
                }
            }
        }
    }
    for category in categories {
        let own = ["general", "zonemessages", "aliases"];
        if own.iter().any(|own| is(&category.name, own)) {
            continue;
        }
        for setting in &category.settings {
            let mailbox = mailbox(setting, &usual, report);
            let name = [setting.name.as_bytes(), b"@", &category.name].concat();
            facilities.mailboxes.add(&name, mailbox);
        }
    }
}

/// `100 => password[,name[,email[,pager[,option=value|option=value...]]]]`
fn mailbox(setting: &Setting, usual: &Usual, report: &mut Report) -> Mailbox {
    let mut fields = setting
        .value
        .splitn(5, |b| *b == b',')
        .map(<[u8]>::trim_ascii);
    let mut next = || fields.next().unwrap_or(&[]);
    let mut mailbox = Mailbox::new(next(), next());
    mailbox.email = Text::from(next());
    mailbox.pager = Text::from(next());
    mailbox.timezone = usual.timezone.clone();
    mailbox.language = usual.language.clone();
    mailbox.locale = usual.locale.clone();
    mailbox.most = usual.most.unwrap_or(mailbox.most);
    for option in next().split(|b| *b == b'|').filter(|o| !o.is_empty()) {
        let Some(at) = option.iter().position(|b| *b == b'=') else {
            invalid(report, setting);
            continue;
        };
        let name = option.get(..at).unwrap_or(&[]).trim_ascii();
        let value = Text::from(option.get(at + 1..).unwrap_or(&[]).trim_ascii());
        match name.to_ascii_lowercase().as_slice() {
            b"tz" => mailbox.timezone = value,
            b"language" => mailbox.language = value,
            b"locale" => mailbox.locale = value,
            b"maxmsg" => match std::str::from_utf8(&value)
                .ok()
                .and_then(|n| n.parse().ok())
            {
                Some(most) => mailbox.most = most,
                None => invalid(report, setting),
            },
            _ => {}
        }
    }
    mailbox
}

/// Items of an account in minivm.conf.
const ITEMS: &[&str] = &[
    "fullname",
    "email",
    "pager",
    "etemplate",
    "ptemplate",
    "accountcode",
    "pincode",
    "timezone",
    "language",
    "attachmentformat",
    "serveremail",
    "externnotify",
    "options",
    "volgain",
];

pub(super) fn read_accounts(
    categories: &[Category],
    facilities: &mut Facilities,
    report: &mut Report,
) {
    for category in categories {
        // Other sections are templates of mails, and settings for all.
        if !category.name.contains(&b'@') {
            continue;
        }
        let mut account = Account::default();
        for setting in &category.settings {
            let name = setting.name.to_ascii_lowercase();
            if name == b"setvar" {
                match setting.value.iter().position(|b| *b == b'=') {
                    Some(at) => {
                        let variable = setting.value.get(..at).unwrap_or(&[]);
                        let value = setting.value.get(at + 1..).unwrap_or(&[]);
                        account.set(&variable.to_ascii_lowercase(), value);
                    }
                    None => invalid(report, setting),
                }
            } else if ITEMS.iter().any(|item| is(&setting.name, item)) {
                account.set(&name, &setting.value);
            } else {
                unknown(report, setting);
            }
        }
        facilities.accounts.add(&category.name, account);
    }
}
