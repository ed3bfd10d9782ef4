//! What was measured, as it is kept: a file for each size, so that sizes stand side by side.

use crate::data::SEARCH_MEMORY_MIB;
use crate::{Result, say};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// One figure with what it is held against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The scenario that it belongs to.
    pub(crate) scenario: String,
    /// What was measured.
    pub(crate) path: String,
    /// What came out, with its unit.
    pub(crate) ours: String,
    /// The ceiling or peer of the same run.
    pub(crate) against: String,
    /// Ours by it, where rates were compared.
    pub(crate) ratio: Option<f64>,
    /// What was to be reached; empty where nothing was.
    pub(crate) goal: String,
    /// Whether it was.
    pub(crate) met: Option<bool>,
}

/// A run at one size.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Submissions of the large form.
    pub(crate) rows: u64,
    /// Bytes of the database.
    pub(crate) file_bytes: u64,
    /// Cores and memory.
    pub(crate) machine: String,
    /// What else the machine did.
    pub(crate) beside: String,
    /// What the service was allowed to hold of searched text, in MiB.
    #[serde(default = "search_memory_mib")]
    pub(crate) search_memory_mib: u64,
    /// All figures, in the order of the scenarios.
    pub(crate) measured: Vec<Row>,
}

/// What it was where nothing is said of it.
fn search_memory_mib() -> u64 {
    SEARCH_MEMORY_MIB
}

impl Row {
    /// A figure that nothing is compared with.
    pub(crate) fn new(path: impl Into<String>, ours: impl Into<String>) -> Self {
        Self { path: path.into(), ours: ours.into(), ..Self::default() }
    }

    /// With what it is held against.
    pub(crate) fn against(mut self, text: impl Into<String>, ratio: f64) -> Self {
        self.against = text.into();
        self.ratio = Some(ratio);
        self
    }

    /// With a goal, and whether it was reached.
    pub(crate) fn goal(mut self, text: impl Into<String>, met: bool) -> Self {
        self.goal = text.into();
        self.met = Some(met);
        self
    }

    fn line(&self) -> String {
        let ratio = self.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let met = verdict(self.met);
        let Self { path, ours, against, goal, .. } = self;
        format!("{path:<58} {ours:<34} {against:<34} {ratio:>6}  {goal:<20} {met}")
    }
}

/// The verdict in a word.
pub(crate) fn verdict(met: Option<bool>) -> &'static str {
    match met {
        None => "",
        Some(true) => "met",
        Some(false) => "missed",
    }
}

impl Run {
    /// Adds the figures of a scenario and prints them.
    pub(crate) fn add(&mut self, scenario: &str, rows: Vec<Row>) {
        for row in rows {
            say(row.line());
            self.measured.push(Row { scenario: scenario.to_owned(), ..row });
        }
    }

    /// Keeps the run in a folder. Scenarios that it lacks keep their figures of an earlier run.
    pub(crate) fn keep(mut self, folder: &Path, order: &[&str]) -> Result {
        let file = folder.join(format!("{}.json", self.rows));
        if let Ok(earlier) = fs::read(&file) {
            let earlier: Self = serde_json::from_slice(&earlier)?;
            self.measured = merged(self.measured, earlier.measured, order);
        }
        fs::create_dir_all(folder)?;
        fs::write(file, serde_json::to_string_pretty(&self)? + "\n")?;
        Ok(())
    }

    /// Reads all that is kept, the smallest size first.
    pub(crate) fn all(folder: &Path) -> Result<Vec<Self>> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // Other things that are kept there are named by no size.
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            if stem.is_some_and(|stem| stem.parse::<u64>().is_ok()) {
                runs.push(serde_json::from_slice::<Self>(&fs::read(path)?)?);
            }
        }
        runs.sort_by_key(|run| run.rows);
        Ok(runs)
    }
}

fn merged(new: Vec<Row>, mut old: Vec<Row>, order: &[&str]) -> Vec<Row> {
    old.retain(|row| !new.iter().any(|fresh| fresh.scenario == row.scenario));
    old.extend(new);
    let place = |row: &Row| order.iter().position(|name| *name == row.scenario);
    old.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_that_ran_again_takes_its_old_figures_place() {
        let row = |scenario: &str, ours: &str| Row {
            scenario: scenario.to_owned(),
            ..Row::new("a path", ours)
        };
        let old = vec![row("list", "1"), row("get", "1")];
        let new = vec![row("get", "2"), row("start", "2")];
        let all = merged(new, old, &["start", "list", "get"]);
        assert_eq!(all, [row("start", "2"), row("list", "1"), row("get", "2")]);
    }
}
