//! Prints the download sizes of the dashboard, and fails if a group of files exceeds its budget.
//! Reads only the built files and the list of budgets.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::build::files::{self, Files, is_kind, regex};
use crate::paths;
use crate::run::{Error, Result, io_at, print_line};

/// Path of the list of budgets, from the root of the repository.
const BUDGETS: &str = "xtask/budget.txt";

/// Allowed growth above the budget, in percent.
const GROWTH_MAX: usize = 5;

/// Group of the files that the page itself loads before anything is visible.
const FIRST_VIEW: &str = "first-view";
/// Group of the files that several chunks need.
const SHARED: &str = "shared";

/// Prints the sizes of the built files, and fails if a group exceeds its budget.
pub(crate) fn check_budgets() -> Result {
    let files = files::read_files(&paths::dist())?;
    if !files.contains_key("index.html") {
        return Err(Error::new("`dist` is empty: run `cargo xtask dashboard` first"));
    }
    print_sizes(&files);
    let path = paths::root().join(BUDGETS);
    let budgets = fs::read_to_string(&path).map_err(io_at("read", &path))?;
    let weights = group_sizes(&files)?;
    for (group, weight) in &weights {
        print_line(&format!("{group:<20}{weight:>10} bytes"));
    }
    compare_with_budgets(&weights, &budgets)
}

/// Compares the size of each group with its line in the list.
fn compare_with_budgets(weights: &BTreeMap<String, usize>, budgets: &str) -> Result {
    let lines = budgets.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut known = BTreeMap::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let budget = words.next().zip(words.next().and_then(|word| word.parse::<usize>().ok()));
        let (group, bytes) = budget.filter(|_| words.next().is_some()).ok_or_else(|| {
            let message = format!("invalid line `{line}` in {BUDGETS}");
            Error::new(message + ": write a group, its bytes and a reason")
        })?;
        known.insert(group, bytes);
    }
    for (group, &weight) in weights {
        let allowed = known.get(group.as_str()).map(|bytes| bytes + bytes * GROWTH_MAX / 100);
        if allowed.is_none_or(|allowed| weight > allowed) {
            let allowed = allowed.unwrap_or_default();
            let message = format!("`{group}` has {weight} bytes, {allowed} are allowed");
            let help =
                format!(": make it smaller, or write its size and the reason into {BUDGETS}");
            return Err(Error::new(message + &help));
        }
    }
    Ok(())
}

/// Returns the compressed size of each group. The page loads its links, its scripts and the module,
/// which the script fetches. A file that the page only names is fetched later.
fn group_sizes(files: &Files) -> Result<BTreeMap<String, usize>> {
    let page = files.get("index.html").map_or(&[][..], Vec::as_slice);
    let page = String::from_utf8_lossy(page);
    let link = regex(r"(?:href=|src=|name=\x22module\x22 content=)[\x22']?/([^\x22' >]+)")?;
    let mut first_view: BTreeSet<_> =
        link.captures_iter(&page).map(|link| link[1].to_owned()).collect();
    first_view.insert("index.html".to_owned());
    let mut weights = BTreeMap::new();
    for name in files.keys().filter(|name| !is_compressed_variant(name)) {
        let group = match name.split('-').next().unwrap_or_default() {
            _ if first_view.contains(name) => FIRST_VIEW,
            part if part.starts_with("chunk_") => SHARED,
            part => part.strip_prefix("split_").unwrap_or(part),
        };
        // Files that no page requests, such as robots.txt.
        if group != name {
            *weights.entry(group.to_owned()).or_default() += compressed_size(files, name, "br");
        }
    }
    Ok(weights)
}

/// Prints a table of all files: raw size, and compressed by gzip and brotli.
pub(crate) fn print_sizes(files: &Files) {
    print_line(&format!("{:<44}{:>10}{:>10}{:>10}", "file", "raw", "gzip", "brotli"));
    for (name, content) in files.iter().filter(|(name, _)| !is_compressed_variant(name)) {
        let small = |ending: &str| compressed_size(files, name, ending);
        print_line(&table_row(name, content.len(), small("gz"), small("br")));
    }
    for kind in ["wasm", "js", "css"] {
        let of_kind = || files.iter().filter(|(name, _)| is_kind(name, kind));
        let sum = |ending| of_kind().map(|(name, _)| compressed_size(files, name, ending)).sum();
        let raw = of_kind().map(|(_, content)| content.len()).sum();
        print_line(&table_row(&format!("all {kind}"), raw, sum("gz"), sum("br")));
    }
}

fn table_row(name: &str, raw: usize, gzip: usize, brotli: usize) -> String {
    format!("{name:<44}{raw:>10}{gzip:>10}{brotli:>10}")
}

fn is_compressed_variant(name: &str) -> bool {
    is_kind(name, "br") || is_kind(name, "gz")
}

/// Returns the size of a file's compressed variant, or of the file without one.
fn compressed_size(files: &Files, name: &str, ending: &str) -> usize {
    let twin = files.get(&format!("{name}.{ending}"));
    twin.or_else(|| files.get(name)).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_files() -> Files {
        let files = [
            (
                "index.html",
                b"<script src=/a-01.js><meta name=\"module\" content=\"/a-01.wasm\">\
                    <meta content=/worker-05.js>"
                    .to_vec(),
            ),
            ("a-01.js", vec![0; 100]),
            ("a-01.js.br", vec![0; 40]),
            ("a-01.js.gz", vec![0; 50]),
            ("a-01.wasm", vec![0; 9]),
            ("split_card-02.wasm", vec![0; 7]),
            ("chunk_5-03.wasm", vec![0; 3]),
            ("chunk_6-04.wasm", vec![0; 4]),
            ("worker-05.js", vec![0; 2]),
            ("robots.txt", vec![0; 26]),
        ];
        files.map(|(name, content)| (name.to_owned(), content)).into()
    }

    #[test]
    fn each_file_counts_compressed_in_one_group() {
        let weights = group_sizes(&sample_files()).unwrap();
        let found: Vec<_> = weights.iter().map(|(group, bytes)| (group.as_str(), *bytes)).collect();
        let page = sample_files()["index.html"].len();
        let wanted = [("card", 7), (FIRST_VIEW, page + 40 + 9), (SHARED, 7), ("worker", 2)];
        assert_eq!(found, wanted);
    }

    #[test]
    fn growth_needs_a_budget_line() {
        let weigh = |bytes| BTreeMap::from([("card".to_owned(), bytes)]);
        let check = |bytes, budgets: &str| {
            compare_with_budgets(&weigh(bytes), budgets).map_err(|e| e.to_string())
        };
        assert_eq!(check(105, "# all\n\ncard 100 as it is"), Ok(()));
        let error = check(106, "card 100 as it is").unwrap_err();
        assert!(error.contains("`card` has 106 bytes, 105 are allowed"), "{error}");
        assert!(check(1, "keys 100 as it is").is_err(), "no line");
        assert!(check(1, "card 100").is_err(), "no reason");
        assert!(check(1, "card many as it is").is_err(), "no number");
    }
}
