//! The file of `--db`.

use std::path::Path;
use std::sync::{Arc, Once, OnceLock};

use crate::diagnostic::Code;
use crate::machine::fault_code;
use crate::store::redb::catches_panics;
use crate::store::{Fault, Memory, Redb, Store};

use super::{exit, ui};

/// The store of this process, so that it is written wherever the process ends.
static OPEN: OnceLock<Arc<dyn Store>> = OnceLock::new();

/// Whether a missing file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Make,
    Refuse,
}

/// Opens the store in a file. What is wrong is said; then the exit code is the answer.
pub(crate) fn open(file: &Path, missing: Missing) -> Result<Arc<dyn Store>, i32> {
    silence();
    let opened = match missing {
        Missing::Make => Redb::create(file),
        Missing::Refuse => Redb::open(file),
    };
    match opened {
        Ok(store) => {
            let store: Arc<dyn Store> = Arc::new(store);
            // There is one per process.
            let _ = OPEN.set(store.clone());
            Ok(store)
        }
        Err(fault) => {
            complain(file, &fault);
            Err(exit::UNREADABLE)
        }
    }
}

/// A panic that becomes a fault of the store is told as that alone.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !catches_panics() {
                usual(panic);
            }
        }));
    });
}

/// The store of `--db FILE`; `None` without one: then each engine has its own in memory.
pub(crate) fn given(file: Option<&Path>) -> Result<Option<Arc<dyn Store>>, i32> {
    file.map(|file| open(file, Missing::Make)).transpose()
}

/// The store that was given, or a new one in memory.
pub(crate) fn or_memory(store: Option<&Arc<dyn Store>>) -> Arc<dyn Store> {
    store.map_or_else(|| Arc::new(Memory::new()) as Arc<dyn Store>, Arc::clone)
}

/// Writes what is not on disk yet. The exit code is `status`, unless that fails.
pub(crate) fn keep(file: Option<&Path>, status: i32) -> i32 {
    let Some(store) = OPEN.get() else {
        return status;
    };
    let fault = match store.flush() {
        Ok(_) => store.take_fault(),
        Err(fault) => Some(fault),
    };
    match (fault, file) {
        (Some(fault), Some(file)) => {
            complain(file, &fault);
            status.max(exit::FINDINGS)
        }
        _ => status,
    }
}

fn complain(file: &Path, fault: &Fault) {
    let code: &Code = fault_code(fault.kind);
    ui::message(&format!("{}: {}: {fault}", file.display(), code.id));
}
