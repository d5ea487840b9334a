//! Page.

use super::hosted::{After, Hosted, hosted};

hosted! {
    PAGE "Page" "Speak to many telephones." "technology/resource[&...][,options[,timeout]]"
        "Calls telephones and connects them all with the caller; options `b` and `B` run a subroutine, `A` plays a file \
         to them, `d` lets them speak too."
        Hosted::new().needs(1, After::Leave).or_leaves();
}
