//! Diameter (RFC 6733) as Gx (3GPP TS 29.212) uses it, read without copies.
//!
//! [`frame`] cuts messages out of a byte stream, [`Message`] and [`Raw`] are views of received bytes, [`Mask`] finds
//! the AVPs that somebody reads in one pass over the headers, [`Writer`] builds messages. The [`dictionary`] knows
//! names, codes and types.
//!
//! ```
//! use strowger::pcrf::diameter::{Message, Writer, flag, id};
//!
//! let mut writer = Writer::new();
//! writer.start(272, flag::REQUEST, 16_777_238, 1, 2);
//! writer.text(id::SESSION_ID, "pcef.example;1;2");
//! writer.group(id::SUBSCRIPTION_ID, |w| {
//!     w.u32(id::SUBSCRIPTION_ID_TYPE, 1);
//!     w.text(id::SUBSCRIPTION_ID_DATA, "001010000000001");
//! });
//! let message = Message::new(writer.finish()).unwrap();
//! let session = message.find(id::SESSION_ID).unwrap();
//! assert_eq!(session.value, b"pcef.example;1;2");
//! ```

pub mod check;
pub mod dictionary;
pub mod mask;
pub mod message;
pub mod owned;
pub mod peer;
mod refusal;
pub mod result;
pub mod write;

pub use check::{Grammar, Here, Origin, Refusal};
pub use dictionary::{Avp, AvpId, Kind, id};
pub use mask::{Mask, Places, Selected};
pub use message::{Avps, Defect, Framed, Header, Message, Raw, command, flag, frame};
pub use result::ResultCode;
pub use write::Writer;

/// The application identifier of Gx, TS 29.212 §4a.1.
pub const GX: u32 = 16_777_238;
/// The application identifier of a relay, RFC 6733 §2.4.
pub const RELAY: u32 = 0xffff_ffff;
/// The vendor identifier of 3GPP.
pub const TGPP: u32 = 10_415;
