//! Text messages that a channel carries.

use crate::base::Text;

/// A header or variable of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MessageHeader {
    /// Its name; letter case does not count.
    pub name: Text,
    /// Its value.
    pub value: Text,
    /// Whether it goes out with the message.
    pub outbound: bool,
}

/// A text message: one that came in, or one to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    /// To whom.
    pub to: Text,
    /// From whom.
    pub from: Text,
    /// The text.
    pub body: Text,
    /// Headers and variables, in the order in which they came.
    pub headers: Vec<MessageHeader>,
}

impl Message {
    /// The value of a header.
    pub fn header(&self, name: &[u8]) -> Option<&Text> {
        let found = self
            .headers
            .iter()
            .find(|h| h.name.eq_ignore_ascii_case(name));
        found.map(|header| &header.value)
    }

    /// Writes a header; it goes out with the message.
    pub fn set_header(&mut self, name: &[u8], value: &[u8]) {
        let value = Text::from(value);
        let old = self
            .headers
            .iter_mut()
            .find(|h| h.name.eq_ignore_ascii_case(name));
        match old {
            Some(header) => {
                header.value = value;
                header.outbound = true;
            }
            None => self.headers.push(MessageHeader {
                name: Text::from(name),
                value,
                outbound: true,
            }),
        }
    }

    /// All headers go out with the message, or none.
    pub fn mark_all(&mut self, outbound: bool) {
        for header in &mut self.headers {
            header.outbound = outbound;
        }
    }

    /// Bytes that it takes, roughly: for the memory limit.
    pub fn memory(&self) -> usize {
        let headers = self
            .headers
            .iter()
            .map(|h| h.name.len() + h.value.len() + 64);
        self.to.len() + self.from.len() + self.body.len() + headers.sum::<usize>()
    }
}
