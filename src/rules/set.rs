//! A set of rules, ready to be asked.

use crate::base::symbol::{StableMap, stable_map};
use crate::diagnostic::Report;
use crate::rules::chain::Chain;
use crate::rules::rule::Rule;
use crate::rules::settings::{Dialect, Settings};
use crate::rules::table::Tables;
use crate::rules::table::column::fast;

/// Rules in the order of their `rule_id`, chains by flag, and fast routing.
#[derive(Debug)]
pub struct RuleSet {
    pub(crate) settings: Settings,
    pub(crate) rules: Vec<Rule>,
    /// `flagIN` of every rule: the list is walked over these.
    pub(crate) flags: Vec<i32>,
    pub(crate) chains: Vec<Chain>,
    /// Chains of small flags by flag; `u32::MAX` for none.
    small: Vec<u32>,
    /// Chains of other flags.
    large: StableMap<i32, u32>,
    pub(crate) fast: Vec<FastRow>,
    fast_index: StableMap<Vec<u8>, i32>,
}

/// A row of fast routing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FastRow {
    pub(crate) user: Vec<u8>,
    pub(crate) schema: Vec<u8>,
    pub(crate) flag: i32,
    pub(crate) hostgroup: i32,
}

/// Flags below this have their chains in an array.
const SMALL: i32 = 4096;

/// Variables given from outside, which win over those of the SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Overrides {
    /// `mysql-query_processor_iterations`
    pub iterations: Option<u32>,
    /// `mysql-query_processor_regex`
    pub dialect: Option<Dialect>,
}

impl RuleSet {
    /// Reads the rules that SQL writes. What is wrong is in the report; everything else is loaded.
    pub fn from_sql(sql: impl AsRef<[u8]>) -> (Self, Report) {
        Self::from_named_sql("rules.sql", sql, Overrides::default())
    }

    /// The same with the name of the file for the report, and variables that win over those of the SQL.
    pub fn from_named_sql(
        name: &str,
        sql: impl AsRef<[u8]>,
        overrides: Overrides,
    ) -> (Self, Report) {
        let sql = sql.as_ref();
        let mut report = Report::new();
        let source = report.sources.add(name, sql.to_vec());
        let mut tables = Tables::read(sql, source, &mut report);
        if let Some(iterations) = overrides.iterations {
            tables.settings.iterations = iterations;
        }
        if let Some(dialect) = overrides.dialect {
            tables.settings.dialect = dialect;
        }
        let set = Self::load(&tables, &mut report);
        (set, report)
    }

    /// A set without rules.
    pub(crate) fn empty(settings: Settings) -> Self {
        Self {
            settings,
            rules: Vec::new(),
            flags: Vec::new(),
            chains: Vec::new(),
            small: Vec::new(),
            large: stable_map(),
            fast: Vec::new(),
            fast_index: stable_map(),
        }
    }

    fn load(tables: &Tables<'_>, report: &mut Report) -> Self {
        let settings = tables.settings;
        let mut set = Self::empty(settings);
        for (id, row) in tables.rules() {
            if let Some(rule) = Rule::new(id, row, &settings, tables, report) {
                set.add(rule);
            }
        }
        for row in tables.fast() {
            let text = |index| row.value(index).text().unwrap_or_default().to_vec();
            let number = |index| row.value(index).number().unwrap_or(0);
            let row = FastRow {
                user: text(fast::USERNAME),
                schema: text(fast::SCHEMANAME),
                flag: number(fast::FLAG_IN),
                hostgroup: number(fast::HOSTGROUP),
            };
            let mut key = Vec::new();
            fast_key(&row.user, &row.schema, row.flag, &mut key);
            set.fast_index.insert(key, row.hostgroup);
            set.fast.push(row);
        }
        set
    }

    fn add(&mut self, rule: Rule) {
        let flag = rule.flag_in;
        let position = u32::try_from(self.rules.len()).unwrap_or(u32::MAX);
        let index = if let Some(index) = self.chain_index(flag) {
            index
        } else {
            let index = u32::try_from(self.chains.len()).unwrap_or(u32::MAX);
            self.chains.push(Chain::new(flag));
            match usize::try_from(flag) {
                Ok(at) if flag < SMALL => {
                    if self.small.len() <= at {
                        self.small.resize(at + 1, u32::MAX);
                    }
                    if let Some(place) = self.small.get_mut(at) {
                        *place = index;
                    }
                }
                _ => {
                    self.large.insert(flag, index);
                }
            }
            index
        };
        if let Some(chain) = self.chains.get_mut(index as usize) {
            chain.rules.push(position);
        }
        self.flags.push(flag);
        self.rules.push(rule);
    }

    /// The index of a flag's chain.
    #[inline]
    pub(crate) fn chain_index(&self, flag: i32) -> Option<u32> {
        match usize::try_from(flag) {
            Ok(at) if flag < SMALL => self
                .small
                .get(at)
                .copied()
                .filter(|&index| index != u32::MAX),
            _ => self.large.get(&flag).copied(),
        }
    }

    /// The chain of a flag.
    pub(crate) fn chain(&self, flag: i32) -> Option<&Chain> {
        self.chains.get(self.chain_index(flag)? as usize)
    }

    /// The hostgroup that fast routing gives: the user's own row, else that of all users.
    pub(crate) fn fast_routing(
        &self,
        user: &[u8],
        schema: &[u8],
        flag: i32,
        key: &mut Vec<u8>,
    ) -> Option<i32> {
        if self.fast_index.is_empty() {
            return None;
        }
        for user in [user, b""] {
            fast_key(user, schema, flag, key);
            if let Some(&hostgroup) = self.fast_index.get(key.as_slice()) {
                return Some(hostgroup);
            }
        }
        None
    }

    /// The variables in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of active rules.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are no active rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The `rule_id`s of the active rules in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = i64> {
        self.rules.iter().map(|rule| rule.id)
    }
}

fn fast_key(user: &[u8], schema: &[u8], flag: i32, key: &mut Vec<u8>) {
    key.clear();
    key.extend_from_slice(&(user.len() as u64).to_le_bytes());
    key.extend_from_slice(user);
    key.extend_from_slice(schema);
    key.extend_from_slice(&flag.to_le_bytes());
}
