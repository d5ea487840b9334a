//! Configuration files that are no dialplan, as `AST_CONFIG()` reads them.

use std::path::Path;

use super::section::{Config, read};
use super::{LoadOptions, Reader};
use crate::diagnostic::Report;

/// The categories of a configuration file, with what they inherit and include.
#[derive(Debug)]
pub struct Settings(Config);

impl Settings {
    /// The values of a name, in any case, in the first category of this name. Templates are no categories.
    pub fn values(&self, category: &[u8], variable: &[u8]) -> Vec<&[u8]> {
        let Settings(config) = self;
        let sections = || config.sections.iter().filter(|section| !section.template);
        let exact = sections().find(|section| section.name.as_bytes() == category);
        let section = exact.or_else(|| sections().find(|s| s.name.eq_ignore_ascii_case(category)));
        section
            .into_iter()
            .flat_map(|section| &section.lines)
            .filter(|line| config.name(line).eq_ignore_ascii_case(variable))
            .map(|line| config.value(line))
            .collect()
    }
}

/// Reads a configuration file; `None` where Asterisk would refuse it. `#exec` runs nothing.
pub fn settings(path: &Path, reader: &mut dyn Reader) -> Option<Settings> {
    let mut report = Report::new();
    let options = LoadOptions { allow_exec: false };
    let config = read(path, reader, &options, &mut report);
    (!report.is_refused()).then_some(Settings(config))
}

#[cfg(test)]
mod tests {
    use super::super::MemoryReader;
    use super::*;

    #[test]
    fn templates_includes_and_repeated_names() {
        let mut reader = MemoryReader::new()
            .with(
                "/etc/a.conf",
                "[base](!)\ncodec=ulaw\n[one](base)\nname=first\nName => second ; comment\n\
                 #include \"b.conf\"\n#exec rm -rf x\n[one]\nname=other\n",
            )
            .with("/etc/b.conf", "name=third\n[two]\nx=a\\;b\n");
        let settings = settings(Path::new("/etc/a.conf"), &mut reader).unwrap();
        let values = |category: &str, name: &str| {
            settings
                .values(category.as_bytes(), name.as_bytes())
                .into_iter()
                .map(|value| String::from_utf8_lossy(value).into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(values("one", "NAME"), ["first", "second", "third"]);
        assert_eq!(values("ONE", "codec"), ["ulaw"]);
        assert_eq!(values("two", "x"), ["a;b"]);
        assert!(values("base", "codec").is_empty());
    }
}
