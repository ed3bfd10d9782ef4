//! Writes the page of figures, with the sizes next to each other and the goals.

use crate::results::{DASHBOARD, DASHBOARD_SCENARIOS, FigureRow, Run, SERVICE, SERVICE_SCENARIOS};
use crate::{Result, print_line};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# Performance

The benches write this page. To measure again, run `cargo xtask bench service --rows N` or
`cargo xtask bench dashboard --rows N`, with `--only SCENARIO` for a part. Goals apply to 1,000,000
submissions; each measured size is a column. [Measurements](measurements.md) lists experiments.

# Service

The bench generates data with `sheaf sample`, starts the release binary, and sends requests over
loopback. Keys and rate limits are checked (`--plan-limits` are set too high to refuse a request).
The load generator shares the cores with the server and with the reference.

- A figure and its reference alternate in one run. A ratio, in bold, is the median of the turns: the
  figure divided by the reference, so for times less is better.
- Rates are responses per second, followed by p50/p99 and the CPU time of the server per response.
- `static` is axum with the same response bytes in memory, in a separate process.
- Times depend on the machine, ratios less so.
";

const DASHBOARD_HEAD: &str = "
# Dashboard

The built dashboard runs in a headless Chromium of 1440 by 900 px. It alternates with a page of the
same list in React and TanStack Virtual (`benches/react-list`), built by Vite. Both are compressed
with brotli and use the same server, origin and session, of an owner with three forms. A figure is
the median of the rounds (minimum to maximum), followed by the React page and the ratio.
";

/// Sections of the page: scenario, title, and meaning of the figures.
const SECTIONS: [(&str, &str, &str); 18] = [
    ("start", "Start", "From the start of the process to the first response, over seven starts."),
    (
        "memory",
        "Memory",
        "Most memory is searchable text, which `--search-memory` limits. The rest stays small.",
    ),
    (
        "list",
        "List",
        "A cursor is a key of the index, so a page at random depth does not read the rows before \
         it.",
    ),
    (
        "filters",
        "Filters",
        "Random filters, so that no cache has the answer, and one filter repeated.",
    ),
    (
        "answers",
        "Filters by field",
        "Each criterion is requested once, and then again, over one connection.",
    ),
    (
        "sorts",
        "Sorted lists",
        "The first page, over one connection. A list by the answers to a field has a range of \
         dates with at most 100,000 submissions.",
    ),
    ("search", "Search", "Terms come from the data. `memmem` is one pass over all text in memory."),
    (
        "export",
        "Export",
        "The whole form. `sqlite3` and psql compute the same columns from the same JSON.",
    ),
    (
        "crowd",
        "Many connections",
        "Silent clients send one request and stay connected. Slow clients send five bytes of a \
         request head a second, without end. They use many loopback addresses.",
    ),
    ("import", "Import", "`sheaf import` of the same submissions in three orders."),
    (
        "ingest",
        "Ingestion",
        "Each sender has a connection, and waits until its submission is on disk. Sheaf gets JSON \
         over HTTP. PostgreSQL gets prepared INSERTs over a Unix socket, with computed id, time, \
         metadata and search text, into a table with three B-trees and a trigram index. Its \
         durability and vacuum are the defaults, with 512 MB of shared buffers and rare \
         checkpoints.",
    ),
    (
        "webhooks",
        "Webhooks",
        "The form has a webhook with a million pending deliveries, and its receiver never answers. \
         The other server has the same form without a webhook.",
    ),
    (
        "triage",
        "Triage",
        "One request changes status, read state and tags of a form's submissions. The dashboard \
         undoes it with several requests.",
    ),
    (
        "postgreSQL beside SQLite",
        "PostgreSQL and SQLite",
        "A dump of the file is restored into a PostgreSQL on the same machine, used over TCP. Two \
         servers, one over each, alternate. A ratio is the rate of PostgreSQL divided by SQLite's; \
         for searches, filters by labels and fields and sorted lists, the time of SQLite divided \
         by PostgreSQL's. PostgreSQL also counts the rate limits, and its CPU time includes the \
         cluster. The ratios have no goal.",
    ),
    (
        "first view",
        "First view",
        "Rows are visible at the frame after the one that brought them, and interactive when the \
         dashboard handles input. Bytes count until then; `data` is the part that differs between \
         users. Slow 4G is 1.6 Mbit/s and 150 ms for each response, with the main thread at a \
         quarter of its speed.",
    ),
    (
        "scrolling",
        "Scrolling",
        "The wheel scrolls 100 px a frame for 8 s, Page Down repeats 120 times, and the scroll bar \
         is dragged to the end and half the way back in 3 s. A frame is dropped if the next one is \
         late at 60 a second. Below 1 % the difference is chance, so the wheel runs once more with \
         a main thread so slow that the React page drops 3 %. The React list ends at 750,000 rows, \
         the limit of a plain spacer.",
    ),
    ("acts", "Interaction", "Time until the result is visible."),
    (
        "exporting",
        "Exports in the browser",
        "The whole form is written to a file while the list scrolls at 900 px a second. The \
         browser counts the frames that it draws; it scrolls without the main thread. Memory is \
         anonymous memory of all processes of the browser.",
    ),
];

/// Writes the page from all stored runs.
pub(crate) fn write_page(results: &Path, page: &Path) -> Result {
    let runs = Run::read_all(results, SERVICE)?;
    let mut text = String::from(HEAD);
    text.push_str(&service_runs_table(&runs)?);
    text.push_str(&scenario_tables(&runs, &SERVICE_SCENARIOS)?);
    let runs = Run::read_all(results, DASHBOARD)?;
    if !runs.is_empty() {
        text.push_str(DASHBOARD_HEAD);
        text.push_str(&dashboard_runs_table(&runs)?);
        text.push_str(&scenario_tables(&runs, &DASHBOARD_SCENARIOS)?);
    }
    fs::write(page, text)?;
    print_line(format!("written to {}", page.display()));
    Ok(())
}

fn service_runs_table(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "\n| submissions of the form | other forms | file | `--search-memory` | machine | other \
         load |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    for run in runs {
        let rows = format_thousands(run.rows);
        let gb = run.file_bytes as f64 / 1e9;
        let machine = &run.machine;
        let other_load = &run.other_load;
        let memory = format_thousands(run.search_memory_mib);
        writeln!(
            text,
            "| {rows} | 200 forms of 500 | {gb:.1} GB | {memory} MiB | {machine} | {other_load} |"
        )?;
    }
    Ok(text)
}

fn dashboard_runs_table(runs: &[Run]) -> Result<String> {
    let mut text = String::new();
    writeln!(text, "\n| submissions of the form | machine | other load |\n|---|---|---|")?;
    for Run { rows, machine, other_load, .. } in runs {
        writeln!(text, "| {} | {machine} | {other_load} |", format_thousands(*rows))?;
    }
    Ok(text)
}

/// Returns one table for each scenario, in their order, whichever sizes were measured.
fn scenario_tables(runs: &[Run], scenarios: &[&str]) -> Result<String> {
    let mut text = String::new();
    for scenario in scenarios {
        let mut seen = BTreeSet::new();
        // The largest size determines the order of the rows. Rows of smaller sizes only are
        // appended.
        let rows = runs.iter().rev().flat_map(|run| &run.measured);
        let of_it = rows.filter(|row| row.scenario == *scenario);
        let paths: Vec<&str> =
            of_it.map(|row| row.path.as_str()).filter(|path| seen.insert(*path)).collect();
        if paths.is_empty() {
            continue;
        }
        let sizes: Vec<String> = runs.iter().map(|run| format_thousands(run.rows)).collect();
        let section = SECTIONS.iter().find(|(name, ..)| name == scenario);
        let (title, meaning) = section.map_or((*scenario, ""), |(_, title, text)| (*title, *text));
        writeln!(text, "\n## {title}\n\n{meaning}\n")?;
        writeln!(text, "| measurement | goal | {} |", sizes.join(" | "))?;
        writeln!(text, "|---|---|{}", "---|".repeat(runs.len()))?;
        for path in paths {
            writeln!(text, "{}", table_line(runs, scenario, path))?;
        }
    }
    Ok(text)
}

/// Returns one line of a table: the goal, and the figure of each size.
fn table_line(runs: &[Run], scenario: &str, path: &str) -> String {
    let is_it = |row: &&FigureRow| row.scenario == scenario && row.path == path;
    let found = |run: &'_ Run| run.measured.iter().find(is_it).map(|row| row.goal.clone());
    let goal = runs.iter().filter_map(found).next_back().unwrap_or_default();
    let cell = |run: &Run| match run.measured.iter().find(is_it) {
        Some(row) => table_cell(row, run.verdict(row)),
        None => "—".to_owned(),
    };
    let cells: Vec<String> = runs.iter().map(cell).collect();
    format!("| {path} | {goal} | {} |", cells.join(" | "))
}

fn table_cell(row: &FigureRow, verdict: &str) -> String {
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

fn format_thousands(number: u64) -> String {
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
    fn sizes_are_columns_of_one_table() {
        let row = |ours: &str| FigureRow {
            scenario: "list".to_owned(),
            ..FigureRow::new("newest", ours).against("static 2/s", 0.5).goal("≥ 0.35", true)
        };
        let run = |rows, measured| Run { rows, measured, ..Run::default() };
        let only = FigureRow { scenario: "list".to_owned(), ..FigureRow::new("at depth", "9") };
        let runs = [run(10_000, vec![row("1/s")]), run(1_000_000, vec![row("2/s"), only])];
        let table = scenario_tables(&runs, &["list"]).unwrap();
        let lines: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(
            lines,
            [
                "| measurement | goal | 10,000 | 1,000,000 |",
                "|---|---|---|---|",
                "| newest | ≥ 0.35 | 1/s; static 2/s; **0.50** | 2/s; static 2/s; **0.50**; met |",
                "| at depth |  | — | 9 |",
            ]
        );
    }

    #[test]
    fn scenario_has_one_heading_for_all_sizes() {
        let row = |scenario: &str, path: &str| FigureRow {
            scenario: scenario.to_owned(),
            ..FigureRow::new(path, "1")
        };
        let small = [row("search", "again"), row("start", "cold"), row("export", "CSV")];
        let large = [row("search", "first"), row("export", "CSV")];
        let run = |rows, measured: &[FigureRow]| Run {
            rows,
            measured: measured.into(),
            ..Run::default()
        };
        let runs = [run(10, &small), run(20, &large)];
        let tables = scenario_tables(&runs, &["start", "list", "search", "export"]).unwrap();
        let is_shown = |line: &&str| line.starts_with(['#', '|']) && !line.starts_with("|--");
        let lines: Vec<&str> = tables.lines().filter(is_shown).collect();
        assert_eq!(
            lines,
            [
                "## Start",
                "| measurement | goal | 10 | 20 |",
                "| cold |  | 1 | — |",
                "## Search",
                "| measurement | goal | 10 | 20 |",
                "| first |  | — | 1 |",
                "| again |  | 1 | — |",
                "## Export",
                "| measurement | goal | 10 | 20 |",
                "| CSV |  | 1 | 1 |",
            ]
        );
    }
}
