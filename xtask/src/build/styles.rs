//! Merges the style sheets of the page into one. Six requests would delay the module on the same
//! connection, and six files compress worse. Rules and their order are unchanged.

use crate::build::files::{Files, is_kind, regex};
use crate::run::{Error, Result};

/// Name of the merged style sheet, before it gets its content hash.
const STYLESHEET: &str = "style.css";

/// Replaces all style sheets by one, at the place of the first link.
pub(crate) fn merge_stylesheets(files: &mut Files) -> Result {
    let page = files.get("index.html").map(|page| String::from_utf8_lossy(page).into_owned());
    let mut page = page.unwrap_or_default();
    let link = regex(r"<link\b[^>]*\bstylesheet\b[^>]*>")?;
    let href = regex(r"href=[\x22']?/([^\x22' >]+)")?;
    let mut merged = Vec::new();
    let tags: Vec<String> = link.find_iter(&page).map(|tag| tag.as_str().to_owned()).collect();
    for tag in tags {
        let linked = href.captures(&tag).and_then(|name| files.remove(&name[1]));
        merged.extend(linked.ok_or_else(|| {
            Error::new(format!("`{tag}` links no file that Trunk wrote: link a local style sheet"))
        })?);
        let one = format!("<link rel=\"stylesheet\" href=\"/{STYLESHEET}\">");
        page = page.replacen(&tag, if page.contains(&one) { "" } else { &one }, 1);
        merged.push(b'\n');
    }
    if let Some(other) = files.keys().find(|name| is_kind(name, "css")) {
        return Err(Error::new(format!("`{other}` is not linked: link it in `index.html`")));
    }
    files.insert("index.html".to_owned(), page.into_bytes());
    files.insert(STYLESHEET.to_owned(), merged);
    Ok(())
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
        assert!(error(sample_site(page, &[])).contains("/a.css"));
        assert!(error(sample_site(page, &[("a.css", ""), ("b.css", "")])).contains("`b.css`"));
        assert!(
            error(sample_site("<link rel=stylesheet href=https://x>", &[])).contains("https://x")
        );
    }
}
