//! What a dialplan may read, found without running it.

use crate::base::{Place, Text};
use crate::diagnostic::Report;
use crate::host::Engine;
use crate::pcrf::diameter::dictionary::AvpId;
use crate::syntax::ast::Plan;

use super::{Companions, Kind};

/// A line that reads something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// What is read, as the dialplan writes it; `*` stands for a computed name.
    pub input: Text,
    /// Kinds of decisions that may get there.
    pub kinds: Vec<Kind>,
    /// The lines.
    pub places: Vec<Place>,
}

/// What a dialplan may read.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    pub(super) readers: Vec<Reader>,
    pub(super) avps: Vec<AvpId>,
    pub(super) all_avps: bool,
    /// By kind: why decisions always run.
    pub(super) volatile: [bool; 4],
}

impl Reads {
    pub(super) fn find(
        _plan: &Plan,
        _engine: &Engine,
        _companions: &Companions,
        _report: &mut Report,
    ) -> Self {
        Self::default()
    }

    /// What is read, sorted, with the lines.
    pub fn readers(&self) -> &[Reader] {
        &self.readers
    }

    /// AVPs of the request that may be read, those of groups left out; sorted.
    pub fn avps(&self) -> &[AvpId] {
        &self.avps
    }

    /// Whether the name of an AVP is computed, so that any may be read.
    pub fn all_avps(&self) -> bool {
        self.all_avps
    }

    /// Whether decisions of this kind depend on nothing but what is compared.
    pub fn is_comparable(&self, kind: Kind) -> bool {
        !self.volatile.get(kind as usize).copied().unwrap_or(true)
    }
}

/// Context, extension and priority of a target without substitutions.
pub(super) type Target<'t> = (Option<&'t [u8]>, Option<&'t [u8]>, &'t [u8]);

/// Splits `[[context,]extension,]priority`.
pub(super) fn target(text: &[u8]) -> Option<Target<'_>> {
    if memchr::memchr(b'$', text).is_some() {
        return None;
    }
    let mut parts = text.splitn(3, |&byte| byte == b',');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(context), Some(exten), Some(priority)) => {
            let context = (!context.is_empty()).then_some(context);
            Some((context, Some(exten), priority))
        }
        (Some(exten), Some(priority), None) => Some((None, Some(exten), priority)),
        (Some(priority), None, None) => Some((None, None, priority)),
        _ => None,
    }
}
