//! Counts the processor's instructions of a request: they repeat where seconds do not.
//!
//! Valgrind runs the same program with n requests and with twice as many; what the second run has
//! more is what n requests take.

use std::{fmt::Write as _, fs, process::Command};

use crate::{
    place,
    run::{Error, Result, exists, io_at, run, say},
    serve,
};

/// The paths that are counted, as `benches` names them, with so many requests in the shorter run.
const PATHS: [(&str, u64); 6] = [
    ("list20", 300),
    ("list100", 300),
    ("deep20", 300),
    ("get", 300),
    ("export-csv", 2),
    ("export-json", 2),
];

/// Submissions of the form that is asked for.
const ROWS: &str = "10000";

/// The heading of the page's last part.
const HEADING: &str = "## Instructions";

/// Counts them all and writes them to the end of `docs/performance.md`.
pub(crate) fn count() -> Result {
    if !exists("valgrind") {
        return Err(Error::new("`valgrind` counts the instructions: install it"));
    }
    serve::build()?;
    let build = |profile: &str| {
        let words = ["build", "--profile", profile, "--locked", "--package", "bench"];
        run(Command::new("cargo").args(words))
    };
    build("release")?;
    let data = place::target().join("bench");
    let mut make = Command::new(place::target().join("release/bench"));
    make.args(["data", "--rows", ROWS, "--sheaf"]).arg(place::binary());
    run(make.arg("--folder").arg(&data))?;
    // With symbols, so that callgrind's files tell where the instructions go.
    build("profiled")?;
    let folder = place::target().join("bench/instructions");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(io_at("create", &folder))?;
    let mut text = format!(
        "{HEADING}\n\nOf one request, by `cargo xtask bench instructions` (callgrind): the key, \
         the rate limit, the store and the\nanswer's bytes, without the socket. {ROWS} \
         submissions; an export is of all of them.\n\n| path | instructions |\n|---|---|\n"
    );
    for (path, requests) in PATHS {
        let once = counted(path, requests)?;
        let twice = counted(path, 2 * requests)?;
        let each = twice.saturating_sub(once) / requests;
        say(&format!("{path:<12}{each:>14} instructions"));
        let _ = writeln!(text, "| `{path}` | {} |", thousands(each));
    }
    append(&text)
}

fn counted(path: &str, requests: u64) -> Result<u64> {
    let folder = place::target().join("bench/instructions");
    let out = folder.join(format!("{path}-{requests}.out"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.arg(place::target().join("profiled/paths"));
    valgrind
        .arg(place::target().join(format!("bench/data-{ROWS}")))
        .args([path, &requests.to_string()]);
    run(&mut valgrind)?;
    let text = fs::read_to_string(&out).map_err(io_at("read", &out))?;
    total(&text).ok_or_else(|| Error::new(format!("`{}` has no total", out.display())))
}

/// The sum at the end of callgrind's file.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals: "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Puts the part in the place of the one that the page ends with.
fn append(part: &str) -> Result {
    let page = place::bench_page();
    let text = fs::read_to_string(&page).unwrap_or_default();
    let before = text.find(HEADING).map_or(text.as_str(), |at| &text[..at]).trim_end();
    fs::write(&page, format!("{before}\n\n{part}")).map_err(io_at("write", &page))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found() {
        assert_eq!(total("events: Ir\n\nfn=(1) a\n1 2\ntotals: 1234567\n"), Some(1_234_567));
        assert_eq!(total("nothing"), None);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(12), "12");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
