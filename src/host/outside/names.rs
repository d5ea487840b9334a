//! The domain name system.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use simple_dns::rdata::RData;
use simple_dns::{
    CLASS, CharacterString, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, TYPE,
};

use crate::base::Text;
use crate::machine::{NameRecord, RecordKind};

/// How long one try may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often a server is asked that does not answer.
const TRIES: u16 = 2;
/// Longest answer without a connection.
const LONGEST: usize = 4096;
/// Where servers listen.
const PORT: u16 = 53;

/// The records of a name; none where the name or its records do not exist.
pub(super) fn resolve(
    name: &[u8],
    kind: RecordKind,
    server: Option<SocketAddr>,
) -> Result<Vec<NameRecord>, String> {
    let name = name.to_str().map_err(|_| "the name is not UTF-8")?;
    let server = server.unwrap_or_else(usual_server);
    let mut why = String::from("no answer");
    for id in 1..=TRIES {
        let query = query(name, kind, id)?;
        match ask(&query, id, server) {
            Ok(answer) => return records(&answer),
            Err(error) => why = format!("{server}: {error}"),
        }
    }
    Err(why)
}

/// The first server of `/etc/resolv.conf`.
fn usual_server() -> SocketAddr {
    let file = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let address = file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("nameserver"))
        .find_map(|rest| rest.trim().parse::<IpAddr>().ok());
    SocketAddr::new(address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), PORT)
}

fn query(name: &str, kind: RecordKind, id: u16) -> Result<Vec<u8>, String> {
    let kind = match kind {
        RecordKind::Text => TYPE::TXT,
        RecordKind::Service => TYPE::SRV,
        RecordKind::Rewriting => TYPE::NAPTR,
    };
    let name = Name::new(name.trim_end_matches('.')).map_err(shown)?;
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    packet.questions.push(Question::new(
        name,
        QTYPE::TYPE(kind),
        QCLASS::CLASS(CLASS::IN),
        false,
    ));
    packet.build_bytes_vec().map_err(shown)
}

fn ask(query: &[u8], id: u16, server: SocketAddr) -> Result<Vec<u8>, String> {
    let any: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).map_err(shown)?;
    socket.connect(server).map_err(shown)?;
    socket.send(query).map_err(shown)?;
    let end = Instant::now() + PATIENCE;
    let mut buffer = vec![0; LONGEST];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("no answer in time".to_owned());
        }
        socket.set_read_timeout(Some(left)).map_err(shown)?;
        let length = socket.recv(&mut buffer).map_err(shown)?;
        let answer = buffer.get(..length).unwrap_or_default();
        // A late answer to an earlier question, or a forged one.
        let Ok(packet) = Packet::parse(answer) else {
            continue;
        };
        if packet.id() != id {
            continue;
        }
        if packet.has_flags(PacketFlag::TRUNCATION) {
            return ask_connected(query, server);
        }
        return Ok(answer.to_vec());
    }
}

/// Asks again with a connection, for an answer that is too long for a datagram.
fn ask_connected(query: &[u8], server: SocketAddr) -> Result<Vec<u8>, String> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE).map_err(shown)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(shown)?;
    let length = u16::try_from(query.len()).map_err(shown)?;
    stream
        .write_all(&[&length.to_be_bytes()[..], query].concat())
        .map_err(shown)?;
    let mut length = [0; 2];
    stream.read_exact(&mut length).map_err(shown)?;
    let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut answer).map_err(shown)?;
    Ok(answer)
}

fn records(answer: &[u8]) -> Result<Vec<NameRecord>, String> {
    let packet = Packet::parse(answer).map_err(shown)?;
    match packet.rcode() {
        RCODE::NoError => {}
        RCODE::NameError => return Ok(Vec::new()),
        other => return Err(format!("the server answers {other:?}")),
    }
    Ok(packet
        .answers
        .iter()
        .filter_map(|record| match &record.rdata {
            RData::TXT(txt) => {
                // The crate gives each string cut at its first `=`.
                let strings = txt.iter_raw().map(|(before, after)| match after {
                    Some(after) => Text::from([before, b"=", after].concat()),
                    None => Text::from(before),
                });
                Some(NameRecord::Text(strings.collect()))
            }
            RData::SRV(srv) => Some(NameRecord::Service {
                priority: srv.priority,
                weight: srv.weight,
                port: srv.port,
                target: Text::from(srv.target.to_string().as_str()),
            }),
            RData::NAPTR(naptr) => {
                let part = |text: &CharacterString<'_>| Text::from(text.to_string().as_str());
                Some(NameRecord::Rewriting {
                    order: naptr.order,
                    preference: naptr.preference,
                    flags: part(&naptr.flags),
                    services: part(&naptr.services),
                    rule: part(&naptr.regexp),
                })
            }
            _ => None,
        })
        .collect())
}

fn shown(error: impl std::fmt::Display) -> String {
    error.to_string()
}
