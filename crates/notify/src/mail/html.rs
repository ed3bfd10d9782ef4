//! HTML of e-mails: no images, no scripts and nothing from other servers. Text of others is escaped
//! and never linked.
//!
//! Mail readers remove style sheets, so each element has its style. Text keeps the colours of the
//! reader, so that it is readable on light and on dark backgrounds.

use std::fmt::Write as _;

use super::document::{Block, Document};

const PAGE: &str = "margin:0;padding:24px 16px;font:14px/20px system-ui,-apple-system,\
                    'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const COLUMN: &str = "max-width:600px;margin:0 auto";
const TITLE: &str = "margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600";
const TEXT: &str = "margin:0 0 16px;white-space:pre-wrap;overflow-wrap:anywhere";
const NOTE: &str = "margin:0 0 16px;font-size:13px;opacity:.75";
const HEADING: &str = "margin:24px 0 12px;padding-top:12px;border-top:1px solid #9aa0ac;\
                       font-weight:600";
const NAME: &str = "font-size:12px;line-height:16px;opacity:.75";
const ANSWER: &str = "margin:0 0 12px;white-space:pre-wrap;overflow-wrap:anywhere;\
                      unicode-bidi:plaintext";
const BUTTON: &str = "display:inline-block;padding:8px 16px;border-radius:6px;\
                      background-color:#3f5bd6;color:#ffffff;font-weight:500;text-decoration:none";
const LINK: &str = "color:inherit;text-decoration:underline";
const FOOTER: &str = "margin-top:32px;padding-top:12px;border-top:1px solid #9aa0ac;\
                      font-size:12px;line-height:16px;opacity:.75";
const FOOTER_TEXT: &str = "margin:0 0 8px;overflow-wrap:anywhere";

/// Returns a document as a page of HTML.
pub(crate) fn render_html(document: &Document) -> String {
    let title = escape(&document.title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\">\
         \n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"supported-color-schemes\" content=\"light dark\">\n\
         <title>{title}</title>\n</head>\n<body style=\"{PAGE};color-scheme:light dark\">\n\
         <div style=\"{COLUMN}\">\n<h1 style=\"{TITLE}\" dir=\"auto\">{title}</h1>\n",
        language = document.language,
    );
    for block in &document.blocks {
        push_block(&mut html, block);
    }
    if !document.footer.is_empty() {
        let _ = writeln!(html, "<div style=\"{FOOTER}\">");
        for block in &document.footer {
            push_footer(&mut html, block);
        }
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n</body>\n</html>\n");
    html
}

fn push_block(html: &mut String, block: &Block) {
    // Writing to a string cannot fail.
    let _ = match block {
        Block::Paragraph(text) => push_text(html, "p", TEXT, text),
        Block::Note(text) => push_text(html, "p", NOTE, text),
        Block::Heading(text) => push_text(html, "h2", &format!("{HEADING};font-size:14px"), text),
        Block::Answer { name, text } => {
            let _ = push_text(html, "div", NAME, name);
            push_text(html, "div", ANSWER, text)
        }
        Block::Link { label, url, is_main } => {
            let style = if *is_main { BUTTON } else { LINK };
            let link = link(label, url, style);
            writeln!(html, "<p style=\"margin:0 0 16px\">{link}</p>")
        }
    };
}

fn push_footer(html: &mut String, block: &Block) {
    let text = match block {
        Block::Link { label, url, .. } => link(label, url, LINK),
        Block::Answer { text, .. }
        | Block::Paragraph(text)
        | Block::Note(text)
        | Block::Heading(text) => escape(text),
    };
    let _ = writeln!(html, "<p style=\"{FOOTER_TEXT}\">{text}</p>");
}

fn push_text(html: &mut String, tag: &str, style: &str, text: &str) -> std::fmt::Result {
    writeln!(html, "<{tag} style=\"{style}\" dir=\"auto\">{}</{tag}>", escape(text))
}

fn link(label: &str, url: &str, style: &str) -> String {
    format!("<a href=\"{}\" style=\"{style}\">{}</a>", escape(url), escape(label))
}

/// Escapes a text for content and for attributes in quotation marks.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
