//! Data for the measurements: created once by `sheaf`, and reused.

use crate::{Result, args, print_line};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio::process::Command;

/// Email address of the account.
pub(crate) const EMAIL: &str = "bench@example.com";
/// Number of forms besides the large one: so many that they matter, or as few as most owners
/// have. Then the number of submissions of each.
const MANY_FORMS: usize = 200;
const FEW_FORMS: usize = 2;
const SMALL_ROWS: u64 = 500;
/// All samples are before this time, so that every machine has the same data.
const UNTIL: &str = "2026-11-01T00:00:00Z";
const DATA_FILE: &str = "bench.json";
/// Limits that do not bind, for the account's plan. They are still counted and checked.
pub(crate) const PLAN_LIMITS: &str = "enterprise=1000000000/1000000";

/// Default limit of the search text in memory, in MiB, and the bytes per submission with some
/// margin. Large forms need a higher limit.
pub(crate) const SEARCH_MEMORY_MIB: u64 = 1024;
const TEXT_BYTES: u64 = 640;

/// The created forms, and an API key for them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BenchData {
    /// Id of the form with most submissions.
    pub(crate) large: String,
    /// Ids of the other forms.
    pub(crate) small: Vec<String>,
    /// An API key.
    pub(crate) key: String,
    /// Number of submissions of the large form.
    pub(crate) rows: u64,
    /// The data directory.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

impl BenchData {
    /// Returns the data of a size, in an account with many forms. Creates missing data.
    pub(crate) async fn ensure(args: &args::DataArgs) -> Result<Self> {
        Self::ensure_with_forms(args, &args.folder.join(format!("data-{}", args.rows)), MANY_FORMS)
            .await
    }

    /// Like [`BenchData::ensure`], in an account with few forms.
    pub(crate) async fn ensure_with_few_forms(args: &args::DataArgs) -> Result<Self> {
        Self::ensure_with_forms(args, &args.folder.join(format!("few-{}", args.rows)), FEW_FORMS)
            .await
    }

    async fn ensure_with_forms(args: &args::DataArgs, folder: &Path, forms: usize) -> Result<Self> {
        let sheaf = args.sheaf.as_path();
        let rows = args.rows;
        let folder = folder.to_owned();
        if let Ok(stored) = fs::read(folder.join(DATA_FILE)) {
            return Ok(Self { folder, ..serde_json::from_slice(&stored)? });
        }
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        print_line(format!("creating {rows} submissions in {}", folder.display()));
        let started_at = Instant::now();
        let run = async |arguments: &[&str]| run_sheaf(sheaf, &folder, arguments).await;
        run(&["account", "create", "--email", EMAIL, "--plan", "enterprise"]).await?;
        let key = run(&["key", "create", "--account", EMAIL, "--name", "bench", "--mode", "live"]);
        let key = find_word(&key.await?, "svc_sk_live_")?;
        let mut small = Vec::new();
        let form = async |name: &str, rows: u64, seed: usize| -> Result<String> {
            let made = run(&["form", "create", "--account", EMAIL, "--name", name]).await?;
            let form = find_word(&made, "frm_")?;
            let rows = rows.to_string();
            let seed = seed.to_string();
            let sample = ["sample", "--form", &form, "--count", &rows, "--seed", &seed];
            run(&[&sample[..], &["--until", UNTIL]].concat()).await?;
            Ok(form)
        };
        let large = form("Large", rows, 1).await?;
        for n in 1..=forms {
            small.push(form(&format!("Small {n}"), SMALL_ROWS, n).await?);
        }
        let data = Self { large, small, key, rows, folder };
        fs::write(data.folder.join(DATA_FILE), serde_json::to_vec(&data)?)?;
        print_line(format!("created in {:.0} s", started_at.elapsed().as_secs_f64()));
        Ok(data)
    }

    /// Returns the memory for the search text, in MiB: the service's default, or more for large
    /// forms.
    pub(crate) fn search_memory_mib(&self) -> u64 {
        SEARCH_MEMORY_MIB.max((self.rows * TEXT_BYTES) >> 20)
    }

    /// Returns the path of the database.
    pub(crate) fn database_path(&self) -> PathBuf {
        self.folder.join("sheaf.db")
    }

    /// Returns the path of the large form's list with a query.
    pub(crate) fn list_path(&self, query: &str) -> String {
        format!("/v1/forms/{}/submissions?{query}", self.large)
    }

    /// Returns the path of the large form's export.
    pub(crate) fn export_path(&self, format: &str) -> String {
        format!("/v1/forms/{}/submissions/export?format={format}", self.large)
    }

    /// Copies the data into a folder, so that they can be changed.
    pub(crate) async fn copy(&self, below: &Path) -> Result<Self> {
        let folder = below.join("copy");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        for name in ["sheaf.db", "sheaf.db-wal"] {
            let from = self.folder.join(name);
            if from.exists() {
                tokio::fs::copy(from, folder.join(name)).await?;
            }
        }
        Ok(Self { folder, ..self.clone() })
    }
}

/// Runs a command of the binary on a data directory, and returns its output.
pub(crate) async fn run_sheaf(sheaf: &Path, folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(sheaf).args(arguments).arg("--data").arg(folder).output().await?;
    if !output.status.success() {
        let output_text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`sheaf {}` failed: {output_text}", arguments.join(" ")).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the first word with this prefix.
pub(crate) fn find_word(text: &str, beginning: &str) -> Result<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = text.split(|c: char| !is_part(c));
    let found = words.find(|word| word.starts_with(beginning));
    found.map(str::to_owned).ok_or_else(|| format!("no `{beginning}…` in `{text}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_forms_get_more_search_memory() {
        let check = |rows, mib| {
            let large = String::new();
            let small = Vec::new();
            let key = String::new();
            let data = BenchData { large, small, key, rows, folder: PathBuf::new() };
            assert_eq!(data.search_memory_mib(), mib, "{rows}");
        };
        check(10_000, 1024);
        check(1_000_000, 1024);
        check(10_000_000, 6103);
    }

    #[test]
    fn id_is_found_in_output() {
        assert_eq!(find_word("made form `frm_1a` now", "frm_").unwrap(), "frm_1a");
        assert!(find_word("nothing", "frm_").is_err());
    }
}
