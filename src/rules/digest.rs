//! Digests: the text of a query with `?` for its literals, without comments, blanks folded. The text is the one that
//! ProxySQL 2.7 makes of a query of at most 65,000 bytes, accidents included; longer queries are only cut.

mod compress;
mod hash;
mod literals;

use crate::rules::settings::DigestSettings;

pub(crate) use hash::hash;

/// Bytes of a first comment that are kept.
const FIRST_COMMENT: usize = 1024;

/// Buffers of digests, kept from query to query.
#[derive(Debug, Clone, Default)]
pub(crate) struct DigestBuffers {
    stage: Vec<u8>,
    /// The text of the digest.
    pub(crate) text: Vec<u8>,
    /// The inside of the first `/* */`.
    pub(crate) comment: Vec<u8>,
    /// Whether there is one.
    pub(crate) has_comment: bool,
}

impl DigestBuffers {
    /// Makes the digest of a query.
    pub(crate) fn make(&mut self, query: &[u8], settings: &DigestSettings) {
        let (stage, text) = (&mut self.stage, &mut self.text);
        self.comment.clear();
        self.has_comment = literals::replace(query, settings, stage, &mut self.comment);
        compress::operators(stage, settings, text);
        if settings.grouping_limit > 0 {
            compress::lists(text, settings.grouping_limit, stage);
            std::mem::swap(stage, text);
            if settings.groups_grouping_limit > 0 {
                compress::groups(
                    text,
                    settings.grouping_limit,
                    settings.groups_grouping_limit,
                    stage,
                );
                std::mem::swap(stage, text);
            }
        }
        text.truncate(settings.max_query_length.min(query.len()));
        while text.len() > 1 && matches!(text.last(), Some(b' ' | b';')) {
            text.pop();
        }
    }
}

/// The digest of a query.
pub fn digest(query: &[u8], settings: &DigestSettings) -> Vec<u8> {
    let mut buffers = DigestBuffers::default();
    buffers.make(query, settings);
    buffers.text
}

/// The 64-bit hash that stands for a digest in the column `digest`.
pub fn digest_hash(text: &[u8], settings: &DigestSettings) -> u64 {
    hash(text.get(..settings.max_digest_length).unwrap_or(text))
}

/// A byte that may be part of a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'$' || byte == b'_'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_operator(byte: u8) -> bool {
    b"+-*/%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> String {
        let text = digest(query.as_bytes(), &DigestSettings::default());
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn digests() {
        for (query, expected) in [
            ("SELECT c FROM t WHERE id=7", "SELECT c FROM t WHERE id=?"),
            ("/* 003 */ select 'test' from dual", "select ? from dual"),
            ("SELECT    a\n\tFROM   b", "SELECT a FROM b"),
            ("SELECT 1, 2 ,3", "SELECT ?,?,?"),
            (
                "SELECT * FROM t WHERE a IN (1,2,3)",
                "SELECT * FROM t WHERE a IN (?,?,?)",
            ),
            (
                "SELECT * FROM t WHERE a IN (1,2,3,4)",
                "SELECT * FROM t WHERE a IN (?,?,?,?)",
            ),
            (
                "SELECT * FROM t WHERE a IN (1,2,3,4,5)",
                "SELECT * FROM t WHERE a IN (?,?,?,...)",
            ),
            ("SELECT 'it''s', \"x\\\"y\", -1.5e+3", "SELECT ?,?,?"),
            (
                "SELECT a FROM b WHERE c=0x1F AND d IS NULL;",
                "SELECT a FROM b WHERE c=? AND d IS NULL",
            ),
            (
                "SELECT /*!40001 SQL_NO_CACHE */ * FROM t1",
                "SELECT SQL_NO_CACHE * FROM t1",
            ),
            ("SELECT 1 # one\n, 2 -- two\n", "SELECT ?,?"),
            (
                "INSERT INTO t VALUES (1,'a'),(2,'b')",
                "INSERT INTO t VALUES (?,?),(?,?)",
            ),
            ("", ""),
            (";", ";"),
        ] {
            assert_eq!(of(query), expected, "{query}");
        }
    }

    #[test]
    fn hashes_are_those_of_proxysql() {
        let settings = DigestSettings::default();
        // Printed in stats_mysql_query_digest of every proxy that the mysql client talks to.
        assert_eq!(
            digest_hash(b"select @@version_comment limit ?", &settings),
            0x226C_D90D_52A2_BA0B
        );
    }

    #[test]
    fn any_bytes_are_taken() {
        let alphabet = b"a1 '\"/*!#-\n\\?(,).nNuUlLeExX0+;\x80";
        let mut state = 1u32;
        for length in 0..400 {
            let query: Vec<u8> = (0..length % 40)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(state >> 8) as usize % alphabet.len()]
                })
                .collect();
            digest(&query, &DigestSettings::default());
        }
    }
}
