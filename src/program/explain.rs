//! Why a dialled string leads where it leads, for people: what was searched and what lost.

use std::fmt;

use crate::base::Interner;
use crate::base::pattern::{self, Element};
use crate::program::matcher::{Mode, SEARCHED_CONTEXTS};
use crate::program::{
    ContextId, Extension, ExtensionId, Found, Matcher, NotFound, Query, Table, Want,
};

/// The story of one lookup.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The answer.
    pub result: Result<Found, NotFound>,
    /// Contexts and includes in the order of the search, also those after the winner.
    pub walked: Vec<Walked>,
    /// Extensions that match the dialled string and were not chosen, in the order of the search.
    pub others: Vec<Other>,
}

/// One stop of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// How many includes deep; 0 is the context asked for.
    pub depth: usize,
    /// The context, or the one whose include line this is if the included one was not searched.
    pub context: ContextId,
    /// Index of the include line in the including context; `None` for the context asked for.
    pub include: Option<(ContextId, usize)>,
    /// What happened.
    pub stop: Stop,
}

/// What happened at a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its extensions were tried.
    Searched,
    /// The winner was found before.
    Later,
    /// The times of the include do not hold.
    NotNow,
    /// It has been searched already in this lookup (names count without case).
    Again,
    /// There is no such context.
    Missing,
    /// The search has visited as many contexts as it may.
    TooMany,
}

/// An extension that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// The extension.
    pub extension: ExtensionId,
    /// Why not.
    pub reason: Reason,
}

/// Why an extension was not chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Its caller-id condition does not accept this caller.
    Caller,
    /// It comes first but does not have the priority, label or hint.
    Lacks,
    /// It is a pattern, the winner is not.
    Pattern,
    /// It is a pattern and less specific than the winner at this element (from 1; `None` = end).
    LessSpecific {
        /// Position of the first difference.
        position: usize,
        /// The winner's element.
        winner: Option<Element>,
        /// This pattern's element.
        other: Option<Element>,
    },
    /// The same extension: the winner's caller-id condition comes first.
    CallerFirst,
    /// Its context is searched after the winner's, however specific it is.
    LaterContext,
}

/// Explains a lookup. Walks everything; for people, not for calls.
pub fn explain(table: &Table, matcher: &Matcher, query: &Query<'_>) -> Explanation {
    let result = matcher.search(table, query, Mode::Exact, None);
    let mut tour = Tour {
        table,
        matcher,
        query,
        dialled: pattern::undash(query.exten).into_owned(),
        winner: result.ok().map(|found| found.extension),
        passed: false,
        visited: Vec::new(),
        walked: Vec::new(),
        others: Vec::new(),
    };
    tour.context(query.context, None);
    Explanation {
        result,
        walked: tour.walked,
        others: tour.others,
    }
}

struct Tour<'a> {
    table: &'a Table,
    matcher: &'a Matcher,
    query: &'a Query<'a>,
    dialled: Vec<u8>,
    winner: Option<ExtensionId>,
    passed: bool,
    visited: Vec<ContextId>,
    walked: Vec<Walked>,
    others: Vec<Other>,
}

impl Tour<'_> {
    /// Recursion ends because each context is visited once and at most [`SEARCHED_CONTEXTS`] are.
    fn context(&mut self, id: ContextId, include: Option<(ContextId, usize)>) {
        let Some(context) = self.table.context(id) else {
            return;
        };
        let depth = self.depth(include);
        self.walked.push(Walked {
            depth,
            context: id,
            include,
            stop: if self.passed {
                Stop::Later
            } else {
                Stop::Searched
            },
        });
        self.extensions(context.extensions.clone());
        self.visited.push(context.folded);
        for (line, include) in context.includes.iter().enumerate() {
            let zone = self.matcher.zone();
            let holds = include
                .times
                .as_ref()
                .is_none_or(|times| times.matches_in(self.query.now, zone));
            let included = include
                .context
                .and_then(|id| Some((id, self.table.context(id)?.folded)));
            let stop = match included {
                _ if !holds => Stop::NotNow,
                None => Stop::Missing,
                Some((_, folded)) if self.visited.contains(&folded) => Stop::Again,
                Some(_) if self.visited.len() >= SEARCHED_CONTEXTS => Stop::TooMany,
                Some((included, _)) => {
                    self.context(included, Some((id, line)));
                    continue;
                }
            };
            self.walked.push(Walked {
                depth: depth + 1,
                context: id,
                include: Some((id, line)),
                stop,
            });
        }
    }

    fn depth(&self, include: Option<(ContextId, usize)>) -> usize {
        let Some((parent, _)) = include else { return 0 };
        self.walked
            .iter()
            .find(|stop| {
                stop.context == parent && matches!(stop.stop, Stop::Searched | Stop::Later)
            })
            .map_or(0, |stop| stop.depth + 1)
    }

    fn extensions(&mut self, range: std::ops::Range<u32>) {
        for id in range.map(ExtensionId) {
            let Some(extension) = self.table.extension(id) else {
                continue;
            };
            if !self.fits(extension) {
                continue;
            }
            if self.winner == Some(id) {
                self.passed = true;
                continue;
            }
            let reason = self.reason(extension);
            self.others.push(Other {
                extension: id,
                reason,
            });
        }
    }

    fn fits(&self, extension: &Extension) -> bool {
        let exten = &extension.exten;
        pattern::fit(exten, &self.dialled).is_match()
            || (pattern::is_pattern(exten)
                && pattern::is_pattern(self.query.exten)
                && pattern::same_pattern(exten, self.query.exten))
    }

    fn reason(&self, extension: &Extension) -> Reason {
        if let Some(condition) = &extension.cid
            && !pattern::caller_fits(condition, self.query.cid)
        {
            return Reason::Caller;
        }
        let winner = self.winner.and_then(|id| self.table.extension(id));
        let Some(winner) = winner.filter(|_| self.passed) else {
            // Whatever comes before the winner and takes this caller was refused for this reason.
            return Reason::Lacks;
        };
        if winner.context != extension.context {
            return Reason::LaterContext;
        }
        if pattern::is_pattern(&extension.exten) != pattern::is_pattern(&winner.exten) {
            return Reason::Pattern;
        }
        match pattern::parting(&winner.exten, &extension.exten) {
            None => Reason::CallerFirst,
            Some((position, winner, other)) => Reason::LessSpecific {
                position,
                winner,
                other,
            },
        }
    }
}

impl Explanation {
    /// The story as text, one fact a line.
    pub fn text<'a>(
        &'a self,
        table: &'a Table,
        names: &'a Interner,
        query: &'a Query<'a>,
    ) -> impl fmt::Display + 'a {
        Story {
            explanation: self,
            table,
            names,
            query,
        }
    }
}

struct Story<'a> {
    explanation: &'a Explanation,
    table: &'a Table,
    names: &'a Interner,
    query: &'a Query<'a>,
}

impl Story<'_> {
    fn name(&self, id: ContextId) -> String {
        self.table
            .context(id)
            .map_or_else(String::new, |c| c.name.lossy().into_owned())
    }

    fn extension(&self, id: ExtensionId) -> String {
        let Some(extension) = self.table.extension(id) else {
            return String::new();
        };
        let cid = extension
            .cid
            .as_ref()
            .map_or_else(String::new, |cid| format!("/{cid}"));
        format!("{}{cid}@{}", extension.exten, self.name(extension.context))
    }

    fn answer(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.explanation.result {
            Ok(found) => {
                write!(f, "{}", self.extension(found.extension))?;
                if let Some(line) = self.table.priority(found.priority) {
                    let app = String::from_utf8_lossy(self.names.resolve(line.app));
                    let data = String::from_utf8_lossy(self.names.resolve(line.data));
                    write!(f, ", priority {}: {app}({data})", line.number)?;
                }
                writeln!(f)
            }
            Err(why) => writeln!(
                f,
                "{}",
                match why {
                    NotFound::NoContext => "there is no such context",
                    NotFound::NoExtension => "no extension matches",
                    NotFound::NoPriority if self.query.want == Want::Hint =>
                        "extensions match, none has a hint",
                    NotFound::NoPriority => "extensions match, none has the priority",
                    NotFound::NoLabel => "extensions match, none has the label",
                    NotFound::Switched => "a switch answers",
                }
            ),
        }
    }
}

impl fmt::Display for Story<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answer(f)?;
        for stop in &self.explanation.walked {
            let what = match stop.stop {
                Stop::Searched => "searched",
                Stop::Later => "comes after the answer",
                Stop::NotNow => "its times do not hold",
                Stop::Again => "searched before",
                Stop::Missing => "there is no such context",
                Stop::TooMany => "too many contexts",
            };
            let indent = "  ".repeat(stop.depth);
            let line = stop.include.and_then(|(parent, line)| {
                Some(&self.table.context(parent)?.includes.get(line)?.text)
            });
            match line {
                None => writeln!(f, "  {indent}[{}]: {what}", self.name(stop.context))?,
                Some(text) => writeln!(f, "  {indent}include => {text}: {what}")?,
            }
        }
        for other in &self.explanation.others {
            write!(f, "not {}: ", self.extension(other.extension))?;
            match &other.reason {
                Reason::Caller => f.write_str("not for this caller")?,
                Reason::Lacks => f.write_str(match self.query.want {
                    Want::Label(_) => "does not have the label",
                    Want::Hint => "does not have a hint",
                    Want::Priority(_) | Want::Any => "does not have the priority",
                })?,
                Reason::Pattern => f.write_str("a pattern comes after a plain extension")?,
                Reason::LessSpecific {
                    position,
                    winner,
                    other,
                } => write!(
                    f,
                    "less specific at position {position}: {} comes after {}",
                    spell(*other),
                    spell(*winner)
                )?,
                Reason::CallerFirst => f.write_str("the entry for certain callers comes first")?,
                Reason::LaterContext => f.write_str("its context is searched later")?,
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn spell(element: Option<Element>) -> String {
    element.map_or_else(|| "the end".to_owned(), |e| format!("`{e}`"))
}
