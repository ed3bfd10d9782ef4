//! Counts the processor's instructions of a request: they repeat where seconds do not.
//!
//! Valgrind runs the program `paths` with n requests and with twice as many; what the second run
//! has more is what n requests take.

use crate::args::Instructions;
use crate::data::Data;
use crate::{Result, page, say, tools};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use tokio::process::Command;

/// The paths that are counted, as `paths` names them, with so many requests in the shorter run.
const PATHS: [(&str, u64); 6] = [
    ("list20", 300),
    ("list100", 300),
    ("deep20", 300),
    ("get", 300),
    ("export-csv", 2),
    ("export-json", 2),
];
/// The file that keeps them, beside those of the sizes.
const FILE: &str = "instructions.json";

/// What was counted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Submissions of the form that was asked for.
    pub(crate) rows: u64,
    /// The paths, in the order in which they were counted.
    pub(crate) paths: Vec<Count>,
}

/// The instructions of one request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Count {
    /// The path's name.
    pub(crate) path: String,
    /// How many.
    pub(crate) instructions: u64,
}

impl Counts {
    /// Reads what is kept; `None` where nothing was counted yet.
    pub(crate) fn kept(results: &Path) -> Result<Option<Self>> {
        let file = results.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&fs::read(file)?)?))
    }

    /// Keeps them in the place of earlier ones.
    pub(crate) fn keep(&self, results: &Path) -> Result {
        fs::create_dir_all(results)?;
        fs::write(results.join(FILE), serde_json::to_string_pretty(self)? + "\n")?;
        Ok(())
    }
}

/// Counts all paths, prints and keeps their figures, and writes the page.
pub(crate) async fn run(args: &Instructions) -> Result {
    let valgrind =
        tools::find("valgrind").ok_or("`valgrind` counts the instructions: install it")?;
    let data = Data::of(&args.data).await?;
    let folder = args.data.folder.join("instructions");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let counted = async |path: &str, requests: u64| -> Result<u64> {
        let out = folder.join(format!("{path}-{requests}.out"));
        let mut command = Command::new(&valgrind);
        command.args(["--tool=callgrind", "--quiet"]);
        command.arg(format!("--callgrind-out-file={}", out.display()));
        command.arg(&args.paths).arg(&data.folder).args([path, &requests.to_string()]);
        if !command.status().await?.success() {
            return Err(format!("`{path}` failed under valgrind").into());
        }
        let sum = total(&fs::read_to_string(&out)?);
        sum.ok_or_else(|| format!("`{}` has no total", out.display()).into())
    };
    let mut counts = Counts { rows: data.rows, paths: Vec::new() };
    for (path, requests) in PATHS {
        let (once, twice) = (counted(path, requests).await?, counted(path, 2 * requests).await?);
        let instructions = twice.saturating_sub(once) / requests;
        say(format!("{path:<12}{instructions:>14} instructions"));
        counts.paths.push(Count { path: path.to_owned(), instructions });
    }
    counts.keep(&args.page.results)?;
    page::write(&args.page.results, &args.page.page)
}

/// The sum at the end of callgrind's file.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals: "))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found() {
        assert_eq!(total("events: Ir\n\nfn=(1) a\n1 2\ntotals: 1234567\n"), Some(1_234_567));
        assert_eq!(total("nothing"), None);
    }
}
