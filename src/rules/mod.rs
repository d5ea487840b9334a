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

mod application;
mod chain;
mod comment;
pub(crate) mod dialplan;
mod digest;
mod evaluate;
mod function;
mod lint;
mod outcome;
mod pattern;
mod rule;
mod session;
mod set;
mod settings;
mod sql;
mod table;
mod tree;
mod workload;

pub(crate) use comment::override_by_comment;
pub use dialplan::Style;
pub use digest::{digest, digest_hash};
pub use outcome::{Numbers, Outcome, Work};
pub use session::{Mode, Query, Session, Tested};
pub use set::{Overrides, RuleSet};
pub use settings::{Dialect, DigestSettings, Settings};
pub use tree::{Pairs, list, tree};
pub use workload::Workload;

use crate::library::{Application, Function};

/// Applications of rules.
pub static APPLICATIONS: &[&Application] = &[&application::EXEC_RULE];
/// Functions of rules.
pub static FUNCTIONS: &[&Function] = &[&function::RULE];
