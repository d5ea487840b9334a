//! VMCOUNT, `VM_INFO`, MINIVMACCOUNT, MINIVMCOUNTER: mailboxes.

use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::facilities::{FOLDERS, INBOX, Mailbox};
use crate::machine::{Answer, Cx, Flow};

/// Messages in mailboxes.
pub static VMCOUNT: Function = Function::read(
    "VMCOUNT",
    "How many messages are in mailboxes.",
    "mailbox[@context][&…][,folder]",
    "Messages in a folder, INBOX by default, of one or several mailboxes together.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        let Some(boxes) = fields.first().filter(|boxes| !boxes.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "VMCOUNT needs a mailbox".to_owned());
            return Answer::Failed;
        };
        let folder = match fields.get(1).map(Vec::as_slice) {
            None | Some([]) => INBOX.as_bytes(),
            Some(folder) => folder,
        };
        let facilities = cx.shared().facilities();
        let counts = boxes
            .split(|b| *b == b'&')
            .map(|name| facilities.mailboxes.count(name, folder));
        let count: usize = counts.sum();
        drop(facilities);
        append_int(count as i64, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nothing new",
    dialplan: "",
    evaluate: "${VMCOUNT(204@default)}",
    expect: "0",
}]);

/// What is known of a mailbox.
pub static VM_INFO: Function = Function::read(
    "VM_INFO",
    "What is known of a mailbox.",
    "mailbox[@context],attribute[,folder]",
    "Attributes are count, email, exists, fullname, language, locale, pager, password and tz. `exists` gives 1 or 0; \
     `count` counts the messages of a folder, INBOX by default; where there is no mailbox it is 0, and the others are \
     empty.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 3);
        let (Some(name), Some(attribute)) = (
            fields.first().filter(|name| !name.is_empty()),
            fields.get(1).filter(|attribute| !attribute.is_empty()),
        ) else {
            return wrong(cx, "VM_INFO needs a mailbox and an attribute".to_owned());
        };
        let folder = match fields.get(2).map(Vec::as_slice) {
            None | Some([]) => INBOX.as_bytes(),
            Some(folder) => folder,
        };
        let folder = FOLDERS
            .iter()
            .find(|known| known.as_bytes().eq_ignore_ascii_case(folder));
        let facilities = cx.shared().facilities();
        let mailbox = facilities.mailboxes.get(name).cloned();
        drop(facilities);
        let attribute = attribute.to_ascii_lowercase();
        let of = |text: fn(&Mailbox) -> &[u8]| {
            mailbox.as_ref().map_or(&[][..], text)
        };
        match attribute.as_slice() {
            b"exists" => out.push(if mailbox.is_some() { b'1' } else { b'0' }),
            b"count" => {
                let Some(folder) = folder else {
                    return wrong(cx, "VM_INFO: no such folder".to_owned());
                };
                let messages = mailbox.as_ref().map(|m| m.messages(folder.as_bytes()));
                append_int(messages.map_or(0, <[_]>::len) as i64, out);
            }
            b"email" => out.extend_from_slice(of(|m| &m.email)),
            b"fullname" => out.extend_from_slice(of(|m| &m.fullname)),
            b"language" => out.extend_from_slice(of(|m| &m.language)),
            b"locale" => out.extend_from_slice(of(|m| &m.locale)),
            b"pager" => out.extend_from_slice(of(|m| &m.pager)),
            b"password" => out.extend_from_slice(of(|m| &m.password)),
            b"tz" => out.extend_from_slice(of(|m| &m.timezone)),
            _ => {
                let attribute = bstr::BStr::new(&attribute).to_string();
                return wrong(cx, format!("VM_INFO does not know `{attribute}`"));
            }
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "No mailbox",
    dialplan: "",
    evaluate: "${VM_INFO(204,exists)}[${VM_INFO(204,email)}]",
    expect: "0[]",
}]);

/// An account of the small voice mail.
pub static MINIVMACCOUNT: Function = Function::read(
    "MINIVMACCOUNT",
    "What is known of an account of MiniVM.",
    "account:item",
    "`hasaccount` is 1 or 0, `path` the folder of the account; the other items are fullname, email, etemplate, \
     ptemplate, accountcode, pincode, timezone, language, and variables of the account. Empty where there is no such \
     account.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((name, item)) = parted(arguments) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "MINIVMACCOUNT needs an account and an item".to_owned()
            });
            return Answer::Failed;
        };
        let facilities = cx.shared().facilities();
        let account = facilities.accounts.get(name).cloned();
        drop(facilities);
        let item = item.to_ascii_lowercase();
        match item.as_slice() {
            b"hasaccount" => out.push(if account.is_some() { b'1' } else { b'0' }),
            b"path" => {
                let mut parts = name.splitn(2, |b| *b == b'@');
                let user = parts.next().unwrap_or(&[]);
                let domain = parts.next().unwrap_or(&[]);
                let path = [
                    &cx.text_of(b"ASTSPOOLDIR"),
                    &b"/voicemail/"[..],
                    domain,
                    b"/",
                    user,
                ];
                out.extend_from_slice(&path.concat());
            }
            _ => {
                if let Some(value) = account.as_ref().and_then(|account| account.get(&item)) {
                    out.extend_from_slice(value);
                }
            }
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "No account",
    dialplan: "",
    evaluate: "${MINIVMACCOUNT(anna@example.com:hasaccount)}[${MINIVMACCOUNT(anna@example.com:email)}]",
    expect: "0[]",
}]);

/// A counter of the small voice mail.
pub static MINIVMCOUNTER: Function = Function::read_write(
    "MINIVMCOUNTER",
    "A counter of an account of MiniVM.",
    "account:name[:operand]",
    "The counter of an account, or of a domain that has one; 0 at first. What is written is added with the operand `i`, \
     taken off with `d`, down to 0, and put there with `s`. A warning where there is no such account.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((owner, rest)) = parted(arguments) else {
            return misused(cx);
        };
        let name = rest.split(|b| *b == b':').next().unwrap_or(&[]);
        if !owned(cx, owner) {
            return Answer::Failed;
        }
        let value = cx.shared().facilities().accounts.counter(owner, name);
        append_int(i64::from(value), out);
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let Some((owner, rest)) = parted(arguments) else {
            misused(cx);
            return Flow::Next;
        };
        let mut parts = rest.splitn(2, |b| *b == b':');
        let name = parts.next().unwrap_or(&[]);
        let operand = parts.next().unwrap_or(&[]).first().copied();
        let change = int(value).and_then(|(n, _)| u32::try_from(n).ok());
        let (Some(operand @ (b'i' | b'd' | b's')), Some(change)) = (operand, change) else {
            misused(cx);
            return Flow::Next;
        };
        if owned(cx, owner) {
            let mut facilities = cx.shared().facilities();
            let old = facilities.accounts.counter(owner, name);
            let new = match operand {
                b'i' => old.saturating_add(change),
                b'd' => old.saturating_sub(change),
                _ => change,
            };
            facilities.accounts.set_counter(owner, name, new);
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "No account",
    dialplan: "",
    evaluate: "[${MINIVMCOUNTER(anna@example.com:calls)}]",
    expect: "[]",
}]);

fn wrong(cx: &mut Cx<'_>, text: String) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || text);
    Answer::Failed
}

fn misused(cx: &mut Cx<'_>) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || {
        "MINIVMCOUNTER needs an account and a name; to write, an operand and a number".to_owned()
    });
    Answer::Failed
}

/// Account and what follows the first colon; both must be there.
fn parted(arguments: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = arguments.iter().position(|b| *b == b':')?;
    let (owner, rest) = (arguments.get(..at)?, arguments.get(at + 1..)?);
    (!owner.is_empty() && !rest.is_empty()).then_some((owner, rest))
}

/// Whether counters can be kept for this; a warning where they cannot.
fn owned(cx: &mut Cx<'_>, owner: &[u8]) -> bool {
    let owned = cx.shared().facilities().accounts.counts(owner);
    if !owned {
        cx.log(&code::NOT_FOUND, || {
            format!("no account or domain `{}`", bstr::BStr::new(owner))
        });
    }
    owned
}
