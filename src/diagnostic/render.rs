//! Source excerpts below diagnostics, on a terminal.

use annotate_snippets::{AnnotationKind, Level, Renderer as Snippets, Snippet};

use crate::base::SourceMap;
use crate::diagnostic::{Diagnostic, Severity};

/// Draws diagnostics with the line they speak of.
#[derive(Debug)]
pub struct Renderer {
    snippets: Snippets,
}

impl Renderer {
    /// A renderer with or without colour.
    pub fn new(color: bool) -> Self {
        Self {
            snippets: if color {
                Snippets::styled()
            } else {
                Snippets::plain()
            },
        }
    }

    /// The diagnostic with its line and what to do about it.
    pub fn excerpt(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let source = diagnostic.place.and_then(|place| {
            let source = sources.get(place.source)?;
            Some((place, source, source.line_text(place.line)?))
        });
        // The text must live as long as the report that borrows it.
        let text = source.map(|(.., line)| String::from_utf8_lossy(line).replace('\t', " "));
        let mut group = level
            .primary_title(diagnostic.message.as_str())
            .id(diagnostic.code.id)
            .elements(
                source
                    .zip(text.as_deref())
                    .map(|((place, source, line), text)| {
                        Snippet::source(text)
                            .line_start(place.line as usize)
                            .path(source.path.as_str())
                            .annotation(AnnotationKind::Primary.span(span(
                                line,
                                text,
                                place.column,
                            )))
                    }),
            );
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        self.snippets.render(&[group])
    }
}

/// What is underlined: from the column to the end of the word, or the whole line.
fn span(line: &[u8], text: &str, column: u32) -> std::ops::Range<usize> {
    let whole = || {
        let start = text.len() - text.trim_start().len();
        start..text.trim_end().len().max(start)
    };
    let Some(before) = (column as usize)
        .checked_sub(1)
        .and_then(|column| line.get(..column))
    else {
        return whole();
    };
    // A column counts bytes of the file; replaced bytes are longer in the text.
    let start = String::from_utf8_lossy(before).len();
    let Some(rest) = text.get(start..) else {
        return whole();
    };
    let word = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'))
        .unwrap_or(rest.len());
    // At least one character, and never half of one.
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + word.max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Place;
    use crate::diagnostic::code;

    #[test]
    fn shows_the_line() {
        let mut sources = SourceMap::new();
        let source = sources.add("e.conf", b"[a]\nexten => 1,x,NoOp(\xe4)\n".to_vec());
        let diagnostic = Diagnostic {
            code: &code::PRIORITY_OR_LABEL_UNKNOWN,
            severity: Severity::Error,
            place: Some(Place {
                source,
                line: 2,
                column: 12,
            }),
            message: "no priority `x`".into(),
            help: Some("write a number or `n`".into()),
            logged: None,
        };
        let text = Renderer::new(false).excerpt(&diagnostic, &sources);
        assert!(text.contains("e.conf:2:12"), "{text}");
        assert!(text.contains('^'), "{text}");
        assert!(text.contains("write a number"), "{text}");
    }

    #[test]
    fn spans_stay_inside() {
        for line in [&b""[..], b"abc", b"\xff\xfe,", "äö".as_bytes(), b"   "] {
            let text = String::from_utf8_lossy(line).into_owned();
            for column in 0..8 {
                let span = span(line, &text, column);
                assert!(text.get(span).is_some());
            }
        }
    }
}
