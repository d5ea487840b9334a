//! GROUP, `GROUP_COUNT`, `GROUP_MATCH_COUNT` and `GROUP_LIST`.

use crate::base::value::append_int;
use crate::base::{Ere, Text};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

/// The group of the channel.
pub static GROUP: Function = Function::read_write(
    "GROUP",
    "The group that the channel belongs to.",
    "[category]",
    "A channel is in at most one group of each category; writing replaces it, an empty value leaves it. Read without \
     a category it is the channel's first group.",
    |cx: &mut Cx<'_>, category, out| {
        let groups = cx.shared().groups();
        if let Some(member) = groups.of(&cx.channel().name, category) {
            out.extend_from_slice(&member.group);
        }
        drop(groups);
        Answer::Done
    },
    |cx: &mut Cx<'_>, category, value| {
        let (group, inside) = split(value);
        let category = if category.is_empty() { inside } else { category };
        let channel = cx.channel().name.clone();
        cx.shared().groups().set(&channel, category, group);
        Flow::Next
    },
)
.examples(&[Example {
    title: "How many calls to a provider",
    dialplan: "Set(GROUP(provider)=north)",
    evaluate: "${GROUP(provider)} ${GROUP_COUNT(north@provider)}",
    expect: "north 1",
}]);

/// Channels in a group.
pub static GROUP_COUNT: Function = Function::read(
    "GROUP_COUNT",
    "How many channels are in a group.",
    "[group][@category]",
    "Without a group it is the channel's own. Without a category all categories count.",
    |cx: &mut Cx<'_>, arguments, out| {
        let (group, category) = split(arguments);
        let groups = cx.shared().groups();
        let group = if group.is_empty() {
            groups
                .of(&cx.channel().name, category)
                .map_or(Text::EMPTY, |m| m.group.clone())
        } else {
            Text::from(group)
        };
        let count = groups.count(&group, category);
        drop(groups);
        append_int(count as i64, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "One call in a group",
    dialplan: "Set(GROUP()=trunk)",
    evaluate: "${GROUP_COUNT(trunk)}",
    expect: "1",
}]);

/// Channels in groups that match.
pub static GROUP_MATCH_COUNT: Function = Function::read(
    "GROUP_MATCH_COUNT",
    "How many channels are in groups that match an expression.",
    "expression[@category expression]",
    "The expressions are POSIX extended. Without a category all categories count.",
    |cx: &mut Cx<'_>, arguments, out| {
        let (group, category) = split(arguments);
        if group.is_empty() {
            return Answer::Failed;
        }
        let compiled = Ere::compile(group).and_then(|group| {
            let category = (!category.is_empty()).then(|| Ere::compile(category));
            Ok((group, category.transpose()?))
        });
        let (group, category) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                cx.log_at(&code::BAD_REGEX, Level::Error, || error.to_string());
                out.push(b'0');
                return Answer::Done;
            }
        };
        let count = cx
            .shared()
            .groups()
            .count_where(|m| {
                group.is_match(&m.group) && category.as_ref().is_none_or(|c| c.is_match(&m.category))
            });
        append_int(count as i64, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Groups by pattern",
    dialplan: "Set(GROUP()=trunk1)",
    evaluate: "${GROUP_MATCH_COUNT(trunk[0-9])}",
    expect: "1",
}]);

/// Groups of the channel.
pub static GROUP_LIST: Function = Function::read(
    "GROUP_LIST",
    "All groups of the channel.",
    "",
    "`group@category` in the order in which they were set, with blanks between.",
    |cx: &mut Cx<'_>, _, out| {
        let groups = cx.shared().groups();
        let own = groups.all_of(&cx.channel().name);
        for (i, member) in own.enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(&member.group);
            if !member.category.is_empty() {
                out.push(b'@');
                out.extend_from_slice(&member.category);
            }
        }
        drop(groups);
        Answer::Done
    },
)
.examples(&[Example {
    title: "All groups of the channel",
    dialplan: "Set(GROUP()=trunk)\nSet(GROUP(kind)=out)",
    evaluate: "${GROUP_LIST()}",
    expect: "trunk out@kind",
}]);

/// Group and category.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|b| *b == b'@') {
        Some(at) => (text.get(..at).unwrap_or(&[]), text.get(at + 1..).unwrap_or(&[])),
        None => (text, &[]),
    }
}
