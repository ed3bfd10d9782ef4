//! Messages for a workflow of Microsoft Teams: an Adaptive Card in an attachment.

use serde_json::{Value, json};

use crate::formats::markdown;
use crate::formats::message::{Message, ShownAnswer};

/// Room for the facts as JSON, in bytes. Teams allows 28 KB for a message.
const FACTS_BYTES_MAX: usize = 24 * 1024;

/// Returns the body of the request.
pub(crate) fn render(message: &Message) -> String {
    let message = message.fit(FACTS_BYTES_MAX, |answer| build_fact(answer).to_string().len() + 1);
    let mut elements = vec![json!({
        "type": "TextBlock",
        "text": escape(&message.title),
        "weight": "Bolder",
        "size": "Medium",
        "wrap": true,
    })];
    if !message.answers.is_empty() {
        let facts: Vec<_> = message.answers.iter().map(build_fact).collect();
        elements.push(json!({ "type": "FactSet", "facts": facts }));
    }
    if let Some(note) = message.note() {
        elements.push(json!({ "type": "TextBlock", "text": note, "isSubtle": true, "wrap": true }));
    }
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": elements,
    });
    let attachment = json!({
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": null,
        "content": card,
    });
    json!({ "type": "message", "attachments": [attachment] }).to_string()
}

fn build_fact(answer: &ShownAnswer) -> Value {
    json!({ "title": escape(&answer.name), "value": escape(&answer.text) })
}

/// Escapes Markdown, and so also the functions `{{DATE(…)}}` and `{{TIME(…)}}` of cards. A line
/// break needs two line feeds.
fn escape(text: &str) -> String {
    markdown::escape(text).replace('\n', "\n\n")
}
