//! Messages of Slack's incoming webhooks: blocks of plain text.

use serde_json::{Value, json};

use crate::formats::message::Message;

/// Returns the body of the request. Plain text has no mentions, links or styles. Slack still
/// decodes the three characters that its markup uses, so they are escaped everywhere.
pub(crate) fn render(message: &Message) -> String {
    let title = escape(&message.title);
    let mut blocks = vec![section(&title)];
    for answer in &message.answers {
        blocks.push(section(&format!("{}\n{}", escape(&answer.name), escape(&answer.text))));
    }
    blocks.extend(message.note().map(section));
    // `text` is for notifications, which do not show blocks.
    json!({ "text": title, "mrkdwn": false, "blocks": blocks }).to_string()
}

/// Slack allows 3,000 characters of text. Names of 80 and texts of 500 characters, five times as
/// long when they are escaped, have at most 2,901.
fn section(text: &str) -> Value {
    let text = json!({ "type": "plain_text", "text": text, "emoji": false });
    json!({ "type": "section", "text": text })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
