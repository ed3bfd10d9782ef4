//! Notifications of ntfy: plain text, which is posted to the URL of a topic.

use crate::formats::message::{Message, ShownAnswer};

/// Room for the answers, in bytes. ntfy turns a text of more than 4,096 bytes into a file. The
/// title has at most 450 bytes, and the note 41.
const ANSWERS_BYTES_MAX: usize = 3600;

/// Returns the body of the request: the title, an empty line, and a line for each answer.
pub(crate) fn render(message: &Message) -> String {
    let message = message.fit(ANSWERS_BYTES_MAX, |answer| render_answer(answer).len());
    let mut text = message.title.clone();
    if !message.answers.is_empty() {
        text.push('\n');
        text.extend(message.answers.iter().map(render_answer));
    }
    if let Some(note) = message.note() {
        text.push_str("\n\n");
        text.push_str(note);
    }
    text
}

fn render_answer(answer: &ShownAnswer) -> String {
    format!("\n{}: {}", answer.name, answer.text)
}
