//! Tests of plain text and HTML.

use super::*;
use crate::mail::html::{escape, render_html};

fn document(blocks: Vec<Block>, footer: Vec<Block>) -> Document {
    Document { language: MailLanguage::English, title: "A & B".to_owned(), blocks, footer }
}

fn answer(name: &str, text: &str) -> Block {
    Block::Answer { name: name.to_owned(), text: text.to_owned() }
}

#[test]
fn plain_text_has_blocks_and_footer() {
    let link = Block::Link { label: "Open", url: "https://a.example/?x=1&y".into(), is_main: true };
    let blocks = vec![
        Block::Note("2026-03-01".into()),
        Block::Heading("First".into()),
        answer("Name", "Ada\n\nLovelace"),
        answer("שם", "שלום\nx"),
        link,
    ];
    let text = document(blocks, vec![Block::Note("Why".into()), Block::Note("How".into())]);
    let expected = "A & B\n\n2026-03-01\n\n* First\n\nName:\nAda\n\nLovelace\n\n\
                    \u{2068}שם\u{2069}:\n\u{2068}שלום\u{2069}\nx\n\n\
                    Open:\nhttps://a.example/?x=1&y\n\n-- \nWhy\n\nHow\n";
    assert_eq!(text.render_text(), expected);
    assert_eq!(document(Vec::new(), Vec::new()).render_text(), "A & B\n");
}

#[test]
fn markup_is_escaped_in_html() {
    let evil = "<img src=x onerror=alert(1)> \"&amp;' https://evil.example";
    let blocks = vec![
        Block::Paragraph(evil.into()),
        Block::Note(evil.into()),
        Block::Heading(evil.into()),
        answer(evil, evil),
        Block::Link { label: "Open", url: "https://a.example/\"><b>".into(), is_main: false },
    ];
    let document =
        Document { title: evil.to_owned(), ..document(blocks, vec![Block::Note(evil.into())]) };
    let html = render_html(&document);
    assert!(!html.contains("<img") && !html.contains("<b>"), "{html}");
    assert_eq!(html.matches("&lt;img src=x onerror=alert(1)&gt; &quot;&amp;amp;'").count(), 8);
    assert_eq!(html.matches("href=").count(), 1);
    assert!(html.contains("href=\"https://a.example/&quot;&gt;&lt;b&gt;\""), "{html}");
}

#[test]
fn html_loads_nothing() {
    let blocks = vec![answer("a", "b"), Block::Heading("h".into())];
    let html = render_html(&document(blocks, vec![Block::Note("n".into())]));
    for word in ["<img", "<script", "<link", "<style", "url(", "src=", "@import", "http"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains("<meta name=\"color-scheme\" content=\"light dark\">"), "{html}");
    assert_eq!(html.matches("dir=\"auto\"").count(), 4);
}

#[test]
fn only_other_than_ascii_is_isolated() {
    assert_eq!(isolate("Ada"), "Ada");
    assert_eq!(isolate("Aïda"), "\u{2068}Aïda\u{2069}");
    assert_eq!(escape("a'b"), "a'b");
}

#[test]
fn time_is_in_zone_of_reader() {
    let at = |text| Timestamp::parse(text).unwrap();
    let check = |time, zone, expected: &str| assert_eq!(format_time(at(time), zone), expected);
    check("2026-03-01T08:30:59Z", "Europe/Berlin", "2026-03-01 09:30 (Europe/Berlin)");
    check("2026-07-01T08:30:00Z", "Europe/Berlin", "2026-07-01 10:30 (Europe/Berlin)");
    check("2026-03-01T20:00:00Z", "Asia/Kolkata", "2026-03-02 01:30 (Asia/Kolkata)");
    check("2026-03-01T08:30:00Z", "Mars/Olympus", "2026-03-01 08:30 (UTC)");
    check("2026-03-01T08:30:00Z", "UTC", "2026-03-01 08:30 (UTC)");
}
