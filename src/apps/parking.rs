//! Park, `ParkAndAnnounce`, `ParkedCall`.

use super::hosted::{After, Hosted, hosted};

hosted! {
    PARK "Park" "Park the call." "[lot[,options]]"
        "Answers and parks this call until somebody fetches it or its time is over. Options: `r` ringing instead of \
         music, `R` any space, `s` no announcement, `c(place)` where it returns to, `t(seconds)` its time."
        Hosted::new().answers().or_leaves();
    PARK_AND_ANNOUNCE "ParkAndAnnounce" "Park the call and tell somebody." "[lot],[options],announcement,technology/resource"
        "Parks this call, calls somebody and plays files joined by `:`, with the number of the space for PARKED."
        Hosted::new().also_needs(&[2, 3], After::Leave).answers().or_leaves();
    PARKED_CALL "ParkedCall" "Fetch a parked call." "[lot[,space]]"
        "Answers and connects with the call parked there, the first one without a space. If there is none, the call \
         ends."
        Hosted::new().answers().or_leaves();
}
