//! What this end says of itself, and why connections end.

use std::net::IpAddr;

use crate::pcrf::diameter::message::DEFAULT_LIMIT;
use crate::pcrf::diameter::{GX, Origin, ResultCode};

/// Who may connect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Peers {
    /// Everybody.
    #[default]
    Any,
    /// Those whose Origin-Host is listed, in any case.
    Listed(Vec<String>),
}

impl Peers {
    /// True for a host that may connect.
    pub fn admits(&self, host: &[u8]) -> bool {
        match self {
            Peers::Any => true,
            Peers::Listed(hosts) => hosts
                .iter()
                .any(|known| known.as_bytes().eq_ignore_ascii_case(host)),
        }
    }
}

/// What this end says of itself. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Origin-Host.
    pub host: String,
    /// Origin-Realm.
    pub realm: String,
    /// Host-IP-Address.
    pub addresses: Vec<IpAddr>,
    /// Product-Name.
    pub product: String,
    /// Origin-State-Id: grows with each start.
    pub origin_state: u32,
    /// Who may connect.
    pub peers: Peers,
    /// The application that both ends must have.
    pub application: u32,
    /// The longest message, in bytes.
    pub limit: usize,
    /// Tw of RFC 3539: the silence after which a watchdog request is sent; each time up to 2 s more or less.
    pub watchdog: u32,
    /// How long a new connection may be without capabilities.
    pub capabilities: u32,
    /// How long the answer to a disconnect request is waited for.
    pub disconnect: u32,
}

impl Local {
    /// This end with the usual times: Tw 30 s, 5 s until capabilities, messages of 64 KiB.
    pub fn new(host: &str, realm: &str) -> Local {
        Local {
            host: host.to_owned(),
            realm: realm.to_owned(),
            addresses: vec![IpAddr::from([127, 0, 0, 1])],
            product: "strowger".to_owned(),
            origin_state: 1,
            peers: Peers::Any,
            application: GX,
            limit: DEFAULT_LIMIT,
            watchdog: 30_000,
            capabilities: 5000,
            disconnect: 5000,
        }
    }

    /// The names in answers.
    pub fn origin(&self) -> Origin<'_> {
        Origin {
            host: self.host.as_bytes(),
            realm: self.realm.as_bytes(),
            state: Some(self.origin_state),
        }
    }
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Another message came before the capabilities.
    BeforeCapabilities,
    /// No capabilities came in time.
    CapabilitiesTimeout,
    /// Our answer to the capabilities of the peer, or the peer's to ours.
    Refused(ResultCode),
    /// A TLS hello.
    Tls,
    /// A text, such as a request of HTTP.
    Text,
    /// Bytes that are no Diameter.
    Foreign,
    /// Another version of Diameter.
    Version,
    /// A length that no message has, or above the limit.
    Length,
    /// The peer stayed silent.
    Watchdog,
    /// The peer wanted it, with its Disconnect-Cause.
    ByPeer(u32),
    /// We wanted it.
    ByUs,
}

impl Reason {
    /// Number of kinds of reasons; see [`Reason::index`].
    pub const KINDS: usize = 11;

    /// The kind as an index, for counters.
    pub fn index(self) -> usize {
        match self {
            Reason::BeforeCapabilities => 0,
            Reason::CapabilitiesTimeout => 1,
            Reason::Refused(_) => 2,
            Reason::Tls => 3,
            Reason::Text => 4,
            Reason::Foreign => 5,
            Reason::Version => 6,
            Reason::Length => 7,
            Reason::Watchdog => 8,
            Reason::ByPeer(_) => 9,
            Reason::ByUs => 10,
        }
    }

    /// A short name for logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Reason::BeforeCapabilities => "message before capabilities",
            Reason::CapabilitiesTimeout => "no capabilities in time",
            Reason::Refused(_) => "capabilities refused",
            Reason::Tls => "TLS hello",
            Reason::Text => "text",
            Reason::Foreign => "no Diameter",
            Reason::Version => "other version",
            Reason::Length => "impossible message length",
            Reason::Watchdog => "watchdog not answered",
            Reason::ByPeer(_) => "disconnected by peer",
            Reason::ByUs => "disconnected by us",
        }
    }
}

/// What one connection counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages received.
    pub received: u64,
    /// Watchdog requests sent.
    pub watchdogs: u64,
    /// Watchdog requests not answered in time.
    pub missed: u64,
    /// Requests of the base protocol that were refused.
    pub refused: u64,
}
