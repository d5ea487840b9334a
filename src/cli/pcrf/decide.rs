//! `strowger pcrf decide`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::outcome::{Outcome, Trace};
use super::source::{Beside, subscribers};
use super::table;
use crate::base::zone::Zone;
use crate::cli::{exit, input, ui};
use crate::diagnostic::code;
use crate::pcrf::diameter::dictionary::AvpId;
use crate::pcrf::diameter::{ResultCode, id};
use crate::pcrf::policy::{
    AvpPath, Decision, Given, Kind, Policy, Rule, Runner, Subscriber, Subscribers, Wanted, amount,
    avp_named, event, is_session_field,
};

/// Decides without a network: what would this policy give this subscriber, now?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf decide dialplans/gx.conf --apn internet --imsi 001010000000001 --plmn 00101 --trace
  strowger pcrf decide gx.conf --apn internet --subscriber status=active --subscriber plan=gold \\
      --used mk-gold=9G --at '2026-11-30 02:00' --json
  strowger pcrf decide dialplans/gx.conf --table

Volumes and rates: k, M and G are powers of 1000. Times are UTC unless a zone is given, as in
`2026-11-30T02:00+01:00` or `2026-11-30 02:00 Europe/Berlin`.
Exit codes: 0 decided, also where the request is refused; 1 stopped by a limit; 2 wrong usage; 3 a file that cannot be
read or is refused.")]
pub(super) struct DecideArgs {
    /// A dialplan.
    policy: PathBuf,
    #[command(flatten)]
    beside: Beside,
    /// Subscribers; without it those beside the policy, if they are there.
    #[arg(long, value_name = "FILE")]
    subscribers: Option<PathBuf>,
    /// The APN: AVP(Called-Station-Id).
    #[arg(long, value_name = "NAME")]
    apn: Option<OsString>,
    /// The subscriber's IMSI.
    #[arg(long, value_name = "DIGITS")]
    imsi: Option<OsString>,
    /// The subscriber's MSISDN.
    #[arg(long, value_name = "DIGITS")]
    msisdn: Option<OsString>,
    /// The radio technology, by number or name: AVP(RAT-Type).
    #[arg(long, value_name = "RAT")]
    rat: Option<OsString>,
    /// The network that serves: AVP(3GPP-SGSN-MCC-MNC).
    #[arg(long, value_name = "MCCMNC")]
    plmn: Option<OsString>,
    /// Another AVP of the request, such as `IP-CAN-Type=5`.
    #[arg(long, value_name = "NAME=VALUE")]
    avp: Vec<OsString>,
    /// An event that the request reports.
    #[arg(long, value_name = "NAME")]
    triggered: Vec<String>,
    /// What was used of a monitoring key, with this request.
    #[arg(long, value_name = "KEY=VOLUME")]
    used: Vec<OsString>,
    /// The limit of a monitoring key, instead of that of monitoring.conf.
    #[arg(long, value_name = "KEY=VOLUME")]
    limit: Vec<OsString>,
    /// A field of the subscriber.
    #[arg(long, value_name = "FIELD=VALUE")]
    subscriber: Vec<OsString>,
    /// A field of the session.
    #[arg(long, value_name = "FIELD=VALUE")]
    session: Vec<OsString>,
    /// When; without it now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<i64>,
    /// Why a decision is asked for.
    #[arg(long = "type", value_enum, default_value_t = KindName::Initial)]
    kind: KindName,
    /// Rules that the session has. One that rules.conf does not have is removed unless the policy installs it.
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    installed: Vec<String>,
    /// Print each line that runs.
    #[arg(long)]
    trace: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the table of decisions of docs/pcrf-decisions.md, APN by plan by quota by time by network.
    #[arg(long, conflicts_with_all = ["json", "trace", "apn", "imsi"])]
    table: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    Initial,
    Update,
    Push,
    Terminate,
}

impl KindName {
    fn kind(self) -> Kind {
        match self {
            KindName::Initial => Kind::Initial,
            KindName::Update => Kind::Update,
            KindName::Push => Kind::Push,
            KindName::Terminate => Kind::Terminate,
        }
    }
}

/// The last second of 2099.
const LATEST: i64 = 4_102_444_799;

/// Seconds since 1970, or a date with or without time, UTC unless an offset or a zone stands behind it.
fn time(text: &str) -> Result<i64, String> {
    let wrong = || {
        "a time from 1970 to 2099 is `2026-11-30 02:00`, perhaps with a zone behind it, or seconds since 1970"
            .to_owned()
    };
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        // From 1970 to 2099, with room for what is added to it.
        return (0..=LATEST)
            .contains(&seconds)
            .then_some(seconds)
            .ok_or_else(wrong);
    }
    // A leap second is one that no clock here has.
    if text
        .split([' ', 'T', '+', 'Z', '['])
        .any(|part| part.split(':').nth(2) == Some("60"))
    {
        return Err(wrong());
    }
    // The blank between date and time is part of neither.
    let joined = match text.as_bytes().get(10) {
        Some(b' ') => format!(
            "{}T{}",
            text.get(..10).unwrap_or(""),
            text.get(11..).unwrap_or("")
        ),
        _ => text.to_owned(),
    };
    let fits = |at: jiff::Timestamp| {
        let seconds = at.as_second();
        (0..=LATEST)
            .contains(&seconds)
            .then_some(seconds)
            .ok_or_else(wrong)
    };
    if let Ok(at) = joined.parse::<jiff::Timestamp>() {
        return fits(at);
    }
    let (civil, zone) = match joined.split_once([' ', '[']) {
        Some((civil, zone)) => {
            let name = zone.trim().trim_end_matches(']');
            (civil, Zone::find(name.as_bytes()).ok_or_else(wrong)?)
        }
        None => (joined.as_str(), Zone::utc()),
    };
    let civil: jiff::civil::DateTime = civil.parse().map_err(|_| wrong())?;
    fits(zone.time_zone().to_timestamp(civil).map_err(|_| wrong())?)
}

pub(super) fn run(args: &DecideArgs) -> Result<i32, i32> {
    Zone::without_tz_is_utc();
    let policy = args.beside.load(&args.policy)?;
    if args.table {
        ui::print(table::text(&policy, &args.policy).as_bytes());
        return Ok(exit::FINE);
    }
    let known = subscribers(args.subscribers.as_deref(), &args.policy)?;
    let mut given = given(args, &policy)?;
    let kind = args.kind.kind();
    let refused = subscriber(args, &policy, known.as_ref(), &mut given)?;
    let trace = Trace::default();
    let mut runner = Runner::new(Box::new(given));
    if args.trace {
        runner = runner.watched(Box::new(trace.clone()));
    }
    let decision = if let Some(refused) = refused.filter(|_| kind == Kind::Initial) {
        Decision {
            refused: Some(refused),
            ..Decision::default()
        }
    } else {
        policy.decide(&mut runner, kind);
        runner.take_decision()
    };
    trace.print(args.json);
    if !args.trace {
        for (at, entry) in decision.log.iter().enumerate() {
            let place = decision.places.get(at).and_then(|at| policy.line_of(at));
            let place = place.map(|place| place + ": ").unwrap_or_default();
            ui::message(&format!("{place}{}: {}", entry.code.id, entry.message));
        }
    }
    if let Some(at) = &decision.at {
        let place = policy.line_of(at).unwrap_or_default();
        ui::message(&format!(
            "the dialplan could not decide: it ended at [{}@{}:{}] {place}",
            at.exten, at.context, at.priority
        ));
    }
    let installed = installed(args, &policy);
    let outcome = Outcome::new(kind, &decision, &installed, &mut runner);
    if args.json {
        ui::json_document(&outcome.json());
    } else {
        ui::print(outcome.text(&policy).as_bytes());
    }
    let stopped = decision.is_limited() || decision.fault == Some(&code::DECISION_WAITS);
    Ok(if stopped { exit::FINDINGS } else { exit::FINE })
}

fn pairs(texts: &[OsString], what: &str) -> Result<Vec<(Vec<u8>, Vec<u8>)>, i32> {
    let pair = |text: &OsString| {
        input::pair(text).ok_or_else(|| {
            ui::usage(&format!(
                "--{what} {}: NAME=VALUE is wanted",
                text.display()
            ))
        })
    };
    texts.iter().map(pair).collect()
}

fn volumes(texts: &[OsString], what: &str) -> Result<Vec<(Vec<u8>, u64)>, i32> {
    let volume = |(key, value): (Vec<u8>, Vec<u8>)| match amount(&value) {
        Some(volume) => Ok((key, volume)),
        None => Err(ui::usage(&format!(
            "--{what}: `{}` is no volume",
            bstr::BStr::new(&value)
        ))),
    };
    pairs(texts, what)?.into_iter().map(volume).collect()
}

fn unknown(option: &str, what: &str, name: &[u8]) -> i32 {
    ui::usage(&format!(
        "--{option}: no {what} `{}`",
        bstr::BStr::new(name)
    ))
}

/// Whether somebody could read a field of a subscriber: the file has it, or the policy asks for it.
fn is_field(policy: &Policy, known: Option<&Subscribers>, name: &[u8]) -> bool {
    let mut columns = known.map_or(&[][..], Subscribers::fields).iter();
    let asked = policy.reads().readers().iter().any(|reader| {
        let inside = reader.input.strip_prefix(b"SUBSCRIBER(");
        let inside = inside.and_then(|rest| rest.strip_suffix(b")"));
        inside.is_some_and(|field| field.contains(&b'*') || field.eq_ignore_ascii_case(name))
    });
    asked
        || [&b"imsi"[..], b"msisdn"].contains(&name.to_ascii_lowercase().as_slice())
        || columns.any(|column| column.eq_ignore_ascii_case(name))
}

/// The APN; an empty one is none, as in a request.
fn apn(args: &DecideArgs) -> Option<&OsString> {
    args.apn.as_ref().filter(|apn| !apn.is_empty())
}

/// The inputs of the command line but for the subscriber.
fn given(args: &DecideArgs, policy: &Policy) -> Result<Given, i32> {
    let now = args.at.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_secs() as i64)
    });
    let mut given = Given::at(now);
    let mut set = |avp: AvpId, value: &[u8]| given.set_avp(AvpPath::first(avp), Some(value));
    if let Some(apn) = apn(args) {
        set(id::CALLED_STATION_ID, apn.as_bytes());
    }
    if let Some(plmn) = &args.plmn
        && let Some(avp) = avp_named(b"3GPP-SGSN-MCC-MNC")
    {
        set(avp, plmn.as_bytes());
    }
    if let Some(rat) = &args.rat {
        match id::RAT_TYPE.avp().kind.value_by_name(rat.as_bytes()) {
            Some(value) => set(id::RAT_TYPE, value.to_string().as_bytes()),
            None if rat.as_bytes().iter().all(u8::is_ascii_digit) => {
                set(id::RAT_TYPE, rat.as_bytes());
            }
            None => {
                return Err(ui::usage(&format!(
                    "--rat: no technology `{}`",
                    rat.display()
                )));
            }
        }
    }
    let request = match args.kind.kind() {
        Kind::Initial => Some("1"),
        Kind::Update => Some("2"),
        Kind::Terminate => Some("3"),
        Kind::Push => None,
    };
    if let Some(request) = request {
        set(id::CC_REQUEST_TYPE, request.as_bytes());
    }
    for (name, value) in pairs(&args.avp, "avp")? {
        let Some(avp) = avp_named(&name) else {
            return Err(ui::usage(&format!(
                "--avp: no AVP `{}`",
                bstr::BStr::new(&name)
            )));
        };
        set(avp, &value);
    }
    for name in &args.triggered {
        let Some(event) = event(name.as_bytes()) else {
            return Err(ui::usage(&format!("--triggered: no event `{name}`")));
        };
        given.set_triggered(event, true);
    }
    for (field, value) in pairs(&args.session, "session")? {
        if !is_session_field(&field) {
            return Err(unknown("session", "field of a session", &field));
        }
        given.set_session(&field, &value);
    }
    for name in policy.monitoring().names() {
        given.set_quota(name, policy.monitoring().quota(name, 0));
    }
    let listed = |key: &[u8]| {
        let monitoring = policy.monitoring();
        !monitoring.is_there() || monitoring.key(key).is_some()
    };
    for (key, used) in volumes(&args.used, "used")? {
        if !listed(&key) {
            return Err(unknown("used", "key of monitoring.conf", &key));
        }
        let limit = policy.monitoring().quota(&key, used);
        given.set_quota(&key, limit);
    }
    for (key, limit) in volumes(&args.limit, "limit")? {
        if !listed(&key) {
            return Err(unknown("limit", "key of monitoring.conf", &key));
        }
        let usual = policy.monitoring().quota(&key, 0);
        let quota = given.quota_mut(&key);
        quota.limit = Some(limit);
        quota.warn = usual.warn;
    }
    Ok(given)
}

/// The subscriber's fields; what refuses the request before a policy is asked.
fn subscriber(
    args: &DecideArgs,
    policy: &Policy,
    known: Option<&Subscribers>,
    given: &mut Given,
) -> Result<Option<ResultCode>, i32> {
    let mut refused = None;
    let found = known.and_then(|known| {
        let by_imsi = args
            .imsi
            .as_ref()
            .and_then(|imsi| known.by_imsi(imsi.as_bytes()));
        by_imsi.or_else(|| known.by_msisdn(args.msisdn.as_ref()?.as_bytes()))
    });
    for (field, value) in found.iter().flat_map(Subscriber::fields) {
        given.set_subscriber(field, value);
    }
    for (field, id) in [(&b"imsi"[..], &args.imsi), (b"msisdn", &args.msisdn)] {
        if let Some(id) = id {
            given.set_subscriber(field, id.as_bytes());
        }
    }
    let named = args.imsi.is_some() || args.msisdn.is_some();
    for (field, value) in pairs(&args.subscriber, "subscriber")? {
        if !is_field(policy, known, &field) {
            return Err(unknown("subscriber", "field of subscribers", &field));
        }
        given.set_subscriber(&field, &value);
    }
    let reads = policy.reads();
    if known.is_some() && found.is_none() && named && args.subscriber.is_empty() {
        refused = Some(ResultCode::USER_UNKNOWN);
    }
    let no_subscriber = !named && args.subscriber.is_empty();
    if no_subscriber && reads.may_read(Kind::Initial, b"SUBSCRIBER(")
        || apn(args).is_none() && reads.may_read(Kind::Initial, b"AVP(Called-Station-Id)")
    {
        refused = Some(ResultCode::ERROR_INITIAL_PARAMETERS);
    }
    Ok(refused)
}

/// What the session has, sorted by name.
fn installed(args: &DecideArgs, policy: &Policy) -> Wanted {
    let mut wanted = Wanted::default();
    for name in args.installed.iter().map(|name| name.trim()) {
        if !name.is_empty() {
            if policy.rules().is_there() && policy.rules().definition(name.as_bytes()).is_none() {
                ui::message(&format!(
                    "--installed: rules.conf has no `{name}`; the session counts as having it"
                ));
            }
            let meaning = policy.rules().meaning(name.as_bytes());
            wanted.add_rule(Rule::named(name, meaning));
        }
    }
    wanted
}
