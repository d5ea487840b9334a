//! A server process, a PCEF on a socket, and a load that survives the end of either.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use strowger::pcrf::diameter::{GX, Writer, command, flag, id};
use strowger::pcrf::server::request;

use crate::gx::{Answer, Ccr, MONITORING, POLICY, RULES, SUBSCRIBERS};

pub(crate) const GOLD: &str = "001010000000001";

/// A folder of its own, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        for (name, text) in [
            ("gx.conf", POLICY),
            ("rules.conf", RULES),
            ("monitoring.conf", MONITORING),
            ("subscribers.csv", SUBSCRIBERS),
            (
                "pcrf.conf",
                "[general]\nhost=pcrf.example\nrealm=example\nlisten=127.0.0.1:0\npolicy=gx.conf\n\
                 subscribers=subscribers.csv\npush_timeout=300ms\n",
            ),
        ] {
            std::fs::write(path.join(name), text).unwrap();
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server process.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) control: PathBuf,
}

impl Served {
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
            .args(["pcrf", "serve"])
            .arg(folder.join("pcrf.conf"))
            .args(options)
            .env("TZ", "UTC")
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let address = line
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("{line}"))
            .split(' ')
            .next()
            .unwrap();
        // Events are read, so that the server never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Self {
            child,
            address: address.parse().unwrap(),
            control: folder.join("pcrf.sock"),
        }
    }

    pub(crate) fn ask(&self, command: &Value) -> Value {
        let answer = request(&self.control, command).unwrap();
        assert_eq!(answer["ok"], json!(true), "{answer}");
        answer["value"].clone()
    }

    pub(crate) fn terminate(&mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A PCEF on a socket.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    pub(crate) input: Vec<u8>,
    pub(crate) next: u32,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::of(address, "pgw.example", None)
    }

    pub(crate) fn of(address: SocketAddr, host: &str, state: Option<u32>) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        let mut client = Self {
            stream,
            input: Vec::new(),
            next: std::process::id() << 12,
        };
        let mut w = Writer::new();
        w.start(command::CAPABILITIES_EXCHANGE, flag::REQUEST, 0, 1, 1);
        w.text(id::ORIGIN_HOST, host);
        w.text(id::ORIGIN_REALM, "example");
        w.address(id::HOST_IP_ADDRESS, "127.0.0.1".parse().unwrap());
        w.u32(id::VENDOR_ID, 0);
        w.text(id::PRODUCT_NAME, "test");
        if let Some(state) = state {
            w.u32(id::ORIGIN_STATE_ID, state);
        }
        w.u32(id::AUTH_APPLICATION_ID, GX);
        client.stream.write_all(w.finish()).unwrap();
        assert_eq!(client.receive().unwrap().result(), 2001);
        client
    }

    /// The next message; `None` = the connection is over.
    pub(crate) fn receive(&mut self) -> Option<Answer> {
        loop {
            if self.input.len() >= 4 {
                let length =
                    u32::from_be_bytes([0, self.input[1], self.input[2], self.input[3]]) as usize;
                if self.input.len() >= length {
                    let rest = self.input.split_off(length);
                    return Some(Answer(std::mem::replace(&mut self.input, rest)));
                }
            }
            let mut buffer = [0; 16384];
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.input.extend_from_slice(&buffer[..read]),
            }
        }
    }

    pub(crate) fn ask(&mut self, ccr: &Ccr) -> Answer {
        self.next += 1;
        self.stream.write_all(&ccr.bytes(self.next)).unwrap();
        self.receive().unwrap()
    }
}

/// What a client was told of a session.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Told {
    /// The number of the last request with an answer.
    pub(crate) number: u32,
    /// Octets that were answered.
    pub(crate) answered: u64,
    /// The request that was sent and not answered: number and octets.
    pub(crate) open: Option<(u32, u64)>,
}

/// Sends bursts of updates until the connection breaks.
pub(crate) fn load(
    client: &mut Client,
    told: &mut BTreeMap<String, Told>,
    stop: &dyn Fn() -> bool,
) {
    loop {
        let mut burst = Vec::new();
        for (session, told) in told.iter_mut() {
            let (number, octets) = told
                .open
                .unwrap_or((told.number + 1, 1000 + u64::from(told.number)));
            let again = told.open.is_some();
            told.open = Some((number, octets));
            client.next += 1;
            let ccr = Ccr {
                again,
                ..Ccr::update(session, number).used("mk-gold", octets)
            };
            burst.extend(ccr.bytes(client.next));
        }
        if client.stream.write_all(&burst).is_err() {
            return;
        }
        for _ in 0..told.len() {
            let Some(answer) = client.receive() else {
                return;
            };
            assert_eq!(answer.result(), 2001);
            let message = answer.message();
            let session = message.find(id::SESSION_ID).unwrap().value;
            let told = told.get_mut(std::str::from_utf8(session).unwrap()).unwrap();
            let (number, octets) = told.open.take().unwrap();
            assert_eq!(
                message.find(id::CC_REQUEST_NUMBER).unwrap().u32(),
                Some(number)
            );
            told.number = number;
            told.answered += octets;
        }
        if stop() {
            return;
        }
    }
}

/// Ends a server under load again and again, each time at once: what was answered is there, and counts once.
pub(crate) fn outlives_kill_9(folder: &Folder, store: &str) {
    let options = ["--store", store, "--durability", "strict"];
    let mut told: BTreeMap<String, Told> = BTreeMap::new();
    let mut bursts = 0u32;
    for round in 0..20u64 {
        let server = Served::start(&folder.0, &options);
        let mut client = Client::connect(server.address);
        if round == 0 {
            for session in 0..40 {
                let session = format!("pgw;{session}");
                let answer = client.ask(&Ccr::initial(&session, GOLD, "internet"));
                assert_eq!(answer.result(), 2001);
                told.insert(session, Told::default());
            }
        }
        // What was answered is there.
        let answered: u64 = told.values().map(|told| told.answered).sum();
        let open: u64 = told
            .values()
            .filter_map(|told| told.open)
            .map(|(_, octets)| octets)
            .sum();
        let session = server.ask(&json!({"command": "session", "session": "pgw;7"}));
        let used = session["usage"][0]["used"].as_u64().unwrap();
        assert!(
            used >= answered && used <= answered + open,
            "{answered} {used} {open}"
        );
        let counters = server.ask(&json!({"command": "counters"}));
        assert_eq!(counters["sessions"], json!(40));
        let pid = server.child.id().to_string();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(120 + 37 * (round % 7)));
            Command::new("kill").args(["-9", &pid]).status().unwrap();
        });
        load(&mut client, &mut told, &|| false);
        killer.join().unwrap();
        bursts += 1;
    }
    // What was not answered is sent again; then each octet is counted once.
    let server = Served::start(&folder.0, &options);
    let mut client = Client::connect(server.address);
    load(&mut client, &mut told, &|| true);
    let answered: u64 = told.values().map(|told| told.answered).sum();
    let session = server.ask(&json!({"command": "session", "session": "pgw;7"}));
    assert_eq!(session["usage"][0]["used"].as_u64(), Some(answered));
    let most = told.values().map(|told| told.number).max().unwrap();
    eprintln!("{bursts} rounds, {most} updates of a session, {answered} octets");
    assert!(most > 20);
}
