//! What a call may ask of the machine that the host runs on, and of what that machine can reach.

use std::time::Duration;

use crate::base::Text;

/// Requests about files, commands, the web, the domain name system and realtime tables.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum OutsideRequest {
    /// The bytes of a file. `Value`.
    ReadFile(Text),
    /// The values of a name in a category of a configuration file, with its templates and includes. `Values`. A
    /// relative path begins in the folder of the configuration.
    Configuration {
        /// Path of the file.
        file: Text,
        /// Name of the category; the first of that name counts.
        category: Text,
        /// Name of the variable, in any case.
        variable: Text,
    },
    /// Write a file. `Done`.
    WriteFile {
        /// Its path.
        path: Text,
        /// What is written.
        content: Text,
        /// Whether it is added to the end of what the file holds.
        append: bool,
    },
    /// What is known about a file, as blank-separated decimal numbers: mode with the type's bits, size in bytes,
    /// and time of the last access, change of content, change of status in seconds since 1970. `Value`.
    Stat(Text),
    /// Run a command in the system's shell; what it printed. `Value`.
    Run(Text),
    /// Run a command in the system's shell; its exit status, a decimal number. What it prints is dropped. `Value`.
    Execute(Text),
    /// Ask a web server. `Value` with what it sent.
    Fetch(Box<WebRequest>),
    /// Ask the domain name system. `Records`; none where the name or the kind does not exist.
    Resolve {
        /// The whole name.
        name: Text,
        /// The kind of records.
        kind: RecordKind,
    },
    /// Ask a realtime family.
    Realtime(RealtimeRequest),
}

/// A request to a web server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WebRequest {
    /// Where; without a scheme it is `http`.
    pub url: Text,
    /// What is posted, as a form; nothing is asked for with GET.
    pub post: Option<Text>,
    /// Longest wait for a connection.
    pub connect: Option<Duration>,
    /// Longest wait for the whole answer.
    pub whole: Duration,
    /// So many redirections are followed.
    pub redirects: u32,
    /// `scheme://[user:password@]host[:port]` of a proxy.
    pub proxy: Option<Text>,
    /// `user:password` for the server.
    pub credentials: Option<Text>,
    /// Further lines of the header: name and value.
    pub header: Vec<(Text, Text)>,
    /// Whether a certificate that cannot be verified is refused.
    pub verifies: bool,
    /// Whether the header of the answer comes with it.
    pub shows_header: bool,
    /// Answers with these status codes count as failures.
    pub failures: Vec<u16>,
}

/// Kinds of records in the domain name system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RecordKind {
    /// TXT.
    Text,
    /// SRV.
    Service,
    /// NAPTR.
    Rewriting,
}

/// A record of the domain name system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum NameRecord {
    /// TXT: its strings.
    Text(Vec<Text>),
    /// SRV (RFC 2782).
    Service {
        /// Lower ones are tried first.
        priority: u16,
        /// How often it is taken among those of the same priority.
        weight: u16,
        /// Port.
        port: u16,
        /// Host.
        target: Text,
    },
    /// NAPTR (RFC 3403).
    Rewriting {
        /// Lower ones come first.
        order: u16,
        /// Among those of the same order lower ones come first.
        preference: u16,
        /// `u` for a rule that gives a URI.
        flags: Text,
        /// The services, such as `E2U+sip`.
        services: Text,
        /// `!pattern!replacement!`
        rule: Text,
    },
}

/// A row of a realtime family: fields and their values, in the order of the table.
pub type RealtimeRow = Vec<(Text, Text)>;

/// A request to a realtime family.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RealtimeRequest {
    /// The rows whose field has the value. `Rows`.
    Load(RealtimeMatch),
    /// Changes fields of these rows. `Value` with the number of rows.
    Update {
        /// Which rows.
        rows: RealtimeMatch,
        /// Fields and their new values.
        set: RealtimeRow,
    },
    /// Adds a row. `Value` with its number.
    Store {
        /// Name of the family.
        family: Text,
        /// The row.
        row: RealtimeRow,
    },
    /// Removes these rows. `Rows` with what they were.
    Destroy(RealtimeMatch),
}

/// Rows of a realtime family whose field has a value. The field may end in an operator, as in `name LIKE`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RealtimeMatch {
    /// Name of the family.
    pub family: Text,
    /// Name of the field, perhaps with an operator.
    pub field: Text,
    /// The value.
    pub value: Text,
}
