//! `DBSync`.

use crate::library::{Application, Example};
use crate::machine::{Cx, Flow, Kept, StoreAnswer, StoreRequest};

/// Wait until the database is on disk.
pub static DB_SYNC: Application = Application::new(
    "DBSync",
    "Wait until all that was written to the database is on disk.",
    "",
    "Changes of the database are written to disk in batches, within a tenth of a second. This waits for those made so \
     far and sets DBSYNCSTATUS: DISK when they will outlive a crash, MEMORY when the engine keeps no file, FAILURE when \
     they could not be written (they are tried again). The call goes on in any case.",
    run,
)
.own()
.examples(&[Example {
    title: "Without a file",
    dialplan: "Set(DB(forward/204)=0175)\nDBSync()",
    evaluate: "${DBSYNCSTATUS}",
    expect: "MEMORY",
}]);

fn run(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    Flow::store(cx, StoreRequest::Flush, |cx, answer| {
        let status: &[u8] = match answer {
            StoreAnswer::Kept(Kept::Disk(_)) => b"DISK",
            StoreAnswer::Kept(Kept::Memory) => b"MEMORY",
            _ => b"FAILURE",
        };
        cx.set(b"DBSYNCSTATUS", status);
        Flow::Next
    })
}
