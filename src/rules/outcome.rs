//! What rules decide about a query.

use crate::rules::dialplan::NUMBERS;

/// The numbers of an outcome; -1 where nothing was set. Names are those of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Numbers {
    /// `destination_hostgroup`; -1 is the user's own.
    pub hostgroup: i32,
    /// `cache_ttl`, milliseconds.
    pub cache_ttl: i32,
    /// `cache_empty_result`
    pub cache_empty_result: i32,
    /// `cache_timeout`, milliseconds.
    pub cache_timeout: i32,
    /// `reconnect`
    pub reconnect: i32,
    /// `timeout`, milliseconds.
    pub timeout: i32,
    /// `retries`
    pub retries: i32,
    /// `delay`, milliseconds.
    pub delay: i32,
    /// What the rules say about the flag of the next query; see [`Outcome::next_query_flag_in`].
    pub next_query_flag_in: i32,
    /// `mirror_flagOUT`
    pub mirror_flag_out: i32,
    /// `mirror_hostgroup`
    pub mirror_hostgroup: i32,
    /// `sticky_conn`
    pub sticky_conn: i32,
    /// `multiplex`
    pub multiplex: i32,
    /// `gtid_from_hostgroup`
    pub gtid_from_hostgroup: i32,
    /// `log`
    pub log: i32,
    /// `max_lag_ms`, which only a comment sets, milliseconds.
    pub max_lag_ms: i32,
    /// `create_new_connection`, which only a comment sets.
    pub create_new_connection: bool,
}

impl Numbers {
    /// Nothing set.
    pub const UNSET: Self = Self {
        hostgroup: -1,
        cache_ttl: -1,
        cache_empty_result: -1,
        cache_timeout: -1,
        reconnect: -1,
        timeout: -1,
        retries: -1,
        delay: -1,
        next_query_flag_in: -1,
        mirror_flag_out: -1,
        mirror_hostgroup: -1,
        sticky_conn: -1,
        multiplex: -1,
        gtid_from_hostgroup: -1,
        log: -1,
        max_lag_ms: -1,
        create_new_connection: false,
    };

    /// What rules can set, in the order of the variables of a dialplan.
    #[inline]
    pub(crate) fn listed(&self) -> [i32; 15] {
        [
            self.hostgroup,
            self.cache_ttl,
            self.cache_empty_result,
            self.cache_timeout,
            self.reconnect,
            self.timeout,
            self.retries,
            self.delay,
            self.next_query_flag_in,
            self.mirror_flag_out,
            self.mirror_hostgroup,
            self.sticky_conn,
            self.multiplex,
            self.gtid_from_hostgroup,
            self.log,
        ]
    }

    /// Numbers in the order of [`Numbers::listed`].
    #[inline]
    pub(crate) fn of(listed: [i32; 15]) -> Self {
        let [
            hostgroup,
            cache_ttl,
            cache_empty_result,
            cache_timeout,
            reconnect,
            timeout,
            retries,
            delay,
            next_query_flag_in,
            mirror_flag_out,
            mirror_hostgroup,
            sticky_conn,
            multiplex,
            gtid_from_hostgroup,
            log,
        ] = listed;
        Self {
            hostgroup,
            cache_ttl,
            cache_empty_result,
            cache_timeout,
            reconnect,
            timeout,
            retries,
            delay,
            next_query_flag_in,
            mirror_flag_out,
            mirror_hostgroup,
            sticky_conn,
            multiplex,
            gtid_from_hostgroup,
            log,
            ..Self::UNSET
        }
    }

    /// Numbers from the channel variables that a dialplan of rules sets.
    pub(crate) fn read(read: impl Fn(&str) -> i32) -> Self {
        Self::of(NUMBERS.map(|(_, variable)| read(variable)))
    }

    /// Takes over what a rule sets.
    #[inline]
    pub(crate) fn take(&mut self, rule: &Numbers) {
        let mut merged = self.listed();
        // As arrays, which the compiler turns into a few wide instructions.
        for (mine, theirs) in merged.iter_mut().zip(rule.listed()) {
            *mine = if theirs >= 0 { theirs } else { *mine };
        }
        let (max_lag_ms, create_new_connection) = (self.max_lag_ms, self.create_new_connection);
        *self = Self {
            max_lag_ms,
            create_new_connection,
            ..Self::of(merged)
        };
    }
}

/// How much work a query was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Rules visited, those of other flags included.
    pub walked: u64,
    /// Rules whose criteria were looked at one by one.
    pub tested: u64,
    /// Runs of a chain's automaton over a text.
    pub automaton_runs: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Self) {
        self.walked += more.walked;
        self.tested += more.tested;
        self.automaton_runs += more.automaton_runs;
    }
}

/// What the rules decided. It borrows from the session and from the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// The numbers.
    pub numbers: Numbers,
    /// The `rule_id`s that matched, in order; one more than once with iterations.
    pub matched: &'a [i64],
    /// The text after the rewrites; `None` where no rule with a replacement matched.
    pub rewritten: Option<&'a [u8]>,
    /// `error_msg`
    pub error_msg: Option<&'a [u8]>,
    /// `OK_msg`
    pub ok_msg: Option<&'a [u8]>,
    /// The flag where the walk ended.
    pub flag: i32,
    /// The flag with which the next query of the session starts; -1 while no rule has said anything.
    pub next_query_flag_in: i32,
    /// How much work it was.
    pub work: Work,
}

impl<'a> Outcome<'a> {
    /// An outcome of parts: messages are `error_msg` and `OK_msg`, flags the last one and the next query's.
    pub(crate) fn new(
        numbers: Numbers,
        matched: &'a [i64],
        rewritten: Option<&'a [u8]>,
        (error_msg, ok_msg): (Option<&'a [u8]>, Option<&'a [u8]>),
        (flag, next_query_flag_in): (i32, i32),
        work: Work,
    ) -> Self {
        Self {
            numbers,
            matched,
            rewritten,
            error_msg,
            ok_msg,
            flag,
            next_query_flag_in,
            work,
        }
    }
}
