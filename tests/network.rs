//! The web, the domain name system and realtime tables from a dialplan, against servers of this test.

#![cfg(feature = "net")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use simple_dns::rdata::{NAPTR, RData, SRV, TXT};
use simple_dns::{CLASS, CharacterString, Name, Packet, RCODE, ResourceRecord};
use strowger::host::{Engine, EngineBuilder, Realtime, Tables};
use strowger::machine::{Allow, Effect, Event};
use strowger::syntax::load::MemoryReader;

/// What the engines of these tests allow.
const NET: Allow = Allow {
    system: false,
    file: false,
    net: true,
};

/// The values of R1, R2, … after the lines.
fn results(builder: EngineBuilder, lines: &[&str]) -> Vec<String> {
    let mut file = String::from("[main]\nexten => s,1,NoOp()\n");
    for line in lines {
        file.push_str(&format!("same => n,{line}\n"));
    }
    let engine = builder.build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let mut call = engine.call("main", "s", "1");
    let mut event = Event::Start;
    loop {
        event = match call.step(event) {
            Effect::End(_) => break,
            Effect::Outside(request) => engine.outside().answer(&request),
            _ => Event::Done,
        };
    }
    (1..)
        .map_while(|n| call.variable(format!("R{n}").as_bytes()))
        .map(|value| value.lossy().into_owned())
        .collect()
}

fn net() -> EngineBuilder {
    Engine::builder().allow(NET)
}

/// A web server that answers by path, and tells method, header and body of what it was asked.
fn web_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.unwrap());
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let mut words = line.split(' ');
                let (method, path) = (words.next().unwrap(), words.next().unwrap().to_owned());
                let method = method.to_owned();
                let (mut header, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if line.trim().is_empty() {
                        break;
                    }
                    let lower = line.trim().to_lowercase();
                    if let Some(n) = lower.strip_prefix("content-length: ") {
                        length = n.parse().unwrap();
                    }
                    header.push_str(&lower);
                    header.push('|');
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let body = String::from_utf8_lossy(&body).into_owned();
                let (status, more, content) = match path.as_str() {
                    "/hello" => ("200 OK", "", "hello world \n\n".to_owned()),
                    "/echo" => ("200 OK", "", format!("{method} {body}")),
                    "/header" => ("200 OK", "", header),
                    "/moved" => ("302 Found", "Location: /hello\r\n", "moved".to_owned()),
                    "/round" => ("302 Found", "Location: /round\r\n", String::new()),
                    "/row" => ("200 OK", "", "name=Ann+B&city=Sankt%20P%2c".to_owned()),
                    "/lost" => ("404 Not Found", "", "nothing here".to_owned()),
                    "/empty" => ("200 OK", "", String::new()),
                    "/large" => ("200 OK", "", "x".repeat((16 << 20) + 1)),
                    "/slow" => {
                        std::thread::sleep(Duration::from_secs(20));
                        ("200 OK", "", "late".to_owned())
                    }
                    _ => ("500 Error", "", String::new()),
                };
                let answer = format!(
                    "HTTP/1.1 {status}\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{content}",
                    content.len()
                );
                // The other side may have gone away.
                let _ = reader.into_inner().write_all(answer.as_bytes());
            });
        }
    });
    address
}

#[test]
fn pages_of_the_web() {
    let at = web_server();
    let lines = [
        format!("Set(R1=[${{CURL(http://{at}/hello)}}])"),
        format!("Set(R2=${{CURL({at}/echo,a=1&b=2)}})"),
        format!("Set(R3=${{CURL(http://{at}/moved)}})"),
        "Set(CURLOPT(followlocation)=yes)".to_owned(),
        format!("Set(R4=${{CURL(http://{at}/moved)}})"),
        "Set(CURLOPT(maxredirs)=3)".to_owned(),
        format!("Set(R5=[${{CURL(http://{at}/round)}}])"),
        format!("Set(R6=${{CURL(http://{at}/lost)}})"),
        "Set(CURLOPT(failurecodes)=404,500)".to_owned(),
        format!("Set(R7=[${{CURL(http://{at}/lost)}}${{CURL(http://{at}/empty)}}])"),
        format!("Set(R8=[${{CURL(http://{at}/large):0:9}}])"),
        "Set(CURLOPT(hashcompat)=yes)".to_owned(),
        format!("Set(HASH(row)=${{CURL(http://{at}/row)}})"),
        "Set(R9=${HASH(row,name)}/${HASH(row,city)})".to_owned(),
        "Set(CURLOPT(hashcompat)=legacy)".to_owned(),
        format!("Set(R10=${{CURL(http://{at}/row)}} ${{~ODBCFIELDS~}})"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let expected = [
        "[hello world]",
        "POST a=1&b=2",
        "moved",
        "hello world",
        "[]",
        "nothing here",
        "[]",
        "[]",
        "Ann+B/Sankt P,",
        "Ann B,Sankt P\\, name,city",
    ];
    assert_eq!(results(net(), &lines), expected);
}

#[test]
fn options_of_requests() {
    let at = web_server();
    let lines = [
        "Set(CURLOPT(userpwd)=ann:secret)".to_owned(),
        "Set(CURLOPT(useragent)=test/1)".to_owned(),
        "Set(CURLOPT(cookie)=a=b)".to_owned(),
        "Set(CURLOPT(httpheader)=X-One: 1)".to_owned(),
        "Set(CURLOPT(httpheader)=X-Two: 2)".to_owned(),
        format!("Set(R1=${{CURL(http://{at}/header)}})"),
        "Set(CURLOPT(header)=yes)".to_owned(),
        format!("Set(R2=${{CURL(http://{at}/hello)}})"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let found = results(net(), &lines);
    for part in [
        "authorization: basic yw5uonnly3jlda==|",
        "user-agent: test/1|",
        "cookie: a=b|",
        "x-one: 1|",
        "x-two: 2|",
    ] {
        assert!(found[0].contains(part), "{part} in {}", found[0]);
    }
    assert!(found[1].starts_with("HTTP/1.1 200 OK\r\n"), "{}", found[1]);
    assert!(found[1].ends_with("\r\n\r\nhello world"), "{}", found[1]);
}

#[test]
fn what_is_not_asked_and_what_takes_too_long() {
    let at = web_server();
    let hello = format!("Set(R1=[${{CURL(http://{at}/hello)}}])");
    assert_eq!(results(Engine::builder(), &[&hello]), ["[]"]);
    let slow = format!("Set(R1=[${{CURL(http://{at}/slow)}}])");
    let other = format!("Set(R2=[${{CURL(ftp://{at}/hello)}}${{CURL(http://{at}:99999/)}}])");
    let start = Instant::now();
    let found = results(net(), &["Set(CURLOPT(httptimeout)=0.3)", &slow, &other]);
    assert_eq!(found, ["[]", "[]"]);
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// A name server that knows a few names.
fn name_server() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).unwrap();
            let query = Packet::parse(&buffer[..length]).unwrap();
            let mut answer = Packet::new_reply(query.id());
            let question = query.questions[0].clone();
            let name = question.qname.to_string();
            answer.questions.push(question);
            let mut add = |data: RData<'static>| {
                let name = Name::new(&name).unwrap().into_owned();
                answer
                    .answers
                    .push(ResourceRecord::new(name, CLASS::IN, 60, data));
            };
            let naptr = |order, preference, services: &'static str, rule: &'static str| {
                RData::NAPTR(NAPTR {
                    order,
                    preference,
                    flags: CharacterString::new(b"u").unwrap(),
                    services: CharacterString::new(services.as_bytes()).unwrap(),
                    regexp: CharacterString::new(rule.as_bytes()).unwrap(),
                    replacement: Name::new("").unwrap(),
                })
            };
            let srv = |priority, weight, port, target| {
                RData::SRV(SRV {
                    priority,
                    weight,
                    port,
                    target: Name::new(target).unwrap(),
                })
            };
            match name.as_str() {
                "2.1.3.4.e164.arpa" => {
                    add(naptr(100, 20, "E2U+sip", "!^.*$!sip:second@example.com!"));
                    add(naptr(
                        100,
                        10,
                        "E2U+sip",
                        r"!^\+43(.*)$!sip:\1@example.com!",
                    ));
                    add(naptr(50, 10, "E2U+tel", "!^.*$!tel:+4312!"));
                }
                "1.5.e164.example" => {
                    add(RData::TXT(TXT::new().with_string("Ann = Bee").unwrap()));
                }
                "_sip._udp.example.com" => {
                    add(srv(20, 0, 5062, "backup.example.com"));
                    add(srv(10, 5, 5060, "one.example.com"));
                }
                _ => *answer.rcode_mut() = RCODE::NameError,
            }
            let bytes = answer.build_bytes_vec().unwrap();
            socket.send_to(&bytes, from).unwrap();
        }
    });
    address
}

#[test]
fn names_of_the_domain_name_system() {
    let lines = [
        "Set(R1=${ENUMLOOKUP(+43-12)} ${ENUMLOOKUP(+4312,sip,,2)} ${ENUMLOOKUP(+4312,sip,u)})",
        "Set(R2=${ENUMLOOKUP(+4312,ALL)} ${ENUMLOOKUP(+4312,ALL,c)} ${ENUMLOOKUP(+4312,sip,c)})",
        "Set(R3=[${ENUMLOOKUP(+4399)}][${ENUMLOOKUP(+4399,,c)}][${ENUMLOOKUP(+4312,sip,,3)}])",
        "Set(id=${ENUMQUERY(+4312,sip,e164.arpa)})",
        "Set(R4=${ENUMRESULT(${id},getnum)} ${ENUMRESULT(${id},1)} ${ENUMRESULT(${id},2)} [${ENUMRESULT(${id},3)}])",
        "Set(R5=${TXTCIDNAME(51,e164.example)} [${TXTCIDNAME(52,e164.example)}])",
        "Set(id=${SRVQUERY(_sip._udp.example.com)})",
        "Set(R6=${SRVRESULT(${id},getnum)} ${SRVRESULT(${id},1,host)} ${SRVRESULT(${id},2,port)} ${SRVRESULT(${id},1,weight)})",
        "Set(R7=${SRVRESULT(_sip._udp.example.com,2,priority)} [${SRVRESULT(_sip._udp.example.com,3,host)}])",
    ];
    let expected = [
        "12@example.com second@example.com sip:12@example.com",
        "tel:+4312 3 2",
        "[][0][]",
        "2 12@example.com second@example.com []",
        "Ann = Bee []",
        "2 one.example.com 5062 5",
        "20 []",
    ];
    assert_eq!(results(net().resolver(name_server()), &lines), expected);
    let refused = Engine::builder().resolver(name_server());
    let first =
        ["Set(R1=[${ENUMLOOKUP(+4312)}${TXTCIDNAME(51)}${SRVQUERY(_sip._udp.example.com)}])"];
    assert_eq!(results(refused, &first), ["[]"]);
}

#[test]
fn rows_of_realtime_families() {
    let folder = std::env::temp_dir().join(format!("strowger-realtime-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("phones.csv");
    std::fs::write(&file, "name,secret,note\nann,s1,\"a,b\"\nbob,s2,\n").unwrap();
    let tables = Tables::new()
        .csv("phones", &file, true)
        .unwrap()
        .family("calls", &["number", "seconds"]);
    let tables: Arc<dyn Realtime> = Arc::new(tables);
    let lines = [
        "Set(R1=${REALTIME(phones,name,ann)} ${REALTIME(phones,name,bob,;,:)})",
        "Set(R2=${REALTIME_FIELD(phones,name,bob,SECRET)} [${REALTIME(phones,name,eve)}])",
        "Set(HASH(row)=${REALTIME_HASH(phones,name,ann)})",
        "Set(R3=${HASH(row,secret)} ${HASH(row,note)} ${~ODBCFIELDS~})",
        "Set(REALTIME(phones,name,bob,note)=new, note)",
        "Set(R4=${REALTIME_FIELD(phones,name LIKE,b%,note)})",
        "Set(REALTIME_STORE(calls,number,seconds)=5551234,20)",
        "Set(REALTIME_STORE(calls,number,seconds)=5555678,\"1,5\")",
        "Set(R5=${RTSTOREID} ${REALTIME(calls,seconds >,1)} ${REALTIME(calls,number,5555678)})",
        "Set(R6=${REALTIME_DESTROY(calls,number,5551234)} [${REALTIME(calls,number,5551234)}])",
        "Set(R7=[${REALTIME(phones,nofield,x)}${REALTIME(nofamily,name,x)}${REALTIME_FIELD(phones,name)}])",
    ];
    let expected = [
        "name=ann,secret=s1,note=a,b, name:bob;secret:s2;note:;",
        "s2 []",
        "s1 a,b ,name,secret,note",
        "new, note",
        "2 number=5551234,seconds=20, number=5555678,seconds=1,5,",
        "number=5551234,seconds=20, []",
        "[]",
    ];
    // A semicolon begins a comment in a dialplan.
    let lines: Vec<String> = lines.iter().map(|line| line.replace(';', "\\;")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        results(Engine::builder().realtime(tables), &lines),
        expected
    );
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        kept,
        "name,secret,note\nann,s1,\"a,b\"\nbob,s2,\"new, note\"\n"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tables_that_are_none() {
    let file = std::env::temp_dir().join(format!("strowger-table-{}.csv", std::process::id()));
    let read = |content: &[u8]| {
        std::fs::write(&file, content).unwrap();
        Tables::new().csv("t", &file, false)
    };
    let broken: [(&[u8], &str); 5] = [
        (b"", "the first line names no fields"),
        (b"\n\n", "the first line names no fields"),
        (
            b"na\xefme,x\na,1\n",
            "the names of the fields are not UTF-8",
        ),
        (b"name,x\na,1\nb,\"2\nc,3\n", "a quote is not closed"),
        (b"name,\"x\na,1\n", "a quote is not closed"),
    ];
    for (content, why) in broken {
        assert_eq!(read(content).unwrap_err().to_string(), why);
    }
    let whole: [(&[u8], &str); 4] = [
        (b"name,x\na,\"one\n\"\"two\"\"\"", "[one\n\"two\"]"),
        (b"name,x\na,o\"ne\n\n", "[o\"ne]"),
        (b"name,x\r\na,\"\"\r\n", "[]"),
        (b"name,x", "[]"),
    ];
    for (content, holds) in whole {
        let tables: Arc<dyn Realtime> = Arc::new(read(content).unwrap());
        let builder = Engine::builder().realtime(tables);
        let line = "Set(R1=[${REALTIME_FIELD(t,name,a,x)}])";
        assert_eq!(results(builder, &[line]), [holds]);
    }
    std::fs::remove_file(&file).unwrap();
}
