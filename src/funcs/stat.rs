//! STAT.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, OutsideRequest};

/// What is known of a file.
pub static STAT: Function = Function::read(
    "STAT",
    "Whether a file exists, and what it is.",
    "item,name",
    "Items are `e` (it exists), `f` (it is a file), `d` (it is a folder), `s` (size in bytes), `m` (mode in octal \
     digits), and seconds since 1970 of `A` the last access, `M` the last change of what it holds, `C` the last change \
     of its status. 0 where there is no such file.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 2);
        let (Some(item), Some(name)) = (
            arguments.first().and_then(|item| item.first().copied()),
            arguments.get(1).filter(|name| !name.is_empty()),
        ) else {
            cx.log(&code::BAD_ARGUMENT, || {
                "STAT needs an item and a file".to_owned()
            });
            return Answer::Failed;
        };
        let request = OutsideRequest::Stat(Text::from(name.as_slice()));
        Answer::Await(
            Effect::Outside(request),
            Box::new(move |_, event, out| {
                let told = match &event {
                    Event::Value(text) => numbers(text),
                    _ => None,
                };
                let answer = told.map_or_else(|| "0".to_owned(), |told| tell(item, told));
                out.extend_from_slice(answer.as_bytes());
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "The root folder",
    dialplan: "",
    evaluate: "${STAT(e,/)}${STAT(d,/)}${STAT(f,/)} ${STAT(e,/no/such/file)}",
    expect: "110 0",
}]);

/// Bits of a mode that say the type, as POSIX systems have them.
const TYPE: i64 = 0o170_000;
const FOLDER: i64 = 0o040_000;
const REGULAR: i64 = 0o100_000;

/// Mode, size and times.
fn numbers(text: &[u8]) -> Option<[i64; 5]> {
    let text = std::str::from_utf8(text).ok()?;
    let mut fields = text.split(' ').map(str::parse);
    let mut next = || fields.next()?.ok();
    Some([next()?, next()?, next()?, next()?, next()?])
}

fn tell(item: u8, [mode, size, accessed, modified, changed]: [i64; 5]) -> String {
    let number = match item {
        b'e' => 1,
        b'f' => i64::from(mode & TYPE == REGULAR),
        b'd' => i64::from(mode & TYPE == FOLDER),
        b's' => size,
        b'A' => accessed,
        b'M' => modified,
        b'C' => changed,
        b'm' => return format!("{mode:o}"),
        _ => 0,
    };
    number.to_string()
}
