//! A PCEF for tests: builds requests, reads answers.

use std::sync::Arc;

use strowger::pcrf::diameter::{Framed, TGPP};
use strowger::pcrf::diameter::{GX, Message, Writer, command, flag, frame, id};
use strowger::pcrf::policy::{Files, Policy, Subscribers};
use strowger::pcrf::settings::Settings;
use strowger::pcrf::store::{Batch, Fault, Mem, Store};
use strowger::pcrf::{Journal, Nothing, Pcrf, Worker};
use strowger::syntax::load::MemoryReader;

pub(crate) const POLICY: &str = "
[globals]
HOME=00101

[gx]
exten => initial,1,GotoIf($[\"${SUBSCRIBER(status)}\" = \"active\"]?known)
 same => n,Reject(USER_UNKNOWN)
 same => n(known),GotoIf($[\"${AVP(3GPP-SGSN-MCC-MNC)}\" = \"${HOME}\"]?home)
 same => n,SetQoS(qci=9,arp=10,ambr_dl=2M,ambr_ul=512k)
 same => n,InstallRule(roam-2m)
 same => n,Hangup()
 same => n(home),Goto(apn,${AVP(Called-Station-Id)},1)
exten => update,1,Goto(initial,1)
exten => push,1,Goto(initial,1)
exten => terminate,1,Verbose(3,closed: ${AVP(Termination-Cause)})

[apn]
exten => internet,1,Gosub(plan-${SUBSCRIBER(plan)},s,1)
 same => n,Trigger(USAGE_REPORT&RAT_CHANGE)
exten => ims,1,SetQoS(qci=5,arp=1,ambr_dl=512k,ambr_ul=512k)
 same => n,InstallRule(ims-signalling)
exten => _[a-z].,1,Reject(AUTHORIZATION_REJECTED)

[plan-gold]
exten => s,1,Monitor(mk-gold,100M)
 same => n,Goto(quota-${QUOTA_STATE(mk-gold)},1)
exten => quota-ok,1,SetQoS(qci=8,arp=8,ambr_dl=20M,ambr_ul=5M)
 same => n,InstallRule(gold-20m)
 same => n,Return()
exten => quota-warn,1,Notify(quota80)
 same => n,Goto(quota-ok,1)
exten => quota-exhausted,1,SetQoS(qci=9,arp=12,ambr_dl=128k,ambr_ul=128k)
 same => n,InstallRule(throttle-128k)
 same => n,Return()

[plan-family]
exten => s,1,Monitor(mk-family,100M)
 same => n,Goto(plan-gold,quota-${QUOTA_STATE(mk-family)},1)

[plan-basic]
exten => s,1,SetQoS(qci=9,arp=10,ambr_dl=5M,ambr_ul=1M)
 same => n,GotoIfTime(18:00-22:59,*,*,*?peak)
 same => n,InstallRule(basic-5m)
 same => n,Return()
 same => n(peak),InstallRule(basic-2m)
 same => n,Revalidate(23:00)
 same => n,Return()
";

pub(crate) const RULES: &str = "
[gold-20m]
qci=8
arp=8
mbr_dl=20M
mbr_ul=5M
flow=down,permit out ip from any to assigned
rating_group=100
precedence=100

[ims-signalling]
predefined=yes
";

pub(crate) const MONITORING: &str = "
[mk-gold]
limit=1G
warn=80

[mk-family]
limit=1G
pool=family
";

pub(crate) const SUBSCRIBERS: &str = "imsi,msisdn,status,plan,roaming,family
001010000000001,4915100000001,active,gold,yes,
001010000000002,4915100000002,active,basic,no,
001010000000003,4915100000003,blocked,gold,yes,
001010000000004,4915100000004,active,family,yes,smith
001010000000005,4915100000005,active,family,yes,smith
";

/// 2026-11-30 12:00 UTC, in milliseconds.
pub(crate) const NOON: i64 = 1_796_040_000_000;

/// Everything is in the store at once.
#[derive(Debug)]
pub(crate) struct Direct(pub Arc<dyn Store>);

impl Journal for Direct {
    fn append(&self, batch: &Batch) -> u64 {
        if !batch.is_empty() {
            self.0.commit(batch, false).unwrap();
        }
        0
    }

    fn commit_now(&self, batch: &Batch) -> Result<u64, Fault> {
        self.0.commit(batch, false).map(|_| 0)
    }

    fn appended(&self) -> u64 {
        0
    }

    fn keeps(&self) -> bool {
        true
    }
}

pub(crate) fn policy_of(text: &str) -> Policy {
    policy_with(text, RULES, MONITORING)
}

pub(crate) fn policy_with(text: &str, rules: &str, monitoring: &str) -> Policy {
    let mut reader = MemoryReader::new()
        .with("gx.conf", text)
        .with("rules.conf", rules)
        .with("monitoring.conf", monitoring);
    let (policy, reports) = Policy::load("gx.conf", &Files::default(), &mut reader);
    policy.unwrap_or_else(|| panic!("{reports:?}"))
}

pub(crate) fn settings() -> Settings {
    Settings {
        host: b"pcrf.example".to_vec(),
        realm: b"example".to_vec(),
        ..Settings::default()
    }
}

/// A PCRF with a worker, and the numbers of the next request.
pub(crate) struct Bench {
    pub pcrf: Arc<Pcrf>,
    pub worker: Worker,
    pub now: i64,
    pub next: u32,
    /// The connection that requests come on.
    pub connection: u64,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(settings(), Arc::new(Mem::new()), true)
    }

    pub fn with(settings: Settings, store: Arc<dyn Store>, keeps: bool) -> Self {
        strowger::base::zone::Zone::without_tz_is_utc();
        let journal: Arc<dyn Journal> = if keeps {
            Arc::new(Direct(store.clone()))
        } else {
            Arc::new(Nothing(store.clone()))
        };
        let pcrf = Pcrf::open(settings, policy_of(POLICY), store, journal).unwrap();
        let (subscribers, report) = Subscribers::read("s.csv", SUBSCRIBERS.into());
        assert!(report.diagnostics().is_empty());
        pcrf.import(&subscribers).unwrap();
        let pcrf = Arc::new(pcrf);
        Self {
            worker: Worker::new(pcrf.clone()),
            pcrf,
            now: NOON,
            next: 1,
            connection: 1,
        }
    }

    /// Sends a request and gives its answer.
    pub fn send(&mut self, request: &[u8]) -> Answer {
        let mut w = Writer::new();
        let message = Message::new(request).unwrap();
        self.worker
            .request(self.connection, message, self.now, &mut w);
        Answer(w.all().to_vec())
    }

    pub fn ask(&mut self, ccr: Ccr) -> Answer {
        self.next += 1;
        let bytes = ccr.bytes(self.next);
        self.send(&bytes)
    }

    /// A host opens a connection.
    pub fn connect(&mut self, host: &str, state: Option<u32>, connection: u64) -> u64 {
        self.pcrf
            .host_connected(host.as_bytes(), b"example", state, connection)
    }

    /// What is sent of our own accord now.
    pub fn tick(&mut self) -> Vec<Answer> {
        let pushed = self.worker.tick(self.now, 100);
        pushed.into_iter().map(|own| Answer(own.bytes)).collect()
    }

    /// The PCEF answers a RAR.
    pub fn reply(&mut self, rar: &Answer, code: u32) {
        let answer = raa(&rar.0, code);
        let message = Message::new(&answer).unwrap();
        self.worker.re_auth_answer(message, self.now);
    }

    pub fn used(&self, owner: &str, key: &str) -> u64 {
        let usage = &self.pcrf.tables().usage;
        usage.get(owner.as_bytes(), key.as_bytes(), 0).used
    }

    pub fn count(&self, name: &str) -> u64 {
        let counters = self.pcrf.tables().counters.list();
        counters.iter().find(|(own, _)| *own == name).unwrap().1
    }
}

/// A CCR.
#[derive(Debug, Clone)]
pub(crate) struct Ccr {
    pub session: String,
    pub kind: u32,
    pub number: u32,
    pub host: String,
    pub ids: Vec<(u32, String)>,
    pub apn: Option<String>,
    pub plmn: Option<String>,
    pub used: Vec<(String, u64)>,
    pub triggers: Vec<u32>,
    pub state: Option<u32>,
    pub again: bool,
    pub proxies: Vec<Vec<u8>>,
}

impl Ccr {
    pub fn initial(session: &str, imsi: &str, apn: &str) -> Self {
        Self {
            session: session.into(),
            kind: 1,
            number: 0,
            host: "pgw.example".into(),
            ids: vec![(1, imsi.into())],
            apn: Some(apn.into()),
            plmn: Some("00101".into()),
            used: vec![],
            triggers: vec![],
            state: None,
            again: false,
            proxies: vec![],
        }
    }

    pub fn update(session: &str, number: u32) -> Self {
        Self {
            kind: 2,
            number,
            ids: vec![],
            apn: None,
            plmn: None,
            ..Self::initial(session, "", "")
        }
    }

    pub fn terminate(session: &str, number: u32) -> Self {
        Self {
            kind: 3,
            ..Self::update(session, number)
        }
    }

    pub fn used(mut self, key: &str, octets: u64) -> Self {
        self.used.push((key.into(), octets));
        self.triggers.push(33);
        self
    }

    pub fn bytes(&self, end_to_end: u32) -> Vec<u8> {
        let mut w = Writer::new();
        let again = if self.again { flag::RETRANSMITTED } else { 0 };
        let flags = flag::REQUEST | flag::PROXIABLE | again;
        w.start(
            command::CREDIT_CONTROL,
            flags,
            GX,
            end_to_end ^ 0x5555,
            end_to_end,
        );
        w.text(id::SESSION_ID, &self.session);
        w.u32(id::AUTH_APPLICATION_ID, GX);
        w.text(id::ORIGIN_HOST, &self.host);
        w.text(id::ORIGIN_REALM, "example");
        w.text(id::DESTINATION_REALM, "example");
        w.u32(id::CC_REQUEST_TYPE, self.kind);
        w.u32(id::CC_REQUEST_NUMBER, self.number);
        if let Some(state) = self.state {
            w.u32(id::ORIGIN_STATE_ID, state);
        }
        for (kind, text) in &self.ids {
            w.group(id::SUBSCRIPTION_ID, |w| {
                w.u32(id::SUBSCRIPTION_ID_TYPE, *kind);
                w.text(id::SUBSCRIPTION_ID_DATA, text);
            });
        }
        if self.kind == 1 {
            w.group(id::SUPPORTED_FEATURES, |w| {
                w.u32(id::VENDOR_ID, TGPP);
                w.u32(id::FEATURE_LIST_ID, 1);
                w.u32(id::FEATURE_LIST, 3);
            });
            w.bytes(id::FRAMED_IP_ADDRESS, &[10, 0, 0, 1]);
            w.u32(id::IP_CAN_TYPE, 5);
            w.u32(id::RAT_TYPE, 1004);
        }
        if let Some(apn) = &self.apn {
            w.text(id::CALLED_STATION_ID, apn);
        }
        if let Some(plmn) = &self.plmn {
            w.text(id::TGPP_SGSN_MCC_MNC, plmn);
        }
        for event in &self.triggers {
            w.u32(id::EVENT_TRIGGER, *event);
        }
        for (key, octets) in &self.used {
            w.group(id::USAGE_MONITORING_INFORMATION, |w| {
                w.text(id::MONITORING_KEY, key);
                w.group(id::USED_SERVICE_UNIT, |w| {
                    w.u64(id::CC_TOTAL_OCTETS, *octets);
                });
                w.u32(id::USAGE_MONITORING_LEVEL, 0);
            });
        }
        if self.kind == 3 {
            w.u32(id::TERMINATION_CAUSE, 1);
        }
        for proxy in &self.proxies {
            w.group(id::PROXY_INFO, |w| {
                w.text(id::PROXY_HOST, "relay.example");
                w.bytes(id::PROXY_STATE, proxy);
            });
        }
        w.finish().to_vec()
    }
}

/// An answer, or a request of the PCRF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer(pub Vec<u8>);

impl Answer {
    pub fn message(&self) -> Message<'_> {
        match frame(&self.0, usize::MAX) {
            Framed::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    /// Result-Code, or 10000 more for Experimental-Result-Code.
    pub fn result(&self) -> u32 {
        let message = self.message();
        let experimental = message.find(id::EXPERIMENTAL_RESULT);
        if let Some(code) = message.find(id::RESULT_CODE) {
            return code.u32().unwrap();
        }
        let code = experimental.unwrap().child(id::EXPERIMENTAL_RESULT_CODE);
        10_000 + code.unwrap().u32().unwrap()
    }

    /// Names of rules that are installed or removed.
    fn rules(&self, wanted: strowger::pcrf::diameter::AvpId) -> Vec<String> {
        let mut names = Vec::new();
        for group in self.message().avps().filter(|avp| avp.is(wanted)) {
            for child in group.children() {
                let name = if child.is(id::CHARGING_RULE_DEFINITION) {
                    child.child(id::CHARGING_RULE_NAME).unwrap()
                } else if child.is(id::CHARGING_RULE_NAME) {
                    child
                } else {
                    continue;
                };
                names.push(String::from_utf8_lossy(name.value).into_owned());
            }
        }
        names
    }

    pub fn installed(&self) -> Vec<String> {
        self.rules(id::CHARGING_RULE_INSTALL)
    }

    pub fn removed(&self) -> Vec<String> {
        self.rules(id::CHARGING_RULE_REMOVE)
    }

    /// What is granted of monitoring keys.
    pub fn grants(&self) -> Vec<(String, Option<u64>)> {
        let message = self.message();
        let monitors = message
            .avps()
            .filter(|avp| avp.is(id::USAGE_MONITORING_INFORMATION));
        monitors
            .map(|avp| {
                let key = avp.child(id::MONITORING_KEY).unwrap().value;
                let granted = avp.child(id::GRANTED_SERVICE_UNIT);
                let octets = granted.and_then(|g| g.child(id::CC_TOTAL_OCTETS)?.u64());
                (String::from_utf8_lossy(key).into_owned(), octets)
            })
            .collect()
    }

    /// The value of an AVP that is a number.
    pub fn number(&self, wanted: strowger::pcrf::diameter::AvpId) -> Option<u32> {
        self.message().find(wanted)?.u32()
    }

    pub fn has(&self, wanted: strowger::pcrf::diameter::AvpId) -> bool {
        self.message().find(wanted).is_some()
    }
}

/// An answer to a RAR.
pub(crate) fn raa(request: &[u8], code: u32) -> Vec<u8> {
    let message = Message::new(request).unwrap();
    let mut w = Writer::new();
    w.start_answer(&message.header(), 0);
    w.copy(&message.find(id::SESSION_ID).unwrap());
    w.u32(id::RESULT_CODE, code);
    w.text(id::ORIGIN_HOST, "pgw.example");
    w.text(id::ORIGIN_REALM, "example");
    w.finish().to_vec()
}
