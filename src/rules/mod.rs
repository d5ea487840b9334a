//! Routing rules of ProxySQL as chains: which hostgroup a query goes to, and what else is done with it.
//!
//! [`RuleSet::from_sql`] reads the rows of `mysql_query_rules` and `mysql_query_rules_fast_routing` as ProxySQL's
//! admin interface takes them, and [`RuleSet::eval`] decides about queries exactly as ProxySQL 2.7 does, in three
//! modes of different cost. `docs/rules.md` tells users about it.
//!
//! ```
//! use strowger::rules::{Mode, Query, RuleSet, Session};
//!
//! let (rules, report) = RuleSet::from_sql(
//!     "INSERT INTO mysql_query_rules (active,match_pattern,destination_hostgroup,apply) VALUES (1,'^SELECT',2,1);",
//! );
//! assert!(report.diagnostics().is_empty());
//! let mut session = Session::new(Mode::Compiled);
//! let query = Query { text: b"select 1", ..Query::default() };
//! assert_eq!(rules.eval(&mut session, &query).numbers.hostgroup, 2);
//! ```

mod chain;
mod comment;
mod digest;
mod evaluate;
mod outcome;
mod pattern;
mod rule;
mod session;
mod set;
mod settings;
mod sql;
mod table;

pub use digest::{digest, digest_hash};
pub use outcome::{Numbers, Outcome, Work};
pub use session::{Mode, Query, Session};
pub use set::{Overrides, RuleSet};
pub use settings::{DigestSettings, Dialect, Settings};
