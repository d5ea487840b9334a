//! BASENAME and DIRNAME.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Last part of a path.
pub static BASENAME: Function = Function::read(
    "BASENAME",
    "The last part of a path.",
    "path",
    "Slashes at the end do not count. An empty path gives `.`.",
    |_: &mut Cx<'_>, path, out| {
        let end = path.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
        let bare = path.get(..end).unwrap_or(&[]);
        let start = bare.iter().rposition(|b| *b == b'/').map_or(0, |i| i + 1);
        match bare.get(start..).unwrap_or(&[]) {
            [] if path.is_empty() => out.push(b'.'),
            [] => out.push(b'/'),
            name => out.extend_from_slice(name),
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "A recording",
    dialplan: "",
    evaluate: "${BASENAME(/var/spool/call.wav)}",
    expect: "call.wav",
}]);

/// Path without its last part.
pub static DIRNAME: Function = Function::read(
    "DIRNAME",
    "A path without its last part.",
    "path",
    "A path without a slash gives `.`.",
    |_: &mut Cx<'_>, path, out| {
        out.extend_from_slice(folder(path));
        Answer::Done
    },
)
.examples(&[Example {
    title: "A recording",
    dialplan: "",
    evaluate: "${DIRNAME(/var/spool/call.wav)}",
    expect: "/var/spool",
}]);

fn folder(path: &[u8]) -> &[u8] {
    let without_slashes = |path: &[u8]| path.iter().rposition(|b| *b != b'/').map_or(0, |i| i + 1);
    // Two slashes alone at the start may be something else than one (POSIX), and stay.
    let root = |path: &[u8]| match path {
        [b'/', b'/'] => 2,
        _ => 1,
    };
    let end = without_slashes(path);
    if end == 0 {
        return path.get(..root(path)).unwrap_or(b".");
    }
    let bare = path.get(..end).unwrap_or(&[]);
    let Some(slash) = bare.iter().rposition(|b| *b == b'/') else {
        return b".";
    };
    let head = bare.get(..=slash).unwrap_or(&[]);
    let end = without_slashes(head);
    if end == 0 {
        return head.get(..root(head)).unwrap_or(b"/");
    }
    head.get(..end).unwrap_or(&[])
}
