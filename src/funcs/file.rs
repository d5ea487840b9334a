//! FILE, `FILE_COUNT_LINE` and `FILE_FORMAT`.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::long;
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, Flow, OutsideRequest};

/// What a file holds.
pub static FILE: Function = Function::read_write(
    "FILE",
    "Text of a file, or part of it.",
    "name[,offset[,length[,options[,format]]]]",
    "Offset and length count bytes, with `l` lines; below 0 they count from the end. What is written takes the place of \
     that part, of the whole file where neither is said, or with `a` is added at the end. In lines a line end follows it \
     unless `d` is there. Formats are `u` (Unix), `d` (DOS) and `m` (Macintosh), by default that of the file. Writing \
     must be allowed by the engine.",
    |cx: &mut Cx<'_>, arguments, _| {
        let Some(part) = Part::new(cx, arguments) else {
            return Answer::Failed;
        };
        let request = OutsideRequest::ReadFile(part.name.clone());
        Answer::Await(
            Effect::Outside(request),
            Box::new(move |cx, event, out| {
                let Event::Value(content) = event else {
                    return unreadable(cx, &part.name, &event);
                };
                let (start, end) = part.range(&content);
                out.extend_from_slice(content.get(start..end).unwrap_or(&[]));
                Answer::Done
            }),
        )
    },
    write,
)
.examples(&[Example {
    title: "A file that is not there",
    dialplan: "",
    evaluate: "[${FILE(/no/such/file)}]${FILE_COUNT_LINE(/no/such/file)}${FILE_FORMAT(/no/such/file)}",
    expect: "[]-1x",
}]);

/// Lines of a file.
pub static FILE_COUNT_LINE: Function = Function::read(
    "FILE_COUNT_LINE",
    "How many lines a file has.",
    "name[,format]",
    "Counts line ends; -1 when the file cannot be read. The format is that of FILE.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 2);
        let Some(name) = named(cx, "FILE_COUNT_LINE", &arguments) else {
            return Answer::Failed;
        };
        let format = arguments.get(1).and_then(|text| Ends::named(text));
        Answer::Await(
            Effect::Outside(OutsideRequest::ReadFile(name.clone())),
            Box::new(move |cx, event, out| {
                let count = if let Event::Value(content) = event {
                    let ends = format.or_else(|| Ends::of(&content));
                    ends.map_or(0, |ends| {
                        let lines = ends.lines(&content);
                        lines.iter().filter(|l| l.ends_with(ends.text())).count() as i64
                    })
                } else {
                    unreadable(cx, &name, &event);
                    -1
                };
                append_int(count, out);
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "A file that is not there",
    dialplan: "",
    evaluate: "${FILE_COUNT_LINE(/no/such/file)}",
    expect: "-1",
}]);

/// Line ends of a file.
pub static FILE_FORMAT: Function = Function::read(
    "FILE_FORMAT",
    "How the lines of a file end.",
    "name",
    "`u` for Unix, `d` for DOS, `m` for Macintosh, `x` where no line ends, or the file cannot be read.",
    |cx: &mut Cx<'_>, arguments, _| {
        let Some(name) = named(cx, "FILE_FORMAT", &standard(arguments, 1)) else {
            return Answer::Failed;
        };
        Answer::Await(
            Effect::Outside(OutsideRequest::ReadFile(name.clone())),
            Box::new(move |cx, event, out| {
                let ends = if let Event::Value(content) = event {
                    Ends::of(&content)
                } else {
                    unreadable(cx, &name, &event);
                    None
                };
                out.push(match ends {
                    Some(Ends::Unix) => b'u',
                    Some(Ends::Dos) => b'd',
                    Some(Ends::Macintosh) => b'm',
                    None => b'x',
                });
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "A file that is not there",
    dialplan: "",
    evaluate: "${FILE_FORMAT(/no/such/file)}",
    expect: "x",
}]);

fn named(cx: &mut Cx<'_>, function: &str, arguments: &[Vec<u8>]) -> Option<Text> {
    let name = arguments.first().filter(|name| !name.is_empty());
    if name.is_none() {
        cx.log(&code::BAD_ARGUMENT, || format!("{function} needs a file"));
    }
    name.map(|name| Text::from(name.as_slice()))
}

fn unreadable(cx: &mut Cx<'_>, name: &Text, event: &Event) -> Answer {
    if let Event::Failed(why) = event {
        cx.log_at(&code::NOT_FOUND, Level::Error, || {
            format!("`{name}` cannot be read: {why}")
        });
    }
    Answer::Failed
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Unix,
    Dos,
    Macintosh,
}

impl Ends {
    fn named(text: &[u8]) -> Option<Self> {
        match text.first()? {
            b'u' => Some(Ends::Unix),
            b'd' => Some(Ends::Dos),
            b'm' => Some(Ends::Macintosh),
            _ => None,
        }
    }

    /// Told by the first line end.
    fn of(content: &[u8]) -> Option<Self> {
        let at = content.iter().position(|b| matches!(b, b'\r' | b'\n'))?;
        Some(match content.get(at..) {
            Some([b'\n', ..]) => Ends::Unix,
            Some([b'\r', b'\n', ..]) => Ends::Dos,
            _ => Ends::Macintosh,
        })
    }

    fn text(self) -> &'static [u8] {
        match self {
            Ends::Unix => b"\n",
            Ends::Dos => b"\r\n",
            Ends::Macintosh => b"\r",
        }
    }

    /// Lines with their ends; the last one may have none.
    fn lines(self, content: &[u8]) -> Vec<&[u8]> {
        let mut lines = Vec::new();
        let mut rest = content;
        while !rest.is_empty() {
            let length = bstr::ByteSlice::find(rest, self.text())
                .map_or(rest.len(), |at| at + self.text().len());
            let (line, more) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            lines.push(line);
            rest = more;
        }
        lines
    }
}

/// Which part of which file.
#[derive(Debug)]
struct Part {
    name: Text,
    /// `None` = neither offset nor length is said.
    bounds: Option<(i64, Option<i64>)>,
    lines: bool,
    append: bool,
    bare: bool,
    ends: Option<Ends>,
}

impl Part {
    fn new(cx: &mut Cx<'_>, arguments: &[u8]) -> Option<Self> {
        let arguments = standard(arguments, 5);
        let name = named(cx, "FILE", &arguments)?;
        let mut number = |n: usize| match arguments.get(n).map(Vec::as_slice) {
            None | Some([]) => Some(None),
            Some(text) => {
                let number = long(text).map(|(n, _)| n);
                if number.is_none() {
                    cx.log(&code::NOT_A_NUMBER, || {
                        format!("`{}` is no number", bstr::BStr::new(text))
                    });
                }
                number.map(Some)
            }
        };
        let (offset, length) = (number(1)?, number(2)?);
        let options = arguments.get(3).map_or(&[][..], Vec::as_slice);
        Some(Self {
            name,
            bounds: (offset.is_some() || length.is_some())
                .then_some((offset.unwrap_or(0), length)),
            lines: options.contains(&b'l'),
            append: options.contains(&b'a'),
            bare: options.contains(&b'd'),
            ends: arguments.get(4).and_then(|text| Ends::named(text)),
        })
    }

    fn ends_in(&self, content: &[u8]) -> Ends {
        self.ends
            .or_else(|| Ends::of(content))
            .unwrap_or(Ends::Unix)
    }

    /// Where the part begins and ends, in bytes.
    fn range(&self, content: &[u8]) -> (usize, usize) {
        let (offset, length) = self.bounds.unwrap_or((0, None));
        if !self.lines {
            return bounds(offset, length, content.len());
        }
        let lines = self.ends_in(content).lines(content);
        let (first, last) = bounds(offset, length, lines.len());
        let bytes = |n: usize| lines.iter().take(n).map(|line| line.len()).sum();
        (bytes(first), bytes(last))
    }
}

/// Start and end of `count` things.
fn bounds(offset: i64, length: Option<i64>, count: usize) -> (usize, usize) {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let start = if offset < 0 {
        count.saturating_add(offset).max(0)
    } else {
        offset.min(count)
    };
    let end = match length {
        None => count,
        Some(length) if length < 0 => count.saturating_add(length),
        Some(length) => start.saturating_add(length),
    };
    let end = end.clamp(start, count);
    (
        usize::try_from(start).unwrap_or(0),
        usize::try_from(end).unwrap_or(0),
    )
}

fn write(cx: &mut Cx<'_>, arguments: &[u8], value: &[u8]) -> Flow {
    let Some(part) = Part::new(cx, arguments) else {
        return Flow::Next;
    };
    if !cx.allow().file {
        cx.log(&code::NOT_ALLOWED, || {
            format!("`{}`: the engine does not allow writing files", part.name)
        });
        return Flow::Next;
    }
    let value = value.to_vec();
    // Where nothing of the file is kept or looked at, it need not be read.
    let whole = part.bounds.is_none() || part.append;
    if whole && (!part.lines || part.bare || part.ends.is_some() || !part.append) {
        return store(&part, &value, &[]);
    }
    let request = OutsideRequest::ReadFile(part.name.clone());
    Flow::wait_then(Effect::Outside(request), move |cx, event| match event {
        Event::Value(content) => store(&part, &value, &content),
        // What is there but cannot be read must not be lost.
        Event::Failed(_) => {
            let request = OutsideRequest::Stat(part.name.clone());
            Flow::wait_then(Effect::Outside(request), move |cx, event| match event {
                Event::Value(_) => {
                    unwritable(cx, &part.name, "it exists and cannot be read");
                    Flow::Next
                }
                _ => store(&part, &value, &[]),
            })
        }
        _ => {
            unwritable(cx, &part.name, "it cannot be read");
            Flow::Next
        }
    })
}

/// Writes, over a part of what the file holds.
fn store(part: &Part, value: &[u8], content: &[u8]) -> Flow {
    let mut text = value.to_vec();
    if part.lines && !part.bare {
        text.extend_from_slice(part.ends_in(content).text());
    }
    if part.bounds.is_some() && !part.append {
        let (start, end) = part.range(content);
        let (before, after) = (content.get(..start), content.get(end..));
        text = [before.unwrap_or(&[]), &text, after.unwrap_or(&[])].concat();
    }
    let name = part.name.clone();
    let request = OutsideRequest::WriteFile {
        path: part.name.clone(),
        content: Text::from(text),
        append: part.append,
    };
    Flow::wait_then(Effect::Outside(request), move |cx, event| {
        if let Event::Failed(why) = event {
            unwritable(cx, &name, &why);
        }
        Flow::Next
    })
}

fn unwritable(cx: &mut Cx<'_>, name: &Text, why: &str) {
    cx.log_at(&code::NOT_FOUND, Level::Error, || {
        format!("`{name}` cannot be written: {why}")
    });
}
