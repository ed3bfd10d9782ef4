//! The page of figures: sizes side by side, with what was to be reached.

use crate::results::{Row, Run, verdict};
use crate::{Result, say};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# Performance

Measured by `cargo xtask bench service --rows N`, which makes its data with `sheaf sample`, starts
the release binary, and drives it over loopback: with the key check, the rate limit (by
`--plan-limits` that do not bind, so that every request is counted and checked) and all headers.
Each figure is taken in turns with what it is held against, in the same run; a ratio is the middle
one of the turns. The load generator shares the processors with the server, and with the ceiling.

\"static\" is axum serving the same bytes from memory, in a process of its own. Rates are answers a
second; behind them stand p50/p99 and the server's processor time for one answer. Seconds depend on
the machine, ratios less so, counts of instructions (at the end) not at all.

Submissions are sent one at a time by so many senders, each over a connection of its own, who all
wait until theirs is on disk. Both sides get the same answers: Sheaf as JSON over HTTP, PostgreSQL
as parameters of a prepared INSERT over a unix socket, into a table with three trees and a trigram
index, whose sender finds out id, instant, metadata and searched text before. PostgreSQL waits for
the disk and vacuums as it does by default, with 512 MB of shared buffers and rare checkpoints.
";

/// Writes the page from all runs that are kept.
pub(crate) fn write(results: &Path, page: &Path) -> Result {
    let runs = Run::all(results)?;
    let mut text = String::from(HEAD);
    text.push_str(&machines(&runs)?);
    text.push_str(&table(&runs)?);
    // What other commands wrote at the end of the page stays there.
    let earlier = fs::read_to_string(page).unwrap_or_default();
    if let Some(at) = earlier.find(INSTRUCTIONS) {
        text.push('\n');
        text.push_str(&earlier[at..]);
    }
    fs::write(page, text)?;
    say(format!("written to {}", page.display()));
    Ok(())
}

/// The heading behind which the counts of instructions stand.
const INSTRUCTIONS: &str = "## Instructions";

fn machines(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "\n| submissions of one form | and beside it | file | machine | beside the bench |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    for run in runs {
        let (rows, gb) = (thousands(run.rows), run.file_bytes as f64 / 1e9);
        let (machine, beside) = (&run.machine, &run.beside);
        writeln!(text, "| {rows} | 200 forms of 500 | {gb:.1} GB | {machine} | {beside} |")?;
    }
    Ok(text)
}

fn table(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    let mut seen = BTreeSet::new();
    let all = runs.iter().rev().flat_map(|run| &run.measured);
    let keys: Vec<(&str, &str)> = all
        .map(|row| (row.scenario.as_str(), row.path.as_str()))
        .filter(|key| seen.insert(*key))
        .collect();
    let mut scenario = "";
    for (of, path) in &keys {
        if *of != scenario {
            scenario = of;
            let sizes: Vec<String> = runs.iter().map(|run| thousands(run.rows)).collect();
            writeln!(text, "\n## {}{}\n", of[..1].to_uppercase(), &of[1..])?;
            writeln!(text, "| path | to reach | {} |", sizes.join(" | "))?;
            writeln!(text, "|---|---|{}", "---|".repeat(runs.len()))?;
        }
        let rows: Vec<Option<&Row>> = runs
            .iter()
            .map(|run| run.measured.iter().find(|row| row.scenario == *of && row.path == *path))
            .collect();
        let goal = rows.iter().flatten().next_back().map_or("", |row| row.goal.as_str());
        let cells: Vec<String> = rows.iter().map(|row| row.map_or("—".to_owned(), cell)).collect();
        writeln!(text, "| {path} | {goal} | {} |", cells.join(" | "))?;
    }
    Ok(text)
}

fn cell(row: &Row) -> String {
    let mut text = row.ours.clone();
    if !row.against.is_empty() {
        text.push_str("; ");
        text.push_str(&row.against);
    }
    if let Some(ratio) = row.ratio {
        let _ = write!(text, "; **{ratio:.2}**");
    }
    if row.met.is_some() {
        let _ = write!(text, "; {}", verdict(row.met));
    }
    text
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
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
    fn sizes_stand_side_by_side() {
        let row = |ours: &str| Row {
            scenario: "list".to_owned(),
            ..Row::new("newest", ours).against("static 2/s", 0.5).goal("≥ 0.35", true)
        };
        let run = |rows, measured| Run { rows, measured, ..Run::default() };
        let only = Row { scenario: "list".to_owned(), ..Row::new("at depth", "9") };
        let runs = [run(10_000, vec![row("1/s")]), run(1_000_000, vec![row("2/s"), only])];
        let table = table(&runs).unwrap();
        let lines: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(
            lines,
            [
                "| path | to reach | 10,000 | 1,000,000 |",
                "|---|---|---|---|",
                "| newest | ≥ 0.35 | 1/s; static 2/s; **0.50**; met | 2/s; static 2/s; **0.50**; met |",
                "| at depth |  | — | 9 |",
            ]
        );
    }

    #[test]
    fn what_follows_the_figures_stays() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        fs::write(&page, "old\n\n## Instructions\n\n7\n").unwrap();
        write(folder.path(), &page).unwrap();
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.starts_with("# Performance") && text.ends_with("\n## Instructions\n\n7\n"));
    }
}
