//! Import: complete files in and out of order, with the `sheaf import` command.

use crate::bench::Bench;
use crate::client::get_request;
use crate::data::{BenchData, find_word, run_sheaf};
use crate::load::median;
use crate::postgres::PostgresCluster;
use crate::process::Program;
use crate::results::FigureRow;
use crate::tools;
use crate::tools::download;
use crate::{Result, print_line};
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use tokio::process::Command;

/// Goal: a million submissions in a minute.
const ROWS_A_SECOND: f64 = 1e6 / 60.0;
/// Maximum number of submissions that are exported and imported, to save disk space.
const ROWS_MAX: u64 = 2_000_000;
const EMAIL: &str = "import@example.com";

/// The same submissions in three files.
struct ImportFiles {
    oldest_csv: PathBuf,
    newest_csv: PathBuf,
    shuffled_ndjson: PathBuf,
}

/// Measures imports.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    if bench.data.rows > ROWS_MAX {
        print_line(format!("skipping import: it is measured only up to {ROWS_MAX} submissions"));
        return Ok(Vec::new());
    }
    let folder = bench.scratch.join("import");
    fs::create_dir_all(&folder)?;
    let files = ImportFiles::write(bench, &folder).await?;
    let postgres = PostgresCluster::start()?;
    let [mut oldest, mut newest, mut shuffled, mut shell, mut copy] = <[Vec<f64>; 5]>::default();
    for _ in 0..bench.turns.rounds {
        for (rates, option, file) in [
            (&mut oldest, "--csv", &files.oldest_csv),
            (&mut newest, "--csv", &files.newest_csv),
            (&mut shuffled, "--", &files.shuffled_ndjson),
        ] {
            rates.push(import_rate(bench, &folder.join("data"), option, file).await?);
        }
        if let Some(rate) = shell_rate(bench, &folder.join("shell.db"), &files).await? {
            shell.push(rate);
        }
        if let Some(postgres) = &postgres {
            copy.push(copy_rate(bench, postgres, &files).await?);
        }
    }
    drop(postgres);
    fs::remove_dir_all(folder)?;
    let in_order = median(&oldest);
    let row = |name: &str, rate: f64, theirs: f64| {
        let seconds = bench.data.rows as f64 / rate;
        let row =
            FigureRow::new(format!("import of {name}"), format!("{seconds:.1} s, {rate:.0}/s"));
        row.against(format!("{theirs:.0}/s"), rate / theirs)
    };
    // For few rows, the start of the program is a large part of the time.
    let with_goal = |row: FigureRow, rate: f64| match bench.data.rows {
        1_000_000.. => row.goal(format!("≥ {ROWS_A_SECOND:.0}/s"), rate >= ROWS_A_SECOND),
        _ => row,
    };
    let peers = [("`sqlite3 .import`, no index", shell), ("psql \\copy, no index", copy)];
    let mut rows: Vec<FigureRow> = peers
        .iter()
        .filter(|(_, rates)| !rates.is_empty())
        .map(|(peer, rates)| {
            row(&format!("CSV, oldest first, vs. {peer}"), in_order, median(rates))
        })
        .collect();
    for (name, rates) in [
        ("CSV, oldest first", oldest),
        ("CSV, newest first, vs. oldest first", newest),
        ("NDJSON, shuffled, vs. CSV, oldest first", shuffled),
    ] {
        let rate = median(&rates);
        rows.push(with_goal(row(name, rate, in_order), rate));
    }
    Ok(rows)
}

impl ImportFiles {
    /// Writes all submissions of the large form as CSV and NDJSON.
    async fn write(bench: &Bench, folder: &Path) -> Result<Self> {
        let files = Self {
            oldest_csv: folder.join("oldest.csv"),
            newest_csv: folder.join("newest.csv"),
            shuffled_ndjson: folder.join("shuffled.ndjson"),
        };
        let (mut command, address) = bench.serve_command(&bench.data)?;
        let sheaf = Program::start_and_wait(&mut command, address).await?;
        let mut newest = File::create(&files.newest_csv)?;
        let request = get_request(&bench.data.export_path("csv"), &bench.data.key);
        download(sheaf.address, &request, |bytes| newest.write_all(bytes)).await?;
        sheaf.stop().await?;
        fs::write(&files.oldest_csv, reverse_rows(&fs::read(&files.newest_csv)?)?)?;
        write_shuffled(&bench.data, &files.shuffled_ndjson)?;
        Ok(files)
    }
}

/// Reverses the rows of a CSV file below its header.
fn reverse_rows(csv: &[u8]) -> Result<Vec<u8>> {
    let mut reader = csv::Reader::from_reader(csv);
    let mut starts = Vec::new();
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record)? {
        let position = record.position().ok_or("a row without a position")?;
        let start = usize::try_from(position.byte())?;
        // The reader counts the second byte of a line break to the next row.
        starts.push(start + usize::from(csv.get(start) == Some(&b'\n')));
    }
    let mut end = csv.len();
    let mut out = Vec::with_capacity(end);
    out.extend_from_slice(&csv[..starts.first().copied().unwrap_or(end)]);
    for start in starts.into_iter().rev() {
        out.extend_from_slice(&csv[start..end]);
        end = start;
    }
    Ok(out)
}

/// Writes all submissions ordered by the ends of their ids, which is a random order.
fn write_shuffled(data: &BenchData, to: &Path) -> Result {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(data.database_path(), flags)?;
    conn.execute_batch("PRAGMA query_only = ON;")?;
    let mut statement = conn.prepare(
        "SELECT json_remove(json, '$.form_id') FROM submissions
         WHERE form = (SELECT seq FROM forms WHERE id = ?) ORDER BY substr(id, -8), id",
    )?;
    let mut rows = statement.query([&data.large])?;
    let mut out = BufWriter::new(File::create(to)?);
    while let Some(row) = rows.next()? {
        out.write_all(row.get_ref(0)?.as_bytes()?)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Imports into a new form in a temporary data directory. Returns submissions per second.
async fn import_rate(bench: &Bench, folder: &Path, option: &str, file: &Path) -> Result<f64> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let sheaf = &bench.sheaf;
    run_sheaf(sheaf, folder, &["account", "create", "--email", EMAIL, "--plan", "enterprise"])
        .await?;
    let made =
        run_sheaf(sheaf, folder, &["form", "create", "--account", EMAIL, "--name", "All"]).await?;
    let form = find_word(&made, "frm_")?;
    let file = file.to_str().ok_or("a path that is not UTF-8")?;
    let started_at = Instant::now();
    let import = Command::new(sheaf)
        .args(["import", "--form", &form, "--data"])
        .arg(folder)
        .args([option, file])
        .output()
        .await?;
    let rate = bench.data.rows as f64 / started_at.elapsed().as_secs_f64();
    let output_text = String::from_utf8_lossy(&import.stdout);
    if !output_text.contains(&format!("{} submissions imported", bench.data.rows)) {
        let error = String::from_utf8_lossy(&import.stderr);
        return Err(format!("`{file}` was not imported completely: {output_text}{error}").into());
    }
    fs::remove_dir_all(folder)?;
    Ok(rate)
}

/// Imports the ordered file into a table without an index with the shell of SQLite. Returns rows
/// per second.
async fn shell_rate(bench: &Bench, to: &Path, files: &ImportFiles) -> Result<Option<f64>> {
    let Some(shell) = tools::find_program("sqlite3") else { return Ok(None) };
    let started_at = Instant::now();
    let import = format!(".import --csv '{}' t", files.oldest_csv.display());
    if !Command::new(shell).arg(to).arg(import).status().await?.success() {
        return Err("`sqlite3` could not import the file".into());
    }
    let rate = bench.data.rows as f64 / started_at.elapsed().as_secs_f64();
    fs::remove_file(to)?;
    Ok(Some(rate))
}

/// Like [`shell_rate`], with PostgreSQL.
async fn copy_rate(bench: &Bench, postgres: &PostgresCluster, files: &ImportFiles) -> Result<f64> {
    let mut reader = csv::Reader::from_path(&files.oldest_csv)?;
    let columns = (0..reader.headers()?.len()).map(|n| format!("c{n} text"));
    let columns = columns.collect::<Vec<_>>().join(", ");
    postgres.run_sql(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})")).await?;
    let started_at = Instant::now();
    let mut psql = postgres.client_command("psql")?;
    psql.args(["-q", "-c", r"\copy t from stdin csv header", "postgres"]);
    let copied = psql.stdin(Stdio::from(File::open(&files.oldest_csv)?)).status().await?;
    if copied.success() {
        Ok(bench.data.rows as f64 / started_at.elapsed().as_secs_f64())
    } else {
        Err("psql could not import the file".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_reversed_below_their_header() {
        let csv = b"id,text\r\n1,\"a\r\nb\"\r\n2,c\r\n3,\"\"\"\"\r\n";
        let turned = b"id,text\r\n3,\"\"\"\"\r\n2,c\r\n1,\"a\r\nb\"\r\n";
        assert_eq!(reverse_rows(csv).unwrap(), turned);
        assert_eq!(reverse_rows(b"id,text\r\n").unwrap(), b"id,text\r\n");
    }
}
