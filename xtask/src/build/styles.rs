//! Merges the style sheets of the page into one. Six requests would delay the module on the same
//! connection, and six files compress worse. Rules and their order are unchanged.

use crate::build::postprocess::{Files, is_kind};
use crate::run::{Error, Result};

/// Name of the merged style sheet, before it gets its content hash.
pub(crate) const STYLESHEET: &str = "style.css";

/// Replaces all style sheets by one, at the place of the first link.
pub(crate) fn merge_stylesheets(files: &mut Files) -> Result {
    let page = files.get("index.html").map(|page| String::from_utf8_lossy(page).into_owned());
    let page = page.unwrap_or_default();
    let mut out = String::with_capacity(page.len());
    let mut rest = &*page;
    let mut merged = Vec::new();
    while let Some(at) = rest.find("<link") {
        let end = rest[at..].find('>').map_or(rest.len(), |length| at + length + 1);
        let before = &rest[..at];
        let tag = &rest[at..end];
        rest = &rest[end..];
        out.push_str(before);
        if !tag.contains("stylesheet") {
            out.push_str(tag);
            continue;
        }
        if merged.is_empty() {
            out.push_str("<link rel=\"stylesheet\" href=\"/style.css\">");
        }
        let name = linked_file(tag).ok_or_else(|| {
            Error::new(format!("`{tag}` links no file of its own: link a local style sheet"))
        })?;
        let content = files.remove(name).ok_or_else(|| {
            Error::new(format!("the page links `{name}`, which Trunk did not write"))
        })?;
        merged.extend(content);
        merged.push(b'\n');
    }
    out.push_str(rest);
    if let Some(other) = files.keys().find(|name| is_kind(name, "css")) {
        return Err(Error::new(format!("`{other}` is not linked: link it in `index.html`")));
    }
    files.insert("index.html".to_owned(), out.into_bytes());
    files.insert(STYLESHEET.to_owned(), merged);
    Ok(())
}

/// Returns the file that a tag links.
fn linked_file(tag: &str) -> Option<&str> {
    let (_, value) = tag.split_once("href=")?;
    let value = value.trim_start_matches(['"', '\'']).strip_prefix('/')?;
    value.split(['"', '\'', ' ', '>']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_site(page: &str, stylesheets: &[(&str, &str)]) -> Files {
        let page = ("index.html", page);
        let all = std::iter::once(&page).chain(stylesheets);
        all.map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn stylesheets_are_merged_in_link_order() {
        let page = "<link href=/i.svg rel=icon><link href=/b-1.css rel=stylesheet>\
            <link rel=\"stylesheet\" href=\"/a-2.css\"><body>";
        let mut files = sample_site(page, &[("a-2.css", "@layer a{}"), ("b-1.css", "@layer b{}")]);
        merge_stylesheets(&mut files).unwrap();
        let one = "<link href=/i.svg rel=icon><link rel=\"stylesheet\" href=\"/style.css\"><body>";
        assert_eq!(files, sample_site(one, &[(STYLESHEET, "@layer b{}\n@layer a{}\n")]));
    }

    #[test]
    fn missing_or_unlinked_stylesheet_is_rejected() {
        let page = "<link href=/a.css rel=stylesheet>";
        let error = |mut files: Files| merge_stylesheets(&mut files).unwrap_err().to_string();
        assert!(error(sample_site(page, &[])).contains("`a.css`"));
        assert!(error(sample_site(page, &[("a.css", ""), ("b.css", "")])).contains("`b.css`"));
        assert!(
            error(sample_site("<link rel=stylesheet href=https://x>", &[])).contains("of its own")
        );
    }
}
