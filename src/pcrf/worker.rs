//! Answers requests: one worker for each thread.

mod accounting;
mod deciding;
mod further;
mod initial;
mod keeping;
mod refusing;
mod taking;
mod warning;
mod writing;

use std::sync::Arc;

use crate::pcrf::diameter::{Header, Origin};
use crate::pcrf::engine::{Loaded, Pcrf};
use crate::pcrf::hosts::Host;
use crate::pcrf::inputs::GxInputs;
use crate::pcrf::log::Lines;
use crate::pcrf::policy::Runner;
use crate::pcrf::request::{Parts, Request};
use crate::pcrf::session::Request as Answered;
use crate::pcrf::settings::{Experimental, Settings};
use crate::pcrf::store::Batch;
use crate::pcrf::tables::Tables;
use crate::pcrf::usage::Reports;

pub(crate) use deciding::{Outcome, Question};
pub(crate) use keeping::Grants;

/// CC-Request-Type.
pub(crate) mod kind {
    /// INITIAL_REQUEST
    pub(crate) const INITIAL: u32 = 1;
    /// UPDATE_REQUEST
    pub(crate) const UPDATE: u32 = 2;
    /// TERMINATION_REQUEST
    pub(crate) const TERMINATE: u32 = 3;
}

/// Answers requests of one thread, on buffers that are used again.
pub struct Worker {
    pub(crate) pcrf: Arc<Pcrf>,
    pub(crate) runner: Runner,
    pub(crate) batch: Batch,
    pub(crate) blob: Vec<u8>,
    standing: Vec<u8>,
    /// AVPs of the last refusal, from its result on.
    refusal: Vec<u8>,
    reports: Reports,
    lines: Lines,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

/// One request and its surroundings.
pub(crate) struct Call<'c, 'a, 'r> {
    tables: &'c Tables,
    loaded: &'c Loaded,
    parts: &'c Parts<'a, 'c>,
    request: &'c Request<'r>,
    header: Header,
    host: &'c Host,
    how: Experimental,
    /// As it is recognised when it comes again.
    this: Answered,
    /// Seconds since 1970.
    now: i64,
}

impl Call<'_, '_, '_> {
    /// Until when its repetition gets the same answer, where no session keeps it.
    fn until(&self, settings: &Settings) -> i64 {
        let seconds = i64::try_from(settings.tombstone.as_secs()).unwrap_or(i64::MAX);
        self.now.saturating_add(seconds)
    }
}

impl Worker {
    /// A worker.
    pub fn new(pcrf: Arc<Pcrf>) -> Self {
        let inputs = GxInputs::new(pcrf.tables.clone());
        Self {
            runner: Runner::new(Box::new(inputs)),
            pcrf,
            batch: Batch::default(),
            blob: Vec::new(),
            standing: Vec::new(),
            refusal: Vec::new(),
            reports: Reports::default(),
            lines: Lines::default(),
        }
    }

    /// The PCRF that it works for.
    pub fn pcrf(&self) -> &Arc<Pcrf> {
        &self.pcrf
    }

    fn origin(pcrf: &Pcrf) -> Origin<'_> {
        Origin {
            host: &pcrf.settings().host,
            realm: &pcrf.settings().realm,
            state: Some(pcrf.start),
        }
    }
}
