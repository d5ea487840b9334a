//! `SLAStation`, `SLATrunk`: lines that several telephones share.

use super::hosted::{After, Hosted, Status, hosted};

hosted! {
    SLA_STATION "SLAStation" "Take a shared line." "station[_trunk]"
        "Connects a telephone with its shared line, or with the one that rings. SLASTATION_STATUS is SUCCESS, FAILURE or \
         CONGESTION."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("SLASTATION_STATUS", "SUCCESS", "FAILURE")]);
    SLA_TRUNK "SLATrunk" "A call on a shared line." "trunk[,options]"
        "Lets the telephones of a shared line ring. SLATRUNK_STATUS is SUCCESS, FAILURE, UNANSWERED or RINGTIMEOUT."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("SLATRUNK_STATUS", "SUCCESS", "FAILURE").timeout("RINGTIMEOUT").hangup("UNANSWERED")]);
}
