//! Post-processes Trunk's output: file names with content hashes, the inline script as a file, and
//! compressed variants of each file.
//!
//! Trunk computes its hashes before `wasm-opt` runs. Two different files could have the same name,
//! and browsers cache by name. Trunk's inline script contains these names.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use crate::run::{Error, Result, io_at};

/// Files of a site by their path below its root.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// File extensions that are compressed.
const COMPRESSIBLE: [&str; 7] = ["css", "html", "js", "json", "svg", "txt", "wasm"];

/// Name of the export worker.
pub(crate) const WORKER: &str = "exporter";

/// Hash digits in the file names of Trunk.
const HASH_DIGITS: usize = 16;
/// Hash digits in the final file names. A chunk has a dozen versions in its lifetime, so few digits
/// suffice, and the script names a hundred files.
const FINAL_HASH_DIGITS: usize = 8;

/// Reads all files below `folder`.
pub(crate) fn read_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    read_below(folder, "", &mut files)?;
    Ok(files)
}

fn read_below(folder: &Path, prefix: &str, files: &mut Files) -> Result {
    for entry in fs::read_dir(folder).map_err(io_at("read", folder))?.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = format!("{prefix}{}", name.to_string_lossy());
        if path.is_dir() {
            read_below(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(&path).map_err(io_at("read", &path))?);
        }
    }
    Ok(())
}

/// Replaces `folder` by exactly these files.
pub(crate) fn write_files(files: &Files, folder: &Path) -> Result {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(io_at("remove", folder))?;
    }
    for (name, content) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(io_at("create", parent))?;
        fs::write(&path, content).map_err(io_at("write", &path))?;
    }
    Ok(())
}

/// Renames the files by their content hash, and makes the page load the one script and module.
pub(crate) fn name_by_content(mut files: Files) -> Result<Files> {
    let mut page = String::from_utf8(files.remove("index.html").ok_or_else(missing_page_error)?)
        .map_err(|_| Error::new("`index.html` is not UTF-8: save it as UTF-8"))?;
    let mut named = take_worker(&mut files, &mut page)?;
    let wasm = only_file(&files, "_bg.wasm")?;
    let glue = wasm.replace("_bg.wasm", ".js");
    let app = stem(&glue).to_owned();
    let module = files.remove(&wasm).unwrap_or_default();
    let script = files.remove(&glue).ok_or_else(|| missing_file_error(&glue))?;
    let mut script = String::from_utf8(script).map_err(|_| missing_file_error(&glue))?;

    page = without_trunks_scripts(&page);
    for (name, mut content) in files {
        if is_kind(&name, "js") {
            let text = minify(&String::from_utf8(content).map_err(|_| missing_file_error(&name))?);
            content = text.into_bytes();
        }
        let new = hashed_name(&name, &content);
        let in_page = replace_name(&mut page, &name, &new);
        let in_script = replace_name(&mut script, &name, &new);
        named.insert(if in_page || in_script { new } else { name }, content);
    }
    let wasm_name = hashed_name(&format!("{app}.wasm"), &module);
    let script = with_module_start(&script, &wasm_name, &wasm)?;
    let script_name = hashed_name(&format!("{app}.js"), script.as_bytes());
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
    let script = files.remove(&glue).ok_or_else(|| missing_file_error(&glue))?;
    let script = String::from_utf8(script).map_err(|_| missing_file_error(&glue))?;
    // The loader starts the module where this step does not run, as with `trunk serve`.
    let loader = format!("{WORKER}_loader.js");
    files.remove(&loader);
    let wasm_name = hashed_name(&format!("{WORKER}.wasm"), &module);
    let script = with_module_start(&script, &wasm_name, &wasm)?;
    let script_name = hashed_name(&glue, script.as_bytes());
    if !replace_name(page, &loader, &script_name) {
        return Err(Error::new(format!("`index.html` does not contain `/{loader}`: add it")));
    }
    Ok(Files::from([(wasm_name, module), (script_name, script.into_bytes())]))
}

fn missing_page_error() -> Error {
    Error::new("Trunk wrote no `index.html`: see its output above")
}

fn missing_file_error(name: &str) -> Error {
    Error::new(format!("Trunk wrote no usable `{name}`: check whether its version has changed"))
}

/// Returns the only file with this ending.
fn only_file(files: &Files, ending: &str) -> Result<String> {
    let mut found = files.keys().filter(|name| name.ends_with(ending));
    match (found.next(), found.next()) {
        (Some(name), None) => Ok(name.clone()),
        _ => Err(missing_file_error(&format!("*{ending}"))),
    }
}

/// Returns the name without extension and hash: `app` for `app-0123456789abcdef.css`.
fn stem(name: &str) -> &str {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem.rsplit_once('-') {
        Some((short, hash))
            if hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            short
        }
        _ => stem,
    }
}

/// Returns the name with a hash of the content before the extension.
fn hashed_name(name: &str, content: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut hash = String::new();
    for byte in &Sha256::digest(content)[..FINAL_HASH_DIGITS / 2] {
        let _ = write!(hash, "{byte:02x}");
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    format!("{}-{hash}.{ending}", stem(name))
}

/// Replaces `/name` where a delimiter follows it. Returns whether there was a match.
fn replace_name(text: &mut String, name: &str, new: &str) -> bool {
    let from = format!("/{name}");
    let to = format!("/{new}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut any = false;
    while let Some(at) = rest.find(&from) {
        let before = &rest[..at];
        let after = &rest[at + from.len()..];
        let ends = after.starts_with(['"', '\'', '`', ' ', '>', '?', '#']);
        out.push_str(before);
        out.push_str(if ends { &to } else { &from });
        any |= ends;
        rest = after;
    }
    out.push_str(rest);
    *text = out;
    any
}

/// Returns the page without the inline script and the preloads that Trunk adds.
fn without_trunks_scripts(page: &str) -> String {
    let inline = |tag: &str| tag.contains("module") && !tag.contains("src=");
    let page = remove_elements(page, "<script", "</script>", inline);
    let page = remove_elements(&page, "<link", ">", |tag| tag.contains("preload"));
    // Instructions to Trunk that it leaves in the page.
    page.replace(" data-integrity=none", "").replace(" data-integrity=\"none\"", "")
}

/// Removes the ranges from `open` to `close` with an `unwanted` first tag.
fn remove_elements(text: &str, open: &str, close: &str, unwanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        let end = rest[at..].find(close).map_or(rest.len(), |length| at + length + close.len());
        let tag_end = rest[at..].find('>').map_or(end, |length| at + length);
        let copy_end = if unwanted(&rest[at..tag_end]) { at } else { end };
        out.push_str(&rest[..copy_end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
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
    script.push_str("await globalThis.sheafShown;\n");
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

/// Adds a `.br` and a `.gz` variant for each file that gets smaller.
pub(crate) fn compress(files: &mut Files) -> Result {
    let mut twins = Files::new();
    for (name, content) in files.iter().filter(|(name, _)| is_compressible(name)) {
        for (ending, small) in [("br", brotli(content)), ("gz", gzip(content))] {
            let small =
                small.map_err(|error| Error::new(format!("cannot compress `{name}`: {error}")))?;
            if small.len() < content.len() {
                twins.insert(format!("{name}.{ending}"), small);
            }
        }
    }
    files.append(&mut twins);
    Ok(())
}

/// Returns whether a file name has this extension.
pub(crate) fn is_kind(name: &str, kind: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending == kind)
}

fn is_compressible(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| COMPRESSIBLE.contains(&ending))
}

fn brotli(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut small = Vec::new();
    ::brotli::CompressorReader::new(content, 1 << 16, 11, 22).read_to_end(&mut small)?;
    Ok(small)
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "/** doc */\nfunction a() {\n    // why\n    b('dashboard_bg.wasm');\n}\n\
                        export { initSync, __wbg_init as default };\n";
    const PAGE: &str = "<head><title>A</title><link href=/favicon.svg rel=icon>\
        <script src=/theme.js></script>\
        <link data-integrity=none href=/base-0123456789abcdef.css rel=stylesheet>\
        <link rel=modulepreload href=/dashboard-0123456789abcdef.js>\
        <link rel=\"preload\" href=/dashboard-0123456789abcdef_bg.wasm as=fetch></head>\
        <body><script type=module>import init from'/dashboard-0123456789abcdef.js'</script></body>";

    fn trunk_output(css: &str, wasm: &str) -> Files {
        let files = [
            ("index.html", PAGE),
            ("dashboard-0123456789abcdef.js", GLUE),
            ("dashboard-0123456789abcdef_bg.wasm", wasm),
            ("base-0123456789abcdef.css", css),
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
        assert!(!page.contains("0123456789abcdef"), "{page}");
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
        let begins = ["await globalThis.sheafShown", "await __wbg_init("];
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
        files.insert("dashboard-0123456789abcdef.js".to_owned(), b"export {};".to_vec());
        assert!(name_by_content(files).unwrap_err().to_string().contains("not in the format"));
        assert!(name_by_content(Files::new()).is_err());
    }

    #[test]
    fn only_whole_names_are_replaced() {
        let mut page = "src=/a.js href=\"/a.js\" /a.jsx /ba.js".to_owned();
        assert!(replace_name(&mut page, "a.js", "b.js"));
        assert_eq!(page, "src=/b.js href=\"/b.js\" /a.jsx /ba.js");
        assert!(!replace_name(&mut page, "c.js", "d.js"));
    }

    #[test]
    fn comments_are_removed_and_code_stays() {
        assert_eq!(minify("/* a\n b */\n  c();\n/* d */ e();\n// f\n"), "c();\n/* d */ e();\n");
        let template = "`a\n  // not a comment\n`";
        assert_eq!(minify(template), template);
    }

    #[test]
    fn compressed_variants_are_smaller_and_decompress() {
        let long = "abc ".repeat(500);
        let mut files = Files::from([
            ("a.js".to_owned(), long.clone().into_bytes()),
            ("b.js".to_owned(), b"x".to_vec()),
            ("c.png".to_owned(), long.clone().into_bytes()),
        ]);
        compress(&mut files).unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.js", "a.js.br", "a.js.gz", "b.js", "c.png"]);
        let mut back = String::new();
        ::brotli::Decompressor::new(&*files["a.js.br"], 4096).read_to_string(&mut back).unwrap();
        assert_eq!(back, long);
        back.clear();
        flate2::read::GzDecoder::new(&*files["a.js.gz"]).read_to_string(&mut back).unwrap();
        assert_eq!(back, long);
    }

    #[test]
    fn write_replaces_the_folder() {
        let folder = place_for("finish");
        write_files(&Files::from([("old.js".to_owned(), vec![1])]), &folder).unwrap();
        let new = Files::from([("a/b.js".to_owned(), vec![2]), ("c.js".to_owned(), vec![3])]);
        write_files(&new, &folder).unwrap();
        assert_eq!(read_files(&folder).unwrap(), new);
        fs::remove_dir_all(&folder).unwrap();
    }

    fn place_for(test: &str) -> std::path::PathBuf {
        crate::paths::target().join(format!("xtask-{test}-{}", std::process::id()))
    }
}
