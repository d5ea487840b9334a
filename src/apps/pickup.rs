//! Pickup, `PickupChan`.

use super::playback::missing_argument;
use crate::base::Text;
use crate::library::{Application, Support};
use crate::machine::{Effect, Event, Flow};

/// Take a call that rings elsewhere.
pub static PICKUP: Application = Application::new(
    "Pickup",
    "Take a call that rings elsewhere.",
    "[extension[@context][&...]]",
    "Takes the call that rings at an extension, or, with `@PICKUPMARK`, one whose variable PICKUPMARK is that word; \
     without an argument one of the own pickup group. This channel ends when it succeeds; otherwise the call goes on.",
    |_, data| pick_up("Pickup", data),
)
.support(Support::Simulated);

/// Take a call that rings at a channel.
pub static PICKUP_CHAN: Application = Application::new(
    "PickupChan",
    "Take a call that rings at a channel.",
    "channel[&channel2[&...]][,options]",
    "Takes the call that rings at one of these channels; the option `p` allows the beginning of a name. This channel ends \
     when it succeeds.",
    |cx, data| {
        if data.is_empty() {
            return missing_argument(cx, "PickupChan needs a channel");
        }
        pick_up("PickupChan", data)
    },
)
.support(Support::Simulated);

fn pick_up(name: &'static str, data: &[u8]) -> Flow {
    Flow::wait_then(Effect::Custom { name: Text::from(name), data: Text::from(data) }, |_, event| match event {
        Event::Failed(_) | Event::Timeout => Flow::Next,
        // The other call lives on in place of this one.
        _ => Flow::Leave,
    })
}

