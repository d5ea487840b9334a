//! Which priority a dialled string leads to, in Asterisk's exact order: own extensions, switches, includes
//! depth first (observed with Asterisk master 2026-08).

use crate::base::pattern::{self, Fit};
use crate::base::symbol::Symbol;
use crate::base::timespec::Timespec;
use crate::base::zone::Zone;
use crate::program::automaton::{self, Automaton, Run, Typed, Walk};
use crate::program::{Context, ContextId, Extension, ExtensionId, PriorityId, Switch, Table};

/// How many contexts one search visits at most.
pub const SEARCHED_CONTEXTS: usize = 512;

/// What is wanted of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The priority with this number.
    Priority(u32),
    /// The priority with this label.
    Label(Symbol),
    /// Its hint. [`Found::priority`] is then [`PriorityId::NONE`].
    Hint,
    /// Its first priority, whatever its number.
    Any,
}

/// What a search asks for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Context to start in.
    pub context: ContextId,
    /// Dialled string. The matcher does not cut it: a channel cuts at [`pattern::CHANNEL_EXTEN`].
    pub exten: &'a [u8],
    /// What is wanted.
    pub want: Want,
    /// Caller number; `None` and empty both mean that there is none.
    pub cid: Option<&'a [u8]>,
    /// Seconds since 1970 UTC, for the times of includes.
    pub now: i64,
}

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The priority.
    pub priority: PriorityId,
    /// The extension it belongs to.
    pub extension: ExtensionId,
    /// Whether this extension is the first candidate of the whole search whatever the time and the caller:
    /// another priority that it has is then what a search for that priority finds. `overrideswitch` is not
    /// known here.
    pub steady: bool,
}

/// Why a search found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// There is no such context.
    NoContext,
    /// No extension matches.
    NoExtension,
    /// Extensions match, none has the priority (or hint).
    NoPriority,
    /// Extensions match, none has the label.
    NoLabel,
    /// The switch function of [`Matcher::search`] answered: the extension lives elsewhere.
    Switched,
}

/// The question a search answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Is it there?
    Exact,
    /// Is it there, or could more digits make it so?
    CanMatch,
    /// Could more digits lead to a match?
    MatchMore,
}

/// What a switch is asked: `true` ends the search with [`NotFound::Switched`].
pub type AskSwitch<'s> = &'s mut dyn FnMut(ContextId, &Switch) -> bool;

/// Is told of a time of an include that was tested, and of the local zone.
pub type TellTimes<'s> = &'s mut dyn FnMut(&Timespec, Option<&Zone>);

/// Finds extensions of one [`Table`].
#[derive(Debug, Clone)]
pub struct Matcher {
    automaton: Automaton,
    zone: Option<Zone>,
}

impl Matcher {
    pub(crate) fn over(automaton: Automaton) -> Self {
        Self {
            automaton,
            zone: None,
        }
    }

    /// The same matcher with another local zone for includes whose times name none.
    #[must_use]
    pub fn with_zone(mut self, zone: Zone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// The local zone of include times; `None` = the process's.
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// The priority that a dialled string leads to. Switches are passed over.
    #[inline]
    pub fn find(
        &self,
        table: &Table,
        context: ContextId,
        exten: &[u8],
        want: Want,
        cid: Option<&[u8]>,
        now: i64,
    ) -> Result<Found, NotFound> {
        let query = Query {
            context,
            exten,
            want,
            cid,
            now,
        };
        if let Some(found) = self.glance(table, &query) {
            return Ok(found);
        }
        self.run::<EXACT>(table, &query, None, None)
    }

    /// The same, telling of each time of an include that the answer depends on, with the local zone.
    pub fn find_telling(
        &self,
        table: &Table,
        query: &Query<'_>,
        tell: TellTimes<'_>,
    ) -> Result<Found, NotFound> {
        if let Some(found) = self.glance(table, query) {
            return Ok(found);
        }
        self.run::<EXACT>(table, query, None, Some(tell))
    }

    /// The answer where it is plain to see: the first candidate takes every caller and has what is wanted.
    #[expect(
        clippy::inline_always,
        reason = "returned through memory it costs a fifth of the lookup"
    )]
    #[inline(always)]
    fn glance(&self, table: &Table, query: &Query<'_>) -> Option<Found> {
        let head = automaton::head(query.exten);
        if !automaton::is_plain(query.exten, head) {
            return None;
        }
        let at = self
            .automaton
            .first(table, query.context, query.exten, head)?;
        let extension = table.extensions.get(at as usize)?;
        if extension.cid.is_some() {
            return None;
        }
        Some(Found {
            priority: wanted(table, extension, query.want)?,
            extension: ExtensionId(at),
            steady: true,
        })
    }

    /// Whether the dialled string is there.
    pub fn exists(
        &self,
        table: &Table,
        context: ContextId,
        exten: &[u8],
        want: Want,
        cid: Option<&[u8]>,
        now: i64,
    ) -> bool {
        self.find(table, context, exten, want, cid, now).is_ok()
    }

    /// Whether the dialled string is there or more digits could make it so.
    pub fn can_match(
        &self,
        table: &Table,
        context: ContextId,
        exten: &[u8],
        want: Want,
        cid: Option<&[u8]>,
        now: i64,
    ) -> bool {
        let query = Query {
            context,
            exten,
            want,
            cid,
            now,
        };
        self.run::<CAN>(table, &query, None, None).is_ok()
    }

    /// Whether more digits could lead to a match: the collector waits for another digit.
    pub fn match_more(
        &self,
        table: &Table,
        context: ContextId,
        exten: &[u8],
        want: Want,
        cid: Option<&[u8]>,
        now: i64,
    ) -> bool {
        let query = Query {
            context,
            exten,
            want,
            cid,
            now,
        };
        self.run::<MORE>(table, &query, None, None).is_ok()
    }

    /// Any of the questions, with a function that answers for switches. It is asked for each switch that the
    /// search reaches, after the extensions of its context. For [`Mode::CanMatch`] and [`Mode::MatchMore`]
    /// the value in `Ok` is the entry that said yes.
    pub fn search(
        &self,
        table: &Table,
        query: &Query<'_>,
        mode: Mode,
        switches: Option<AskSwitch<'_>>,
    ) -> Result<Found, NotFound> {
        match mode {
            Mode::Exact => self.run::<EXACT>(table, query, switches, None),
            Mode::CanMatch => self.run::<CAN>(table, query, switches, None),
            Mode::MatchMore => self.run::<MORE>(table, query, switches, None),
        }
    }

    #[inline(never)]
    fn run<'s, const MODE: u8>(
        &self,
        table: &Table,
        query: &Query<'_>,
        switches: Option<AskSwitch<'s>>,
        times: Option<TellTimes<'s>>,
    ) -> Result<Found, NotFound> {
        let Some(context) = table.context(query.context) else {
            return Err(NotFound::NoContext);
        };
        let dialled = pattern::undash(query.exten);
        let mut search = Search {
            matcher: self,
            table,
            query,
            head: automaton::head(&dialled),
            dialled: &dialled,
            switches,
            times,
            steady: true,
            matched: false,
            visited: Visited::default(),
        };
        match search.context::<MODE>(query.context, context) {
            Walk::Break(End::Hit(found)) => Ok(found),
            Walk::Break(End::Switched) => Err(NotFound::Switched),
            Walk::Break(End::Stop) | Walk::Continue(()) => {
                Err(match (search.matched, query.want) {
                    (false, _) => NotFound::NoExtension,
                    (true, Want::Label(_)) => NotFound::NoLabel,
                    (true, _) => NotFound::NoPriority,
                })
            }
        }
    }
}

const EXACT: u8 = 0;
const CAN: u8 = 1;
const MORE: u8 = 2;

/// How a walk ends before its end.
enum End {
    /// Found.
    Hit(Found),
    /// An early match (`!`) refuses more digits in this context.
    Stop,
    /// A switch answered.
    Switched,
}

struct Search<'a, 's> {
    matcher: &'a Matcher,
    table: &'a Table,
    query: &'a Query<'a>,
    dialled: &'a [u8],
    head: u128,
    switches: Option<AskSwitch<'s>>,
    times: Option<TellTimes<'s>>,
    /// No candidate refused, no caller-id condition, no times, no switch so far.
    steady: bool,
    /// Some extension matched.
    matched: bool,
    visited: Visited,
}

impl<'a> Search<'a, '_> {
    /// The context that a search starts in.
    #[inline]
    fn context<const MODE: u8>(&mut self, id: ContextId, context: &Context) -> Walk<End> {
        self.extensions::<MODE>(id)?;
        if context.switches.is_empty() && context.includes.is_empty() {
            return Walk::Continue(());
        }
        self.elsewhere::<MODE>(id, context)
    }

    fn elsewhere<const MODE: u8>(&mut self, id: ContextId, context: &Context) -> Walk<End> {
        for switch in &context.switches {
            self.steady = false;
            if let Some(ask) = &mut self.switches
                && ask(id, switch)
            {
                return Walk::Break(End::Switched);
            }
        }
        self.visited.push(context.folded);
        for include in &context.includes {
            if let Some(times) = &include.times {
                self.steady = false;
                if let Some(tell) = &mut self.times {
                    tell(times, self.matcher.zone());
                }
                if !times.matches_in(self.query.now, self.matcher.zone()) {
                    continue;
                }
            }
            let Some(id) = include.context else { continue };
            let Some(included) = self.table.context(id) else {
                continue;
            };
            if !self.visited.admits(included.folded) {
                continue;
            }
            let end = match self.extensions::<MODE>(id) {
                // Even without includes of its own it must be remembered.
                Walk::Continue(()) => self.elsewhere::<MODE>(id, included),
                end @ Walk::Break(_) => end,
            };
            match end {
                // An early match ends the search of its own context only.
                Walk::Continue(()) | Walk::Break(End::Stop) => {}
                end @ Walk::Break(_) => return end,
            }
        }
        Walk::Continue(())
    }

    #[inline]
    fn extensions<const MODE: u8>(&mut self, id: ContextId) -> Walk<End> {
        let automaton = &self.matcher.automaton;
        let (table, dialled, head) = (self.table, self.dialled, self.head);
        if MODE != EXACT {
            return self.unfinished::<MODE>(id);
        }
        if let Some(first) = automaton.literal(table, id, dialled, head) {
            self.variants::<MODE>(id, first)?;
        }
        let Some(scope) = automaton.scopes.get(id.0 as usize) else {
            return Walk::Continue(());
        };
        if scope.patterns.is_empty() {
            return Walk::Continue(());
        }
        if pattern::is_pattern(dialled) {
            return self.as_pattern::<MODE>(scope.patterns.clone());
        }
        let typed = self.typed(false);
        automaton.patterns(table, scope, id, typed, &mut |run, fit| {
            self.candidates::<MODE>(run, fit)
        })
    }

    fn typed(&self, longer: bool) -> Typed<'a> {
        Typed {
            text: self.dialled,
            head: self.head,
            longer,
        }
    }

    /// A literal and its caller-id variants, which follow each other.
    #[inline]
    fn variants<const MODE: u8>(&mut self, id: ContextId, first: u32) -> Walk<End> {
        let table = self.table;
        for (at, extension) in (first..).zip(table.extensions.get(first as usize..).unwrap_or(&[]))
        {
            // Only a caller-id variant can be followed by another entry of the same extension.
            if at != first
                && (extension.context != id
                    || !pattern::same_literal(&extension.exten, self.dialled))
            {
                break;
            }
            self.candidate::<MODE>(at, extension, Fit::Exact)?;
            if extension.cid.is_none() {
                break;
            }
        }
        Walk::Continue(())
    }

    /// A dialled string that begins with `_` matches as pattern text or as data.
    #[cold]
    fn as_pattern<const MODE: u8>(&mut self, run: Run) -> Walk<End> {
        let table = self.table;
        for at in run {
            let Some(extension) = table.extensions.get(at as usize) else {
                continue;
            };
            if pattern::same_pattern(&extension.exten, self.query.exten)
                || pattern::fit(&extension.exten, self.dialled).is_match()
            {
                self.candidate::<MODE>(at, extension, Fit::Exact)?;
            }
        }
        Walk::Continue(())
    }

    /// The entries that the string matches or that a longer one could match, in order.
    #[inline(never)]
    fn unfinished<const MODE: u8>(&mut self, id: ContextId) -> Walk<End> {
        let automaton = &self.matcher.automaton;
        let (table, dialled) = (self.table, self.dialled);
        let Some(scope) = automaton.scopes.get(id.0 as usize) else {
            return Walk::Continue(());
        };
        let literals = automaton::beginning_with(&table.extensions, &scope.literals, |e| {
            literal_begins(e, dialled)
        });
        let typed = self.typed(true);
        let mut visit = |run: Run, fit: Fit| self.candidates::<MODE>(run, fit);
        automaton::scan(table, literals, typed, &mut visit)?;
        if dialled.len() <= automaton::BEGINNING {
            let patterns = automaton::beginning_with(&table.extensions, &scope.patterns, |e| {
                pattern_begins(e, dialled)
            });
            automaton::scan(table, patterns, typed, &mut visit)?;
        }
        automaton.patterns(table, scope, id, typed, &mut visit)
    }

    #[inline]
    fn candidates<const MODE: u8>(&mut self, run: Run, fit: Fit) -> Walk<End> {
        let table = self.table;
        for at in run {
            if let Some(extension) = table.extensions.get(at as usize) {
                self.candidate::<MODE>(at, extension, fit)?;
            }
        }
        Walk::Continue(())
    }

    #[inline]
    fn candidate<const MODE: u8>(&mut self, at: u32, extension: &Extension, fit: Fit) -> Walk<End> {
        if MODE == MORE && fit == Fit::Exact {
            return Walk::Continue(());
        }
        if let Some(condition) = &extension.cid {
            self.steady = false;
            if !pattern::caller_fits(condition, self.query.cid) {
                return Walk::Continue(());
            }
        }
        if MODE == MORE && fit == Fit::Early {
            return Walk::Break(End::Stop);
        }
        self.matched = true;
        if let Some(priority) = wanted(self.table, extension, self.query.want) {
            return Walk::Break(End::Hit(Found {
                priority,
                extension: ExtensionId(at),
                steady: self.steady,
            }));
        }
        self.steady = false;
        Walk::Continue(())
    }
}

/// What is wanted of an extension, if it has it.
#[inline]
fn wanted(table: &Table, extension: &Extension, want: Want) -> Option<PriorityId> {
    match want {
        Want::Priority(number) => table.numbered(extension, number),
        Want::Label(label) => table.labelled(extension, label),
        Want::Hint => extension.hint.is_some().then_some(PriorityId::NONE),
        Want::Any => {
            let range = &extension.priorities;
            (!range.is_empty()).then_some(PriorityId(range.start))
        }
    }
}

/// How an extension's literal text stands to all texts that begin with `dialled`.
fn literal_begins(extension: &Extension, dialled: &[u8]) -> std::cmp::Ordering {
    // Literals are sorted as signed characters up to and with their NUL.
    let signed = |byte: &u8| byte ^ 0x80;
    extension
        .exten
        .iter()
        .filter(|&&b| b != b'-')
        .chain(&[0])
        .take(dialled.len())
        .map(signed)
        .cmp(dialled.iter().map(signed))
}

/// How a pattern stands to all patterns that begin with `dialled` as literal elements.
fn pattern_begins(extension: &Extension, dialled: &[u8]) -> std::cmp::Ordering {
    let mut elements = pattern::elements(&extension.exten);
    for byte in dialled {
        match elements.next() {
            Some(pattern::Element::Literal(b)) if b == *byte => {}
            Some(pattern::Element::Literal(b)) => return b.cmp(byte),
            // Classes, `.`, `!` and the end all sort after literals.
            _ => return std::cmp::Ordering::Greater,
        }
    }
    std::cmp::Ordering::Equal
}

/// The contexts that were searched, without an allocation for the first few.
#[derive(Default)]
struct Visited {
    few: [Option<ContextId>; 8],
    more: Vec<ContextId>,
    count: usize,
}

impl Visited {
    fn push(&mut self, id: ContextId) {
        match self.few.get_mut(self.count) {
            Some(slot) => *slot = Some(id),
            None => self.more.push(id),
        }
        self.count += 1;
    }

    /// Whether a context may be searched: not yet visited, and there is room.
    fn admits(&self, id: ContextId) -> bool {
        self.count < SEARCHED_CONTEXTS && !self.few.contains(&Some(id)) && !self.more.contains(&id)
    }
}
