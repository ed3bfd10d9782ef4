//! Tells how much a browser downloads, and refuses too much. Reads the built files only.

use crate::{
    finish::{self, Files},
    place,
    run::{Error, Result, say},
};

/// What script and module together may weigh on the wire, compressed by brotli, in bytes: 5 % more
/// than they did when they were last made smaller (337,700), so that growth is noticed early.
const BUDGET: usize = 354_500;

/// The same of the worker that writes exports (160,000), which a browser loads only to export.
const WORKER_BUDGET: usize = 168_000;

/// Prints the sizes of what is built, and fails above the budget.
pub(crate) fn check() -> Result {
    let files = finish::read(&place::dist())?;
    print(&files);
    let (worker, files): (Files, Files) =
        files.into_iter().partition(|(name, _)| name.starts_with(finish::WORKER));
    let weight = on_the_wire(&files, "wasm") + on_the_wire(&files, "js");
    if weight == 0 {
        return Err(Error::new("`dist` is empty: run `cargo xtask dashboard` first"));
    }
    if weight > BUDGET {
        let message = format!("script and module weigh {weight} bytes, {BUDGET} are allowed");
        return Err(Error::new(message + ": make the dashboard smaller"));
    }
    let worker = on_the_wire(&worker, "wasm") + on_the_wire(&worker, "js");
    if worker > WORKER_BUDGET {
        let message = format!("the export worker weighs {worker} bytes, {WORKER_BUDGET} are");
        return Err(Error::new(message + " allowed: make it smaller"));
    }
    say(&format!("Script and module weigh {weight} bytes of {BUDGET} allowed."));
    say(&format!("The export worker weighs {worker} bytes of {WORKER_BUDGET} allowed."));
    Ok(())
}

/// Prints a table of all files: as they are, by gzip, by brotli.
pub(crate) fn print(files: &Files) {
    say(&format!("{:<44}{:>10}{:>10}{:>10}", "file", "raw", "gzip", "brotli"));
    for (name, content) in files.iter().filter(|(name, _)| !is_twin(name)) {
        let small = |ending: &str| twin(files, name, ending);
        say(&row(name, content.len(), small("gz"), small("br")));
    }
    for kind in ["wasm", "js", "css"] {
        let of_kind = || files.iter().filter(|(name, _)| is_kind(name, kind));
        let sum = |ending| of_kind().map(|(name, _)| twin(files, name, ending)).sum();
        let raw = of_kind().map(|(_, content)| content.len()).sum();
        say(&row(&format!("all {kind}"), raw, sum("gz"), sum("br")));
    }
}

fn row(name: &str, raw: usize, gzip: usize, brotli: usize) -> String {
    format!("{name:<44}{raw:>10}{gzip:>10}{brotli:>10}")
}

/// The brotli weight of all files of one ending.
fn on_the_wire(files: &Files, kind: &str) -> usize {
    files.keys().filter(|name| is_kind(name, kind)).map(|name| twin(files, name, "br")).sum()
}

fn is_kind(name: &str, kind: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending == kind)
}

fn is_twin(name: &str) -> bool {
    is_kind(name, "br") || is_kind(name, "gz")
}

/// The size of a file's compressed twin, or its own where it has none.
fn twin(files: &Files, name: &str, ending: &str) -> usize {
    let twin = files.get(&format!("{name}.{ending}"));
    twin.or_else(|| files.get(name)).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_is_that_of_the_twin_or_else_of_the_file() {
        let files = Files::from([
            ("a.js".to_owned(), vec![0; 100]),
            ("a.js.br".to_owned(), vec![0; 40]),
            ("a.js.gz".to_owned(), vec![0; 50]),
            ("b.js".to_owned(), vec![0; 7]),
            ("c.wasm".to_owned(), vec![0; 9]),
        ]);
        assert_eq!(on_the_wire(&files, "js"), 47);
        assert_eq!(on_the_wire(&files, "wasm"), 9);
    }
}
