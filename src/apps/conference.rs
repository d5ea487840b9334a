//! `ConfBridge`, `ConfKick`.

use super::hosted::{After, Hosted, Status, hosted};

hosted! {
    CONF_BRIDGE "ConfBridge" "Take part in a conference." "name[,bridge_profile[,user_profile[,menu]]]"
        "Answers and joins a conference until the caller leaves it. CONFBRIDGE_RESULT is FAILED, HANGUP, KICKED, ENDMARKED, \
         DTMF or TIMEOUT."
        Hosted::new()
            .needs(1, After::Leave)
            .answers()
            .or_leaves()
            .sets(&[Status::new("CONFBRIDGE_RESULT", "DTMF", "FAILED").timeout("TIMEOUT").hangup("HANGUP")]);
    CONF_KICK "ConfKick" "Remove from a conference." "name[,channel]"
        "Removes a channel from a conference: `all`, the usual one, everybody, `participants` everybody but its \
         administrators. CONFKICKSTATUS is SUCCESS or FAILURE."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("CONFKICKSTATUS", "SUCCESS", "FAILURE")]);
}
