//! Results of requests: RFC 6733 §7.1, RFC 8506 §9, TS 29.212 §5.5.

use super::TGPP;

/// A result code, of the base protocol or of 3GPP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultCode {
    /// The number.
    pub value: u32,
    /// The vendor whose number it is; 0 for Result-Code, else it travels in Experimental-Result.
    pub vendor: u32,
}

macro_rules! results {
    ($($name:ident $vendor:expr, $value:literal;)*) => {
        impl ResultCode {
            $(
                #[doc = concat!(stringify!($name), ", ", stringify!($value))]
                pub const $name: ResultCode = ResultCode { value: $value, vendor: $vendor };
            )*

            /// All results that have a name.
            pub const NAMED: &[(&str, ResultCode)] = &[$((stringify!($name), ResultCode::$name),)*];
        }
    };
}

results! {
    SUCCESS 0, 2001;
    LIMITED_SUCCESS 0, 2002;
    COMMAND_UNSUPPORTED 0, 3001;
    UNABLE_TO_DELIVER 0, 3002;
    REALM_NOT_SERVED 0, 3003;
    TOO_BUSY 0, 3004;
    LOOP_DETECTED 0, 3005;
    REDIRECT_INDICATION 0, 3006;
    APPLICATION_UNSUPPORTED 0, 3007;
    INVALID_HDR_BITS 0, 3008;
    INVALID_AVP_BITS 0, 3009;
    UNKNOWN_PEER 0, 3010;
    AUTHENTICATION_REJECTED 0, 4001;
    OUT_OF_SPACE 0, 4002;
    ELECTION_LOST 0, 4003;
    END_USER_SERVICE_DENIED 0, 4010;
    CREDIT_CONTROL_NOT_APPLICABLE 0, 4011;
    CREDIT_LIMIT_REACHED 0, 4012;
    AVP_UNSUPPORTED 0, 5001;
    UNKNOWN_SESSION_ID 0, 5002;
    AUTHORIZATION_REJECTED 0, 5003;
    INVALID_AVP_VALUE 0, 5004;
    MISSING_AVP 0, 5005;
    RESOURCES_EXCEEDED 0, 5006;
    CONTRADICTING_AVPS 0, 5007;
    AVP_NOT_ALLOWED 0, 5008;
    AVP_OCCURS_TOO_MANY_TIMES 0, 5009;
    NO_COMMON_APPLICATION 0, 5010;
    UNSUPPORTED_VERSION 0, 5011;
    UNABLE_TO_COMPLY 0, 5012;
    INVALID_BIT_IN_HEADER 0, 5013;
    INVALID_AVP_LENGTH 0, 5014;
    INVALID_MESSAGE_LENGTH 0, 5015;
    INVALID_AVP_BIT_COMBO 0, 5016;
    NO_COMMON_SECURITY 0, 5017;
    USER_UNKNOWN 0, 5030;
    RATING_FAILED 0, 5031;
    PCC_BEARER_EVENT TGPP, 4141;
    BEARER_EVENT TGPP, 4142;
    AN_GW_FAILED TGPP, 4143;
    PENDING_TRANSACTION TGPP, 4144;
    ERROR_INITIAL_PARAMETERS TGPP, 5140;
    ERROR_TRIGGER_EVENT TGPP, 5141;
    PCC_RULE_EVENT TGPP, 5142;
    ERROR_BEARER_NOT_AUTHORIZED TGPP, 5143;
    ERROR_TRAFFIC_MAPPING_INFO_REJECTED TGPP, 5144;
    QOS_RULE_EVENT TGPP, 5145;
    ERROR_CONFLICTING_REQUEST TGPP, 5147;
    ADC_RULE_EVENT TGPP, 5148;
    LATE_OVERLAPPING_REQUEST TGPP, 5453;
    TIMED_OUT_REQUEST TGPP, 5454;
}

impl ResultCode {
    /// A result of the base protocol or of an IETF application.
    pub const fn base(value: u32) -> ResultCode {
        ResultCode { value, vendor: 0 }
    }

    /// A result of 3GPP.
    pub const fn experimental(value: u32) -> ResultCode {
        ResultCode {
            value,
            vendor: TGPP,
        }
    }

    /// True where it travels in Experimental-Result.
    pub const fn is_experimental(self) -> bool {
        self.vendor != 0
    }

    /// True for protocol errors, which have the E bit and the minimal grammar of RFC 6733 §7.2.
    pub const fn is_protocol_error(self) -> bool {
        self.vendor == 0 && self.value / 1000 == 3
    }

    /// The name as in the documents, without DIAMETER_ before it.
    pub fn name(self) -> Option<&'static str> {
        let found = Self::NAMED.iter().find(|(_, code)| *code == self);
        found.map(|(name, _)| *name)
    }

    /// Finds a result by its name in any case, with or without DIAMETER_ before it, or by its number: a number that
    /// only 3GPP has is an experimental one, any other from 1000 to 5999 is one of the base protocol.
    pub fn by_name(name: &[u8]) -> Option<ResultCode> {
        if let Some(found) = std::str::from_utf8(name)
            .ok()
            .and_then(|t| t.parse::<u32>().ok())
        {
            let named = Self::NAMED.iter().find(|(_, code)| code.value == found);
            return match named {
                Some((_, code)) => Some(*code),
                None => (1000..6000)
                    .contains(&found)
                    .then_some(ResultCode::base(found)),
            };
        }
        let short = match name.split_at_checked(9) {
            Some((start, rest)) if start.eq_ignore_ascii_case(b"DIAMETER_") => rest,
            _ => name,
        };
        let found = Self::NAMED
            .iter()
            .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(short));
        found.map(|(_, code)| *code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_names() {
        assert_eq!(
            ResultCode::by_name(b"USER_UNKNOWN"),
            Some(ResultCode::base(5030))
        );
        assert_eq!(
            ResultCode::by_name(b"diameter_user_unknown"),
            Some(ResultCode::base(5030))
        );
        assert_eq!(
            ResultCode::by_name(b"5140"),
            Some(ResultCode::experimental(5140))
        );
        assert_eq!(
            ResultCode::by_name(b"5003"),
            Some(ResultCode::AUTHORIZATION_REJECTED)
        );
        assert_eq!(ResultCode::by_name(b"5999"), Some(ResultCode::base(5999)));
        assert_eq!(ResultCode::by_name(b"12"), None);
        assert_eq!(ResultCode::by_name(b"nonsense"), None);
        assert_eq!(
            ResultCode::base(4010).name(),
            Some("END_USER_SERVICE_DENIED")
        );
        assert!(ResultCode::TOO_BUSY.is_protocol_error());
        assert!(!ResultCode::SUCCESS.is_protocol_error());
    }
}
