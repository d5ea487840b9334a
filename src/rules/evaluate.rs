//! The evaluation of a query.

use crate::rules::chain::{Chain, Found};
use crate::rules::comment;
use crate::rules::digest::digest_hash;
use crate::rules::outcome::{Numbers, Outcome, Work};
use crate::rules::rule::{Client, Rule};
use crate::rules::session::{Buffers, Mode, Query, Session, Tested};
use crate::rules::set::RuleSet;

/// One query on its way.
pub(crate) struct Walk<'s, 'q> {
    set: &'s RuleSet,
    query: &'q Query<'q>,
    /// The text up to a NUL: the original hands it on as a C string.
    text: &'q [u8],
    mode: Mode,
    counts: bool,
    flag: i32,
    rewrites: u32,
    work: Work,
}

impl RuleSet {
    /// What the rules decide about a query.
    pub fn eval<'s>(&'s self, session: &'s mut Session, query: &Query<'_>) -> Outcome<'s> {
        if session.counts && session.hits.len() != self.rules.len() {
            session.hits = vec![0; self.rules.len()];
            session.tests = vec![0; self.rules.len()];
        }
        // One look tells of most queries that they have neither a NUL nor values in a comment.
        let marked = memchr::memchr2(0, b'=', query.text).is_some();
        let mut walk = Walk {
            set: self,
            query,
            text: if marked { cut(query.text) } else { query.text },
            mode: session.mode,
            counts: session.counts,
            flag: session.next_query_flag_in.max(0),
            rewrites: 0,
            work: Work::default(),
        };
        if let Some(trace) = &mut session.trace {
            trace.clear();
        }
        session.buffers.matched.clear();
        session.buffers.has_digest = false;
        session.buffers.candidates.of = None;
        let mut numbers = Numbers::UNSET;
        let mut error_msg = None;
        let mut ok_msg = None;
        let mut iterations = self.settings.iterations;
        // Chains that lead to each other end after as many jumps as there are rules.
        let mut turns = self.rules.len();
        let mut position = 0;
        // The rule where the walk ends: the one that applied, or the last of all.
        let mut applied = self.rules.last().is_some_and(|rule| rule.apply);
        while let Some((found, rule)) = walk.next(position, session) {
            if walk.counts
                && let Some(hits) = session.hits.get_mut(found)
            {
                *hits += 1;
            }
            session.buffers.matched.push(rule.id);
            let mut jumps = false;
            if rule.weights_total > 0 {
                let mut drawn = session.draw(rule.weights_total);
                for &(flag, weight) in &rule.weighted {
                    if drawn < weight {
                        walk.flag = flag;
                        jumps = true;
                        break;
                    }
                    drawn -= weight;
                }
            }
            if rule.flag_out >= 0 {
                walk.flag = rule.flag_out;
                jumps = true;
            }
            numbers.take(&rule.numbers);
            error_msg = rule.error_msg.as_deref().or(error_msg);
            ok_msg = rule.ok_msg.as_deref().or(ok_msg);
            walk.rewrite(rule, &mut session.buffers);
            if rule.apply {
                applied = true;
                break;
            }
            if jumps && iterations > 0 {
                iterations -= 1;
                position = 0;
            } else if jumps && walk.mode == Mode::Article && turns > 0 {
                turns -= 1;
                position = 0;
            } else {
                position = found + 1;
            }
        }
        let (flag, rewrites, work) = (walk.flag, walk.rewrites, walk.work);
        if !applied
            && let Some(hostgroup) =
                self.fast_routing(query.user, query.schema, flag, &mut session.buffers.spare)
        {
            numbers.hostgroup = hostgroup;
        }
        if marked && self.settings.digest.enabled && comment::may_hold_values(query.text) {
            walk.digest(&mut session.buffers);
            if session.buffers.digest.has_comment {
                comment::apply(&session.buffers.digest.comment, &mut numbers);
            }
        }
        if ok_msg.is_none() && error_msg.is_none() && numbers.next_query_flag_in >= 0 {
            session.next_query_flag_in = numbers.next_query_flag_in;
        }
        let next_query_flag_in = session.next_query_flag_in;
        let buffers = &session.buffers;
        Outcome {
            numbers,
            matched: &buffers.matched,
            rewritten: (rewrites > 0).then_some(buffers.rewritten.as_slice()),
            error_msg,
            ok_msg,
            flag,
            next_query_flag_in,
            work,
        }
    }
}

impl<'s, 'q> Walk<'s, 'q> {
    /// For rules that stand alone.
    pub(crate) fn alone(set: &'s RuleSet, query: &'q Query<'q>) -> Self {
        Self {
            set,
            query,
            text: cut(query.text),
            mode: Mode::List,
            counts: false,
            flag: 0,
            rewrites: 0,
            work: Work::default(),
        }
    }

    /// The next rule at or after a position that matches under the flag.
    fn next(&mut self, position: usize, session: &mut Session) -> Option<(usize, &'s Rule)> {
        let set = self.set;
        match self.mode {
            Mode::List => {
                let flags = set.flags.get(position..)?;
                for (n, &flag) in flags.iter().enumerate() {
                    self.work.walked += 1;
                    if flag != self.flag {
                        continue;
                    }
                    let at = position + n;
                    if let Some(rule) = set.rules.get(at)
                        && self.test(at, rule, session)
                    {
                        return Some((at, rule));
                    }
                }
                None
            }
            Mode::Map | Mode::Article => {
                let chain = set.chain(self.flag)?;
                let first = chain.rules.partition_point(|&at| (at as usize) < position);
                for &at in chain.rules.get(first..).unwrap_or_default() {
                    self.work.walked += 1;
                    let at = at as usize;
                    if let Some(rule) = set.rules.get(at)
                        && self.test(at, rule, session)
                    {
                        return Some((at, rule));
                    }
                }
                None
            }
            Mode::Compiled => {
                let index = set.chain_index(self.flag)?;
                let chain = set.chains.get(index as usize)?;
                self.next_candidate(index, chain, position, session)
            }
        }
    }

    fn next_candidate(
        &mut self,
        number: u32,
        chain: &'s Chain,
        position: usize,
        session: &mut Session,
    ) -> Option<(usize, &'s Rule)> {
        let set = self.set;
        let index = chain.index(&set.rules, set.settings.digest.enabled);
        let of = Some((number, self.rewrites));
        if session.buffers.candidates.of != of {
            if index.wants_digest() {
                self.digest(&mut session.buffers);
            }
            let buffers = &mut session.buffers;
            let text = if self.rewrites > 0 {
                &buffers.rewritten
            } else {
                self.text
            };
            let digest = if index.wants_digest() {
                cut(&buffers.digest.text)
            } else {
                b""
            };
            self.work.automaton_runs += index.search(text, digest, &mut buffers.candidates);
            buffers.candidates.of = of;
        }
        if index.is_by_text_only() {
            let first = session.buffers.candidates.first(position);
            for n in first.. {
                let found = session.buffers.candidates.found(n)?;
                if let Some(rule) = self.confirm(found.position(), found.is_proven(), session) {
                    return Some(rule);
                }
            }
        }
        let query = self.query;
        let [mut always, mut schemas, mut users, mut clients] =
            index.lists(query.schema, query.user, query.client);
        // Nothing is known of a client that is not known: all rules of the chain are looked at.
        if query.client.is_none() && index.has_clients() {
            always = &chain.rules;
        }
        for list in [&mut always, &mut schemas, &mut users, &mut clients] {
            let first = list.partition_point(|&at| (at as usize) < position);
            *list = list.get(first..).unwrap_or_default();
        }
        let mut next_found = session.buffers.candidates.first(position);
        loop {
            let by_text = session.buffers.candidates.found(next_found);
            let other = [always, schemas, users, clients]
                .into_iter()
                .filter_map(|list| list.first().copied())
                .min();
            let at = match (by_text.map(Found::position), other) {
                (Some(a), Some(b)) => a.min(b),
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (None, None) => return None,
            };
            let by_text = by_text.filter(|found| found.position() == at);
            next_found += usize::from(by_text.is_some());
            for list in [&mut always, &mut schemas, &mut users, &mut clients] {
                if let Some((&first, rest)) = list.split_first()
                    && first == at
                {
                    *list = rest;
                }
            }
            let proven = by_text.is_some_and(Found::is_proven);
            if let Some(rule) = self.confirm(at, proven, session) {
                return Some(rule);
            }
        }
    }

    /// A candidate, if it matches.
    fn confirm(
        &mut self,
        at: u32,
        proven: bool,
        session: &mut Session,
    ) -> Option<(usize, &'s Rule)> {
        let at = at as usize;
        let rule = self.set.rules.get(at)?;
        if proven {
            return Some((at, rule));
        }
        self.work.walked += 1;
        self.test(at, rule, session).then_some((at, rule))
    }

    /// Looks at the criteria of a rule one by one.
    fn test(&mut self, at: usize, rule: &Rule, session: &mut Session) -> bool {
        self.work.tested += 1;
        if self.counts
            && let Some(tests) = session.tests.get_mut(at)
        {
            *tests += 1;
        }
        let matched = self.matches(rule, &mut session.buffers);
        if let Some(trace) = &mut session.trace {
            trace.push(Tested {
                rule_id: rule.id,
                flag: self.flag,
                matched,
            });
        }
        matched
    }

    /// Whether a rule matches, whatever its flag.
    pub(crate) fn matches(&self, rule: &Rule, buffers: &mut Buffers) -> bool {
        if !rule.is_for_all() && !self.suits(rule, buffers) {
            return false;
        }
        if let Some(matching) = &rule.match_digest
            && self.set.settings.digest.enabled
        {
            self.digest(buffers);
            let text = cut(&buffers.digest.text);
            let found = matching.pattern.is_match(text, &mut buffers.characters);
            if found == rule.negated {
                return false;
            }
        }
        if let Some(matching) = &rule.match_pattern {
            let text = if self.rewrites > 0 {
                cut(&buffers.rewritten)
            } else {
                self.text
            };
            let found = matching.pattern.is_match(text, &mut buffers.characters);
            if found == rule.negated {
                return false;
            }
        }
        true
    }

    /// The criteria besides the patterns.
    fn suits(&self, rule: &Rule, buffers: &mut Buffers) -> bool {
        let query = self.query;
        let is = |wanted: &Option<Vec<u8>>, given: &[u8]| {
            wanted.as_ref().is_none_or(|wanted| wanted == given)
        };
        if !is(&rule.username, query.user) || !is(&rule.schemaname, query.schema) {
            return false;
        }
        let client = match (&rule.client, query.client) {
            (Client::Any, _) | (_, None) => true,
            (Client::Exactly(address), Some(client)) => address == client,
            (Client::Prefix(prefix), Some(client)) => client.starts_with(prefix),
        };
        if !client {
            return false;
        }
        if let (Some(wanted), Some(given)) = (&rule.proxy_addr, query.proxy_addr)
            && wanted != given
        {
            return false;
        }
        if rule.proxy_port >= 0 && rule.proxy_port != i32::from(query.proxy_port) {
            return false;
        }
        if rule.digest != 0 && self.set.settings.digest.enabled {
            self.digest(buffers);
            return buffers.digest_hash == 0 || buffers.digest_hash == rule.digest;
        }
        true
    }

    /// Makes the digest, once for a query.
    fn digest(&self, buffers: &mut Buffers) {
        if buffers.has_digest {
            return;
        }
        let settings = &self.set.settings.digest;
        buffers.digest.make(self.query.text, settings);
        buffers.digest_hash = digest_hash(&buffers.digest.text, settings);
        buffers.has_digest = true;
    }

    fn rewrite(&mut self, rule: &Rule, buffers: &mut Buffers) {
        let (Some(replacement), Some(matching)) = (&rule.replacement, &rule.match_pattern) else {
            return;
        };
        buffers.spare.clear();
        let text = if self.rewrites > 0 {
            &buffers.rewritten
        } else {
            self.text
        };
        replacement.apply(&matching.pattern, text, &mut buffers.spare);
        std::mem::swap(&mut buffers.rewritten, &mut buffers.spare);
        self.rewrites += 1;
    }
}

/// The text up to a NUL.
fn cut(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}
