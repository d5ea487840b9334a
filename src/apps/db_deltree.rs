//! `DBdeltree`.

use crate::base::Text;
use crate::library::Application;
use crate::machine::{Cx, Flow, StoreRequest};

/// Delete a family or a part of it.
pub static DB_DELTREE: Application = Application::new(
    "DBdeltree",
    "Delete a family or keytree from the database.",
    "family[/keytree]",
    "Deletes all keys of a family, or those below a part of it. The call goes on in any case.",
    run,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut parts = data.splitn(2, |&b| b == b'/').map(Text::from);
    let family = parts.next().unwrap_or_default();
    let keytree = parts.next().unwrap_or_default();
    if family.is_empty() {
        return Flow::Next;
    }
    let request = StoreRequest::RemoveTree { family, keytree };
    Flow::store(cx, request, |_, _| Flow::Next)
}
