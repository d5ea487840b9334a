//! What a descriptor says of itself to people.

/// How far an application or function is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Works as in Asterisk.
    Full,
    /// The host answers: a simulated one from a script.
    Simulated,
    /// Works, except for what is named.
    Partial(&'static str),
    /// Refused, for the reason named.
    Refused(&'static str),
}

impl Support {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Support::Full => "full",
            Support::Simulated => "simulated",
            Support::Partial(_) => "partial",
            Support::Refused(_) => "refused",
        }
    }

    /// What lacks, or why.
    pub fn note(self) -> &'static str {
        match self {
            Support::Full | Support::Simulated => "",
            Support::Partial(note) | Support::Refused(note) => note,
        }
    }
}

/// Who gave a name its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Asterisk has an application or function of this name, if not in every build.
    Asterisk,
    /// This engine, or the service around it, adds it.
    Strowger,
}

impl Origin {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Asterisk => "asterisk",
            Origin::Strowger => "strowger",
        }
    }
}

/// An example that is documentation and test at once.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What it shows.
    pub title: &'static str,
    /// The lines of an extension, in extensions.conf form without `exten =>`: `Set(x=1)` and so on, one per line.
    pub dialplan: &'static str,
    /// Text with substitutions that is evaluated at the end.
    pub evaluate: &'static str,
    /// What it must give.
    pub expect: &'static str,
}
