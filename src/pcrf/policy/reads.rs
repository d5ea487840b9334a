//! What a dialplan may read, found without running it: the lines that a decision may reach, and the names in them.

mod lines;
mod lints;
mod walk;

use crate::base::{Place, Text};
use crate::compile::resolve::resolve;
use crate::diagnostic::Report;
use crate::host::Engine;
use crate::pcrf::diameter::dictionary::AvpId;
use crate::syntax::ast::Plan;

use super::{Companions, Kind};

/// A line that reads something, or several that read the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// What is read, as the dialplan writes it; `*` stands for what is computed.
    pub input: Text,
    /// Kinds of decisions that may get there, in their order.
    pub kinds: Vec<Kind>,
    /// The lines, in the order of the files.
    pub places: Vec<Place>,
}

/// What a dialplan may read. It is complete as long as no computed target leads somewhere that its text does not show;
/// what is read of a request besides is to be found there all the same, at a higher price.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    readers: Vec<Reader>,
    avps: Vec<AvpId>,
    all_avps: Vec<Place>,
    /// Lines whose decisions cannot be compared, and the kinds that may get there.
    volatile: Vec<Reader>,
}

impl Reads {
    /// Looks through a dialplan, and says what is odd in it.
    pub(super) fn find(
        plan: &Plan,
        engine: &Engine,
        companions: &Companions,
        report: &mut Report,
    ) -> Self {
        resolve(plan, engine.registry(), report);
        let image = engine.image();
        let mut lines = lines::Lines::new(plan, &image.program, engine.registry());
        let mut reads = Self::default();
        for kind in Kind::ALL {
            for line in walk::reachable(kind, &image.program, &mut lines) {
                reads.add(kind, &lines, line);
            }
        }
        let order = |place: &Place| (place.source, place.line, place.column);
        for reader in reads.readers.iter_mut().chain(&mut reads.volatile) {
            reader.places.sort_by_key(order);
        }
        reads.readers.sort_by(|a, b| a.input.cmp(&b.input));
        reads.avps.sort();
        lints::say(plan, &reads, &lines, companions, report);
        reads
    }

    fn add(&mut self, kind: Kind, lines: &lines::Lines<'_>, line: u32) {
        let Some(line) = lines.get(line) else {
            return;
        };
        for read in &line.reads {
            note(&mut self.readers, &read.text, kind, line.place);
            if let Some(avp) = read.avp
                && !self.avps.contains(&avp)
            {
                self.avps.push(avp);
            }
            if read.all_avps && !self.all_avps.contains(&line.place) {
                self.all_avps.push(line.place);
            }
        }
        for what in &line.volatile {
            note(&mut self.volatile, what, kind, line.place);
        }
    }

    /// What is read, sorted, with the lines.
    pub fn readers(&self) -> &[Reader] {
        &self.readers
    }

    /// AVPs at the top of the request that may be read, sorted.
    pub fn avps(&self) -> &[AvpId] {
        &self.avps
    }

    /// Whether the name of an AVP is computed, so that any may be read.
    pub fn all_avps(&self) -> bool {
        !self.all_avps.is_empty()
    }

    /// The lines where the name of an AVP is computed.
    pub fn all_avps_because(&self) -> &[Place] {
        &self.all_avps
    }

    /// What makes decisions depend on more than what is compared, with the lines.
    pub fn volatile(&self) -> &[Reader] {
        &self.volatile
    }

    /// Whether decisions of this kind depend on nothing but what is compared.
    pub fn is_comparable(&self, kind: Kind) -> bool {
        !self.volatile.iter().any(|what| what.kinds.contains(&kind))
    }

    /// Whether decisions of this kind may read something whose text begins like this.
    pub fn may_read(&self, kind: Kind, beginning: &[u8]) -> bool {
        let mut readers = self.readers.iter();
        readers.any(|reader| reader.kinds.contains(&kind) && reader.input.starts_with(beginning))
    }
}

fn note(readers: &mut Vec<Reader>, input: &Text, kind: Kind, place: Place) {
    match readers.iter_mut().find(|reader| reader.input == *input) {
        Some(reader) => {
            if !reader.kinds.contains(&kind) {
                reader.kinds.push(kind);
            }
            if !reader.places.contains(&place) {
                reader.places.push(place);
            }
        }
        None => readers.push(Reader {
            input: input.clone(),
            kinds: vec![kind],
            places: vec![place],
        }),
    }
}

/// Context, extension and priority of a target without substitutions.
pub(super) type Target<'t> = (Option<&'t [u8]>, Option<&'t [u8]>, &'t [u8]);

/// Splits `[[context,]extension,]priority`.
pub(super) fn target(text: &[u8]) -> Target<'_> {
    let mut parts = text.splitn(3, |&byte| byte == b',');
    let given = |part: Option<&'_ [u8]>| part.is_some_and(|part| !part.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (context, exten, Some(priority)) => (
            context.filter(|_| given(context)),
            exten.filter(|_| given(exten)),
            priority,
        ),
        (exten, Some(priority), None) => (None, exten.filter(|_| given(exten)), priority),
        (priority, None, None) => (None, None, priority.unwrap_or(&[])),
    }
}
