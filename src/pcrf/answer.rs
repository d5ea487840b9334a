//! Writes what was decided: the AVPs of CCA and RAR.

use crate::pcrf::diameter::{Header, Origin, ResultCode, Writer, flag, id};
use crate::pcrf::policy::{
    Arp, Definition, Direction, Grant, Policy, Qos, Rule, RuleKind, Wanted, difference,
};
use crate::pcrf::request::Request;
use crate::pcrf::settings::Experimental;

/// Event-Trigger NO_EVENT_TRIGGERS.
const NO_EVENT_TRIGGERS: u32 = 14;
/// Event-Trigger REVALIDATION_TIMEOUT.
pub(crate) const REVALIDATION_TIMEOUT: u32 = 17;
/// Event-Trigger USAGE_REPORT.
const USAGE_REPORT: u32 = 33;
/// Features of list 1 that are offered: Rel8, Rel9, Rel10.
const FEATURES: u32 = 0x0b;

/// Begins an answer: what stands before its result.
pub(crate) fn begin(w: &mut Writer, header: &Header, session: &[u8], origin: Origin<'_>) {
    w.append_answer(header, 0);
    if !session.is_empty() {
        w.bytes(id::SESSION_ID, session);
    }
    w.u32(id::AUTH_APPLICATION_ID, crate::pcrf::diameter::GX);
    w.bytes(id::ORIGIN_HOST, origin.host);
    w.bytes(id::ORIGIN_REALM, origin.realm);
    if let Some(state) = origin.state {
        w.u32(id::ORIGIN_STATE_ID, state);
    }
}

/// Begins an answer with the E flag: what stands before its result.
pub(crate) fn begin_error(w: &mut Writer, header: &Header, session: &[u8], origin: Origin<'_>) {
    w.append_answer(header, flag::ERROR);
    if !session.is_empty() {
        w.bytes(id::SESSION_ID, session);
    }
    w.bytes(id::ORIGIN_HOST, origin.host);
    w.bytes(id::ORIGIN_REALM, origin.realm);
    if let Some(state) = origin.state {
        w.u32(id::ORIGIN_STATE_ID, state);
    }
}

/// The code of the base protocol for one of 3GPP: RFC 8506 wants a Result-Code in every answer.
fn plain(code: ResultCode, missing: bool) -> ResultCode {
    if missing {
        ResultCode::MISSING_AVP
    } else if code.is_experimental() {
        ResultCode::UNABLE_TO_COMPLY
    } else {
        code
    }
}

/// Writes a result as the peer wants it; `missing`: because an AVP is missing.
pub(crate) fn result(w: &mut Writer, code: ResultCode, how: Experimental, missing: bool) {
    if !code.is_experimental() {
        w.result(code);
        return;
    }
    if how != Experimental::Ts {
        w.result(plain(code, missing));
    }
    if how != Experimental::ResultOnly {
        w.result(code);
    }
}

/// Writes type and number of the request.
pub(crate) fn request(w: &mut Writer, request: &Request<'_>) {
    w.u32(id::CC_REQUEST_TYPE, request.kind);
    w.u32(id::CC_REQUEST_NUMBER, request.number);
}

/// Writes the features that both sides have.
pub(crate) fn features(w: &mut Writer, request: &Request<'_>) {
    for (list, bits) in &request.features {
        if *list == 1 {
            w.group(id::SUPPORTED_FEATURES, |w| {
                w.u32(id::VENDOR_ID, crate::pcrf::diameter::TGPP);
                w.u32(id::FEATURE_LIST_ID, 1);
                w.u32(id::FEATURE_LIST, bits & FEATURES);
            });
        }
    }
}

/// What leads from one decision to the next.
pub(crate) struct Step<'s> {
    pub(crate) policy: &'s Policy,
    pub(crate) wanted: &'s Wanted,
    /// What the session has; where everything is told: what it may have.
    pub(crate) present: &'s Wanted,
    /// Whether everything is told, as nobody knows what the PCEF has.
    pub(crate) all: bool,
    /// The number of USAGE_REPORT.
    pub(crate) usage_report: u32,
}

impl Step<'_> {
    /// Whether the PCEF would have to be told anything.
    pub(crate) fn is_needed(&self) -> bool {
        if self.all {
            let nothing = Wanted::default();
            let tells = |wanted: &Wanted| !difference(wanted, &nothing).is_empty();
            return tells(self.wanted) || tells(self.present);
        }
        !difference(self.wanted, self.present).is_empty()
    }

    /// Writes what changes. `grant` says how much of a key is granted, and whether it counts for rules; it is asked for
    /// keys that are new, changed, or `reported`.
    pub(crate) fn write(
        &self,
        w: &mut Writer,
        reported: impl Fn(&[u8]) -> bool,
        mut grant: impl FnMut(&Grant) -> (Option<u64>, bool),
    ) {
        let mut difference = difference(self.wanted, self.present);
        if self.all {
            difference.install = self.wanted.rules.iter().collect();
            difference
                .remove
                .retain(|rule| self.wanted.rule(&rule.name).is_none());
            difference.qos = true;
            difference.triggers = true;
            difference.revalidate = true;
        }
        if difference.triggers || difference.revalidate {
            self.triggers(w);
        }
        if !difference.remove.is_empty() {
            w.group(id::CHARGING_RULE_REMOVE, |w| {
                for rule in &difference.remove {
                    self.name(w, rule);
                }
            });
        }
        self.install(w, &difference.install);
        if difference.qos
            && let Some(qos) = &self.wanted.qos
        {
            quality(w, qos);
        }
        if difference.revalidate
            && let Some(at) = self.wanted.revalidate
        {
            w.time(id::REVALIDATION_TIME, at);
        }
        for monitor in &self.wanted.monitors {
            let known = !self.all && self.present.monitors.contains(monitor);
            if known && !reported(&monitor.key) {
                continue;
            }
            let (octets, of_rules) = grant(monitor);
            w.group(id::USAGE_MONITORING_INFORMATION, |w| {
                w.bytes(id::MONITORING_KEY, &monitor.key);
                if let Some(octets) = octets {
                    w.group(id::GRANTED_SERVICE_UNIT, |w| {
                        w.u64(id::CC_TOTAL_OCTETS, octets);
                    });
                }
                w.u32(id::USAGE_MONITORING_LEVEL, u32::from(of_rules));
            });
        }
        for monitor in &self.present.monitors {
            let wanted = self
                .wanted
                .monitors
                .iter()
                .any(|own| own.key == monitor.key);
            if !wanted {
                w.group(id::USAGE_MONITORING_INFORMATION, |w| {
                    w.bytes(id::MONITORING_KEY, &monitor.key);
                    let key = self.policy.monitoring().key(&monitor.key);
                    let of_rules = key.is_some_and(|key| key.of_rules);
                    w.u32(id::USAGE_MONITORING_LEVEL, u32::from(of_rules));
                    w.u32(id::USAGE_MONITORING_SUPPORT, 0);
                });
            }
        }
    }

    /// All events that are armed: a new list replaces the one before.
    fn triggers(&self, w: &mut Writer) {
        let revalidate = self.wanted.revalidate.is_some()
            && !self.wanted.triggers.contains(&REVALIDATION_TIMEOUT);
        if self.wanted.triggers.is_empty() && !revalidate {
            if !self.present.triggers.is_empty() || self.present.revalidate.is_some() {
                w.u32(id::EVENT_TRIGGER, NO_EVENT_TRIGGERS);
            }
            return;
        }
        for event in &self.wanted.triggers {
            let event = if *event == USAGE_REPORT {
                self.usage_report
            } else {
                *event
            };
            w.u32(id::EVENT_TRIGGER, event);
        }
        if revalidate {
            w.u32(id::EVENT_TRIGGER, REVALIDATION_TIMEOUT);
        }
    }

    /// The name of a rule, or of a group of rules.
    fn name(&self, w: &mut Writer, rule: &Rule) {
        let definition = self.policy.definition(rule);
        if definition.is_some_and(|definition| definition.kind == RuleKind::Base) {
            w.bytes(id::CHARGING_RULE_BASE_NAME, &rule.name);
        } else {
            w.bytes(id::CHARGING_RULE_NAME, &rule.name);
        }
    }

    /// Rules that begin and stop at the same times are installed together.
    fn install(&self, w: &mut Writer, rules: &[&Rule]) {
        let times = |rule: &Rule| (rule.activate, rule.deactivate);
        for (at, first) in rules.iter().enumerate() {
            let earlier = rules.get(..at).unwrap_or_default();
            if earlier.iter().any(|rule| times(rule) == times(first)) {
                continue;
            }
            w.group(id::CHARGING_RULE_INSTALL, |w| {
                for rule in rules.iter().filter(|rule| times(rule) == times(first)) {
                    match self.policy.definition(rule) {
                        Some(known) if known.kind == RuleKind::Defined => {
                            definition(w, &rule.name, known);
                        }
                        _ => self.name(w, rule),
                    }
                }
                if let Some(at) = first.activate {
                    w.time(id::RULE_ACTIVATION_TIME, at);
                }
                if let Some(at) = first.deactivate {
                    w.time(id::RULE_DEACTIVATION_TIME, at);
                }
            });
        }
    }
}

/// A rate as Gx has it, bits per second.
fn rate(rate: u64) -> u32 {
    u32::try_from(rate).unwrap_or(u32::MAX)
}

/// Allocation-Retention-Priority; the capability to pre-empt is 0, not to is 1, and so for the vulnerability.
fn priority(w: &mut Writer, arp: Arp) {
    w.group(id::ALLOCATION_RETENTION_PRIORITY, |w| {
        w.u32(id::PRIORITY_LEVEL, arp.level);
        if let Some(preempts) = arp.preempts {
            w.u32(id::PRE_EMPTION_CAPABILITY, u32::from(!preempts));
        }
        if let Some(vulnerable) = arp.vulnerable {
            w.u32(id::PRE_EMPTION_VULNERABILITY, u32::from(!vulnerable));
        }
    });
}

/// Rates of the APN, and quality of the default bearer.
fn quality(w: &mut Writer, qos: &Qos) {
    if qos.ambr_dl.is_some() || qos.ambr_ul.is_some() {
        w.group(id::QOS_INFORMATION, |w| {
            if let Some(up) = qos.ambr_ul {
                w.u32(id::APN_AGGREGATE_MAX_BITRATE_UL, rate(up));
            }
            if let Some(down) = qos.ambr_dl {
                w.u32(id::APN_AGGREGATE_MAX_BITRATE_DL, rate(down));
            }
        });
    }
    if qos.qci.is_some() || qos.arp.is_some() {
        w.group(id::DEFAULT_EPS_BEARER_QOS, |w| {
            if let Some(qci) = qos.qci {
                w.u32(id::QOS_CLASS_IDENTIFIER, qci);
            }
            if let Some(arp) = qos.arp {
                priority(w, arp);
            }
        });
    }
}

/// Charging-Rule-Definition.
fn definition(w: &mut Writer, name: &[u8], rule: &Definition) {
    w.group(id::CHARGING_RULE_DEFINITION, |w| {
        w.bytes(id::CHARGING_RULE_NAME, name);
        if let Some(service) = rule.service {
            w.u32(id::SERVICE_IDENTIFIER, service);
        }
        if let Some(group) = rule.rating_group {
            w.u32(id::RATING_GROUP, group);
        }
        for flow in &rule.flows {
            w.group(id::FLOW_INFORMATION, |w| {
                w.bytes(id::FLOW_DESCRIPTION, &flow.filter);
                if flow.direction != Direction::Unspecified {
                    w.u32(id::FLOW_DIRECTION, flow.direction as u32);
                }
            });
        }
        if let Some(status) = rule.flow_status {
            w.u32(id::FLOW_STATUS, status);
        }
        let rates = [
            (id::MAX_REQUESTED_BANDWIDTH_UL, rule.mbr_ul),
            (id::MAX_REQUESTED_BANDWIDTH_DL, rule.mbr_dl),
            (id::GUARANTEED_BITRATE_UL, rule.gbr_ul),
            (id::GUARANTEED_BITRATE_DL, rule.gbr_dl),
        ];
        let rated = rates.iter().any(|(_, rate)| rate.is_some());
        if rated || rule.qci.is_some() || rule.arp.is_some() {
            w.group(id::QOS_INFORMATION, |w| {
                if let Some(qci) = rule.qci {
                    w.u32(id::QOS_CLASS_IDENTIFIER, qci);
                }
                for (avp, value) in rates {
                    if let Some(value) = value {
                        w.u32(avp, rate(value));
                    }
                }
                if let Some(arp) = rule.arp {
                    priority(w, arp);
                }
            });
        }
        if let Some(online) = rule.online {
            w.u32(id::ONLINE, u32::from(online));
        }
        if let Some(offline) = rule.offline {
            w.u32(id::OFFLINE, u32::from(offline));
        }
        if let Some(metering) = rule.metering {
            w.u32(id::METERING_METHOD, metering);
        }
        if let Some(precedence) = rule.precedence {
            w.u32(id::PRECEDENCE, precedence);
        }
        if let Some(key) = &rule.monitoring_key {
            w.bytes(id::MONITORING_KEY, key);
        }
    });
}
