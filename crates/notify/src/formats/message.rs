//! A message about an event, before it is written in a format: a title, and the answers as plain
//! text.

use contract::submission::answer_text;
use contract::webhook::WebhookEvent;
use contract::{Environment, Field, Submission};
use serde_json::Value;
use std::collections::HashSet;
use store::outbox::LeasedBatch;

/// Maximum length of an answer's name and of the form's name, in characters.
const NAME_CHARS_MAX: usize = 80;
const FORM_NAME_CHARS_MAX: usize = 100;
/// Limits of messages to chat services.
const CHAT_LIMITS: MessageLimits = MessageLimits { answers_max: 25, answer_chars_max: 500 };
/// Text of an empty answer.
const EMPTY: &str = "—";
/// Note below an incomplete message.
const NOTE: &str = "Some answers are shortened or left out.";

/// Limits of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageLimits {
    /// Maximum number of answers.
    pub(crate) answers_max: usize,
    /// Maximum length of an answer, in characters.
    pub(crate) answer_chars_max: usize,
}

/// A message about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// Event, environment and form, on one line.
    pub(crate) title: String,
    /// Answers by name, in the order of the form.
    pub(crate) answers: Vec<ShownAnswer>,
    /// Whether answers are shortened or left out.
    is_incomplete: bool,
}

/// Answer of a message. Its text is never blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownAnswer {
    /// Name of the field, or the key of an unknown field, on one line.
    pub(crate) name: String,
    /// Text, possibly of several lines.
    pub(crate) text: String,
}

impl Message {
    /// Creates a message to a chat service.
    pub(crate) fn new(
        batch: &LeasedBatch,
        event: WebhookEvent,
        submission: Option<&Submission>,
    ) -> Self {
        Self::with_limits(build_title(batch, event), &batch.fields, submission, CHAT_LIMITS)
    }

    /// Creates a message. Hidden fields are left out; keys without a field follow the fields.
    pub(crate) fn with_limits(
        title: String,
        fields: &[Field],
        submission: Option<&Submission>,
        limits: MessageLimits,
    ) -> Self {
        let mut message = Self { title, answers: Vec::new(), is_incomplete: false };
        let Some(submission) = submission else { return message };
        let answers = &submission.answers.0;
        let keys: HashSet<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        let of_fields = fields.iter().filter(|field| !field.hidden).filter_map(|field| {
            let answer = answers.get(&field.key)?;
            Some((field.name.as_str(), answer))
        });
        let unknown = answers
            .iter()
            .filter(|(key, _)| !keys.contains(key.as_str()))
            .map(|(key, answer)| (key.as_str(), answer));
        for (name, answer) in of_fields.chain(unknown) {
            message.push(name, answer, limits);
        }
        message
    }

    fn push(&mut self, name: &str, answer: &Value, limits: MessageLimits) {
        if self.answers.len() == limits.answers_max {
            self.is_incomplete = true;
            return;
        }
        let text = clean_text(&answer_text(answer));
        let (text, is_cut) = truncate(&text, limits.answer_chars_max);
        self.is_incomplete |= is_cut;
        let (name, _) = truncate(&clean_line(name), NAME_CHARS_MAX);
        self.answers.push(ShownAnswer { name, text });
    }

    /// Keeps the first answers, as long as the sum of `size` is at most `size_max`.
    pub(crate) fn fit(&self, size_max: usize, size: impl Fn(&ShownAnswer) -> usize) -> Self {
        let mut used = 0_usize;
        let fitting = self.answers.iter().take_while(|answer| {
            used = used.saturating_add(size(answer));
            used <= size_max
        });
        let answers: Vec<_> = fitting.cloned().collect();
        let is_incomplete = self.is_incomplete || answers.len() < self.answers.len();
        Self { title: self.title.clone(), answers, is_incomplete }
    }

    /// Returns the note below the answers; `None` if the message is complete.
    pub(crate) fn note(&self) -> Option<&'static str> {
        self.is_incomplete.then_some(NOTE)
    }

    /// Returns whether answers are shortened or left out.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }
}

fn build_title(batch: &LeasedBatch, event: WebhookEvent) -> String {
    let environment = match batch.environment {
        Environment::Live => "",
        Environment::Test => "Test mode: ",
    };
    let event = match event {
        WebhookEvent::Created => "New submission",
        WebhookEvent::Analyzed => "Submission analyzed",
        WebhookEvent::Updated => "Submission updated",
        WebhookEvent::Deleted => "Submission deleted",
        WebhookEvent::Test => "Test of the webhook",
    };
    format!("{environment}{event} – {}", short_form_name(&batch.form_name))
}

/// Returns the name of a form on one line, of at most 100 characters.
pub(crate) fn short_form_name(name: &str) -> String {
    truncate(&clean_line(name), FORM_NAME_CHARS_MAX).0
}

/// Returns text without characters that change the display of the text after them: control
/// characters, except line breaks, and directional embeddings, overrides and isolates.
pub(crate) fn clean_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let cleaned = text.chars().filter_map(|c| match c {
        '\n' => Some(c),
        '\r' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => Some(' '),
        c => Some(c),
    });
    let cleaned: String = cleaned.collect();
    let cleaned = cleaned.trim();
    if cleaned.is_empty() { EMPTY.to_owned() } else { cleaned.to_owned() }
}

/// As [`clean_text`], on one line.
pub(crate) fn clean_line(text: &str) -> String {
    clean_text(text).replace('\n', " ")
}

/// Returns the first characters of a text, and whether others follow.
pub(crate) fn truncate(text: &str, chars_max: usize) -> (String, bool) {
    if text.chars().nth(chars_max).is_none() {
        return (text.to_owned(), false);
    }
    let mut start: String = text.chars().take(chars_max - 1).collect();
    start.push('…');
    (start, true)
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
