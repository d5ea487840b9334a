//! queues.conf, voicemail.conf and the other files of what a host offers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::path::Path;
use std::time::Duration;

use strowger::base::Text;
use strowger::host::configuration::read;
use strowger::machine::facilities::{
    Change, DeviceState, Empty, Facilities, SayPosition, SayTime, Strategy,
};
use strowger::syntax::load::MemoryReader;

const RULES: &str = "\
[wider]
penaltychange => 60,+5,1
penaltychange => 30,10
penaltychange => soon
colour = green
";

#[test]
fn rules_of_queues() {
    let mut facilities = Facilities::default();
    let mut reader = MemoryReader::new().with("etc/queuerules.conf", RULES).with(
        "etc/queues.conf",
        "[q]\ndefaultrule = wider\nannounce-frequency = 30\nannounce-position = more\n\
             announce-holdtime = once\nperiodic-announce = a, b\nannounce-round-seconds = x\n",
    );
    let reports = read(Path::new("etc"), &mut reader, &mut facilities);
    let said: Vec<String> = reports
        .iter()
        .flat_map(|report| report.diagnostics().iter().map(|d| report.line(d)))
        .collect();
    assert_eq!(
        said,
        [
            "etc/queues.conf:7:1: E032: `announce-round-seconds` cannot be `x`",
            "etc/queuerules.conf:4:1: E032: `penaltychange` cannot be `soon`",
            "etc/queuerules.conf:5:1: E031: there is no setting `colour` here",
        ]
    );
    let rule = facilities.queues.rule(b"WIDER");
    let after: Vec<u64> = rule.iter().map(|line| line.after.as_secs()).collect();
    assert_eq!(after, [30, 60]);
    assert_eq!(rule[1].most, Change::By(5));
    let settings = &facilities.queues.get(b"q").unwrap().settings;
    assert_eq!(settings.rule.to_string(), "wider");
    let heard = &settings.announcements;
    assert_eq!(heard.frequency, Some(Duration::from_secs(30)));
    assert_eq!(
        (heard.position, heard.holdtime),
        (SayPosition::More, SayTime::Once)
    );
    assert_eq!(heard.periodic, [Text::from("a"), Text::from("b")]);
}

const QUEUES: &str = "\
[general]
autofill = no
persistentmembers = yes
[usual](!)
strategy = rrmemory
timeout = 20
[support](usual)
maxlen = 3
joinempty = strict
leavewhenempty = paused,invalid
weight = many
servicelevel = 30
colour = green
member => PJSIP/anna,2,Anna Alt,PJSIP/anna,no,10
member => Local/5@phones
member => ,1
[sales](usual)
strategy = best
timeout = 0
";

#[test]
fn queues() {
    let mut facilities = Facilities::default();
    let mut reader = MemoryReader::new().with("etc/queues.conf", QUEUES);
    let reports = read(Path::new("etc"), &mut reader, &mut facilities);
    let said: Vec<String> = reports[0]
        .diagnostics()
        .iter()
        .map(|d| reports[0].line(d))
        .collect();
    assert_eq!(
        said,
        [
            "etc/queues.conf:11:1: E032: `weight` cannot be `many`",
            "etc/queues.conf:13:1: E031: there is no setting `colour` here",
            "etc/queues.conf:16:1: E032: `member` cannot be `,1`",
            "etc/queues.conf:18:1: E032: `strategy` cannot be `best`",
        ]
    );
    let support = facilities.queues.get(b"SUPPORT").unwrap();
    assert_eq!(support.settings.strategy, Strategy::RrMemory);
    assert_eq!(support.settings.timeout, Some(Duration::from_secs(20)));
    assert_eq!(support.settings.maxlen, 3);
    assert_eq!(support.settings.joinempty, Empty::strict());
    assert!(support.settings.leavewhenempty.invalid && !support.settings.leavewhenempty.penalty);
    assert!(!support.settings.autofill);
    let anna = support.member(b"pjsip/anna").unwrap();
    assert_eq!((anna.penalty, anna.ringinuse), (2, Some(false)));
    assert_eq!(anna.name.to_string(), "Anna Alt");
    assert_eq!(anna.wrapuptime, Some(Duration::from_secs(10)));
    assert_eq!(support.members.len(), 2);
    assert_eq!(
        facilities.queues.get(b"sales").unwrap().settings.timeout,
        None
    );
    assert!(facilities.queues.get(b"usual").is_none());
}

#[test]
fn the_other_files() {
    let mut facilities = Facilities::default();
    let mut reader = MemoryReader::new()
        .with(
            "voicemail.conf",
            "[general]\ntz = central\nmaxmsg = 2\n[zonemessages]\ncentral=America/Chicago|'vm-received' Q\n[office]\n\
             100 => 1234,Anna Alt,anna@example.com,,tz=european|language=de\n200 => 5678,Bert\n",
        )
        .with(
            "minivm.conf",
            "[template-a]\nsubject=x\n[anna@example.com]\nfullname=Anna\nsetvar=ROOM=7\n",
        )
        .with(
            "confbridge.conf",
            "[general]\n[small]\ntype=bridge\nmax_members=4\n[boss]\ntype=user\nadmin=yes\n[odd]\ntype=room\n",
        )
        .with("agents.conf", "[general]\n[1001]\nfullname = Anna\n")
        .with(
            "res_parking.conf",
            "[general]\n[garage]\nparkpos => 801-805\nparkingtime = 20\nparkext = 800\nfindslot = next\n\
             [broken]\nparkpos = 9\n",
        );
    let reports = read(Path::new(""), &mut reader, &mut facilities);
    let said: Vec<String> = reports
        .iter()
        .flat_map(|r| r.diagnostics().iter().map(|d| r.line(d)))
        .collect();
    assert_eq!(
        said,
        [
            "confbridge.conf:9:1: E032: `type` cannot be `room`",
            "res_parking.conf:8:1: E032: `parkpos` cannot be `9`"
        ]
    );
    let anna = facilities.mailboxes.get(b"100@office").unwrap();
    assert_eq!(anna.timezone.to_string(), "european");
    assert_eq!(anna.language.to_string(), "de");
    let bert = facilities.mailboxes.get(b"200@office").unwrap();
    assert_eq!(
        (bert.timezone.to_string().as_str(), bert.most),
        ("central", 2)
    );
    let account = facilities.accounts.get(b"anna@example.com").unwrap();
    assert_eq!(account.get(b"room").unwrap().to_string(), "7");
    assert_eq!(
        facilities.conferences.bridges[&b"small"[..]][&b"max_members"[..]].to_string(),
        "4"
    );
    assert_eq!(
        facilities.device(b"Agent:1001"),
        Some(DeviceState::Unavailable)
    );
    assert_eq!(
        facilities.parking.lot(b"Garage").unwrap().spaces,
        (801, 805)
    );
    assert_eq!(
        facilities.parking.lot(b"broken").unwrap().spaces,
        (701, 750)
    );
}
