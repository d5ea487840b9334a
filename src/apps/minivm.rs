//! The building blocks of voice mail: `MinivmRecord`, `MinivmGreet`, `MinivmNotify`, `MinivmDelete`, `MinivmAccMess`,
//! `MinivmMWI`.

use super::hosted::{After, Hosted, Status, hosted};

hosted! {
    MINIVM_RECORD "MinivmRecord" "Record a message." "user@domain[,options]"
        "Records a message for an account and leaves its file in variables of the host. MVM_RECORD_STATUS is SUCCESS, \
         USEREXIT or FAILED."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("MVM_RECORD_STATUS", "SUCCESS", "FAILED")]);
    MINIVM_GREET "MinivmGreet" "Greet for an account." "user@domain[,options]"
        "Plays the greeting of an account; option `b` busy, `u` unavailable, `s` without instructions. MVM_GREET_STATUS is \
         SUCCESS, USEREXIT or FAILED."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("MVM_GREET_STATUS", "SUCCESS", "FAILED")]);
    MINIVM_NOTIFY "MinivmNotify" "Tell an account of a message." "user@domain[,template]"
        "Sends the recorded message by mail with a template. MVM_NOTIFY_STATUS is SUCCESS or FAILED."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("MVM_NOTIFY_STATUS", "SUCCESS", "FAILED")]);
    MINIVM_DELETE "MinivmDelete" "Delete a message." "[file]"
        "Deletes a file, or the recorded message. MVM_DELETE_STATUS is SUCCESS or FAILED."
        Hosted::new().sets(&[Status::new("MVM_DELETE_STATUS", "SUCCESS", "FAILED")]);
    MINIVM_ACC_MESS "MinivmAccMess" "Record a greeting of an account." "user@domain[,option]"
        "Records a greeting: `u` unavailable, `b` busy, `t` temporary, `n` name. MVM_ACCMESS_STATUS is SUCCESS or FAILED."
        Hosted::new()
            .needs(2, After::Leave)
            .sets(&[Status::new("MVM_ACCMESS_STATUS", "SUCCESS", "FAILED")]);
    MINIVM_MWI "MinivmMWI" "Tell telephones of waiting messages." "user@domain,urgent,new,old"
        "Sends the counts of messages to the telephones of an account."
        Hosted::new().needs(4, After::Leave);
}
