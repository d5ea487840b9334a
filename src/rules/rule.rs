//! A rule as the evaluation sees it.

use crate::base::Place;
use crate::diagnostic::{Code, Report, code};
use crate::rules::outcome::Numbers;
use crate::rules::pattern::{Pattern, Replacement};
use crate::rules::settings::{Dialect, Settings};
use crate::rules::table::column::rule as column;
use crate::rules::table::{Stored, Tables};

/// A criterion and its text, as written.
#[derive(Debug)]
pub(crate) struct Matching {
    /// The pattern as written.
    pub(crate) text: Vec<u8>,
    pub(crate) pattern: Pattern,
}

/// Which clients a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Client {
    Any,
    Exactly(Vec<u8>),
    /// `prefix%`
    Prefix(Vec<u8>),
}

/// A rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: i64,
    /// Where its row stands.
    pub(crate) place: Place,
    pub(crate) flag_in: i32,
    pub(crate) username: Option<Vec<u8>>,
    pub(crate) schemaname: Option<Vec<u8>>,
    pub(crate) client: Client,
    pub(crate) proxy_addr: Option<Vec<u8>>,
    pub(crate) proxy_port: i32,
    /// 0 for any.
    pub(crate) digest: u64,
    pub(crate) match_digest: Option<Matching>,
    pub(crate) match_pattern: Option<Matching>,
    pub(crate) negated: bool,
    pub(crate) caseless: bool,
    /// Flags and weights, of which one is drawn.
    pub(crate) weighted: Vec<(i32, i32)>,
    pub(crate) weights_total: i32,
    /// -1 where the flag stays.
    pub(crate) flag_out: i32,
    pub(crate) replacement: Option<Replacement>,
    pub(crate) replacement_text: Option<Vec<u8>>,
    pub(crate) numbers: Numbers,
    pub(crate) error_msg: Option<Vec<u8>>,
    pub(crate) ok_msg: Option<Vec<u8>>,
    pub(crate) apply: bool,
}

impl Rule {
    /// A rule that asks for nothing and does nothing.
    pub(crate) fn empty(id: i64, place: Place) -> Self {
        Self {
            id,
            place,
            flag_in: 0,
            username: None,
            schemaname: None,
            client: Client::Any,
            proxy_addr: None,
            proxy_port: -1,
            digest: 0,
            match_digest: None,
            match_pattern: None,
            negated: false,
            caseless: true,
            weighted: Vec::new(),
            weights_total: 0,
            flag_out: -1,
            replacement: None,
            replacement_text: None,
            numbers: Numbers::UNSET,
            error_msg: None,
            ok_msg: None,
            apply: false,
        }
    }

    /// The rule of a row; `None` where it is not active or cannot be loaded.
    pub(crate) fn new(
        id: i64,
        row: &Stored,
        settings: &Settings,
        tables: &Tables<'_>,
        report: &mut Report,
    ) -> Option<Self> {
        if !row.value(column::ACTIVE).equals(1) {
            return None;
        }
        let number = |index: usize| row.value(index).number().unwrap_or(-1);
        let text = |index: usize| row.value(index).text().map(<[u8]>::to_vec);
        let given = |index: usize| text(index).filter(|text| !text.is_empty());
        let mut say = |code: &'static Code, message: String| {
            tables.say(report, row.at, code, format!("rule {id}: {message}"));
        };
        let client = match given(column::CLIENT_ADDR) {
            None => Client::Any,
            Some(address) => match memchr::memchr(b'%', &address) {
                None => Client::Exactly(address),
                Some(0) if address.len() == 1 => Client::Any,
                Some(at) if at + 1 == address.len() => {
                    Client::Prefix(address.get(..at).unwrap_or_default().to_vec())
                }
                Some(_) => {
                    say(
                        &code::RULE_CLIENT_ADDRESS,
                        "`%` stands at the end of client_addr only; the rule is not loaded"
                            .to_owned(),
                    );
                    return None;
                }
            },
        };
        let (caseless, global) = modifiers(&text(column::RE_MODIFIERS).unwrap_or_default());
        let dialect = settings.dialect;
        let mut matching = |index: usize, name: &str| {
            let text = text(index)?;
            let (pattern, fault) = Pattern::new(&text, dialect, caseless);
            if let Some(fault) = &fault {
                let who = match (fault.ours, dialect) {
                    (true, _) => "here",
                    (false, Dialect::Pcre) => "to PCRE",
                    (false, Dialect::Re2) => "to RE2",
                };
                say(
                    &code::RULE_PATTERN,
                    format!("{name} means nothing {who}: {fault}; the pattern never matches"),
                );
            }
            Some(Matching { text, pattern })
        };
        let match_digest = matching(column::MATCH_DIGEST, "match_digest");
        let match_pattern = matching(column::MATCH_PATTERN, "match_pattern");
        let replacement_text = text(column::REPLACE_PATTERN);
        let replacement = match (&match_pattern, &replacement_text) {
            (Some(matching), Some(replacement)) => Some(Replacement::new(
                replacement,
                &matching.text,
                dialect,
                global,
            )),
            _ => None,
        };
        let digest = match text(column::DIGEST) {
            None => 0,
            Some(written) => {
                let value = digest_number(&written);
                if value == 0 {
                    say(
                        &code::RULE_DIGEST,
                        format!(
                            "digest `{}` is no number; the rule is for all digests",
                            bstr::BStr::new(&written)
                        ),
                    );
                }
                value
            }
        };
        let weighted = match weights(&text(column::ATTRIBUTES).unwrap_or_default()) {
            Ok(weights) => weights,
            Err((weights, what)) => {
                say(&code::RULE_ATTRIBUTES, what);
                weights
            }
        };
        Some(Self {
            id,
            place: tables.place(row.at),
            flag_in: number(column::FLAG_IN),
            username: given(column::USERNAME),
            schemaname: given(column::SCHEMANAME),
            client,
            proxy_addr: given(column::PROXY_ADDR),
            proxy_port: number(column::PROXY_PORT),
            digest,
            match_digest,
            match_pattern,
            negated: row.value(column::NEGATE).equals(1),
            caseless,
            weights_total: weighted
                .iter()
                .fold(0i32, |total, &(_, weight)| total.wrapping_add(weight)),
            weighted,
            flag_out: number(column::FLAG_OUT),
            replacement,
            replacement_text,
            numbers: Numbers {
                hostgroup: number(column::HOSTGROUP),
                cache_ttl: number(column::CACHE_TTL),
                cache_empty_result: number(column::CACHE_EMPTY_RESULT),
                cache_timeout: number(column::CACHE_TIMEOUT),
                reconnect: number(column::RECONNECT),
                timeout: number(column::TIMEOUT),
                retries: number(column::RETRIES),
                delay: number(column::DELAY),
                next_query_flag_in: number(column::NEXT_QUERY_FLAG_IN),
                mirror_flag_out: number(column::MIRROR_FLAG_OUT),
                mirror_hostgroup: number(column::MIRROR_HOSTGROUP),
                sticky_conn: number(column::STICKY_CONN),
                multiplex: number(column::MULTIPLEX),
                gtid_from_hostgroup: number(column::GTID_FROM_HOSTGROUP),
                log: number(column::LOG),
                ..Numbers::UNSET
            },
            error_msg: text(column::ERROR_MSG),
            ok_msg: text(column::OK_MSG),
            apply: row.value(column::APPLY).equals(1),
        })
    }

    /// Whether the rule asks for nothing besides its two patterns.
    pub(crate) fn is_for_all(&self) -> bool {
        self.username.is_none()
            && self.schemaname.is_none()
            && self.client == Client::Any
            && self.proxy_addr.is_none()
            && self.proxy_port < 0
            && self.digest == 0
    }
}

/// CASELESS and GLOBAL of a list at commas; a piece counts by how it starts.
pub(crate) fn modifiers(text: &[u8]) -> (bool, bool) {
    let has = |name: &[u8]| {
        text.split(|&byte| byte == b',').any(|piece| {
            piece
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        })
    };
    (has(b"CASELESS"), has(b"GLOBAL"))
}

/// What C's `strtoull` reads with base 0; 0 and the largest number count as none.
pub(crate) fn digest_number(text: &[u8]) -> u64 {
    let text = text.trim_ascii_start();
    let (base, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] => (8, rest),
        _ => (10, text),
    };
    let mut value = 0u64;
    for &byte in digits {
        let Some(digit) = char::from(byte).to_digit(base) else {
            break;
        };
        let Some(next) = value
            .checked_mul(u64::from(base))
            .and_then(|value| value.checked_add(u64::from(digit)))
        else {
            return 0;
        };
        value = next;
    }
    if value == u64::MAX { 0 } else { value }
}

type Weights = Vec<(i32, i32)>;

/// `{"flagOUTs":[{"id":N,"weight":N},…]}`; other keys mean nothing here.
fn weights(attributes: &[u8]) -> Result<Weights, (Weights, String)> {
    let mut weights = Vec::new();
    let value: serde_json::Value = match attributes {
        [] => return Ok(weights),
        text => serde_json::from_slice(text).unwrap_or_default(),
    };
    let Some(list) = value.get("flagOUTs") else {
        return Ok(weights);
    };
    let Some(list) = list.as_array() else {
        return Err((weights, "flagOUTs of attributes is no list".to_owned()));
    };
    let mut wrong = None;
    for item in list {
        let number = |key: &str| item.get(key).and_then(serde_json::Value::as_u64);
        match (number("id"), number("weight")) {
            (Some(id), Some(weight)) => weights.push((id as i32, weight as i32)),
            _ => {
                wrong = Some(format!(
                    "`{item}` of flagOUTs needs a number as id and as weight"
                ));
            }
        }
    }
    match wrong {
        Some(wrong) => Err((weights, wrong)),
        None => Ok(weights),
    }
}
