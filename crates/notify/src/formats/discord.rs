//! Messages of Discord's webhooks: the title as text, and an embed with a field for each answer.

use serde_json::{Value, json};

use crate::formats::markdown::escape;
use crate::formats::message::{Message, ShownAnswer};

/// Room for the names and texts of an embed, in UTF-16 units. Discord allows 6,000 with the note,
/// 256 for a name and 1,024 for a text. Names of 80 and texts of 500 characters fit when they are
/// escaped.
const EMBED_UNITS_MAX: usize = 5800;

/// Returns the body of the request. The text of a mention notifies no one.
pub(crate) fn render(message: &Message) -> String {
    let message = message.fit(EMBED_UNITS_MAX, count_units);
    let mut body = json!({
        "content": format!("**{}**", escape(&message.title)),
        "allowed_mentions": { "parse": [] },
    });
    if !message.answers.is_empty() {
        let fields: Vec<_> = message.answers.iter().map(build_field).collect();
        let mut embed = json!({ "fields": fields });
        if let Some(note) = message.note() {
            embed["footer"] = json!({ "text": note });
        }
        body["embeds"] = json!([embed]);
    }
    body.to_string()
}

fn build_field(answer: &ShownAnswer) -> Value {
    json!({ "name": escape(&answer.name), "value": escape(&answer.text), "inline": false })
}

fn count_units(answer: &ShownAnswer) -> usize {
    escape(&answer.name).encode_utf16().count() + escape(&answer.text).encode_utf16().count()
}
