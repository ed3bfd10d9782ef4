//! Puts the scripts that need nothing into the page itself. A browser runs them while style and
//! rows are on their way, and asks for nothing first; the gateway's policy has their hash.

use crate::run::{Error, Result};

/// Puts a script where the page loads it by name, and says whether it does. Errors: a script that a
/// page could not hold.
pub(crate) fn put(page: &mut String, name: &str, script: &str) -> Result<bool> {
    let tags = ["", "\""].map(|quote| format!("<script src={quote}/{name}{quote}></script>"));
    let Some((tag, at)) = tags.iter().find_map(|tag| Some((tag, page.find(tag.as_str())?))) else {
        return Ok(false);
    };
    let lower = script.to_ascii_lowercase();
    if let Some(end) = ["</script", "<script", "<!--"].iter().find(|end| lower.contains(**end)) {
        let message = format!("`{name}` has `{end}` in it, which a page takes for its own");
        return Err(Error::new(format!("{message}: write it apart, as in '<' + '/script'")));
    }
    page.replace_range(at..at + tag.len(), &format!("<script>{script}</script>"));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_stands_where_it_was_named() {
        for tag in ["<script src=/a.js></script>", "<script src=\"/a.js\"></script>"] {
            let mut page = format!("<head>{tag}<link></head>");
            assert!(put(&mut page, "a.js", "b(1 < 2);\n").unwrap());
            assert_eq!(page, "<head><script>b(1 < 2);\n</script><link></head>");
        }
    }

    #[test]
    fn what_the_page_does_not_name_or_takes_for_a_module_stays_a_file() {
        for tag in ["<script src=/ba.js></script>", "<script type=module src=/a.js></script>", ""] {
            let mut page = tag.to_owned();
            assert!(!put(&mut page, "a.js", "b()").unwrap());
            assert_eq!(page, tag);
        }
    }

    #[test]
    fn what_would_end_or_confuse_the_page_is_refused() {
        for script in ["'</SCRIPT>'", "'<script'", "'<!--'"] {
            let mut page = "<script src=/a.js></script>".to_owned();
            let error = put(&mut page, "a.js", script).unwrap_err().to_string();
            assert!(error.contains("a.js") && page.contains("src="), "{error}");
        }
    }
}
