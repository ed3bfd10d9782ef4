//! The page of figures: sizes side by side, with what was to be reached.

use crate::results::{DASHBOARD, DASHBOARD_SCENARIOS, Row, Run, SERVICE, SERVICE_SCENARIOS};
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
What is to be reached is meant for 1,000,000 submissions, and judged there; the other sizes show
what grows.

\"static\" is axum serving the same bytes from memory, head and body, in a process of its own. Rates
are answers a second; behind them stand p50/p99 and the server's processor time for one answer.
Seconds depend on the machine, ratios less so.

The crowd at the door comes from many of the machine's addresses: silent connections asked once and
keep still, slow ones send a head byte by byte, five bytes a second, and never come to its end.

Submissions are sent one at a time by so many senders, each over a connection of its own, who all
wait until theirs is on disk. Both sides get the same answers: Sheaf as JSON over HTTP, PostgreSQL
as parameters of a prepared INSERT over a unix socket, into a table with three trees and a trigram
index, whose sender finds out id, instant, metadata and searched text before. PostgreSQL waits for
the disk and vacuums as it does by default, with 512 MB of shared buffers and rare checkpoints.

Where PostgreSQL stands beside SQLite, a dump of the file was restored into such a cluster,
and two servers are asked the same in turns: one over the database, on the same machine and over
TCP, and behind it, for comparison, one over the file. The ratio is PostgreSQL's rate by SQLite's;
of a search, SQLite's middle time by PostgreSQL's. Each request is let in by the database, too.
PostgreSQL's processor time is that of the server and of the cluster. No goal is set.
";

const DASHBOARD_HEAD: &str = "
# Dashboard

Measured by `cargo xtask bench dashboard --rows N`: the built dashboard in a headless Chromium of
1440 by 900 px, and, by turns, a page of the same list in React and TanStack Virtual
(`benches/react-list`), built by Vite. Both come compressed by brotli over loopback through one
door with one session, from one server, to an owner of three forms. A figure is the middle one of
the rounds, in brackets the least and the most; behind it stands the React page's, and ours by
theirs. Lighthouse judges both with its own throttling.

The first rows are on screen when the frame after the one that they came with begins; nothing is
kept from before. Ours come with the page and can be read at once; they answer to keys and presses
when the dashboard has taken over, which is told apart. Bytes are those until then, and what a page
brings beyond the one that is the same for everyone is data. Slow 4G is 1.6 Mbit/s down and 150 ms
for each answer, with the page's thread at a quarter of its speed. The wheel turns for 8 s at 100 px
a frame, Page Down is held for 120 repeats, the bar is dragged to the end and half the way back in
3 s. A frame is dropped where the next one comes late, 60 a second being all. Where fewer than 1 %
are, chance alone tells one page from the other; so the wheel turns once more, with the page's
thread slowed until the React page drops 3 %. Script, style and layout are time of the processor.
The React page's list ends where a plain spacer does, at 750,000 rows.

An export is of the whole form, straight to a file, while the list is scrolled at 900 px a second.
Its frames are those that the browser drew, by its own record: what is scrolled it moves by itself,
whether or not the page's thread has something new, as it has in so many of them. Memory is that of
all of the browser's processes which no file stands behind.
";

/// Writes the page from all runs that are kept.
pub(crate) fn write(results: &Path, page: &Path) -> Result {
    let runs = Run::all(results, SERVICE)?;
    let mut text = String::from(HEAD);
    text.push_str(&machines(&runs)?);
    text.push_str(&tables(&runs, &SERVICE_SCENARIOS)?);
    let runs = Run::all(results, DASHBOARD)?;
    if !runs.is_empty() {
        text.push_str(DASHBOARD_HEAD);
        text.push_str(&browsed(&runs)?);
        text.push_str(&tables(&runs, &DASHBOARD_SCENARIOS)?);
    }
    fs::write(page, text)?;
    say(format!("written to {}", page.display()));
    Ok(())
}

fn machines(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "\n| submissions of one form | and beside it | file | `--search-memory` | machine | beside \
         the bench |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    for run in runs {
        let (rows, gb) = (thousands(run.rows), run.file_bytes as f64 / 1e9);
        let (machine, beside) = (&run.machine, &run.beside);
        let memory = thousands(run.search_memory_mib);
        writeln!(
            text,
            "| {rows} | 200 forms of 500 | {gb:.1} GB | {memory} MiB | {machine} | {beside} |"
        )?;
    }
    Ok(text)
}

fn browsed(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "\n| submissions of one form | machine | beside the bench |\n|---|---|---|")?;
    for Run { rows, machine, beside, .. } in runs {
        writeln!(text, "| {} | {machine} | {beside} |", thousands(*rows))?;
    }
    Ok(text)
}

/// A table for each scenario, in the order of all of them, whichever size was measured with which.
fn tables(runs: &[Run], scenarios: &[&str]) -> Result<String> {
    let mut text = String::new();
    for scenario in scenarios {
        let mut seen = BTreeSet::new();
        // The largest size tells the order of the rows; what only smaller ones have comes behind.
        let all = runs.iter().rev().flat_map(|run| &run.measured);
        let of_it = all.filter(|row| row.scenario == *scenario);
        let paths: Vec<&str> =
            of_it.map(|row| row.path.as_str()).filter(|path| seen.insert(*path)).collect();
        if paths.is_empty() {
            continue;
        }
        let sizes: Vec<String> = runs.iter().map(|run| thousands(run.rows)).collect();
        writeln!(text, "\n## {}{}\n", scenario[..1].to_uppercase(), &scenario[1..])?;
        writeln!(text, "| path | to reach | {} |", sizes.join(" | "))?;
        writeln!(text, "|---|---|{}", "---|".repeat(runs.len()))?;
        for path in paths {
            writeln!(text, "{}", line(runs, scenario, path))?;
        }
    }
    Ok(text)
}

/// One row: what was to be reached, and what each size did.
fn line(runs: &[Run], scenario: &str, path: &str) -> String {
    let is_it = |row: &&Row| row.scenario == scenario && row.path == path;
    let found = |run: &'_ Run| run.measured.iter().find(is_it).map(|row| row.goal.clone());
    let goal = runs.iter().filter_map(found).next_back().unwrap_or_default();
    let cell = |run: &Run| match run.measured.iter().find(is_it) {
        Some(row) => cell(row, run.verdict(row)),
        None => "—".to_owned(),
    };
    let cells: Vec<String> = runs.iter().map(cell).collect();
    format!("| {path} | {goal} | {} |", cells.join(" | "))
}

fn cell(row: &Row, verdict: &str) -> String {
    let mut text = row.ours.clone();
    if !row.against.is_empty() {
        text.push_str("; ");
        text.push_str(&row.against);
    }
    if let Some(ratio) = row.ratio {
        let _ = write!(text, "; **{ratio:.2}**");
    }
    if !verdict.is_empty() {
        let _ = write!(text, "; {verdict}");
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
        let table = tables(&runs, &["list"]).unwrap();
        let lines: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(
            lines,
            [
                "| path | to reach | 10,000 | 1,000,000 |",
                "|---|---|---|---|",
                "| newest | ≥ 0.35 | 1/s; static 2/s; **0.50** | 2/s; static 2/s; **0.50**; met |",
                "| at depth |  | — | 9 |",
            ]
        );
    }

    #[test]
    fn a_scenario_has_one_heading_whatever_each_size_has_of_it() {
        let row = |scenario: &str, path: &str| Row {
            scenario: scenario.to_owned(),
            ..Row::new(path, "1")
        };
        let small = [row("search", "again"), row("start", "cold"), row("export", "CSV")];
        let large = [row("search", "first"), row("export", "CSV")];
        let run =
            |rows, measured: &[Row]| Run { rows, measured: measured.into(), ..Run::default() };
        let runs = [run(10, &small), run(20, &large)];
        let tables = tables(&runs, &["start", "list", "search", "export"]).unwrap();
        let is_shown = |line: &&str| !line.is_empty() && !line.starts_with("|--");
        let lines: Vec<&str> = tables.lines().filter(is_shown).collect();
        assert_eq!(
            lines,
            [
                "## Start",
                "| path | to reach | 10 | 20 |",
                "| cold |  | 1 | — |",
                "## Search",
                "| path | to reach | 10 | 20 |",
                "| first |  | — | 1 |",
                "| again |  | 1 | — |",
                "## Export",
                "| path | to reach | 10 | 20 |",
                "| CSV |  | 1 | 1 |",
            ]
        );
    }
}
