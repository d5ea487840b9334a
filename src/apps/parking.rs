//! Park, `ParkAndAnnounce`, `ParkedCall`.

use std::time::Duration;

use super::answer::answered;
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments::{self, option_location, options};
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::facilities::{Lot, Parked};
use crate::machine::{Cx, Effect, Event, Flow, Location};

/// Park the call.
pub static PARK: Application = Application::new(
    "Park",
    "Park the call.",
    "[lot[,options]]",
    "Answers and parks this call until somebody fetches it or its time is over. Options: `r` ringing instead of music, \
     `R` any space, `s` no announcement, `c(place)` where it returns to, `t(seconds)` its time. When the time is over, \
     PARKING_SPACE, PARKINGSLOT, PARKEDLOT, PARKER and PARKER_FLAT are set, and the call goes to the place of `c`, else \
     to who parked it as an extension of `park-dial`, else to the lot's context for calls that come back, else it ends.",
    |cx, data| {
        let fields = arguments::standard(data, 2);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        let order = Order::new(field(0), field(1), None);
        answered(cx, move |cx| park(cx, order))
    },
)
.support(Support::Simulated)
.examples(&[Example {
    title: "A lot that does not exist",
    dialplan: "Park(attic)",
    evaluate: "going on",
    expect: "going on",
}]);

/// Park the call and tell somebody.
pub static PARK_AND_ANNOUNCE: Application = Application::new(
    "ParkAndAnnounce",
    "Park the call and tell somebody.",
    "[lot],[options],announcement,technology/resource",
    "Parks this call as Park does. The host calls somebody and plays files joined by `:`, with the number of the space \
     for PARKED.",
    |cx, data| {
        let fields = arguments::standard(data, 4);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        if field(2).is_empty() || field(3).is_empty() {
            return missing_argument(cx, "ParkAndAnnounce needs an announcement and whom to call");
        }
        let announce = Some((Text::from(field(2)), Text::from(field(3))));
        let order = Order::new(field(0), field(1), announce);
        answered(cx, move |cx| park(cx, order))
    },
)
.support(Support::Simulated)
.examples(&[Example {
    title: "A lot that does not exist",
    dialplan: "ParkAndAnnounce(attic,,PARKED,PJSIP/desk)",
    evaluate: "going on",
    expect: "going on",
}]);

/// Fetch a parked call.
pub static PARKED_CALL: Application = Application::new(
    "ParkedCall",
    "Fetch a parked call.",
    "[lot[,space]]",
    "Answers and connects with the call parked there, that of the lowest space without one. If there is none, the call \
     ends.",
    |cx, data| {
        let fields = arguments::standard(data, 2);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        let lot = lot_of(cx, field(0));
        let space = match field(1) {
            [] => Ok(None),
            text => int(text)
                .and_then(|(n, _)| u32::try_from(n).ok())
                .map(Some)
                .ok_or(()),
        };
        answered(cx, move |cx| {
            let fetched = match space {
                Ok(space) => cx.shared().facilities().parking.fetch(&lot, space),
                Err(()) => None,
            };
            let Some((_, parked)) = fetched else {
                cx.log(&code::NOT_FOUND, || "nobody is parked there".to_owned());
                return Flow::Leave;
            };
            let effect = Effect::Custom {
                name: Text::from("ParkedCall"),
                data: parked.channel,
            };
            Flow::wait_then(effect, |_, _| Flow::Leave)
        })
    },
)
.support(Support::Simulated);

/// How a call is to be parked.
struct Order {
    lot: Text,
    any: bool,
    back: Option<Vec<u8>>,
    time: Option<Duration>,
    announce: Option<(Text, Text)>,
}

impl Order {
    fn new(lot: &[u8], letters: &[u8], announce: Option<(Text, Text)>) -> Self {
        let letters = options(letters);
        Self {
            lot: Text::from(lot),
            any: letters.has(b'R'),
            back: letters.argument(b'c').map(option_location),
            time: letters.argument(b't').and_then(|text| {
                let (seconds, _) = int(text)?;
                u64::try_from(seconds).ok().map(Duration::from_secs)
            }),
            announce,
        }
    }
}

/// The lot named, else that of the variable PARKINGLOT, of CHANNEL(parkinglot), or the default one.
fn lot_of(cx: &Cx<'_>, named: &[u8]) -> Text {
    let variable = cx.text_of(b"PARKINGLOT");
    let item = cx.channel().items.get(&b"parkinglot"[..]).cloned();
    let choices = [Text::from(named), Text::from(variable), item.unwrap_or_default()];
    let mut given = choices.into_iter().filter(|name| !name.is_empty());
    given.next().unwrap_or_else(|| Text::from("default"))
}

fn park(cx: &mut Cx<'_>, order: Order) -> Flow {
    let name = lot_of(cx, &order.lot);
    let parker = [&b"BLINDTRANSFER"[..], b"ATTENDEDTRANSFER"]
        .iter()
        .map(|variable| cx.text_of(variable))
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| cx.channel().name.to_vec());
    let end = parker.iter().rposition(|b| *b == b'-').unwrap_or(parker.len());
    let parker = Text::from(parker.get(..end).unwrap_or(&parker));
    let parked = Parked {
        channel: cx.channel().name.clone(),
        parker: parker.clone(),
    };
    let wanted = int(&cx.text_of(b"PARKINGEXTEN"))
        .filter(|_| !order.any)
        .and_then(|(n, _)| u32::try_from(n).ok());
    let mut facilities = cx.shared().facilities();
    let lot = facilities.parking.lot(&name).cloned();
    let space = facilities.parking.park(&name, wanted, parked);
    drop(facilities);
    let (Some(lot), Some(space)) = (lot, space) else {
        cx.log(&code::NOT_FOUND, || {
            format!("the parking lot `{name}` does not exist or is full")
        });
        return Flow::Next;
    };
    let time = order.time.unwrap_or(lot.time);
    // The host gets the space and the seconds; of ParkAndAnnounce also what is played to whom.
    let (application, data) = match &order.announce {
        None => ("Park", format!("{space},{}", time.as_secs()).into_bytes()),
        Some((announcement, whom)) => (
            "ParkAndAnnounce",
            [
                format!("{space},{},", time.as_secs()).as_bytes(),
                announcement,
                b",",
                whom,
            ]
            .concat(),
        ),
    };
    let effect = Effect::Custom {
        name: Text::from(application),
        data: Text::from(data),
    };
    Flow::wait_then(effect, move |cx, event| {
        let channel = cx.channel().name.clone();
        cx.shared().facilities().parking.forget_channel(&channel);
        match event {
            Event::Timeout => come_back(cx, &lot, space, &parker, order.back.as_deref()),
            _ => Flow::Leave,
        }
    })
}

/// The time of a parked call is over.
fn come_back(cx: &mut Cx<'_>, lot: &Lot, space: u32, parker: &Text, back: Option<&[u8]>) -> Flow {
    let space = space.to_string();
    let flat: Vec<u8> = parker
        .iter()
        .map(|&b| if b == b'/' { b'_' } else { b })
        .collect();
    cx.set(b"PARKING_SPACE", space.as_bytes());
    cx.set(b"PARKINGSLOT", space.as_bytes());
    cx.set(b"PARKEDLOT", &lot.name);
    cx.set(b"PARKER", parker);
    cx.set(b"PARKER_FLAT", &flat);
    if let Some(place) = back.filter(|place| !place.is_empty()) {
        return match cx.parse_target(place) {
            Ok(to) => Flow::Jump(to),
            Err(_) => Flow::Leave,
        };
    }
    let places: [(&[u8], &[u8]); 3] = if lot.to_origin {
        [
            (b"park-dial", &flat),
            (&lot.back_context, &flat),
            (&lot.back_context, b"s"),
        ]
    } else {
        [
            (&lot.back_context, &flat),
            (&lot.back_context, b"s"),
            (b"default", b"s"),
        ]
    };
    for (context, exten) in places {
        if cx.exists(context, exten, 1) {
            return Flow::Jump(Location {
                context: Text::from(context),
                exten: Text::from(exten),
                priority: 1,
            });
        }
    }
    Flow::Leave
}
