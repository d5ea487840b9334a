//! Mailboxes of the voice mail.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::base::Text;

/// Folders of a mailbox, by their names in Asterisk.
pub const FOLDERS: [&str; 12] = [
    "INBOX", "Old", "Work", "Family", "Friends", "Cust1", "Cust2", "Cust3", "Cust4", "Cust5",
    "Deleted", "Urgent",
];
/// Where new messages are.
pub const INBOX: &str = "INBOX";
/// The context of a mailbox that is named without one.
const CONTEXT: &[u8] = b"default";

/// A message in a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// The caller who left it.
    pub from: Text,
    /// When, since the epoch.
    pub at: Duration,
    /// How long it is.
    pub duration: Duration,
}

/// A mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mailbox {
    /// Its password.
    pub password: Text,
    /// The name of its owner.
    pub fullname: Text,
    /// Where mail about messages goes.
    pub email: Text,
    /// Where short notes about messages go.
    pub pager: Text,
    /// Language of its owner.
    pub language: Text,
    /// Locale of its owner.
    pub locale: Text,
    /// Name of the time zone.
    pub timezone: Text,
    /// So many messages a folder holds.
    pub most: usize,
    folders: BTreeMap<Text, Vec<Stored>>,
}

/// How many messages a folder holds where nothing is said: that of Asterisk.
const MOST: usize = 100;

impl Mailbox {
    /// A mailbox with a password and the name of its owner.
    pub fn new(password: &[u8], fullname: &[u8]) -> Self {
        Self {
            password: Text::from(password),
            fullname: Text::from(fullname),
            most: MOST,
            ..Self::default()
        }
    }

    /// Puts a message into a folder; says whether there was room.
    pub fn put(&mut self, folder: &[u8], message: Stored) -> bool {
        let messages = self.folders.entry(Text::from(folder)).or_default();
        let room = messages.len() < self.most;
        if room {
            messages.push(message);
        }
        room
    }

    /// The messages of a folder, oldest first.
    pub fn messages(&self, folder: &[u8]) -> &[Stored] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Moves all messages of a folder to another, as hearing them does.
    pub fn move_all(&mut self, from: &[u8], to: &[u8]) {
        let moved = self.folders.remove(from).unwrap_or_default();
        self.folders
            .entry(Text::from(to))
            .or_default()
            .extend(moved);
    }
}

/// All mailboxes.
#[derive(Debug, Clone, Default)]
pub struct Mailboxes {
    /// By context and number.
    boxes: BTreeMap<(Text, Text), Mailbox>,
}

/// Number and context of `mailbox[@context]`.
fn parts(name: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = name.splitn(2, |b| *b == b'@');
    let number = parts.next().unwrap_or(&[]);
    let context = parts.next().filter(|context| !context.is_empty());
    (number, context.unwrap_or(CONTEXT))
}

impl Mailboxes {
    /// Adds `mailbox[@context]`; without a context it is `default`.
    pub fn add(&mut self, name: &[u8], mailbox: Mailbox) {
        let (number, context) = parts(name);
        self.boxes
            .insert((Text::from(context), Text::from(number)), mailbox);
    }

    /// Whether the host said anything of mailboxes.
    pub fn are_known(&self) -> bool {
        !self.boxes.is_empty()
    }

    /// `mailbox[@context]`.
    pub fn get(&self, name: &[u8]) -> Option<&Mailbox> {
        let (number, context) = parts(name);
        self.boxes.get(&(Text::from(context), Text::from(number)))
    }

    /// `mailbox[@context]`, to change it.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Mailbox> {
        let (number, context) = parts(name);
        self.boxes
            .get_mut(&(Text::from(context), Text::from(number)))
    }

    /// Messages in a folder of `mailbox[@context]`; none where it does not exist.
    pub fn count(&self, name: &[u8], folder: &[u8]) -> usize {
        self.get(name)
            .map_or(0, |mailbox| mailbox.messages(folder).len())
    }
}
