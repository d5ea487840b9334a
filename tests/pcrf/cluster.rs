//! A PostgreSQL of the test's own, on a free port.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whom the database runs as: it refuses to run as root.
fn user() -> Option<(u32, u32)> {
    let own = std::fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return None;
    }
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let find = |name: &str| {
        let line = passwd
            .lines()
            .find(|line| line.starts_with(&format!("{name}:")))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}

/// Where the programs are: the newest of Debian's folders, else what PATH has.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let debian = versions.flatten().map(|version| version.path().join("bin"));
    let mut debian: Vec<PathBuf> = debian.collect();
    debian.sort_by_key(|path| {
        let version = path.parent().and_then(Path::file_name);
        version.and_then(|name| name.to_str()?.parse::<u32>().ok())
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = debian.into_iter().rev().chain(std::env::split_paths(&path));
    found.into_iter().find(|folder| {
        ["initdb", "pg_ctl", "psql"]
            .iter()
            .all(|name| folder.join(name).exists())
    })
}

/// A cluster; it is stopped and removed at the end.
pub(crate) struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
}

impl Cluster {
    /// Starts one, or says why not: then the test cannot run here.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            let reason = "no programs of PostgreSQL: initdb, pg_ctl, psql";
            assert!(
                std::env::var_os("STROWGER_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
                "{reason}"
            );
            eprintln!("skipped: {reason}");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        if let Some((user, group)) = user() {
            std::os::unix::fs::chown(&folder, Some(user), Some(group)).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let cluster = Self {
            folder,
            programs,
            port,
        };
        let options = [
            "-A",
            "trust",
            "-U",
            "postgres",
            "--no-sync",
            "--locale=C",
            "-E",
            "UTF8",
        ];
        cluster.run("initdb", &[&["-D", &cluster.data()][..], &options].concat());
        // Processes end in these tests, no machine does.
        let settings = format!(
            "port={port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='{}'\nfsync=off\n\
             shared_buffers=16MB\nmax_connections=20\n",
            cluster.folder.display()
        );
        let path = cluster.folder.join("data/postgresql.conf");
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, before + &settings).unwrap();
        cluster.control(&["start"]);
        Some(cluster)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    fn run(&self, program: &str, options: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command
            .args(options)
            .current_dir(&self.folder)
            .env_remove("PGPASSWORD")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        if let Some((user, group)) = user() {
            command.uid(user).gid(group);
        }
        // The database keeps what its starter had for output.
        let out = std::fs::File::create(self.folder.join("out")).unwrap();
        command.stdout(out.try_clone().unwrap()).stderr(out);
        let fine = command.status().unwrap().success();
        let said = || std::fs::read_to_string(self.folder.join("out")).unwrap();
        let log = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(fine, "{program} {options:?}: {}{}", said(), log());
    }

    /// `pg_ctl start`, `stop`, `restart`.
    pub(crate) fn control(&self, options: &[&str]) {
        let log = self.folder.join("log").display().to_string();
        let own = ["-D", &self.data(), "-l", &log, "-w", "-t", "60"];
        self.run("pg_ctl", &[options, &own].concat());
    }

    /// Says something to a database.
    pub(crate) fn say(&self, database: &str, statement: &str) {
        let port = self.port.to_string();
        let options = ["-X", "-q", "-h", "127.0.0.1", "-U", "postgres", "-p", &port];
        let what = ["-d", database, "-v", "ON_ERROR_STOP=1", "-c", statement];
        self.run("psql", &[&options[..], &what].concat());
    }

    /// A new database; gives its address.
    pub(crate) fn database(&self, name: &str) -> String {
        self.say("postgres", &format!("CREATE DATABASE {name}"));
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.data();
        let mut command = Command::new(self.programs.join("pg_ctl"));
        command.args(["stop", "-D", &data, "-m", "immediate", "-w"]);
        if let Some((user, group)) = user() {
            command.uid(user).gid(group);
        }
        let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        std::thread::sleep(Duration::from_millis(100));
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
