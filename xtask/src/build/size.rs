//! Prints the download sizes of the dashboard, and fails if a group of files exceeds its budget.
//! Reads only the built files and the list of budgets.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use fs_err as fs;
use regex::Regex;

use crate::build::files::{self, Files, is_kind};
use crate::paths;
use crate::run::print_line;

/// Allowed growth above the budget, in percent.
const GROWTH_MAX: usize = 5;

/// Prints the size of each group of files, and fails if one exceeds its budget.
pub(crate) fn check_budgets() -> Result<()> {
    let sizes = group_sizes(&files::read_files(&paths::dist())?)?;
    for (group, size) in &sizes {
        print_line(&format!("{group:<20}{size:>10} bytes"));
    }
    compare_with_budgets(&sizes, &fs::read_to_string(paths::root().join("xtask/budget.txt"))?)
}

/// Compares the size of each group with its line in the list: a group, its bytes and a reason.
fn compare_with_budgets(sizes: &BTreeMap<String, usize>, budgets: &str) -> Result<()> {
    for (group, &size) in sizes {
        let line = Regex::new(&format!(r"(?m)^{} +(\d+) +\S", regex::escape(group)))?;
        let bytes: usize = line.captures(budgets).map_or(Ok(0), |line| line[1].parse())?;
        let allowed = bytes + bytes * GROWTH_MAX / 100;
        ensure!(
            size <= allowed,
            "`{group}` has {size} bytes, {allowed} are allowed: make it smaller, or write its size \
             and the reason into xtask/budget.txt"
        );
    }
    Ok(())
}

/// Returns the compressed size of each group. The page loads its links, its scripts and the module,
/// which the script fetches. A file that the page only names is fetched later. Several chunks need
/// the files of the group `shared`.
fn group_sizes(files: &Files) -> Result<BTreeMap<String, usize>> {
    let page = files.get("index.html");
    let page = page.context("`dist` is empty: run `cargo xtask dashboard` first")?;
    let page = String::from_utf8_lossy(page);
    let link = Regex::new(r"(?:href=|src=|name=\x22module\x22 content=)[\x22']?/([^\x22' >]+)")?;
    let mut first_view: BTreeSet<&str> =
        link.captures_iter(&page).map(|link| link.extract::<1>().1[0]).collect();
    first_view.insert("index.html");
    let mut sizes = BTreeMap::new();
    for name in files.keys().filter(|name| !is_kind(name, "br") && !is_kind(name, "gz")) {
        let group = match name.split('-').next().unwrap_or_default() {
            _ if first_view.contains(name.as_str()) => "first-view",
            part if part.starts_with("shared_") => "shared",
            part => part.strip_prefix("split_").unwrap_or(part),
        };
        // Files that no page requests, such as robots.txt.
        if group != name {
            *sizes.entry(group.to_owned()).or_default() += compressed_size(files, name);
        }
    }
    Ok(sizes)
}

/// Returns the size of a file's brotli variant, or of the file without one.
fn compressed_size(files: &Files, name: &str) -> usize {
    let variant = files.get(&format!("{name}.br"));
    variant.or_else(|| files.get(name)).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_needs_a_budget_line() {
        let check = |bytes, budgets: &str| {
            compare_with_budgets(&BTreeMap::from([("card".to_owned(), bytes)]), budgets).is_ok()
        };
        assert!(check(105, "# all\n\ncard 100 as it is"));
        assert!(!check(106, "card 100 as it is"));
        assert!(!check(1, "keys 100 as it is\ncard 100\n"), "no line, or no reason");
    }
}
