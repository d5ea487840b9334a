//! One case of the language corpora.

use serde_json::Value;

use crate::syntax::print::json::bytes_of;

/// Caller, number and name.
pub(super) type Caller = (Option<Vec<u8>>, Option<Vec<u8>>);

/// A case: what exists, and what runs.
#[derive(Debug)]
pub(super) struct Case {
    /// Channel variables, oldest first; values are literal.
    pub(super) vars: Vec<(Vec<u8>, Vec<u8>)>,
    /// Context.
    pub(super) context: String,
    /// Extension.
    pub(super) exten: String,
    /// Caller id.
    pub(super) caller: Caller,
    /// Further lines of the context.
    pub(super) dialplan: Vec<Vec<u8>>,
    /// What runs, one step after the other.
    pub(super) steps: Vec<Step>,
}

type MakeStep = fn(Vec<u8>) -> Step;

/// A step of a case.
#[derive(Debug)]
pub(super) enum Step {
    /// `Set(text)`.
    Set(Vec<u8>),
    /// The text, substituted, is an output.
    Get(Vec<u8>),
    /// A call of an application.
    App(Vec<u8>),
    /// Whether `GotoIfTime(text?label)` jumps is an output.
    GotoIfTime(Vec<u8>),
    /// The length of a variable after the last step is an output.
    Len(Vec<u8>),
}

impl Default for Case {
    fn default() -> Self {
        Self {
            vars: Vec::new(),
            context: "eval".to_owned(),
            exten: "5551234".to_owned(),
            caller: (None, None),
            dialplan: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Case {
    /// Reads a case.
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        if !value.is_object() {
            return Err("a case is an object".to_owned());
        }
        let mut case = Case::default();
        match value.get("vars") {
            None | Some(Value::Null) => {}
            Some(Value::Object(vars)) => {
                for (name, value) in vars {
                    case.vars
                        .push((key_bytes(name)?, text(value, "a variable")?));
                }
            }
            Some(_) => return Err("`vars` is not an object".to_owned()),
        }
        if let Some(env) = value.get("env") {
            case.read_environment(env)?;
        }
        match value.get("dialplan") {
            None | Some(Value::Null) => {}
            Some(Value::Array(lines)) => {
                for line in lines {
                    case.dialplan.push(text(line, "a line of `dialplan`")?);
                }
            }
            Some(_) => return Err("`dialplan` is not a list".to_owned()),
        }
        match (value.get("input"), value.get("steps")) {
            (Some(input), None) => case.steps.push(Step::Get(text(input, "`input`")?)),
            (None, Some(Value::Array(steps))) => {
                for step in steps {
                    case.steps.push(Step::read(step)?);
                }
            }
            _ => return Err("a case has either `input` or a list of `steps`".to_owned()),
        }
        Ok(case)
    }

    fn read_environment(&mut self, env: &Value) -> Result<(), String> {
        let name = |key: &str| match env.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`env.{key}` is not a string")),
        };
        if let Some(context) = name("context")? {
            self.context = context;
        }
        if let Some(exten) = name("exten")? {
            self.exten = exten;
        }
        if let Some(caller) = env.get("callerid") {
            let part = |key: &str| caller.get(key).map(|v| text(v, "a caller id")).transpose();
            self.caller = (part("num")?, part("name")?);
        }
        Ok(())
    }
}

impl Step {
    fn read(value: &Value) -> Result<Self, String> {
        let steps: [(&str, MakeStep); 5] = [
            ("set", Step::Set),
            ("get", Step::Get),
            ("app", Step::App),
            ("gotoiftime", Step::GotoIfTime),
            ("len", Step::Len),
        ];
        for (key, step) in steps {
            if let Some(value) = value.get(key) {
                return Ok(step(text(value, "a step")?));
            }
        }
        Err(format!("unknown step {value}"))
    }
}

fn text(value: &Value, what: &str) -> Result<Vec<u8>, String> {
    bytes_of(value).ok_or_else(|| format!("{what} is not a string"))
}

fn key_bytes(key: &str) -> Result<Vec<u8>, String> {
    match key.strip_prefix("hex:") {
        Some(digits) => bytes_of(&serde_json::json!({ "hex": digits }))
            .ok_or_else(|| format!("`{key}` is not hexadecimal")),
        None => Ok(key.as_bytes().to_vec()),
    }
}
