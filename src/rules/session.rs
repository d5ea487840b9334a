//! What stays from query to query, and buffers.

use crate::rules::chain::Candidates;
use crate::rules::digest::DigestBuffers;

/// How rules are found. The outcome is the same in the first three modes; the work differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All rules in order, those of other flags skipped: what ProxySQL does.
    List,
    /// The chain of the flag, in order.
    Map,
    /// Those rules of the chain that its index leaves over.
    #[default]
    Compiled,
    /// The chain of the flag, always from its top: what the article about chains describes. Its outcome is another
    /// one where a flag leads to rules before the one that matched; it is there to be compared with.
    Article,
}

impl Mode {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::List => "list",
            Mode::Map => "map",
            Mode::Compiled => "compiled",
            Mode::Article => "article",
        }
    }
}

/// A query and who asks it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// The text.
    pub text: &'q [u8],
    /// The user.
    pub user: &'q [u8],
    /// The schema.
    pub schema: &'q [u8],
    /// The client's address; criteria on it are not asked where it is not known.
    pub client: Option<&'q [u8]>,
    /// The proxy's address; criteria on it are not asked where it is not known.
    pub proxy_addr: Option<&'q [u8]>,
    /// The proxy's port.
    pub proxy_port: u16,
}

/// A client's session: the flag that rules keep for the next query, chance, counts, and buffers that are used again.
#[derive(Debug, Clone)]
pub struct Session {
    pub(crate) mode: Mode,
    /// -1 while no rule has said anything.
    pub(crate) next_query_flag_in: i32,
    chance: u64,
    pub(crate) buffers: Buffers,
    /// Matches by the position of the rule.
    pub(crate) hits: Vec<u64>,
    /// Tests by the position of the rule.
    pub(crate) tests: Vec<u64>,
    pub(crate) counts: bool,
    pub(crate) trace: Option<Vec<Tested>>,
}

/// A rule that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tested {
    /// Its `rule_id`.
    pub rule_id: i64,
    /// The flag then.
    pub flag: i32,
    /// Whether it matched.
    pub matched: bool,
}

/// Buffers of one evaluation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers {
    pub(crate) matched: Vec<i64>,
    pub(crate) rewritten: Vec<u8>,
    pub(crate) spare: Vec<u8>,
    pub(crate) digest: DigestBuffers,
    pub(crate) has_digest: bool,
    pub(crate) digest_hash: u64,
    pub(crate) characters: String,
    pub(crate) candidates: Candidates,
}

impl Session {
    /// A session that has seen no query.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            next_query_flag_in: -1,
            chance: 0x9e37_79b9_7f4a_7c15,
            buffers: Buffers::default(),
            hits: Vec::new(),
            tests: Vec::new(),
            counts: false,
            trace: None,
        }
    }

    /// With another seed for the draws among weighted flags.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.chance = seed ^ 0x9e37_79b9_7f4a_7c15;
        self
    }

    /// Counting matches and tests of every rule.
    #[must_use]
    pub fn counting(mut self) -> Self {
        self.counts = true;
        self
    }

    /// Keeping which rules the last query looked at.
    #[must_use]
    pub fn tracing(mut self) -> Self {
        self.trace = Some(Vec::new());
        self
    }

    /// The rules that the last query looked at, in order; empty unless [`Session::tracing`].
    pub fn traced(&self) -> &[Tested] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// The flag with which the next query starts; -1 while no rule has said anything.
    pub fn next_query_flag_in(&self) -> i32 {
        self.next_query_flag_in
    }

    /// Forgets what earlier queries said about the flag.
    pub fn reset(&mut self) {
        self.next_query_flag_in = -1;
    }

    /// Matches and tests of the rules in their order, since the session began; empty unless [`Session::counting`].
    pub fn counted(&self) -> impl Iterator<Item = (u64, u64)> {
        self.hits.iter().copied().zip(self.tests.iter().copied())
    }

    /// A number below `end` (splitmix64).
    pub(crate) fn draw(&mut self, end: i32) -> i32 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.chance;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let end = u64::from(end.unsigned_abs().max(1));
        i32::try_from(z % end).unwrap_or(0)
    }
}
