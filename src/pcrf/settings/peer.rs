//! Peers that are configured: a section for each.

use crate::diagnostic::{Report, code};
use crate::pcrf::settings::value::{address, identity};
use crate::pcrf::settings::{Experimental, judge, say, set};
use crate::syntax::load::{Category, Setting};

/// A peer that is configured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeerSettings {
    /// Its Origin-Host.
    pub host: Vec<u8>,
    /// How refusals of 3GPP travel to it.
    pub experimental: Option<Experimental>,
    /// Where we connect to it, as HOST:PORT; otherwise it connects to us.
    pub connect: Option<String>,
}

/// Reads a section; `None` = it is none of a peer, or says nothing that can be used.
pub(super) fn read(
    category: &Category,
    before: &[PeerSettings],
    report: &mut Report,
) -> Option<PeerSettings> {
    let first = category.settings.first()?;
    let is_peer = |setting: &Setting| setting.name.as_bytes() == b"type";
    if !category.settings.iter().any(is_peer) {
        let message = format!(
            "`[{}]` is neither [general] nor [optimise], and no peer without `type=peer`",
            category.name
        );
        say(report, &code::SETTING_UNKNOWN, first, message);
        return None;
    }
    let mut peer = PeerSettings {
        host: category.name.as_bytes().to_vec(),
        ..PeerSettings::default()
    };
    let mut named = first;
    let has_host = |setting: &Setting| setting.name.as_bytes() == b"host";
    if !category.settings.iter().any(has_host) && identity(&peer.host).is_none() {
        let message = format!(
            "`{}` is no host name: give the peer one with `host=`",
            category.name
        );
        say(report, &code::SETTING_INVALID, first, message);
        return None;
    }
    for (at, setting) in category.settings.iter().enumerate() {
        let value = setting.value.as_bytes();
        let earlier = category.settings.iter().take(at);
        if earlier.into_iter().any(|own| own.name == setting.name) {
            let message = format!("`{}` stands twice in `[{}]`", setting.name, category.name);
            say(report, &code::SETTING_INVALID, setting, message);
            continue;
        }
        let known = match setting.name.as_bytes() {
            b"host" => {
                named = setting;
                Some(set(&mut peer.host, identity(value)))
            }
            b"experimental" => {
                peer.experimental = Experimental::by_name(&setting.value);
                Some(peer.experimental.map(|_| ()))
            }
            b"connect" => {
                peer.connect = address(value);
                Some(peer.connect.as_ref().map(|_| ()))
            }
            b"type" => Some((value == b"peer").then_some(())),
            _ => None,
        };
        judge(known, setting, report);
    }
    if before
        .iter()
        .any(|own| own.host.eq_ignore_ascii_case(&peer.host))
    {
        let host = String::from_utf8_lossy(&peer.host);
        let message = format!("the peer `{host}` has a section before this one");
        say(report, &code::SETTING_INVALID, named, message);
        return None;
    }
    Some(peer)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::pcrf::settings::Settings;
    use crate::syntax::load::MemoryReader;

    #[test]
    fn sections_of_peers_are_told_from_mistakes() {
        let text = "[genral]\nhost=p.example\n[pgw1]\ntype=peer\nhost=a.example\nconnect=[::1]:3868\n\
                    [pgw2]\ntype=peer\nhost=A.example\n[pgw3.example]\ntype=peer\nexperimental=ts\nexperimental=both\n";
        let mut reader = MemoryReader::new().with("/etc/pcrf.conf", text);
        let (settings, report) = Settings::load(Path::new("/etc/pcrf.conf"), &mut reader);
        let hosts: Vec<&[u8]> = settings.peers.iter().map(|peer| &*peer.host).collect();
        assert_eq!(hosts, [&b"a.example"[..], b"pgw3.example"]);
        assert_eq!(settings.peers[0].connect.as_deref(), Some("[::1]:3868"));
        assert_eq!(settings.peers[1].experimental, Some(Experimental::Ts));
        let lines: Vec<u32> = report
            .diagnostics()
            .iter()
            .filter_map(|own| own.place.map(|place| place.line))
            .collect();
        assert_eq!(lines, [2, 9, 13]);
    }
}
