//! Tests of all formats with answers that contain markup, mentions, or too much text.

use super::message::Message;
use super::{discord, ntfy, slack, teams};
use crate::fixtures::{batch, submission};
use contract::webhook::{WebhookEvent, WebhookFormat};
use serde_json::{Map, Value, json};

const HOSTILE: [&str; 12] = [
    "<!channel> <!here> <@U123> <https://evil.example|click>",
    "@everyone @here <@123> <@&456> <#789> <:smile:1>",
    "[x](javascript:alert(1)) ![x](https://evil.example/x.png)",
    "# Title\n- item\n> quote\n1. one\n---\n```\ncode",
    "**bold** __line__ ~~strike~~ ||spoiler|| *i* _i_ `code`",
    "<at>Ada</at> <b>x</b> &lt;b&gt; &amp; <script>alert(1)</script>",
    "{{DATE(2026-03-01T09:30:00Z, SHORT)}} ${name}",
    "\u{202e}gnp.exe\u{2066} مرحبا \u{200f}שלום",
    "\0\u{1}\u{7}\u{1b}[2J\u{7f}\u{9b}",
    r#""}],"allowed_mentions":{"parse":["everyone"]}"#,
    r"\*not escaped\* \\<@1>",
    "https://evil.example/?a=1&b=2 | a || b",
];

fn message_of(form_name: &str, answers: Value) -> Message {
    let batch = batch(WebhookFormat::Json, form_name, Vec::new());
    Message::new(&batch, WebhookEvent::Created, Some(&submission(answers)))
}

fn hostile_messages() -> impl Iterator<Item = Message> {
    HOSTILE.into_iter().map(|text| message_of(text, json!({ text: text })))
}

/// Largest message: texts of `text`, as many and as long as possible.
fn large_message(text: &str) -> Message {
    let answers: Map<_, _> =
        (0..30).map(|n| (format!("{n}{}", text.repeat(200)), json!(text.repeat(1000)))).collect();
    message_of(&text.repeat(200), Value::Object(answers))
}

fn parse(body: &str) -> Value {
    serde_json::from_str(body).unwrap()
}

/// Returns whether Markdown has no character of markup without a backslash before it.
fn is_escaped(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next().is_none_or(|next| !next.is_ascii_punctuation()) => return false,
            '*' | '_' | '~' | '`' | '|' | '>' | '<' | '#' | '-' | '[' | ']' | '(' | ')' | '@'
            | '&' | '!' | '{' | '}' => return false,
            _ => {}
        }
    }
    true
}

#[test]
fn slack_has_only_escaped_plain_text() {
    for message in hostile_messages() {
        let body = parse(&slack::render(&message));
        assert_eq!(body["mrkdwn"], false);
        let blocks = body["blocks"].as_array().unwrap();
        assert_eq!(blocks.len(), 2);
        for block in blocks {
            assert_eq!(block["text"]["type"], "plain_text");
            let text = block["text"]["text"].as_str().unwrap();
            assert!(!text.contains(['<', '>']), "{text}");
            let entities = ["&amp;", "&lt;", "&gt;"].map(|entity| text.matches(entity).count());
            assert_eq!(text.matches('&').count(), entities.iter().sum::<usize>(), "{text}");
        }
        assert!(!body["text"].as_str().unwrap().contains(['<', '>']));
    }
}

#[test]
fn slack_message_is_limited() {
    for text in ["x", "&", "é", "\u{1f600}"] {
        let body = parse(&slack::render(&large_message(text)));
        let blocks = body["blocks"].as_array().unwrap();
        assert_eq!(blocks.len(), 27);
        assert!(blocks[26]["text"]["text"].as_str().unwrap().contains("left out"));
        for block in blocks {
            assert!(block["text"]["text"].as_str().unwrap().chars().count() <= 3000);
        }
    }
}

#[test]
fn discord_escapes_markdown_and_mentions_nobody() {
    for message in hostile_messages() {
        let body = parse(&discord::render(&message));
        assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
        let title = body["content"].as_str().unwrap();
        let inner = title.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")).unwrap();
        assert!(is_escaped(inner), "{title}");
        let field = &body["embeds"][0]["fields"][0];
        for text in [&field["name"], &field["value"]] {
            assert!(is_escaped(text.as_str().unwrap()), "{text}");
        }
    }
}

#[test]
fn discord_message_is_limited() {
    let units = |text: &Value| text.as_str().unwrap().encode_utf16().count();
    for text in ["x", "*", "é", "\u{1f600}"] {
        let body = parse(&discord::render(&large_message(text)));
        assert!(units(&body["content"]) <= 2000);
        let embed = &body["embeds"][0];
        let fields = embed["fields"].as_array().unwrap();
        assert!((1..=25).contains(&fields.len()));
        let mut sum = units(&embed["footer"]["text"]);
        for field in fields {
            let (name, value) = (units(&field["name"]), units(&field["value"]));
            assert!((1..=256).contains(&name) && (1..=1024).contains(&value));
            sum += name + value;
        }
        assert!(sum <= 6000, "{sum}");
    }
}

#[test]
fn teams_card_escapes_markdown() {
    for message in hostile_messages() {
        let body = parse(&teams::render(&message));
        let attachment = &body["attachments"][0];
        assert_eq!(attachment["contentType"], "application/vnd.microsoft.card.adaptive");
        assert_eq!(attachment["content"]["version"], "1.4");
        let elements = &attachment["content"]["body"];
        let fact = &elements[1]["facts"][0];
        for text in [&elements[0]["text"], &fact["title"], &fact["value"]] {
            assert!(is_escaped(text.as_str().unwrap()), "{text}");
        }
    }
    let lines = teams::render(&message_of("Form", json!({ "a": "x\ny" })));
    assert!(lines.contains(r#""value":"x\n\ny""#), "{lines}");
}

#[test]
fn teams_message_is_limited() {
    for text in ["x", "*", "\n*", "é", "\u{1f600}"] {
        let body = teams::render(&large_message(text));
        assert!(body.len() <= 28 * 1024, "{}", body.len());
        assert!(body.contains("left out"));
    }
}

#[test]
fn ntfy_message_is_plain_and_limited() {
    for message in hostile_messages() {
        let text = ntfy::render(&message);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(!text.contains(['\u{202e}', '\u{2066}']), "{text:?}");
    }
    for text in ["x", "\u{1f600}"] {
        let text = ntfy::render(&large_message(text));
        assert!((2000..=4096).contains(&text.len()), "{}", text.len());
        assert!(text.ends_with("left out."));
    }
}

#[test]
fn message_without_answers_is_valid() {
    let batch = batch(WebhookFormat::Json, "Feedback", Vec::new());
    let message = Message::new(&batch, WebhookEvent::Deleted, None);
    assert_eq!(ntfy::render(&message), "Submission deleted – Feedback");
    assert_eq!(parse(&slack::render(&message))["blocks"].as_array().unwrap().len(), 1);
    assert_eq!(parse(&discord::render(&message))["embeds"], Value::Null);
    let card = &parse(&teams::render(&message))["attachments"][0]["content"];
    assert_eq!(card["body"].as_array().unwrap().len(), 1);
}
