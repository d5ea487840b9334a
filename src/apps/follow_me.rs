//! `FollowMe`.

use super::hosted::{After, Hosted, hosted};

hosted! {
    FOLLOW_ME "FollowMe" "Look for somebody at several numbers." "id[,options]"
        "Calls the numbers of a list of the host one after the other until somebody takes the call. The call goes on when \
         there is no such list, or nobody is found."
        Hosted::new().needs(1, After::Leave);
}
