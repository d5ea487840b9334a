//! VMCOUNT, `VM_INFO`, MINIVMACCOUNT, MINIVMCOUNTER: mailboxes, which the engine does not have.

use crate::base::arguments::standard;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

const LACKS: &str = "there are no mailboxes: every one is empty and unknown";

/// Messages in a mailbox.
pub static VMCOUNT: Function = Function::read(
    "VMCOUNT",
    "How many messages are in mailboxes.",
    "mailbox[@context][&…][,folder]",
    "Messages in a folder, INBOX by default.",
    |cx: &mut Cx<'_>, arguments, out| {
        if arguments.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "VMCOUNT needs a mailbox".to_owned());
            return Answer::Failed;
        }
        out.push(b'0');
        Answer::Done
    },
)
.support(Support::Partial(LACKS))
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
     the others are empty where there is no mailbox, `count` is 0.",
    |cx: &mut Cx<'_>, arguments, out| {
        const ATTRIBUTES: &[&str] = &[
            "email", "fullname", "language", "locale", "pager", "password", "tz",
        ];
        let fields = standard(arguments, 3);
        let (Some(mailbox), Some(attribute)) = (fields.first(), fields.get(1)) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "VM_INFO needs a mailbox and an attribute".to_owned()
            });
            return Answer::Failed;
        };
        let attribute = attribute.to_ascii_lowercase();
        let known = ATTRIBUTES.iter().any(|a| a.as_bytes() == attribute);
        match attribute.as_slice() {
            b"exists" | b"count" if !mailbox.is_empty() => out.push(b'0'),
            _ if known && !mailbox.is_empty() => {}
            _ => {
                cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                    format!("VM_INFO does not know `{}`", bstr::BStr::new(&attribute))
                });
                return Answer::Failed;
            }
        }
        Answer::Done
    },
)
.support(Support::Partial(LACKS))
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
    "Empty where there is no such account.",
    |cx: &mut Cx<'_>, account, _| none(cx, account),
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "No account",
    dialplan: "",
    evaluate: "[${MINIVMACCOUNT(204@default:email)}]",
    expect: "[]",
}]);

/// A counter of the small voice mail.
pub static MINIVMCOUNTER: Function = Function::read_write(
    "MINIVMCOUNTER",
    "A counter of an account of MiniVM.",
    "account:name[:operand]",
    "Empty where there is no such account; writing changes nothing there.",
    |cx: &mut Cx<'_>, account, _| none(cx, account),
    |cx: &mut Cx<'_>, account, _| {
        none(cx, account);
        Flow::Next
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "No account",
    dialplan: "",
    evaluate: "[${MINIVMCOUNTER(204@default:calls)}]",
    expect: "[]",
}]);

fn none(cx: &mut Cx<'_>, account: &[u8]) -> Answer {
    cx.log(&code::NOT_FOUND, || {
        format!("no account `{}`", bstr::BStr::new(account))
    });
    Answer::Failed
}
