//! The document as one page of HTML: no resource from outside, and a policy that allows none.
//!
//! Everything that it shows comes out of the document; nothing in it depends on who asks.

mod markup;
mod shape;

use self::markup::{code, inline, paragraphs};
use self::shape::{definition, referred, term, words};
use crate::html::escape;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The look of the dashboard, and what this page adds to it.
const STYLE: &str =
    concat!(include_str!("../../../../style/tokens.css"), include_str!("page/page.css"));
/// Adds a button to each block of code that copies it, and folds the contents on a phone; without
/// it the page lacks nothing else.
const SCRIPT: &str = include_str!("page/page.js");
/// A sheet, as in the dashboard's.
const ICON: &str = include_str!("../../../../public/favicon.svg");

/// Returns the page and its policy.
pub(super) fn render(document: &Value) -> (String, String) {
    let info = &document["info"];
    let title = escape(text(&info["title"]));
    let icon = STANDARD.encode(ICON);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\
         <style>{STYLE}</style></head><body>\
         <a href=\"#content\" data-skip>Skip to content</a>\
         <header><a href=\"#content\">{title}</a>\
         <a href=\"/openapi.json\" type=\"application/json\">openapi.json</a></header>"
    );
    let endpoints = endpoints(document);
    page.push_str(&contents(document, &endpoints));
    let _ = write!(page, "<main id=\"content\" tabindex=\"-1\"><h1>{title}</h1>");
    page.push_str(&paragraphs(text(&info["description"])));
    page.push_str(&access(document));
    for tag in list(&document["tags"]) {
        let _ = write!(
            page,
            "<section id=\"{}\"><h2>{}</h2>{}",
            anchor(text(&tag["name"])),
            escape(text(&tag["name"])),
            paragraphs(text(&tag["description"])),
        );
        for endpoint in endpoints.iter().filter(|it| it.tag() == text(&tag["name"])) {
            page.push_str(&endpoint.render(document));
        }
        page.push_str("</section>");
    }
    page.push_str(&schemas(document));
    let _ = write!(page, "</main><script>{SCRIPT}</script></body></html>");
    (page, policy())
}

/// Nothing from anywhere, but this page's own style, script and icon.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// An operation and where it stands.
struct Endpoint<'a> {
    method: &'a str,
    path: &'a str,
    operation: &'a Value,
}

fn endpoints(document: &Value) -> Vec<Endpoint<'_>> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            found.push(Endpoint { method, path, operation });
        }
    }
    found
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a name as a place in the page.
fn anchor(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

/// Follows a reference into the document.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn contents(document: &Value, endpoints: &[Endpoint<'_>]) -> String {
    let mut nav = String::from(
        "<nav aria-label=\"Contents\"><details open><summary>Contents</summary><ul>\
        <li><a href=\"#access\">Access</a>",
    );
    for tag in list(&document["tags"]) {
        let name = text(&tag["name"]);
        let _ = write!(nav, "<li><a href=\"#{}\">{}</a><ul>", anchor(name), escape(name));
        for endpoint in endpoints.iter().filter(|it| it.tag() == name) {
            let (id, summary) = (escape(endpoint.id()), escape(endpoint.summary()));
            let _ = write!(nav, "<li><a href=\"#{id}\">{summary}</a>");
        }
        nav.push_str("</ul>");
    }
    nav.push_str("<li><a href=\"#schemas\">Schemas</a></ul></details></nav>");
    nav
}

/// Says how a caller proves who it is.
fn access(document: &Value) -> String {
    let mut out = String::from("<section id=\"access\"><h2>Access</h2><dl>");
    let schemes = document["components"]["securitySchemes"].as_object();
    for (_, scheme) in schemes.into_iter().flatten() {
        let place = escape(text(&scheme["in"]));
        let about = inline(text(&scheme["description"]));
        out.push_str(&term(text(&scheme["name"]), &place, true, &about));
    }
    out.push_str("</dl><h3>Headers of answers</h3><dl>");
    let headers = document["components"]["headers"].as_object();
    for (name, header) in headers.into_iter().flatten() {
        let about = inline(text(&header["description"]));
        out.push_str(&term(name, &words(&header["schema"]), true, &about));
    }
    out.push_str("</dl></section>");
    out
}

fn schemas(document: &Value) -> String {
    let mut out = String::from("<section id=\"schemas\"><h2>Schemas</h2>");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let name = escape(name);
        let _ = write!(
            out,
            "<article id=\"schema-{name}\"><h3><a href=\"#schema-{name}\">{name}</a></h3>{}\
             </article>",
            definition(schema)
        );
    }
    out.push_str("</section>");
    out
}

impl Endpoint<'_> {
    fn id(&self) -> &str {
        text(&self.operation["operationId"])
    }

    fn summary(&self) -> &str {
        text(&self.operation["summary"])
    }

    fn tag(&self) -> &str {
        text(&self.operation["tags"][0])
    }

    fn render(&self, document: &Value) -> String {
        let (id, method) = (escape(self.id()), escape(&self.method.to_ascii_uppercase()));
        let mut out = format!(
            "<article id=\"{id}\"><h3><a href=\"#{id}\">{}</a></h3>\
             <p data-method=\"{method}\"><b>{method}</b> <code>{}</code></p>{}",
            escape(self.summary()),
            breakable(self.path),
            self.operation["description"].as_str().map(paragraphs).unwrap_or_default(),
        );
        out.push_str(&code("Request", &self.curl(document)));
        out.push_str(&self.parameters());
        out.push_str(&self.body());
        out.push_str("<h4>Answers</h4><dl>");
        let answers = self.operation["responses"].as_object();
        for (status, answer) in answers.into_iter().flatten() {
            let answer = resolved(document, answer);
            let about = inline(text(&answer["description"]));
            let headers = headers(answer);
            let about = format!("{about}{headers}");
            out.push_str(&term(status, &shapes(&answer["content"]), true, &about));
        }
        out.push_str("</dl>");
        let answers = self.operation["responses"].as_object();
        let good = answers.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
        for (media_type, content) in
            good.filter_map(|(_, answer)| answer["content"].as_object()).flatten()
        {
            if let Some(example) = content.get("example") {
                out.push_str(&code(&format!("Example of {media_type}"), &shown(example)));
            }
        }
        out.push_str("</article>");
        out
    }

    fn parameters(&self) -> String {
        let parameters = list(&self.operation["parameters"]);
        if parameters.is_empty() {
            return String::new();
        }
        let mut out = String::from("<h4>Parameters</h4><dl>");
        for parameter in parameters {
            let shape = format!("{}, in {}", words(&parameter["schema"]), text(&parameter["in"]));
            let is_required = parameter["required"] == true;
            let about = inline(text(&parameter["description"]));
            out.push_str(&term(text(&parameter["name"]), &shape, is_required, &about));
        }
        out.push_str("</dl>");
        out
    }

    fn body(&self) -> String {
        let content = &self.operation["requestBody"]["content"];
        let shapes = shapes(content);
        if shapes.is_empty() { shapes } else { format!("<h4>Body</h4><p>{shapes}</p>") }
    }

    /// Returns a request that one can paste.
    fn curl(&self, document: &Value) -> String {
        let mut path = self.path.to_owned();
        let mut more = String::new();
        for parameter in list(&self.operation["parameters"]) {
            let name = text(&parameter["name"]);
            let schema = resolved(document, &parameter["schema"]);
            match text(&parameter["in"]) {
                "path" => {
                    let example = text(&schema["examples"][0]);
                    path = path.replace(&format!("{{{name}}}"), example);
                }
                "header" if parameter["required"] == true => {
                    let _ = write!(more, " \\\n  -H \"{name}: {}\"", text(&schema["const"]));
                }
                _ => {}
            }
        }
        if self.operation["security"][0].get("ApiKey").is_some() {
            more.push_str(" \\\n  -H \"X-API-Key: $KEY\"");
        }
        if self.operation["security"][0].get("Session").is_some() {
            more.push_str(" \\\n  -b \"sheaf=$SESSION\"");
        }
        let body = &self.operation["requestBody"]["content"]["application/json"]["example"];
        if !body.is_null() {
            let _ = write!(more, " \\\n  -H \"Content-Type: application/json\" -d '{body}'");
        }
        let method = match self.method {
            "get" => "",
            "post" if !body.is_null() => "",
            "delete" => "-X DELETE ",
            "put" => "-X PUT ",
            _ => "-X POST ",
        };
        format!("curl {method}\"$BASE{path}\"{more}")
    }
}

/// Lets a long path wrap behind its slashes.
fn breakable(path: &str) -> String {
    escape(path).replace('/', "/<wbr>")
}

fn shapes(content: &Value) -> String {
    let shape = |(media_type, content): (&String, &Value)| match referred(&content["schema"]) {
        Some(_) => format!("{} <code>{}</code>", words(&content["schema"]), escape(media_type)),
        None => format!("<code>{}</code>", escape(media_type)),
    };
    let content = content.as_object().into_iter().flatten();
    content.map(shape).collect::<Vec<_>>().join(" or ")
}

/// Returns the headers of an answer beside those that all answers of its kind have.
fn headers(answer: &Value) -> String {
    let is_usual = |name: &&String| {
        ["X-RateLimit-", "Access-Control-"].iter().any(|begin| name.starts_with(begin))
    };
    let headers = answer["headers"].as_object().into_iter().flatten().map(|it| it.0);
    let rare = headers.filter(|name| !is_usual(name));
    let names: Vec<_> = rare.map(|name| format!("<code>{}</code>", escape(name))).collect();
    if names.is_empty() { String::new() } else { format!(" With {}.", names.join(", ")) }
}

fn shown(example: &Value) -> String {
    match example {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
