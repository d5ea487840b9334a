//! The columns of the two tables with their types, defaults and checks, as ProxySQL 2.7 creates them.

use crate::rules::table::value::Value;

/// How SQLite stores what is written into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The key that counts itself.
    RowId,
    /// Numbers where the text looks like one.
    Integer,
    /// Texts; numbers become texts.
    Text,
}

/// What a value must fulfil; NULL fulfils everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    None,
    /// One of the first numbers from 0.
    Below(i64),
    AtLeast(i64),
    Between(i64, i64),
    /// Only where `match_pattern` has a value.
    NeedsPattern,
    /// Empty, or JSON.
    Json,
}

/// The value of a column that is not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Default {
    Null,
    Zero,
    Text(&'static str),
}

/// One column.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) not_null: bool,
    pub(crate) default: Default,
    pub(crate) check: Check,
}

impl Column {
    pub(crate) fn default_value(&self) -> Value {
        match self.default {
            Default::Null => Value::Null,
            Default::Zero => Value::Integer(0),
            Default::Text(text) => Value::Text(text.as_bytes().into()),
        }
    }

    /// Whether the column takes the value, as far as the value alone decides.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        if *value == Value::Null {
            return true;
        }
        match self.check {
            Check::None | Check::NeedsPattern => true,
            Check::Below(end) => (0..end).any(|n| value.equals(n)),
            Check::AtLeast(least) => value.at_least(least),
            Check::Between(least, most) => value.at_least(least) && value.at_most(most),
            Check::Json => match value {
                Value::Text(text) => {
                    text.is_empty() || serde_json::from_slice::<serde_json::Value>(text).is_ok()
                }
                _ => true,
            },
        }
    }

    /// The check in words, after the name of the column.
    pub(crate) fn wants(&self) -> String {
        match self.check {
            Check::None => String::new(),
            Check::Below(2) => "must be 0 or 1".to_owned(),
            Check::Below(end) => format!("must be 0 to {}", end - 1),
            Check::AtLeast(1) => "must be greater than 0".to_owned(),
            Check::AtLeast(least) => format!("must be {least} or more"),
            Check::Between(least, most) => format!("must be {least} to {most}"),
            Check::NeedsPattern => "needs a match_pattern".to_owned(),
            Check::Json => "must be empty or JSON".to_owned(),
        }
    }
}

const fn column(name: &'static str, kind: Kind, check: Check) -> Column {
    Column {
        name,
        kind,
        not_null: false,
        default: Default::Null,
        check,
    }
}

const fn text(name: &'static str) -> Column {
    column(name, Kind::Text, Check::None)
}

const fn number(name: &'static str, check: Check) -> Column {
    column(name, Kind::Integer, check)
}

const fn flag(name: &'static str) -> Column {
    required(number(name, Check::Below(2)), Default::Zero)
}

const fn required(column: Column, default: Default) -> Column {
    Column {
        not_null: true,
        default,
        ..column
    }
}

/// A table.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [Column],
}

impl Schema {
    /// The index of a column by its name.
    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| name.eq_ignore_ascii_case(column.name.as_bytes()))
    }
}

macro_rules! indices {
    ($($name:ident = $n:literal)*) => {
        /// Indices of the columns of rules.
        pub(crate) mod rule {
            $(pub(crate) const $name: usize = $n;)*
        }
    };
}

indices! {
    RULE_ID = 0 ACTIVE = 1 USERNAME = 2 SCHEMANAME = 3 FLAG_IN = 4 CLIENT_ADDR = 5 PROXY_ADDR = 6 PROXY_PORT = 7
    DIGEST = 8 MATCH_DIGEST = 9 MATCH_PATTERN = 10 NEGATE = 11 RE_MODIFIERS = 12 FLAG_OUT = 13 REPLACE_PATTERN = 14
    HOSTGROUP = 15 CACHE_TTL = 16 CACHE_EMPTY_RESULT = 17 CACHE_TIMEOUT = 18 RECONNECT = 19 TIMEOUT = 20 RETRIES = 21
    DELAY = 22 NEXT_QUERY_FLAG_IN = 23 MIRROR_FLAG_OUT = 24 MIRROR_HOSTGROUP = 25 ERROR_MSG = 26 OK_MSG = 27
    STICKY_CONN = 28 MULTIPLEX = 29 GTID_FROM_HOSTGROUP = 30 LOG = 31 APPLY = 32 ATTRIBUTES = 33
}

/// `mysql_query_rules`.
pub(crate) static RULES: Schema = Schema {
    name: "mysql_query_rules",
    columns: &[
        required(column("rule_id", Kind::RowId, Check::None), Default::Null),
        flag("active"),
        text("username"),
        text("schemaname"),
        required(number("flagIN", Check::AtLeast(0)), Default::Zero),
        text("client_addr"),
        text("proxy_addr"),
        number("proxy_port", Check::Between(0, 65_535)),
        text("digest"),
        text("match_digest"),
        text("match_pattern"),
        flag("negate_match_pattern"),
        Column {
            default: Default::Text("CASELESS"),
            ..text("re_modifiers")
        },
        number("flagOUT", Check::AtLeast(0)),
        column("replace_pattern", Kind::Text, Check::NeedsPattern),
        number("destination_hostgroup", Check::None),
        number("cache_ttl", Check::AtLeast(1)),
        number("cache_empty_result", Check::Below(2)),
        number("cache_timeout", Check::AtLeast(0)),
        number("reconnect", Check::Below(2)),
        number("timeout", Check::AtLeast(0)),
        number("retries", Check::Between(0, 1000)),
        number("delay", Check::AtLeast(0)),
        number("next_query_flagIN", Check::None),
        number("mirror_flagOUT", Check::None),
        number("mirror_hostgroup", Check::None),
        text("error_msg"),
        text("OK_msg"),
        number("sticky_conn", Check::Below(2)),
        number("multiplex", Check::Below(3)),
        number("gtid_from_hostgroup", Check::None),
        number("log", Check::Below(2)),
        flag("apply"),
        required(
            column("attributes", Kind::Text, Check::Json),
            Default::Text(""),
        ),
        text("comment"),
    ],
};

/// Indices of the columns of fast routing.
pub(crate) mod fast {
    pub(crate) const USERNAME: usize = 0;
    pub(crate) const SCHEMANAME: usize = 1;
    pub(crate) const FLAG_IN: usize = 2;
    pub(crate) const HOSTGROUP: usize = 3;
}

/// `mysql_query_rules_fast_routing`.
pub(crate) static FAST_ROUTING: Schema = Schema {
    name: "mysql_query_rules_fast_routing",
    columns: &[
        required(text("username"), Default::Null),
        required(text("schemaname"), Default::Null),
        required(number("flagIN", Check::None), Default::Zero),
        required(
            number("destination_hostgroup", Check::AtLeast(0)),
            Default::Null,
        ),
        required(text("comment"), Default::Null),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fit_the_columns() {
        assert_eq!(RULES.columns.len(), 35);
        for (index, name) in [
            (rule::FLAG_IN, "flagIN"),
            (rule::MATCH_PATTERN, "match_pattern"),
            (rule::HOSTGROUP, "destination_hostgroup"),
            (rule::DELAY, "delay"),
            (rule::OK_MSG, "OK_msg"),
            (rule::LOG, "log"),
            (rule::ATTRIBUTES, "attributes"),
        ] {
            assert_eq!(RULES.columns[index].name, name);
        }
    }
}
