//! Post-processes Trunk's output: file names with content hashes, and the inline script as a file.
//!
//! Trunk would compute its hashes before `wasm-opt` runs. Two different files could have the same
//! name, and browsers cache by name.

use sha2::{Digest as _, Sha256};

use crate::build::files::{Files, MAIN, WORKER, is_kind, regex};
use crate::run::{Error, Result};

/// Hash digits in the file names. A chunk has a dozen versions in its lifetime, so few digits
/// suffice, and the script names a hundred files.
const HASH_DIGITS: usize = 8;

/// Renames the files by their content hash, and makes the page load the one script and module.
pub(crate) fn name_by_content(mut files: Files) -> Result<Files> {
    let mut page = without_trunks_scripts(&take_text(&mut files, "index.html")?)?;
    let mut named = take_worker(&mut files, &mut page)?;
    let module = files.remove(MAIN).ok_or_else(|| missing_file_error(MAIN))?;
    let glue = MAIN.replace("_bg.wasm", ".js");
    let mut script = take_text(&mut files, &glue)?;
    for (name, mut content) in files {
        if is_kind(&name, "js") {
            let text = String::from_utf8(content).map_err(|_| missing_file_error(&name))?;
            content = minify(&text).into_bytes();
        }
        let new = hashed_name(&name, &content);
        let in_page = replace_name(&mut page, &name, &new)?;
        let in_script = replace_name(&mut script, &name, &new)?;
        named.insert(if in_page || in_script { new } else { name }, content);
    }
    let wasm_name = hashed_name(&glue.replace(".js", ".wasm"), &module);
    let script = with_module_start(&script, &wasm_name, MAIN)?;
    let script_name = hashed_name(&glue, script.as_bytes());
    let page = with_app(&page, &script_name, &wasm_name)?;
    named.insert(wasm_name, module);
    named.insert(script_name, script.into_bytes());
    named.insert("index.html".to_owned(), page.into_bytes());
    Ok(named)
}

/// Takes the export worker out of the files, and finishes it: a script that starts its module. The
/// page names the worker, and loads it when the user starts an export.
fn take_worker(files: &mut Files, page: &mut String) -> Result<Files> {
    let wasm = format!("{WORKER}_bg.wasm");
    let glue = format!("{WORKER}.js");
    let Some(module) = files.remove(&wasm) else { return Ok(Files::new()) };
    let script = take_text(files, &glue)?;
    // The loader starts the module where this step does not run, as with `trunk serve`.
    let loader = format!("{WORKER}_loader.js");
    files.remove(&loader);
    let wasm_name = hashed_name(&format!("{WORKER}.wasm"), &module);
    let script = with_module_start(&script, &wasm_name, &wasm)?;
    let script_name = hashed_name(&glue, script.as_bytes());
    if !replace_name(page, &loader, &script_name)? {
        return Err(Error::new(format!("`index.html` does not contain `/{loader}`: add it")));
    }
    Ok(Files::from([(wasm_name, module), (script_name, script.into_bytes())]))
}

fn take_text(files: &mut Files, name: &str) -> Result<String> {
    let content = files.remove(name).unwrap_or_default();
    let text = String::from_utf8(content).ok().filter(|text| !text.is_empty());
    text.ok_or_else(|| missing_file_error(name))
}

fn missing_file_error(name: &str) -> Error {
    Error::new(format!("Trunk wrote no usable `{name}`: check whether its version has changed"))
}

/// Returns the name with a hash of the content before the extension.
fn hashed_name(name: &str, content: &[u8]) -> String {
    let hash = format!("{:x}", Sha256::digest(content));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    format!("{stem}-{}.{ending}", &hash[..HASH_DIGITS])
}

/// Replaces `/name` where a delimiter follows it. Returns whether there was a match.
fn replace_name(text: &mut String, name: &str, new: &str) -> Result<bool> {
    let pattern = regex(&format!(r"/{}(?<end>[\x22'` >?#])", regex::escape(name)))?;
    let is_named = pattern.is_match(text);
    *text = pattern.replace_all(text, format!("/{new}${{end}}")).into_owned();
    Ok(is_named)
}

/// Returns the page without the inline script and the preloads that Trunk adds, and without the
/// instructions to Trunk that it leaves in the page.
fn without_trunks_scripts(page: &str) -> Result<String> {
    let added = regex(concat!(
        r"(?s)<script type=[\x22']?module[\x22']?>.*?</script>",
        r"|<link [^>]*preload[^>]*>| data-integrity=\x22?none\x22?",
    ))?;
    Ok(added.replace_all(page, "").into_owned())
}

/// Returns the minified glue script, which starts the module under its new name. It waits for the
/// frame that paints the server-rendered rows (`public/first.js`), because compilation uses the
/// processor time that painting needs. In a worker the promise does not exist, and nothing waits.
fn with_module_start(script: &str, wasm: &str, old_wasm: &str) -> Result<String> {
    if !script.contains("__wbg_init as default") {
        let message = "the script of wasm-bindgen is not in the format of 0.2.130";
        return Err(Error::new(format!("{message}: adapt `postprocess.rs`")));
    }
    let mut script = minify(script).replace(old_wasm, wasm);
    script.push_str("await globalThis.sheafRowsPainted;\n");
    script.push_str("await __wbg_init({ module_or_path: fetch(new URL('/");
    script.push_str(wasm);
    script.push_str("', import.meta.url)) });\n");
    Ok(script)
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
    let (start, head, body) = parts.ok_or_else(|| {
        Error::new("`index.html` has no `<title>` or no `</head>`: write them out, in this order")
    })?;
    Ok(format!(
        "{start}<meta name=\"module\" content=\"/{wasm}\"><title{head}\
         <script type=\"module\" src=\"/{script}\"></script></head>{body}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "/** doc */\nfunction a() {\n    // why\n    b('dashboard_bg.wasm');\n}\n\
                        export { initSync, __wbg_init as default };\n";
    const PAGE: &str = "<head><title>A</title><link href=/favicon.svg rel=icon>\
        <script src=/theme.js></script>\
        <link data-integrity=none href=/base.css rel=stylesheet>\
        <link rel=modulepreload href=/dashboard.js>\
        <link rel=\"preload\" href=/dashboard_bg.wasm as=fetch></head>\
        <body><script type=module>import init from'/dashboard.js'</script></body>";

    fn trunk_output(css: &str, wasm: &str) -> Files {
        let files = [
            ("index.html", PAGE),
            ("dashboard.js", GLUE),
            ("dashboard_bg.wasm", wasm),
            ("base.css", css),
            ("favicon.svg", "<svg/>"),
            ("theme.js", "1"),
            ("robots.txt", "User-agent: *"),
        ];
        files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into()
    }

    fn text<'a>(files: &'a Files, name: &str) -> &'a str {
        std::str::from_utf8(&files[name]).unwrap()
    }

    fn name(files: &Files, start: &str, ending: &str) -> String {
        let fits = |name: &&String| name.starts_with(start) && name.ends_with(ending);
        files.keys().find(fits).unwrap().clone()
    }

    #[test]
    fn names_follow_content() {
        let names = |css, wasm| -> Vec<String> {
            name_by_content(trunk_output(css, wasm)).unwrap().into_keys().collect()
        };
        let one = names("a", "w");
        let same = names("a", "w");
        assert_eq!(one, same);
        let differing = |other: &[String]| other.iter().filter(|name| !one.contains(name)).count();
        assert_eq!(differing(&names("b", "w")), 1, "only the style sheet");
        assert_eq!(differing(&names("a", "x")), 2, "the module, and the script with its name");
    }

    #[test]
    fn page_references_all_files() {
        let files = name_by_content(trunk_output("a", "w")).unwrap();
        let page = text(&files, "index.html");
        for name in files.keys().filter(|name| !["index.html", "robots.txt"].contains(&&***name)) {
            assert!(page.contains(&format!("/{name}")), "{name} in {page}");
        }
        assert!(!page.contains("integrity") && !page.contains("import init"), "{page}");
        assert_eq!(page.matches("<script").count(), page.matches("src=").count(), "{page}");
        assert!(!page.contains("preload"), "{page}");
        let wasm = name(&files, "dashboard-", ".wasm");
        let module = format!("<meta name=\"module\" content=\"/{wasm}\">");
        assert!(page.find(&module).unwrap() < page.find("<script").unwrap(), "{page}");
    }

    #[test]
    fn script_starts_module_by_final_name() {
        let files = name_by_content(trunk_output("a", "w")).unwrap();
        let wasm = name(&files, "dashboard-", ".wasm");
        let script = text(&files, &name(&files, "dashboard-", ".js")).to_owned();
        let asked = format!("fetch(new URL('/{wasm}', import.meta.url))");
        let begins = ["await globalThis.sheafRowsPainted", "await __wbg_init("];
        let places = begins.map(|it| script.rfind(it).unwrap());
        assert!(script.contains(&asked) && places.is_sorted(), "{script}");
        assert!(!script.contains("window"), "the worker has no `window`: {script}");
        assert!(!script.contains("why") && !script.contains("doc"), "{script}");
    }

    #[test]
    fn worker_is_named_but_not_loaded() {
        let mut files = trunk_output("a", "w");
        let page =
            PAGE.replace("</head>", "<meta name=exporter content=/exporter_loader.js></head>");
        files.insert("index.html".to_owned(), page.into_bytes());
        let glue = GLUE.replace("dashboard", "exporter");
        files.insert("exporter.js".to_owned(), glue.clone().into_bytes());
        files.insert("exporter_bg.wasm".to_owned(), b"x".to_vec());
        files.insert("exporter_loader.js".to_owned(), b"await init();".to_vec());
        let mut unnamed = files.clone();
        let files = name_by_content(files).unwrap();
        let script = name(&files, "exporter-", ".js");
        let wasm = name(&files, "exporter-", ".wasm");
        let page = text(&files, "index.html");
        assert!(page.contains(&format!("<meta name=exporter content=/{script}>")), "{page}");
        assert!(!page.contains(&wasm), "{page}");
        assert!(text(&files, &script).contains(&format!("new URL('/{wasm}'")));
        assert!(!files.keys().any(|name| name.contains("loader")));
        unnamed.insert("index.html".to_owned(), PAGE.as_bytes().to_vec());
        assert!(name_by_content(unnamed).is_err());
    }

    #[test]
    fn unknown_script_format_is_rejected() {
        let mut files = trunk_output("a", "w");
        files.insert("dashboard.js".to_owned(), b"export {};".to_vec());
        assert!(name_by_content(files).unwrap_err().to_string().contains("not in the format"));
        assert!(name_by_content(Files::new()).is_err());
    }

    #[test]
    fn only_whole_names_are_replaced() {
        let mut page = "src=/a.js href=\"/a.js\" /a.jsx /ba.js".to_owned();
        assert!(replace_name(&mut page, "a.js", "b.js").unwrap());
        assert_eq!(page, "src=/b.js href=\"/b.js\" /a.jsx /ba.js");
        assert!(!replace_name(&mut page, "c.js", "d.js").unwrap());
    }

    #[test]
    fn comments_are_removed_and_code_stays() {
        assert_eq!(minify("/* a\n b */\n  c();\n/* d */ e();\n// f\n"), "c();\n/* d */ e();\n");
        let template = "`a\n  // not a comment\n`";
        assert_eq!(minify(template), template);
    }
}
