//! Content of an e-mail, before it is written as plain text and as HTML.

use contract::Timestamp;
use contract::notification::MailLanguage;

/// Content of an e-mail. Texts may contain text of others, but no characters that change the
/// display of the text after them, except pairs of [`isolate`].
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// Language of the server's texts.
    pub(crate) language: MailLanguage,
    /// Title at the top.
    pub(crate) title: String,
    /// Content, from top to bottom.
    pub(crate) blocks: Vec<Block>,
    /// Small print: why the reader receives the e-mail.
    pub(crate) footer: Vec<Block>,
}

/// Part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Paragraph of the server, or of the owner of the form, possibly of several lines.
    Paragraph(String),
    /// Less important line.
    Note(String),
    /// Begin of one submission of several.
    Heading(String),
    /// Answer of the sender. The text may have several lines.
    Answer { name: String, text: String },
    /// Link to this server. `is_main` is the action that the reader is expected to choose.
    Link { label: &'static str, url: String, is_main: bool },
}

impl Document {
    /// Returns the content as plain text.
    pub(crate) fn render_text(&self) -> String {
        let mut text = self.title.clone();
        for block in &self.blocks {
            text.push_str("\n\n");
            text.push_str(&block.render_text());
        }
        if !self.footer.is_empty() {
            // The line `-- ` is the usual begin of a signature.
            text.push_str("\n\n-- \n");
            let footer: Vec<_> = self.footer.iter().map(Block::render_text).collect();
            text.push_str(&footer.join("\n\n"));
        }
        text.push('\n');
        text
    }
}

impl Block {
    fn render_text(&self) -> String {
        match self {
            Self::Paragraph(text) | Self::Note(text) => text.clone(),
            Self::Heading(text) => format!("* {text}"),
            Self::Answer { name, text } => {
                // An isolation ends with the line at the latest.
                let lines: Vec<_> = text.lines().map(isolate).collect();
                format!("{}:\n{}", isolate(name), lines.join("\n"))
            }
            Self::Link { label, url, .. } => format!("{label}:\n{url}"),
        }
    }
}

/// Encloses a text in marks, so that its writing direction does not affect the text around it.
/// ASCII needs no isolation.
pub(crate) fn isolate(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("\u{2068}{text}\u{2069}") }
}

/// Returns an instant in a time zone, to the minute, with the name of the zone. An unknown zone is
/// UTC.
pub(crate) fn format_time(at: Timestamp, zone: &str) -> String {
    let zone: chrono_tz::Tz = zone.parse().unwrap_or(chrono_tz::UTC);
    let utc = chrono::DateTime::from_timestamp_micros(at.micros()).unwrap_or_default();
    format!("{} ({zone})", utc.with_timezone(&zone).format("%Y-%m-%d %H:%M"))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
