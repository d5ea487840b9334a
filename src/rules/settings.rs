//! The variables of ProxySQL that change how rules are evaluated.

use bstr::BStr;

/// The dialect of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// PCRE, byte by byte: the default of ProxySQL.
    #[default]
    Pcre,
    /// RE2, over UTF-8.
    Re2,
}

/// How digests are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own in ProxySQL"
)]
pub struct DigestSettings {
    /// Whether there are digests at all (`mysql-query_digests`). Without them nothing reads comments either.
    pub enabled: bool,
    /// `mysql-query_digests_lowercase`
    pub lowercase: bool,
    /// `mysql-query_digests_replace_null`
    pub replace_null: bool,
    /// `mysql-query_digests_no_digits`
    pub no_digits: bool,
    /// Values of a list that are kept (`mysql-query_digests_grouping_limit`); 0 keeps all.
    pub grouping_limit: usize,
    /// Lists in a row that are kept (`mysql-query_digests_groups_grouping_limit`); 0 keeps all.
    pub groups_grouping_limit: usize,
    /// Bytes of a query that are looked at, and of a digest (`mysql-query_digests_max_query_length`).
    pub max_query_length: usize,
    /// Bytes of a digest that its hash covers (`mysql-query_digests_max_digest_length`).
    pub max_digest_length: usize,
}

impl Default for DigestSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            lowercase: false,
            replace_null: false,
            no_digits: false,
            grouping_limit: 3,
            groups_grouping_limit: 10,
            max_query_length: 65_000,
            max_digest_length: 2048,
        }
    }
}

/// All variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// How often a flagOUT starts again at the first rule (`mysql-query_processor_iterations`).
    pub iterations: u32,
    /// `mysql-query_processor_regex`
    pub dialect: Dialect,
    /// Variables of digests.
    pub digest: DigestSettings,
}

/// How the names of variables start that rules have nothing to do with.
const MODULES: [&[u8]; 6] = [
    b"admin-",
    b"clickhouse-",
    b"ldap-",
    b"pgsql-",
    b"restapi-",
    b"sqliteserver-",
];

impl Settings {
    /// Sets a variable by its name in ProxySQL; those of its modules that have no effect on rules are accepted.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), String> {
        let name = name.to_ascii_lowercase();
        let Some(name) = name.strip_prefix(b"mysql-") else {
            return if MODULES.iter().any(|module| name.starts_with(module)) {
                Ok(())
            } else {
                Err(format!("`{}` is no variable of ProxySQL", BStr::new(&name)))
            };
        };
        let number = || {
            std::str::from_utf8(value.trim_ascii())
                .ok()
                .and_then(|text| text.parse::<u32>().ok())
                .ok_or_else(|| {
                    format!(
                        "mysql-{} must be a number, not `{}`",
                        BStr::new(name),
                        BStr::new(value)
                    )
                })
        };
        let truth = || match value.to_ascii_lowercase().as_slice() {
            b"1" | b"true" | b"on" => Ok(true),
            b"0" | b"false" | b"off" => Ok(false),
            _ => Err(format!(
                "mysql-{} must be true or false, not `{}`",
                BStr::new(name),
                BStr::new(value)
            )),
        };
        let digest = &mut self.digest;
        match name {
            b"query_processor_iterations" => self.iterations = number()?,
            b"query_processor_regex" => {
                self.dialect = match number()? {
                    1 => Dialect::Pcre,
                    2 => Dialect::Re2,
                    other => {
                        return Err(format!(
                            "mysql-query_processor_regex must be 1 (PCRE) or 2 (RE2), not {other}"
                        ));
                    }
                }
            }
            b"query_digests" => digest.enabled = truth()?,
            b"query_digests_lowercase" => digest.lowercase = truth()?,
            b"query_digests_replace_null" => digest.replace_null = truth()?,
            b"query_digests_no_digits" => digest.no_digits = truth()?,
            b"query_digests_grouping_limit" => digest.grouping_limit = number()? as usize,
            b"query_digests_groups_grouping_limit" => {
                digest.groups_grouping_limit = number()? as usize;
            }
            b"query_digests_max_query_length" => digest.max_query_length = number()? as usize,
            b"query_digests_max_digest_length" => digest.max_digest_length = number()? as usize,
            _ => {}
        }
        Ok(())
    }
}
