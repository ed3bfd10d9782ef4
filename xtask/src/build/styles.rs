//! Merges the style sheets of the page into one. Six requests would delay the module on the same
//! connection, and six files compress worse. Rules and their order are unchanged.

use anyhow::{Context as _, Result, bail};
use regex::{Captures, Regex};

use crate::build::files::{Files, is_kind};
use crate::build::postprocess::take_text;

/// Name of the merged style sheet, before it gets its content hash.
const STYLESHEET: &str = "style.css";

/// Replaces all style sheets by one, at the place of the first link.
pub(crate) fn merge_stylesheets(files: &mut Files) -> Result<()> {
    let page = take_text(files, "index.html")?;
    let link = Regex::new(r"<link\b[^>]*\bstylesheet\b[^>]*>")?;
    let href = Regex::new(r"href=[\x22']?/([^\x22' >]+)")?;
    let mut merged = Vec::new();
    for tag in link.find_iter(&page) {
        let linked = href.captures(tag.as_str()).and_then(|name| files.remove(&name[1]));
        let linked = linked.with_context(|| {
            format!("`{}` links no file that Trunk wrote: link a local style sheet", tag.as_str())
        })?;
        merged.extend(linked);
        merged.push(b'\n');
    }
    if let Some(other) = files.keys().find(|name| is_kind(name, "css")) {
        bail!("`{other}` is not linked: link it in `index.html`");
    }
    let mut links = std::iter::once(format!("<link rel=\"stylesheet\" href=\"/{STYLESHEET}\">"));
    let merged_page = link.replace_all(&page, |_: &Captures<'_>| links.next().unwrap_or_default());
    files.insert("index.html".to_owned(), merged_page.into_owned().into_bytes());
    files.insert(STYLESHEET.to_owned(), merged);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(page: &str, stylesheets: &[(&str, &str)]) -> Files {
        let all = std::iter::once(("index.html", page)).chain(stylesheets.iter().copied());
        all.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn stylesheets_are_merged_in_link_order() {
        let page = "<link href=/i.svg rel=icon><link href=/b-1.css rel=stylesheet>\
            <link rel=\"stylesheet\" href=\"/a-2.css\"><body>";
        let mut files = site(page, &[("a-2.css", "@layer a{}"), ("b-1.css", "@layer b{}")]);
        merge_stylesheets(&mut files).unwrap();
        let one = "<link href=/i.svg rel=icon><link rel=\"stylesheet\" href=\"/style.css\"><body>";
        assert_eq!(files, site(one, &[(STYLESHEET, "@layer b{}\n@layer a{}\n")]));
        let page = "<link href=/a.css rel=stylesheet>";
        merge_stylesheets(&mut site(page, &[])).unwrap_err();
        merge_stylesheets(&mut site(page, &[("a.css", ""), ("b.css", "")])).unwrap_err();
    }
}
