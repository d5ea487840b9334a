//! A decision as it is shown, and the lines that led to it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::table;
use crate::base::Text;
use crate::cli::ui;
use crate::diagnostic::Entry;
use crate::machine::{Location, Note, Observer};
use crate::pcrf::diameter::{ResultCode, id};
use crate::pcrf::policy::{Decision, Input, Kind, Policy, Rule, Runner, Wanted, rules};

/// A decision as it is shown.
pub(super) struct Outcome<'d> {
    decision: &'d Decision,
    install: Vec<&'d Rule>,
    remove: Vec<&'d Rule>,
    reads: Vec<(String, Text)>,
}

/// `2026-11-30T23:00:00Z`
pub(super) fn utc(at: i64) -> String {
    jiff::Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string())
}

/// The names of events, sorted.
pub(super) fn trigger_names(wanted: &Wanted) -> Vec<String> {
    let kind = id::EVENT_TRIGGER.avp().kind;
    let name = |event: &u32| {
        kind.value_name(*event)
            .map_or_else(|| event.to_string(), str::to_owned)
    };
    let mut names: Vec<String> = wanted.triggers.iter().map(name).collect();
    names.sort();
    names
}

impl<'d> Outcome<'d> {
    pub(super) fn new(
        kind: Kind,
        decision: &'d Decision,
        installed: &'d Wanted,
        runner: &mut Runner,
    ) -> Self {
        let (install, remove) = if kind == Kind::Terminate || decision.refused.is_some() {
            // A session that ends, or that nothing was decided for, is not told of rules.
            (Vec::new(), Vec::new())
        } else {
            rules(&decision.wanted, &installed.rules)
        };
        let value = |input: &Input| {
            let value = runner.value(input).unwrap_or_default();
            (input.to_string(), Text::from(value))
        };
        let reads = decision.memo.reads().map(value).collect();
        Self {
            decision,
            install,
            remove,
            reads,
        }
    }

    pub(super) fn json(&self) -> Value {
        let wanted = &self.decision.wanted;
        let names =
            |rules: &[&Rule]| -> Vec<Value> { rules.iter().map(|rule| json!(rule.name)).collect() };
        let (result, experimental) = match self.decision.refused {
            None => (Some(ResultCode::SUCCESS.value), None),
            Some(refused) if refused.vendor == 0 => (Some(refused.value), None),
            Some(refused) => (None, Some(refused.value)),
        };
        let qos = wanted.qos.map(|qos| {
            json!({
                "qci": qos.qci,
                "arp": qos.arp.map(|arp| arp.level),
                "ambr_dl": qos.ambr_dl,
                "ambr_ul": qos.ambr_ul,
            })
        });
        let monitors: Vec<Value> = wanted
            .monitors
            .iter()
            .map(|monitor| json!({"key": monitor.key, "grant": monitor.grant}))
            .collect();
        let reads: Vec<Value> = self
            .reads
            .iter()
            .map(|(input, value)| json!({"input": input, "value": value}))
            .collect();
        json!({
            "result": result,
            "experimental": experimental,
            "install": names(&self.install),
            "remove": names(&self.remove),
            "qos": qos,
            "triggers": trigger_names(wanted),
            "monitors": monitors,
            "revalidate": wanted.revalidate.map(utc),
            "reads": reads,
            "priorities": self.decision.priorities,
        })
    }

    pub(super) fn text(&self, policy: &Policy) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = |cells: [String; 3]| rows.push(cells.to_vec());
        let decision = self.decision;
        let wanted = &decision.wanted;
        for (input, value) in &self.reads {
            row(["read".into(), input.clone(), value.to_string()]);
        }
        let result = decision.refused.unwrap_or(ResultCode::SUCCESS);
        let word = if result.vendor == 0 {
            "Result-Code"
        } else {
            "Experimental-Result"
        };
        let name = result.name().unwrap_or_default();
        row([
            "answer".into(),
            word.into(),
            format!("{} {name}", result.value),
        ]);
        if let Some(fault) = decision.fault {
            row([
                String::new(),
                "because".into(),
                format!("{}: {}", fault.id, fault.title),
            ]);
        }
        for rule in &self.remove {
            row([
                String::new(),
                "Charging-Rule-Remove".into(),
                rule.name.to_string(),
            ]);
        }
        for rule in &self.install {
            let mut text = rule.name.to_string();
            match policy.definition(rule) {
                Some(definition) => text.push_str(&table::definition(definition)),
                None => text.push_str(" (known to the PCEF)"),
            }
            for (word, at) in [("from", rule.activate), ("until", rule.deactivate)] {
                if let Some(at) = at {
                    text.push_str(&format!(" {word} {}", utc(at)));
                }
            }
            row([String::new(), "Charging-Rule-Install".into(), text]);
        }
        if let Some(qos) = &wanted.qos {
            row([String::new(), "QoS".into(), table::quality(qos)]);
        }
        let triggers = trigger_names(wanted);
        if !triggers.is_empty() {
            row([String::new(), "Event-Trigger".into(), triggers.join(", ")]);
        }
        for monitor in &wanted.monitors {
            let grant = monitor
                .grant
                .map_or_else(|| "no grant".to_owned(), |grant| format!("{grant} bytes"));
            row([
                String::new(),
                "Usage-Monitoring-Information".into(),
                format!("{} {grant}", monitor.key),
            ]);
        }
        if let Some(at) = wanted.revalidate {
            row([String::new(), "Revalidation-Time".into(), utc(at)]);
        }
        if let Some(cause) = wanted.release {
            let kind = id::SESSION_RELEASE_CAUSE.avp().kind;
            let name = kind.value_name(cause).unwrap_or_default();
            row([
                String::new(),
                "Session-Release-Cause".into(),
                format!("{cause} {name}"),
            ]);
        }
        for name in &wanted.notify {
            row(["event".into(), name.to_string(), String::new()]);
        }
        let until = match (decision.memo.is_useful(), decision.memo.until()) {
            (false, _) => "decided anew each time".to_owned(),
            (true, None) => "as long as what was read is the same".to_owned(),
            (true, Some(at)) => format!("as long as what was read is the same, until {}", utc(at)),
        };
        row(["holds".into(), until, String::new()]);
        row([
            "lines".into(),
            decision.priorities.to_string(),
            String::new(),
        ]);
        ui::table(&rows, &[])
    }
}

/// Remembers each line that runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    fn add(&self, line: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }

    /// Prints the lines; to standard error where results are JSON.
    pub(super) fn print(&self, json: bool) {
        for line in self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            if json {
                ui::message(&line);
            } else {
                ui::line(&line);
            }
        }
    }
}

impl Observer for Trace {
    fn priority(&mut self, _: &Text, at: &Location, application: &[u8], data: &[u8]) {
        self.add(format!(
            "    -- Executing [{}@{}:{}] {}(\"Gx\", \"{}\")",
            at.exten,
            at.context,
            at.priority,
            bstr::BStr::new(application),
            bstr::BStr::new(data)
        ));
    }

    fn log(&mut self, _: &Text, entry: Entry) {
        self.add(format!("{}: {}", entry.code.id, entry.message));
    }

    fn verbose(&mut self, _: &Text, _: u8, text: &[u8]) {
        self.add(format!("    -- {}", bstr::BStr::new(text)));
    }

    fn note(&mut self, _: &Text, note: Note) {
        if let Note::AutoFallthrough { .. } = note {
            self.add("  == the extension ends, and what was declared counts".to_owned());
        }
    }
}
