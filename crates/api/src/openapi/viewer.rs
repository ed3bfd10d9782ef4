//! Page at `/docs`: Swagger UI as a single HTML file, with a policy that allows no other host.
//!
//! It is read-only: it requests only the document, and asks for no key.

use crate::html::escape;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::bufread::DeflateDecoder;
use rawzip::ZipArchive;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::io;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

/// Settings of Swagger UI.
const SETTINGS: &str = include_str!("viewer.js");
/// Additions to the style of Swagger UI: they hide the inputs for keys, fit the page to phones, and
/// increase spacing and contrast.
const STYLE: &str = "
body { margin: 0 }
.swagger-ui :is(.scheme-container, .authorization__btn) { display: none }
.swagger-ui .opblock-body { overflow-x: auto }
.swagger-ui :is(.markdown, .renderedMarkdown) p { line-height: 1.6 }
.swagger-ui :is(.markdown, .renderedMarkdown) code { padding: 1px 5px }
.swagger-ui .opblock:not(.opblock-options) .opblock-summary-method,
.swagger-ui .json-schema-2020-12__constraint--string,
html:not(.dark-mode) .swagger-ui .info .title small pre.version { color: #111; text-shadow: none }
html:not(.dark-mode) .swagger-ui .parameter__in,
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #555 }
html:not(.dark-mode) .swagger-ui .info .url { color: #1a56a8 }
html.dark-mode .swagger-ui .headers td { color: inherit }
@media (max-width: 40rem) {
  .swagger-ui .opblock-tag { flex-wrap: wrap }
  .swagger-ui .opblock-tag > small { flex: 1 0 70%; order: 1; padding: 0 }
}
";
/// Icon of the dashboard.
const ICON: &str = include_str!("../../../../public/favicon.svg");

/// Renders the page, and returns it with its Content-Security-Policy.
pub(super) fn render(title: &str) -> Result<(String, String), Box<dyn Error>> {
    let style = read_packaged_file("swagger-ui.css")? + STYLE;
    let script = read_packaged_file("swagger-ui-bundle.js")? + SETTINGS;
    let title = escape(title);
    let icon = STANDARD.encode(ICON);
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\
         <style>{style}</style></head><body><main id=\"page\"></main>\
         <noscript>This page needs JavaScript. It shows <a href=\"/openapi.json\">openapi.json</a>.\
         </noscript><script>{script}</script></body></html>"
    );
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash(&style),
        hash(&script)
    );
    Ok((page, policy))
}

/// Returns a file from the release archive of Swagger UI.
fn read_packaged_file(name: &str) -> Result<String, Box<dyn Error>> {
    let archive = ZipArchive::from_slice(SWAGGER_UI_VENDORED)?;
    let mut entries = archive.entries();
    let end = format!("/dist/{name}");
    while let Some(entry) = entries.next_entry()? {
        if entry.file_path().as_ref().ends_with(end.as_bytes()) {
            let file = archive.get_entry(entry.wayfinder())?;
            let decoder = DeflateDecoder::new(file.data());
            return Ok(io::read_to_string(file.verifying_reader(decoder))?);
        }
    }
    Err(format!("the Swagger UI archive has no `{end}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_self_contained_and_policy_matches() {
        let (page, policy) = render("<API>").unwrap();
        let between = |start: &str, end: &str| {
            page.split_once(start).unwrap().1.split_once(end).unwrap().0.to_owned()
        };
        let style = between("<style>", "</style>");
        let script = between("<script>", "</script>");
        for text in [&style, &script] {
            let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
            assert!(policy.contains(&format!("'sha256-{hash}'")));
        }
        let rest = page.replace(&style, "").replace(&script, "");
        assert!(rest.contains("<title>&lt;API&gt;</title>"));
        for reference in ["src=", "\"http", "\"//", " style=", " onload="] {
            assert!(!rest.contains(reference), "{reference}");
        }
        assert!(!style.contains("@import") && !style.contains("url(http"));
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    }
}
