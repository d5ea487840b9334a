//! Hangup causes (ITU-T Q.850) by name, as Asterisk spells them.

const NAMES: &[(&str, u32)] = &[
    ("UNALLOCATED", 1),
    ("NO_ROUTE_TRANSIT_NET", 2),
    ("NO_ROUTE_DESTINATION", 3),
    ("MISDIALLED_TRUNK_PREFIX", 5),
    ("CHANNEL_UNACCEPTABLE", 6),
    ("CALL_AWARDED_DELIVERED", 7),
    ("PRE_EMPTED", 8),
    ("NUMBER_PORTED_NOT_HERE", 14),
    ("NORMAL_CLEARING", 16),
    ("USER_BUSY", 17),
    ("NO_USER_RESPONSE", 18),
    ("NO_ANSWER", 19),
    ("SUBSCRIBER_ABSENT", 20),
    ("CALL_REJECTED", 21),
    ("NUMBER_CHANGED", 22),
    ("REDIRECTED_TO_NEW_DESTINATION", 23),
    ("ANSWERED_ELSEWHERE", 26),
    ("DESTINATION_OUT_OF_ORDER", 27),
    ("INVALID_NUMBER_FORMAT", 28),
    ("FACILITY_REJECTED", 29),
    ("RESPONSE_TO_STATUS_ENQUIRY", 30),
    ("NORMAL_UNSPECIFIED", 31),
    ("NORMAL_CIRCUIT_CONGESTION", 34),
    ("NETWORK_OUT_OF_ORDER", 38),
    ("NORMAL_TEMPORARY_FAILURE", 41),
    ("SWITCH_CONGESTION", 42),
    ("ACCESS_INFO_DISCARDED", 43),
    ("REQUESTED_CHAN_UNAVAIL", 44),
    ("FACILITY_NOT_SUBSCRIBED", 50),
    ("OUTGOING_CALL_BARRED", 52),
    ("INCOMING_CALL_BARRED", 54),
    ("BEARERCAPABILITY_NOTAUTH", 57),
    ("BEARERCAPABILITY_NOTAVAIL", 58),
    ("BEARERCAPABILITY_NOTIMPL", 65),
    ("CHAN_NOT_IMPLEMENTED", 66),
    ("FACILITY_NOT_IMPLEMENTED", 69),
    ("INVALID_CALL_REFERENCE", 81),
    ("INCOMPATIBLE_DESTINATION", 88),
    ("INVALID_MSG_UNSPECIFIED", 95),
    ("MANDATORY_IE_MISSING", 96),
    ("MESSAGE_TYPE_NONEXIST", 97),
    ("WRONG_MESSAGE", 98),
    ("IE_NONEXIST", 99),
    ("INVALID_IE_CONTENTS", 100),
    ("WRONG_CALL_STATE", 101),
    ("RECOVERY_ON_TIMER_EXPIRE", 102),
    ("MANDATORY_IE_LENGTH_ERROR", 103),
    ("PROTOCOL_ERROR", 111),
    ("INTERWORKING", 127),
];

/// The cause of a number or of a name such as `CALL_REJECTED` (without regard to case).
/// Names of one word such as `busy` are refused, as observed with `Hangup()`.
pub fn cause_named(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Ok(number) = text.parse::<u32>() {
        return (number > 0 && number <= 127).then_some(number);
    }
    NAMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .map(|(_, cause)| *cause)
}

/// A cause in words, as `HANGUPCAUSE(…,ast)` shows it (ITU-T Q.850).
pub fn cause_words(cause: u32) -> &'static str {
    const WORDS: &[(u32, &str)] = &[
        (1, "Unallocated (unassigned) number"),
        (2, "No route to specified transmit network"),
        (3, "No route to destination"),
        (5, "Misdialled trunk prefix"),
        (6, "Channel unacceptable"),
        (
            7,
            "Call awarded and being delivered in an established channel",
        ),
        (8, "Pre-empted"),
        (14, "Number ported elsewhere"),
        (16, "Normal Clearing"),
        (17, "User busy"),
        (18, "No user responding"),
        (19, "User alerting, no answer"),
        (20, "Subscriber absent"),
        (21, "Call Rejected"),
        (22, "Number changed"),
        (23, "Redirected to new destination"),
        (26, "Answered elsewhere"),
        (27, "Destination out of order"),
        (28, "Invalid number format"),
        (29, "Facility rejected"),
        (30, "Response to STATus ENQuiry"),
        (31, "Normal, unspecified"),
        (34, "Circuit/channel congestion"),
        (38, "Network out of order"),
        (41, "Temporary failure"),
        (42, "Switching equipment congestion"),
        (43, "Access information discarded"),
        (44, "Requested channel not available"),
        (50, "Facility not subscribed"),
        (52, "Outgoing call barred"),
        (54, "Incoming call barred"),
        (57, "Bearer capability not authorized"),
        (58, "Bearer capability not available"),
        (65, "Bearer capability not implemented"),
        (66, "Channel not implemented"),
        (69, "Facility not implemented"),
        (81, "Invalid call reference value"),
        (88, "Incompatible destination"),
        (95, "Invalid message unspecified"),
        (96, "Mandatory information element is missing"),
        (97, "Message type nonexist."),
        (98, "Wrong message"),
        (99, "Info. element nonexist or not implemented"),
        (100, "Invalid information element contents"),
        (101, "Message not compatible with call state"),
        (102, "Recover on timer expiry"),
        (103, "Mandatory IE length error"),
        (111, "Protocol error, unspecified"),
        (127, "Interworking, unspecified"),
    ];
    WORDS
        .iter()
        .find(|(number, _)| *number == cause)
        .map_or("Unknown", |(_, words)| words)
}
