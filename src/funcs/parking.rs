//! `PARK_GET_CHANNEL`.

use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Who is parked in a space.
pub static PARK_GET_CHANNEL: Function = Function::read(
    "PARK_GET_CHANNEL",
    "The channel that is parked in a space.",
    "space[,lot]",
    "In the default lot without one. Empty where nobody is parked, with a warning where there is no such lot.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        let Some(space) = fields.first().filter(|space| !space.is_empty()) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "PARK_GET_CHANNEL needs a parking space".to_owned()
            });
            return Answer::Failed;
        };
        let lot = fields.get(1).map_or(&[][..], Vec::as_slice);
        let space = int(space).and_then(|(n, _)| u32::try_from(n).ok());
        let facilities = cx.shared().facilities();
        let known = facilities.parking.lot(lot).is_some();
        let parked = space.and_then(|space| facilities.parking.at(lot, space));
        let channel = parked.map(|parked| parked.channel.clone());
        drop(facilities);
        if !known {
            cx.log(&code::NOT_FOUND, || {
                format!("no parking lot `{}`", bstr::BStr::new(lot))
            });
            return Answer::Failed;
        }
        let Some(channel) = channel else {
            return Answer::Failed;
        };
        out.extend_from_slice(&channel);
        Answer::Done
    },
)
.examples(&[Example {
    title: "An empty space",
    dialplan: "",
    evaluate: "[${PARK_GET_CHANNEL(701)}]",
    expect: "[]",
}]);
