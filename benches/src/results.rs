//! Stored results, with one file for each size, so that the page can compare sizes.

use crate::data::SEARCH_MEMORY_MIB;
use crate::{Result, print_line};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// Scenarios of the service, in their order. Scenarios that write come last and use a copy.
pub(crate) const SERVICE_SCENARIOS: [&str; 14] = [
    "start",
    "memory",
    "list",
    "filters",
    "answers",
    "sorts",
    "search",
    "export",
    "crowd",
    "import",
    "ingest",
    "webhooks",
    "triage",
    "postgreSQL beside SQLite",
];

/// Scenarios of the dashboard, in their order.
pub(crate) const DASHBOARD_SCENARIOS: [&str; 4] = ["first view", "scrolling", "acts", "exporting"];

/// Prefix of the service bench's result files.
pub(crate) const SERVICE: &str = "";
/// Prefix of the dashboard bench's result files.
pub(crate) const DASHBOARD: &str = "dashboard-";

/// Number of rows for which the goals are defined.
const GOALS_ROWS: u64 = 1_000_000;

/// One figure and its comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FigureRow {
    /// Name of the scenario.
    pub(crate) scenario: String,
    /// Name of the figure.
    pub(crate) path: String,
    /// Result with its unit.
    pub(crate) ours: String,
    /// Result of the baseline or peer in the same run.
    pub(crate) against: String,
    /// Ratio of our result to it, if rates were compared.
    pub(crate) ratio: Option<f64>,
    /// The goal, or an empty text.
    pub(crate) goal: String,
    /// Whether the goal was met.
    pub(crate) met: Option<bool>,
}

/// A run at one size.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Submissions of the large form.
    pub(crate) rows: u64,
    /// Size of the database, in bytes.
    pub(crate) file_bytes: u64,
    /// Cores and memory.
    pub(crate) machine: String,
    /// Other load of the machine.
    #[serde(rename = "beside")]
    pub(crate) other_load: String,
    /// Limit of the search text in memory, in MiB.
    #[serde(default = "search_memory_mib")]
    pub(crate) search_memory_mib: u64,
    /// All figures, in the order of the scenarios.
    pub(crate) measured: Vec<FigureRow>,
}

/// Default for runs that were stored without this field.
fn search_memory_mib() -> u64 {
    SEARCH_MEMORY_MIB
}

impl FigureRow {
    /// Creates a figure without a comparison.
    pub(crate) fn new(path: impl Into<String>, ours: impl Into<String>) -> Self {
        Self { path: path.into(), ours: ours.into(), ..Self::default() }
    }

    /// Adds a comparison.
    pub(crate) fn against(mut self, text: impl Into<String>, ratio: f64) -> Self {
        self.against = text.into();
        self.ratio = Some(ratio);
        self
    }

    /// Adds a goal, and whether it was met.
    pub(crate) fn goal(mut self, text: impl Into<String>, met: bool) -> Self {
        self.goal = text.into();
        self.met = Some(met);
        self
    }

    fn print_line(&self, met: &str) -> String {
        let ratio = self.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let Self { path, ours, against, goal, .. } = self;
        format!("{path:<58} {ours:<34} {against:<34} {ratio:>6}  {goal:<20} {met}")
    }
}

impl Run {
    /// Returns `met` or `missed`, or an empty text at sizes without goals.
    pub(crate) fn verdict(&self, row: &FigureRow) -> &'static str {
        match row.met.filter(|_| self.rows == GOALS_ROWS) {
            None => "",
            Some(true) => "met",
            Some(false) => "missed",
        }
    }

    /// Adds the figures of a scenario and prints them.
    pub(crate) fn add(&mut self, scenario: &str, rows: Vec<FigureRow>) {
        for row in rows {
            print_line(row.print_line(self.verdict(&row)));
            self.measured.push(FigureRow { scenario: scenario.to_owned(), ..row });
        }
    }

    /// Stores the run of a bench in a folder. Scenarios that did not run keep their figures of an
    /// earlier run.
    pub(crate) fn store(mut self, folder: &Path, bench: &str, order: &[&str]) -> Result {
        let file = folder.join(format!("{bench}{}.json", self.rows));
        if let Ok(earlier) = fs::read(&file) {
            let earlier: Self = serde_json::from_slice(&earlier)?;
            self.measured = merge_rows(self.measured, earlier.measured, order);
        }
        fs::create_dir_all(folder)?;
        fs::write(file, serde_json::to_string_pretty(&self)? + "\n")?;
        Ok(())
    }

    /// Reads all stored runs of a bench, the smallest size first.
    pub(crate) fn read_all(folder: &Path, bench: &str) -> Result<Vec<Self>> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // The names of other files in the folder are no sizes.
            let stem = path.file_stem().and_then(|stem| stem.to_str()?.strip_prefix(bench));
            if stem.is_some_and(|stem| stem.parse::<u64>().is_ok()) {
                runs.push(serde_json::from_slice::<Self>(&fs::read(path)?)?);
            }
        }
        runs.sort_by_key(|run| run.rows);
        Ok(runs)
    }
}

fn merge_rows(new: Vec<FigureRow>, mut old: Vec<FigureRow>, order: &[&str]) -> Vec<FigureRow> {
    old.retain(|row| !new.iter().any(|fresh| fresh.scenario == row.scenario));
    old.extend(new);
    let index = |row: &FigureRow| order.iter().position(|name| *name == row.scenario);
    old.sort_by_key(|row| index(row).unwrap_or(usize::MAX));
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_apply_only_to_one_size() {
        let check = |rows, met, word: &str| {
            let run = Run { rows, ..Run::default() };
            assert_eq!(run.verdict(&FigureRow::new("a path", "1").goal("≥ 1", met)), word);
        };
        check(10_000, false, "");
        check(1_000_000, false, "missed");
        check(1_000_000, true, "met");
        check(10_000_000, true, "");
    }

    #[test]
    fn runs_of_each_bench_are_separate() {
        let folder = tempfile::tempdir().unwrap();
        for (rows, bench) in [(9, SERVICE), (10, SERVICE), (9, DASHBOARD)] {
            let run = Run { rows, machine: bench.to_owned(), ..Run::default() };
            run.store(folder.path(), bench, &[]).unwrap();
        }
        let check = |bench: &str, rows: &[u64]| {
            let runs = Run::read_all(folder.path(), bench).unwrap();
            assert!(runs.iter().all(|run| run.machine == bench));
            assert_eq!(runs.iter().map(|run| run.rows).collect::<Vec<_>>(), rows);
        };
        check(SERVICE, &[9, 10]);
        check(DASHBOARD, &[9]);
    }

    #[test]
    fn repeated_scenario_replaces_its_figures() {
        let row = |scenario: &str, ours: &str| FigureRow {
            scenario: scenario.to_owned(),
            ..FigureRow::new("a path", ours)
        };
        let old = vec![row("list", "1"), row("get", "1")];
        let new = vec![row("get", "2"), row("start", "2")];
        let merged = merge_rows(new, old, &["start", "list", "get"]);
        assert_eq!(merged, [row("start", "2"), row("list", "1"), row("get", "2")]);
    }
}
