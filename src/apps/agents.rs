//! `AgentLogin`, `AgentRequest`.

use super::hosted::{After, Hosted, Status, hosted};

hosted! {
    AGENT_LOGIN "AgentLogin" "Wait for calls as an agent." "id[,options]"
        "Answers and waits as this agent for calls; option `s` leaves out the announcement. AGENT_STATUS is INVALID or \
         ALREADY_LOGGED_IN when it fails; otherwise the call ends with the login."
        Hosted::new()
            .needs(1, After::Next)
            .answers()
            .sets(&[Status::new("AGENT_STATUS", "", "INVALID")]);
    AGENT_REQUEST "AgentRequest" "Connect with an agent." "id"
        "Connects with an agent who waits. AGENT_STATUS is INVALID, NOT_LOGGED_IN, BUSY, NOT_CONNECTED or ERROR."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("AGENT_STATUS", "", "INVALID")]);
}
