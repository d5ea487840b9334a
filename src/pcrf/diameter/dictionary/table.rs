//! The rows of the dictionary.

use super::values as v;
use super::{Avp, AvpId, Kind, Mandatory};

/// One row a line: constant, name, code, vendor, M flag, kind.
macro_rules! dictionary {
    ($($id:ident $name:literal $code:literal $vendor:ident $mandatory:ident $kind:expr;)*) => {
        #[expect(non_camel_case_types, reason = "the names of the constants, numbered by the compiler")]
        #[expect(clippy::upper_case_acronyms, reason = "as above")]
        enum Place { UNKNOWN, $($id,)* }

        /// The places of all AVPs by constants.
        pub mod id {
            use super::{AvpId, Place};
            $(
                #[doc = $name]
                pub const $id: AvpId = AvpId(Place::$id as u16);
            )*
        }

        use id::*;
        use Mandatory::{May, Must, MustNot};
        use Kind::{
            Address, Enumerated, Filter, Grouped, Identity, Integer32, Integer64, Ipv4, Ipv6Prefix, Octets, Opaque,
            Time, Unsigned32, Unsigned64, Uri, Utf8,
        };

        /// All rows; the first stands for AVPs that the dictionary lacks.
        pub const ROWS: &[Avp] = &[
            UNKNOWN,
            $(Avp { id: $id, name: $name, code: $code, vendor: $vendor, kind: $kind, mandatory: $mandatory },)*
        ];
    };
}

/// The row that stands for AVPs which the dictionary lacks.
pub const UNKNOWN: Avp = Avp {
    id: AvpId(Place::UNKNOWN as u16),
    name: "",
    code: 0,
    vendor: 0,
    kind: Kind::Opaque,
    mandatory: Mandatory::May,
};

/// The vendor identifier of the IETF.
const IETF: u32 = 0;
/// The vendor identifier of 3GPP.
const TGPP: u32 = super::TGPP;

#[rustfmt::skip]
dictionary! {
    // RFC 7155 and RADIUS.
    USER_NAME "User-Name" 1 IETF Must Utf8;
    NAS_IP_ADDRESS "NAS-IP-Address" 4 IETF Must Ipv4;
    NAS_PORT "NAS-Port" 5 IETF Must Unsigned32;
    FRAMED_IP_ADDRESS "Framed-IP-Address" 8 IETF Must Ipv4;
    CLASS "Class" 25 IETF Must Opaque;
    SESSION_TIMEOUT "Session-Timeout" 27 IETF Must Unsigned32;
    CALLED_STATION_ID "Called-Station-Id" 30 IETF Must Utf8;
    CALLING_STATION_ID "Calling-Station-Id" 31 IETF Must Utf8;
    NAS_IDENTIFIER "NAS-Identifier" 32 IETF Must Utf8;
    PROXY_STATE "Proxy-State" 33 IETF Must Opaque;
    EVENT_TIMESTAMP "Event-Timestamp" 55 IETF Must Time;
    NAS_PORT_TYPE "NAS-Port-Type" 61 IETF Must Enumerated(v::NAS_PORT_TYPE);
    NAS_IPV6_ADDRESS "NAS-IPv6-Address" 95 IETF Must Opaque;
    FRAMED_INTERFACE_ID "Framed-Interface-Id" 96 IETF Must Unsigned64;
    FRAMED_IPV6_PREFIX "Framed-IPv6-Prefix" 97 IETF Must Ipv6Prefix;
    // RFC 6733.
    HOST_IP_ADDRESS "Host-IP-Address" 257 IETF Must Address;
    AUTH_APPLICATION_ID "Auth-Application-Id" 258 IETF Must Unsigned32;
    ACCT_APPLICATION_ID "Acct-Application-Id" 259 IETF Must Unsigned32;
    VENDOR_SPECIFIC_APPLICATION_ID "Vendor-Specific-Application-Id" 260 IETF Must Grouped(&[VENDOR_ID, AUTH_APPLICATION_ID, ACCT_APPLICATION_ID]);
    REDIRECT_HOST_USAGE "Redirect-Host-Usage" 261 IETF Must Enumerated(v::REDIRECT_HOST_USAGE);
    REDIRECT_MAX_CACHE_TIME "Redirect-Max-Cache-Time" 262 IETF Must Unsigned32;
    SESSION_ID "Session-Id" 263 IETF Must Utf8;
    ORIGIN_HOST "Origin-Host" 264 IETF Must Identity;
    SUPPORTED_VENDOR_ID "Supported-Vendor-Id" 265 IETF Must Unsigned32;
    VENDOR_ID "Vendor-Id" 266 IETF Must Unsigned32;
    FIRMWARE_REVISION "Firmware-Revision" 267 IETF MustNot Unsigned32;
    RESULT_CODE "Result-Code" 268 IETF Must Unsigned32;
    PRODUCT_NAME "Product-Name" 269 IETF MustNot Utf8;
    SESSION_BINDING "Session-Binding" 270 IETF Must Unsigned32;
    SESSION_SERVER_FAILOVER "Session-Server-Failover" 271 IETF Must Enumerated(v::SESSION_SERVER_FAILOVER);
    MULTI_ROUND_TIME_OUT "Multi-Round-Time-Out" 272 IETF Must Unsigned32;
    DISCONNECT_CAUSE "Disconnect-Cause" 273 IETF Must Enumerated(v::DISCONNECT_CAUSE);
    AUTH_REQUEST_TYPE "Auth-Request-Type" 274 IETF Must Enumerated(v::AUTH_REQUEST_TYPE);
    AUTH_GRACE_PERIOD "Auth-Grace-Period" 276 IETF Must Unsigned32;
    AUTH_SESSION_STATE "Auth-Session-State" 277 IETF Must Enumerated(v::AUTH_SESSION_STATE);
    ORIGIN_STATE_ID "Origin-State-Id" 278 IETF Must Unsigned32;
    FAILED_AVP "Failed-AVP" 279 IETF Must Grouped(&[]);
    PROXY_HOST "Proxy-Host" 280 IETF Must Identity;
    ERROR_MESSAGE "Error-Message" 281 IETF MustNot Utf8;
    ROUTE_RECORD "Route-Record" 282 IETF Must Identity;
    DESTINATION_REALM "Destination-Realm" 283 IETF Must Identity;
    PROXY_INFO "Proxy-Info" 284 IETF Must Grouped(&[PROXY_HOST, PROXY_STATE]);
    RE_AUTH_REQUEST_TYPE "Re-Auth-Request-Type" 285 IETF Must Enumerated(v::RE_AUTH_REQUEST_TYPE);
    AUTHORIZATION_LIFETIME "Authorization-Lifetime" 291 IETF Must Unsigned32;
    REDIRECT_HOST "Redirect-Host" 292 IETF Must Uri;
    DESTINATION_HOST "Destination-Host" 293 IETF Must Identity;
    ERROR_REPORTING_HOST "Error-Reporting-Host" 294 IETF MustNot Identity;
    TERMINATION_CAUSE "Termination-Cause" 295 IETF Must Enumerated(v::TERMINATION_CAUSE);
    ORIGIN_REALM "Origin-Realm" 296 IETF Must Identity;
    EXPERIMENTAL_RESULT "Experimental-Result" 297 IETF Must Grouped(&[VENDOR_ID, EXPERIMENTAL_RESULT_CODE]);
    EXPERIMENTAL_RESULT_CODE "Experimental-Result-Code" 298 IETF Must Unsigned32;
    INBAND_SECURITY_ID "Inband-Security-Id" 299 IETF Must Unsigned32;
    DRMP "DRMP" 301 IETF MustNot Enumerated(v::DRMP);
    ACCOUNTING_RECORD_TYPE "Accounting-Record-Type" 480 IETF Must Unsigned32;
    ACCOUNTING_RECORD_NUMBER "Accounting-Record-Number" 485 IETF Must Unsigned32;
    OC_SUPPORTED_FEATURES "OC-Supported-Features" 621 IETF MustNot Grouped(&[OC_FEATURE_VECTOR]);
    OC_FEATURE_VECTOR "OC-Feature-Vector" 622 IETF MustNot Unsigned64;
    // RFC 4006 and RFC 8506.
    CC_CORRELATION_ID "CC-Correlation-Id" 411 IETF May Opaque;
    CC_INPUT_OCTETS "CC-Input-Octets" 412 IETF Must Unsigned64;
    CC_MONEY "CC-Money" 413 IETF Must Grouped(&[]);
    CC_OUTPUT_OCTETS "CC-Output-Octets" 414 IETF Must Unsigned64;
    CC_REQUEST_NUMBER "CC-Request-Number" 415 IETF Must Unsigned32;
    CC_REQUEST_TYPE "CC-Request-Type" 416 IETF Must Enumerated(v::CC_REQUEST_TYPE);
    CC_SERVICE_SPECIFIC_UNITS "CC-Service-Specific-Units" 417 IETF Must Unsigned64;
    CC_SESSION_FAILOVER "CC-Session-Failover" 418 IETF Must Enumerated(v::CC_SESSION_FAILOVER);
    CC_SUB_SESSION_ID "CC-Sub-Session-Id" 419 IETF Must Unsigned64;
    CC_TIME "CC-Time" 420 IETF Must Unsigned32;
    CC_TOTAL_OCTETS "CC-Total-Octets" 421 IETF Must Unsigned64;
    CREDIT_CONTROL_FAILURE_HANDLING "Credit-Control-Failure-Handling" 427 IETF Must Enumerated(v::CREDIT_CONTROL_FAILURE_HANDLING);
    GRANTED_SERVICE_UNIT "Granted-Service-Unit" 431 IETF Must Grouped(&[TARIFF_TIME_CHANGE, CC_TIME, CC_TOTAL_OCTETS, CC_INPUT_OCTETS, CC_OUTPUT_OCTETS, CC_SERVICE_SPECIFIC_UNITS]);
    RATING_GROUP "Rating-Group" 432 IETF Must Unsigned32;
    REDIRECT_ADDRESS_TYPE "Redirect-Address-Type" 433 IETF Must Enumerated(v::REDIRECT_ADDRESS_TYPE);
    REDIRECT_SERVER_ADDRESS "Redirect-Server-Address" 435 IETF Must Utf8;
    REQUESTED_SERVICE_UNIT "Requested-Service-Unit" 437 IETF Must Grouped(&[CC_TIME, CC_TOTAL_OCTETS, CC_INPUT_OCTETS, CC_OUTPUT_OCTETS, CC_SERVICE_SPECIFIC_UNITS]);
    SERVICE_IDENTIFIER "Service-Identifier" 439 IETF Must Unsigned32;
    SUBSCRIPTION_ID "Subscription-Id" 443 IETF Must Grouped(&[SUBSCRIPTION_ID_TYPE, SUBSCRIPTION_ID_DATA]);
    SUBSCRIPTION_ID_DATA "Subscription-Id-Data" 444 IETF Must Utf8;
    USED_SERVICE_UNIT "Used-Service-Unit" 446 IETF Must Grouped(&[REPORTING_REASON, TARIFF_CHANGE_USAGE, CC_TIME, CC_TOTAL_OCTETS, CC_INPUT_OCTETS, CC_OUTPUT_OCTETS, CC_SERVICE_SPECIFIC_UNITS, EVENT_CHARGING_TIMESTAMP]);
    SUBSCRIPTION_ID_TYPE "Subscription-Id-Type" 450 IETF Must Enumerated(v::SUBSCRIPTION_ID_TYPE);
    TARIFF_TIME_CHANGE "Tariff-Time-Change" 451 IETF Must Time;
    TARIFF_CHANGE_USAGE "Tariff-Change-Usage" 452 IETF Must Enumerated(v::TARIFF_CHANGE_USAGE);
    MULTIPLE_SERVICES_INDICATOR "Multiple-Services-Indicator" 455 IETF Must Unsigned32;
    MULTIPLE_SERVICES_CREDIT_CONTROL "Multiple-Services-Credit-Control" 456 IETF Must Grouped(&[]);
    USER_EQUIPMENT_INFO "User-Equipment-Info" 458 IETF May Grouped(&[USER_EQUIPMENT_INFO_TYPE, USER_EQUIPMENT_INFO_VALUE]);
    USER_EQUIPMENT_INFO_TYPE "User-Equipment-Info-Type" 459 IETF May Enumerated(v::USER_EQUIPMENT_INFO_TYPE);
    USER_EQUIPMENT_INFO_VALUE "User-Equipment-Info-Value" 460 IETF May Octets;
    SERVICE_CONTEXT_ID "Service-Context-Id" 461 IETF Must Utf8;
    // TS 29.061.
    TGPP_IMSI "3GPP-IMSI" 1 TGPP Must Utf8;
    TGPP_CHARGING_ID "3GPP-Charging-Id" 2 TGPP Must Opaque;
    TGPP_PDP_TYPE "3GPP-PDP-Type" 3 TGPP Must Enumerated(v::PDP_TYPE);
    TGPP_CG_ADDRESS "3GPP-CG-Address" 4 TGPP Must Ipv4;
    TGPP_GPRS_NEGOTIATED_QOS_PROFILE "3GPP-GPRS-Negotiated-QoS-Profile" 5 TGPP Must Utf8;
    TGPP_SGSN_ADDRESS "3GPP-SGSN-Address" 6 TGPP Must Ipv4;
    TGPP_GGSN_ADDRESS "3GPP-GGSN-Address" 7 TGPP Must Ipv4;
    TGPP_IMSI_MCC_MNC "3GPP-IMSI-MCC-MNC" 8 TGPP Must Utf8;
    TGPP_GGSN_MCC_MNC "3GPP-GGSN-MCC-MNC" 9 TGPP Must Utf8;
    TGPP_NSAPI "3GPP-NSAPI" 10 TGPP Must Utf8;
    TGPP_SELECTION_MODE "3GPP-Selection-Mode" 12 TGPP Must Utf8;
    TGPP_CHARGING_CHARACTERISTICS "3GPP-Charging-Characteristics" 13 TGPP Must Utf8;
    TGPP_SGSN_IPV6_ADDRESS "3GPP-SGSN-IPv6-Address" 15 TGPP Must Opaque;
    TGPP_GGSN_IPV6_ADDRESS "3GPP-GGSN-IPv6-Address" 16 TGPP Must Opaque;
    TGPP_SGSN_MCC_MNC "3GPP-SGSN-MCC-MNC" 18 TGPP Must Utf8;
    TGPP_IMEISV "3GPP-IMEISV" 20 TGPP Must Octets;
    TGPP_RAT_TYPE "3GPP-RAT-Type" 21 TGPP Must Opaque;
    TGPP_USER_LOCATION_INFO "3GPP-User-Location-Info" 22 TGPP Must Opaque;
    TGPP_MS_TIMEZONE "3GPP-MS-TimeZone" 23 TGPP Must Opaque;
    TGPP_PACKET_FILTER "3GPP-Packet-Filter" 25 TGPP Must Opaque;
    TGPP_NEGOTIATED_DSCP "3GPP-Negotiated-DSCP" 26 TGPP Must Opaque;
    RAI "RAI" 909 TGPP Must Utf8;
    // TS 29.214.
    ACCESS_NETWORK_CHARGING_ADDRESS "Access-Network-Charging-Address" 501 TGPP Must Address;
    ACCESS_NETWORK_CHARGING_IDENTIFIER "Access-Network-Charging-Identifier" 502 TGPP Must Grouped(&[ACCESS_NETWORK_CHARGING_IDENTIFIER_VALUE, FLOWS]);
    ACCESS_NETWORK_CHARGING_IDENTIFIER_VALUE "Access-Network-Charging-Identifier-Value" 503 TGPP Must Opaque;
    AF_APPLICATION_IDENTIFIER "AF-Application-Identifier" 504 TGPP Must Octets;
    AF_CHARGING_IDENTIFIER "AF-Charging-Identifier" 505 TGPP Must Octets;
    FLOW_DESCRIPTION "Flow-Description" 507 TGPP Must Filter;
    FLOW_NUMBER "Flow-Number" 509 TGPP Must Unsigned32;
    FLOWS "Flows" 510 TGPP Must Grouped(&[MEDIA_COMPONENT_NUMBER, FLOW_NUMBER]);
    FLOW_STATUS "Flow-Status" 511 TGPP Must Enumerated(v::FLOW_STATUS);
    FLOW_USAGE "Flow-Usage" 512 TGPP Must Enumerated(v::FLOW_USAGE);
    MAX_REQUESTED_BANDWIDTH_DL "Max-Requested-Bandwidth-DL" 515 TGPP Must Unsigned32;
    MAX_REQUESTED_BANDWIDTH_UL "Max-Requested-Bandwidth-UL" 516 TGPP Must Unsigned32;
    MEDIA_COMPONENT_NUMBER "Media-Component-Number" 518 TGPP Must Unsigned32;
    AF_SIGNALLING_PROTOCOL "AF-Signalling-Protocol" 529 TGPP MustNot Enumerated(v::AF_SIGNALLING_PROTOCOL);
    SPONSOR_IDENTITY "Sponsor-Identity" 531 TGPP Must Utf8;
    APPLICATION_SERVICE_PROVIDER_IDENTITY "Application-Service-Provider-Identity" 532 TGPP Must Utf8;
    // TS 29.229.
    SUPPORTED_FEATURES "Supported-Features" 628 TGPP Must Grouped(&[VENDOR_ID, FEATURE_LIST_ID, FEATURE_LIST]);
    FEATURE_LIST_ID "Feature-List-ID" 629 TGPP Must Unsigned32;
    FEATURE_LIST "Feature-List" 630 TGPP Must Unsigned32;
    REPORTING_REASON "Reporting-Reason" 872 TGPP Must Enumerated(v::REPORTING_REASON);
    EVENT_CHARGING_TIMESTAMP "Event-Charging-TimeStamp" 1258 TGPP Must Time;
    // TS 29.212.
    BEARER_USAGE "Bearer-Usage" 1000 TGPP Must Enumerated(v::BEARER_USAGE);
    CHARGING_RULE_INSTALL "Charging-Rule-Install" 1001 TGPP Must Grouped(&[CHARGING_RULE_DEFINITION, CHARGING_RULE_NAME, CHARGING_RULE_BASE_NAME, BEARER_IDENTIFIER, RULE_ACTIVATION_TIME, RULE_DEACTIVATION_TIME, RESOURCE_ALLOCATION_NOTIFICATION, CHARGING_CORRELATION_INDICATOR]);
    CHARGING_RULE_REMOVE "Charging-Rule-Remove" 1002 TGPP Must Grouped(&[CHARGING_RULE_NAME, CHARGING_RULE_BASE_NAME]);
    CHARGING_RULE_DEFINITION "Charging-Rule-Definition" 1003 TGPP Must Grouped(&[CHARGING_RULE_NAME, SERVICE_IDENTIFIER, RATING_GROUP, FLOW_INFORMATION, FLOW_STATUS, QOS_INFORMATION, REPORTING_LEVEL, ONLINE, OFFLINE, METERING_METHOD, PRECEDENCE, AF_CHARGING_IDENTIFIER, FLOWS, MONITORING_KEY, TDF_APPLICATION_IDENTIFIER, REDIRECT_INFORMATION, MUTE_NOTIFICATION]);
    CHARGING_RULE_BASE_NAME "Charging-Rule-Base-Name" 1004 TGPP Must Utf8;
    CHARGING_RULE_NAME "Charging-Rule-Name" 1005 TGPP Must Octets;
    EVENT_TRIGGER "Event-Trigger" 1006 TGPP Must Enumerated(v::EVENT_TRIGGER);
    METERING_METHOD "Metering-Method" 1007 TGPP Must Enumerated(v::METERING_METHOD);
    OFFLINE "Offline" 1008 TGPP Must Enumerated(v::DISABLE_ENABLE_OFFLINE);
    ONLINE "Online" 1009 TGPP Must Enumerated(v::DISABLE_ENABLE_ONLINE);
    PRECEDENCE "Precedence" 1010 TGPP Must Unsigned32;
    REPORTING_LEVEL "Reporting-Level" 1011 TGPP Must Enumerated(v::REPORTING_LEVEL);
    TFT_FILTER "TFT-Filter" 1012 TGPP Must Filter;
    TFT_PACKET_FILTER_INFORMATION "TFT-Packet-Filter-Information" 1013 TGPP Must Grouped(&[PRECEDENCE, TFT_FILTER, TOS_TRAFFIC_CLASS, SECURITY_PARAMETER_INDEX, FLOW_LABEL, FLOW_DIRECTION]);
    TOS_TRAFFIC_CLASS "ToS-Traffic-Class" 1014 TGPP Must Opaque;
    PDP_SESSION_OPERATION "PDP-Session-operation" 1015 TGPP Must Enumerated(v::PDP_SESSION_OPERATION);
    QOS_INFORMATION "QoS-Information" 1016 TGPP Must Grouped(&[QOS_CLASS_IDENTIFIER, MAX_REQUESTED_BANDWIDTH_UL, MAX_REQUESTED_BANDWIDTH_DL, GUARANTEED_BITRATE_UL, GUARANTEED_BITRATE_DL, BEARER_IDENTIFIER, ALLOCATION_RETENTION_PRIORITY, APN_AGGREGATE_MAX_BITRATE_UL, APN_AGGREGATE_MAX_BITRATE_DL]);
    CHARGING_RULE_REPORT "Charging-Rule-Report" 1018 TGPP Must Grouped(&[CHARGING_RULE_NAME, CHARGING_RULE_BASE_NAME, BEARER_IDENTIFIER, PCC_RULE_STATUS, RULE_FAILURE_CODE]);
    PCC_RULE_STATUS "PCC-Rule-Status" 1019 TGPP Must Enumerated(v::PCC_RULE_STATUS);
    BEARER_IDENTIFIER "Bearer-Identifier" 1020 TGPP Must Opaque;
    BEARER_OPERATION "Bearer-Operation" 1021 TGPP Must Enumerated(v::BEARER_OPERATION);
    ACCESS_NETWORK_CHARGING_IDENTIFIER_GX "Access-Network-Charging-Identifier-Gx" 1022 TGPP Must Grouped(&[ACCESS_NETWORK_CHARGING_IDENTIFIER_VALUE, CHARGING_RULE_BASE_NAME, CHARGING_RULE_NAME]);
    BEARER_CONTROL_MODE "Bearer-Control-Mode" 1023 TGPP Must Enumerated(v::BEARER_CONTROL_MODE);
    NETWORK_REQUEST_SUPPORT "Network-Request-Support" 1024 TGPP Must Enumerated(v::NETWORK_REQUEST_SUPPORT);
    GUARANTEED_BITRATE_DL "Guaranteed-Bitrate-DL" 1025 TGPP Must Unsigned32;
    GUARANTEED_BITRATE_UL "Guaranteed-Bitrate-UL" 1026 TGPP Must Unsigned32;
    IP_CAN_TYPE "IP-CAN-Type" 1027 TGPP Must Enumerated(v::IP_CAN_TYPE);
    QOS_CLASS_IDENTIFIER "QoS-Class-Identifier" 1028 TGPP Must Enumerated(v::QOS_CLASS_IDENTIFIER);
    QOS_NEGOTIATION "QoS-Negotiation" 1029 TGPP Must Enumerated(v::QOS_NEGOTIATION);
    QOS_UPGRADE "QoS-Upgrade" 1030 TGPP Must Enumerated(v::QOS_UPGRADE);
    RULE_FAILURE_CODE "Rule-Failure-Code" 1031 TGPP Must Enumerated(v::RULE_FAILURE_CODE);
    RAT_TYPE "RAT-Type" 1032 TGPP MustNot Enumerated(v::RAT_TYPE);
    EVENT_REPORT_INDICATION "Event-Report-Indication" 1033 TGPP MustNot Grouped(&[EVENT_TRIGGER, RAT_TYPE, QOS_INFORMATION, RAI, TGPP_USER_LOCATION_INFO, TGPP_SGSN_MCC_MNC, AN_GW_ADDRESS, TGPP_SGSN_ADDRESS, TGPP_SGSN_IPV6_ADDRESS]);
    ALLOCATION_RETENTION_PRIORITY "Allocation-Retention-Priority" 1034 TGPP Must Grouped(&[PRIORITY_LEVEL, PRE_EMPTION_CAPABILITY, PRE_EMPTION_VULNERABILITY]);
    COA_IP_ADDRESS "CoA-IP-Address" 1035 TGPP MustNot Address;
    TUNNEL_HEADER_FILTER "Tunnel-Header-Filter" 1036 TGPP MustNot Filter;
    TUNNEL_HEADER_LENGTH "Tunnel-Header-Length" 1037 TGPP MustNot Unsigned32;
    TUNNEL_INFORMATION "Tunnel-Information" 1038 TGPP MustNot Grouped(&[TUNNEL_HEADER_LENGTH, TUNNEL_HEADER_FILTER]);
    COA_INFORMATION "CoA-Information" 1039 TGPP MustNot Grouped(&[TUNNEL_INFORMATION, COA_IP_ADDRESS]);
    APN_AGGREGATE_MAX_BITRATE_DL "APN-Aggregate-Max-Bitrate-DL" 1040 TGPP MustNot Unsigned32;
    APN_AGGREGATE_MAX_BITRATE_UL "APN-Aggregate-Max-Bitrate-UL" 1041 TGPP MustNot Unsigned32;
    REVALIDATION_TIME "Revalidation-Time" 1042 TGPP Must Time;
    RULE_ACTIVATION_TIME "Rule-Activation-Time" 1043 TGPP Must Time;
    RULE_DEACTIVATION_TIME "Rule-Deactivation-Time" 1044 TGPP Must Time;
    SESSION_RELEASE_CAUSE "Session-Release-Cause" 1045 TGPP Must Enumerated(v::SESSION_RELEASE_CAUSE);
    PRIORITY_LEVEL "Priority-Level" 1046 TGPP Must Unsigned32;
    PRE_EMPTION_CAPABILITY "Pre-emption-Capability" 1047 TGPP Must Enumerated(v::PRE_EMPTION_CAPABILITY);
    PRE_EMPTION_VULNERABILITY "Pre-emption-Vulnerability" 1048 TGPP Must Enumerated(v::PRE_EMPTION_VULNERABILITY);
    DEFAULT_EPS_BEARER_QOS "Default-EPS-Bearer-QoS" 1049 TGPP MustNot Grouped(&[QOS_CLASS_IDENTIFIER, ALLOCATION_RETENTION_PRIORITY]);
    AN_GW_ADDRESS "AN-GW-Address" 1050 TGPP MustNot Address;
    SECURITY_PARAMETER_INDEX "Security-Parameter-Index" 1056 TGPP MustNot Opaque;
    FLOW_LABEL "Flow-Label" 1057 TGPP MustNot Opaque;
    FLOW_INFORMATION "Flow-Information" 1058 TGPP MustNot Grouped(&[FLOW_DESCRIPTION, PACKET_FILTER_IDENTIFIER, PACKET_FILTER_USAGE, TOS_TRAFFIC_CLASS, SECURITY_PARAMETER_INDEX, FLOW_LABEL, FLOW_DIRECTION]);
    PACKET_FILTER_CONTENT "Packet-Filter-Content" 1059 TGPP MustNot Filter;
    PACKET_FILTER_IDENTIFIER "Packet-Filter-Identifier" 1060 TGPP MustNot Opaque;
    PACKET_FILTER_INFORMATION "Packet-Filter-Information" 1061 TGPP MustNot Grouped(&[PACKET_FILTER_IDENTIFIER, PRECEDENCE, PACKET_FILTER_CONTENT, TOS_TRAFFIC_CLASS, SECURITY_PARAMETER_INDEX, FLOW_LABEL, FLOW_DIRECTION]);
    PACKET_FILTER_OPERATION "Packet-Filter-Operation" 1062 TGPP MustNot Enumerated(v::PACKET_FILTER_OPERATION);
    RESOURCE_ALLOCATION_NOTIFICATION "Resource-Allocation-Notification" 1063 TGPP MustNot Enumerated(v::RESOURCE_ALLOCATION_NOTIFICATION);
    PDN_CONNECTION_ID "PDN-Connection-ID" 1065 TGPP Must Octets;
    MONITORING_KEY "Monitoring-Key" 1066 TGPP MustNot Octets;
    USAGE_MONITORING_INFORMATION "Usage-Monitoring-Information" 1067 TGPP MustNot Grouped(&[MONITORING_KEY, GRANTED_SERVICE_UNIT, USED_SERVICE_UNIT, USAGE_MONITORING_LEVEL, USAGE_MONITORING_REPORT, USAGE_MONITORING_SUPPORT]);
    USAGE_MONITORING_LEVEL "Usage-Monitoring-Level" 1068 TGPP MustNot Enumerated(v::USAGE_MONITORING_LEVEL);
    USAGE_MONITORING_REPORT "Usage-Monitoring-Report" 1069 TGPP MustNot Enumerated(v::USAGE_MONITORING_REPORT);
    USAGE_MONITORING_SUPPORT "Usage-Monitoring-Support" 1070 TGPP MustNot Enumerated(v::USAGE_MONITORING_SUPPORT);
    CSG_INFORMATION_REPORTING "CSG-Information-Reporting" 1071 TGPP MustNot Enumerated(v::CSG_INFORMATION_REPORTING);
    PACKET_FILTER_USAGE "Packet-Filter-Usage" 1072 TGPP MustNot Enumerated(v::PACKET_FILTER_USAGE);
    CHARGING_CORRELATION_INDICATOR "Charging-Correlation-Indicator" 1073 TGPP MustNot Enumerated(v::CHARGING_CORRELATION_INDICATOR);
    FLOW_DIRECTION "Flow-Direction" 1080 TGPP MustNot Enumerated(v::FLOW_DIRECTION);
    REDIRECT_INFORMATION "Redirect-Information" 1085 TGPP MustNot Grouped(&[REDIRECT_SUPPORT, REDIRECT_ADDRESS_TYPE, REDIRECT_SERVER_ADDRESS]);
    REDIRECT_SUPPORT "Redirect-Support" 1086 TGPP MustNot Enumerated(v::REDIRECT_SUPPORT);
    TDF_INFORMATION "TDF-Information" 1087 TGPP MustNot Grouped(&[TDF_DESTINATION_REALM, TDF_DESTINATION_HOST, TDF_IP_ADDRESS]);
    TDF_APPLICATION_IDENTIFIER "TDF-Application-Identifier" 1088 TGPP MustNot Octets;
    TDF_DESTINATION_HOST "TDF-Destination-Host" 1089 TGPP MustNot Identity;
    TDF_DESTINATION_REALM "TDF-Destination-Realm" 1090 TGPP MustNot Identity;
    TDF_IP_ADDRESS "TDF-IP-Address" 1091 TGPP MustNot Address;
    APPLICATION_DETECTION_INFORMATION "Application-Detection-Information" 1098 TGPP MustNot Grouped(&[TDF_APPLICATION_IDENTIFIER, TDF_APPLICATION_INSTANCE_IDENTIFIER, FLOW_INFORMATION]);
    TDF_APPLICATION_INSTANCE_IDENTIFIER "TDF-Application-Instance-Identifier" 2802 TGPP MustNot Octets;
    UDP_SOURCE_PORT "UDP-Source-Port" 2806 TGPP MustNot Unsigned32;
    MUTE_NOTIFICATION "Mute-Notification" 2809 TGPP MustNot Enumerated(v::MUTE_NOTIFICATION);
    USER_LOCATION_INFO_TIME "User-Location-Info-Time" 2812 TGPP MustNot Time;
    RAN_NAS_RELEASE_CAUSE "RAN-NAS-Release-Cause" 2819 TGPP MustNot Opaque;
}

/// Kinds that no row has yet stay usable by name.
const _: [Kind; 2] = [Integer32, Integer64];
