//! Post-processes Trunk's output: one style sheet, file names with content hashes, and the inline
//! script as a file.
//!
//! Trunk would compute its hashes before `wasm-opt` runs. Two different files could have the same
//! name, and browsers cache by name.

use anyhow::{Context as _, Result, bail, ensure};
use regex::{Captures, Regex};
use sha2::{Digest as _, Sha256};

use crate::build::files::{Files, MAIN, WORKER, is_kind};

/// Hash digits in the file names. A chunk has a dozen versions in its lifetime, so few digits
/// suffice, and the script names a hundred files.
const HASH_DIGITS: usize = 8;

/// Name of the merged style sheet, before it gets its content hash.
const STYLESHEET: &str = "style.css";

/// Merges the style sheets of the page into one, at the place of the first link. Six requests would
/// delay the module on the same connection, and six files compress worse.
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

/// Renames the files by their content hash, and makes the page load the one script and module.
pub(crate) fn name_by_content(mut files: Files) -> Result<Files> {
    let mut page = without_trunks_scripts(&take_text(&mut files, "index.html")?)?;
    let mut named = take_worker(&mut files, &mut page)?;
    let module = take_file(&mut files, MAIN)?;
    let glue = MAIN.replace("_bg.wasm", ".js");
    let mut script = take_text(&mut files, &glue)?;
    for (name, mut content) in files {
        if is_kind(&name, "js") {
            content = minify(&String::from_utf8(content)?).into_bytes();
        }
        let new = hashed_name(&name, &content);
        let in_page = replace_name(&mut page, &name, &new)?;
        let in_script = replace_name(&mut script, &name, &new)?;
        named.insert(if in_page || in_script { new } else { name }, content);
    }
    let (wasm_name, script_name) = insert_app(&mut named, &script, module, MAIN)?;
    let page = with_app(&page, &script_name, &wasm_name)?;
    named.insert("index.html".to_owned(), page.into_bytes());
    Ok(named)
}

/// Takes the export worker out of the files, and finishes it: a script that starts its module. The
/// page names the worker, and loads it when the user starts an export.
fn take_worker(files: &mut Files, page: &mut String) -> Result<Files> {
    let wasm = format!("{WORKER}_bg.wasm");
    let Some(module) = files.remove(&wasm) else { return Ok(Files::new()) };
    let script = take_text(files, &format!("{WORKER}.js"))?;
    // The loader starts the module where this step does not run, as with `trunk serve`.
    let loader = format!("{WORKER}_loader.js");
    files.remove(&loader);
    let mut named = Files::new();
    let (_, script_name) = insert_app(&mut named, &script, module, &wasm)?;
    let is_named = replace_name(page, &loader, &script_name)?;
    ensure!(is_named, "`index.html` does not contain `/{loader}`: add it");
    Ok(named)
}

/// Adds a module that Trunk named `wasm`, and the script that starts it. Returns their names.
fn insert_app(
    files: &mut Files,
    script: &str,
    module: Vec<u8>,
    wasm: &str,
) -> Result<(String, String)> {
    let wasm_name = hashed_name(&wasm.replace("_bg", ""), &module);
    let script = with_module_start(script, &wasm_name, wasm)?;
    let script_name = hashed_name(&wasm.replace("_bg.wasm", ".js"), script.as_bytes());
    files.insert(wasm_name.clone(), module);
    files.insert(script_name.clone(), script.into_bytes());
    Ok((wasm_name, script_name))
}

fn take_file(files: &mut Files, name: &str) -> Result<Vec<u8>> {
    let file = files.remove(name);
    file.with_context(|| format!("Trunk wrote no `{name}`: check whether its version has changed"))
}

/// Takes a text file out of the files.
fn take_text(files: &mut Files, name: &str) -> Result<String> {
    Ok(String::from_utf8(take_file(files, name)?)?)
}

/// Returns the name with a hash of the content before the extension.
fn hashed_name(name: &str, content: &[u8]) -> String {
    let hash = format!("{:x}", Sha256::digest(content));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    format!("{stem}-{}.{ending}", &hash[..HASH_DIGITS])
}

/// Replaces `/name` where a delimiter follows it. Returns whether there was a match.
fn replace_name(text: &mut String, name: &str, new: &str) -> Result<bool> {
    let pattern = Regex::new(&format!(r"/{}(?<end>[\x22'` >?#])", regex::escape(name)))?;
    let is_named = pattern.is_match(text);
    *text = pattern.replace_all(text, format!("/{new}${{end}}")).into_owned();
    Ok(is_named)
}

/// Returns the page without the inline script and the preloads that Trunk adds, and without the
/// instructions to Trunk that it leaves in the page.
fn without_trunks_scripts(page: &str) -> Result<String> {
    let added = Regex::new(concat!(
        r"(?s)<script type=[\x22']?module[\x22']?>.*?</script>",
        r"|<link [^>]*preload[^>]*>| data-integrity=\x22?none\x22?",
    ))?;
    Ok(added.replace_all(page, "").into_owned())
}

/// Returns the minified glue script, which starts the module under its new name. It waits for the
/// frame that paints the server-rendered rows (`public/first.js`), because compilation uses the
/// processor time that painting needs. In a worker the promise does not exist, and nothing waits.
fn with_module_start(script: &str, wasm: &str, old_wasm: &str) -> Result<String> {
    let is_known = script.contains("__wbg_init as default");
    ensure!(is_known, "the script of wasm-bindgen has changed: adapt `postprocess.rs`");
    let script = minify(script).replace(old_wasm, wasm);
    Ok(format!(
        "{script}await globalThis.sheafRowsPainted;\nawait __wbg_init({{ module_or_path: \
         fetch(new URL('/{wasm}', import.meta.url)) }});\n"
    ))
}

/// Removes comment lines and indentation. A script with a multi-line template string is unchanged.
fn minify(script: &str) -> String {
    if script.contains('`') && script.lines().any(|line| line.matches('`').count() % 2 == 1) {
        return script.to_owned();
    }
    let mut out = String::with_capacity(script.len());
    let mut in_comment = false;
    for line in script.lines().map(str::trim) {
        in_comment |=
            line.starts_with("/*") && line.find("*/").is_none_or(|at| at + 2 == line.len());
        if !in_comment && !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
        in_comment &= !line.ends_with("*/");
    }
    out
}

/// Adds the script to the page, and the name of the module before all scripts: `public/first.js`
/// may fetch it early.
fn with_app(page: &str, script: &str, wasm: &str) -> Result<String> {
    let parts = page.split_once("<title").and_then(|(start, rest)| {
        let (head, body) = rest.split_once("</head>")?;
        Some((start, head, body))
    });
    let (start, head, body) = parts.context("`index.html` has no `<title>` before `</head>`")?;
    Ok(format!(
        "{start}<meta name=\"module\" content=\"/{wasm}\"><title{head}\
         <script type=\"module\" src=\"/{script}\"></script></head>{body}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_content() {
        let names = |css: &str, wasm: &str| -> Vec<String> {
            let page = "<head><title>A</title><link href=/base.css rel=stylesheet></head>";
            let glue = "b('dashboard_bg.wasm');\nexport { __wbg_init as default };\n";
            let files =
                [("index.html", page), ("base.css", css), ("dashboard.js", glue), (MAIN, wasm)];
            let files = files.map(|(name, text)| (name.to_owned(), text.into())).into();
            name_by_content(files).unwrap().into_keys().collect()
        };
        let one = names("a", "w");
        let differing = |other: &[String]| other.iter().filter(|name| !one.contains(name)).count();
        assert_eq!(differing(&names("a", "w")), 0);
        assert_eq!(differing(&names("b", "w")), 1, "only the style sheet");
        assert_eq!(differing(&names("a", "x")), 2, "the module, and the script with its name");
    }

    #[test]
    fn comments_are_removed_and_code_stays() {
        assert_eq!(minify("/* a\n b */\n  c();\n/* d */ e();\n// f\n"), "c();\n/* d */ e();\n");
        let template = "`a\n  // not a comment\n`";
        assert_eq!(minify(template), template);
    }
}
