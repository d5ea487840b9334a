//! Reload.

use super::hosted::{Hosted, Status, hosted};

hosted! {
    RELOAD "Reload" "Have configuration read again." "[module]"
        "Asks the host to read the configuration of a module, or of all, again, and waits for it. RELOADSTATUS is \
         SUCCESS or FAILURE."
        Hosted::new().sets(&[Status::new("RELOADSTATUS", "SUCCESS", "FAILURE")]);
}
