//! `CallCompletionRequest`, `CallCompletionCancel`.

use super::hosted::{Hosted, Status, hosted};

hosted! {
    CALL_COMPLETION_REQUEST "CallCompletionRequest" "Ask to be called back." ""
        "Asks for a call back when the party of the last failed call is free. CC_REQUEST_RESULT is SUCCESS or FAIL, \
         CC_REQUEST_REASON NO_CORE_INSTANCE, NOT_GENERIC, TOO_MANY_REQUESTS or UNSPECIFIED."
        Hosted::new().sets(&[
            Status::new("CC_REQUEST_RESULT", "SUCCESS", "FAIL"),
            Status::new("CC_REQUEST_REASON", "", "NO_CORE_INSTANCE"),
        ]);
    CALL_COMPLETION_CANCEL "CallCompletionCancel" "Withdraw the wish to be called back." ""
        "Withdraws what CallCompletionRequest asked for. CC_CANCEL_RESULT is SUCCESS or FAIL, CC_CANCEL_REASON \
         NO_CORE_INSTANCE, NOT_GENERIC or UNSPECIFIED."
        Hosted::new().sets(&[
            Status::new("CC_CANCEL_RESULT", "SUCCESS", "FAIL"),
            Status::new("CC_CANCEL_REASON", "", "NO_CORE_INSTANCE"),
        ]);
}
