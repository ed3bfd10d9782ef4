//! PostgreSQL 15 as a peer: a cluster of its own in a folder of its own, which is started and
//! stopped here, and never as root.

use crate::data::Data;
use crate::process::{family_processor_us, free_address};
use crate::sent::{Storer, Texts};
use crate::tools::{self, Flow};
use crate::{Result, say};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio_postgres::{Config, NoTls};

/// Who runs it where we are root, which PostgreSQL refuses to be.
const UNPRIVILEGED: &str = "postgres";

/// The peer's table: what the service keeps of a submission, as one would keep it there.
const TABLE: &str = "
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    DROP TABLE IF EXISTS s;
    CREATE TABLE s (form bigint, submitted_at bigint, id text, utm_source text, utm_medium text,
      utm_campaign text, answers jsonb, metadata jsonb, searched text);";
const INDEXES: &str = "
    CREATE UNIQUE INDEX ON s (id);
    CREATE INDEX ON s (form, submitted_at, id);
    CREATE INDEX ON s (form, utm_source, submitted_at);
    CREATE INDEX ON s USING gin (searched gin_trgm_ops);";
const INSERT: &str = "INSERT INTO s VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// A running cluster.
pub(crate) struct Postgres {
    folder: PathBuf,
    port: u16,
    is_root: bool,
}

impl Postgres {
    /// Makes and starts a cluster; `None` where PostgreSQL 15 is not installed.
    pub(crate) async fn start(scratch: &Path) -> Result<Option<Self>> {
        if tools::find("initdb").is_none() {
            say("PostgreSQL 15 is not installed: its figures are left out");
            return Ok(None);
        }
        let is_root = output(Command::new("id").arg("-u")).await?.trim() == "0";
        // Whoever runs it must be able to come to its folder.
        let beside = if is_root { std::env::temp_dir() } else { scratch.to_owned() };
        let folder = beside.join(format!("sheaf-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        if is_root {
            output(Command::new("chown").arg(UNPRIVILEGED).arg(&folder)).await?;
        }
        let it = Self { folder, port: free_address()?.port(), is_root };
        let data = it.folder.join("data");
        let mut make = it.command("initdb")?;
        make.args([
            "--auth=trust",
            "--username=bench",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "-D",
        ]);
        output(make.arg(&data)).await?;
        let options = format!(
            "-p {} -k {} -c listen_addresses='' -c shared_buffers=512MB -c max_wal_size=4GB",
            it.port,
            it.folder.display()
        );
        let mut start = it.command("pg_ctl")?;
        start.args(["-w", "-l"]).arg(it.folder.join("log")).args(["-o", &options, "-D"]);
        output(start.arg(data).arg("start")).await?;
        Ok(Some(it))
    }

    /// A program of PostgreSQL's, run by whom it may be run.
    fn command(&self, name: &str) -> Result<Command> {
        let program = tools::find(name).ok_or_else(|| format!("`{name}` is not installed"))?;
        let mut command = if self.is_root {
            let mut command = Command::new("runuser");
            command.args(["-u", UNPRIVILEGED, "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(&self.folder).stdin(Stdio::null());
        Ok(command)
    }

    /// One of its clients, told where to connect.
    pub(crate) fn client(&self, name: &str) -> Result<Command> {
        let mut command = self.command(name)?;
        command.args(["-p", &self.port.to_string(), "-U", "bench", "-h"]).arg(&self.folder);
        Ok(command)
    }

    /// Runs statements and returns what they give.
    pub(crate) async fn sql(&self, sql: &str) -> Result<String> {
        let mut psql = self.client("psql")?;
        psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, "postgres"]);
        output(&mut psql).await
    }

    /// Loads the submissions of the large form, without indexes.
    pub(crate) async fn load(&self, data: &Data) -> Result {
        self.sql(TABLE).await?;
        let form = format!("(SELECT seq FROM forms WHERE id = '{}')", data.large);
        let sql = format!(
            "SELECT form, submitted_at, id, utm_source, utm_medium, utm_campaign, \
             json -> '$.answers', json -> '$.metadata', '' FROM submissions WHERE form = {form}"
        );
        self.take_in(data, &sql).await?;
        self.sql("VACUUM ANALYZE s").await.map(drop)
    }

    /// Takes in what SQLite's shell selects.
    async fn take_in(&self, data: &Data, sql: &str) -> Result {
        let mut shell = Command::new(tools::find("sqlite3").ok_or("`sqlite3` is not installed")?);
        shell.args(["-readonly", "-csv"]).arg(data.file()).arg(sql).stdout(Stdio::piped());
        let mut shell = shell.spawn()?;
        let mut psql = self.client("psql")?;
        psql.args(["-q", "-c", r"\copy s from stdin csv", "postgres"]).stdin(Stdio::piped());
        let mut psql = psql.spawn()?;
        let (mut from, mut to) =
            (shell.stdout.take().ok_or("no output")?, psql.stdin.take().ok_or("no input")?);
        tokio::io::copy(&mut from, &mut to).await?;
        to.shutdown().await?;
        drop(to);
        shell.wait().await?;
        let done = psql.wait().await?;
        if done.success() { Ok(()) } else { Err("psql could not take the data in".into()) }
    }

    /// Copies all out as CSV, a column for each answer.
    pub(crate) async fn copy_out(&self) -> Result<Flow> {
        let keys = self
            .sql(
                "SELECT jsonb_object_keys(answers) AS k
                 FROM (SELECT answers FROM s LIMIT 500) AS newest GROUP BY k",
            )
            .await?;
        let cell = |key: &str| format!("answers ->> '{}'", key.replace('\'', "''"));
        let cells: Vec<String> = keys.lines().map(cell).collect();
        let metadata =
            ["submitted_at", "ip_country", "device", "browser", "completion_time_seconds"];
        let metadata = metadata.map(|name| format!("metadata ->> '{name}'")).join(", ");
        let sql = format!(
            "COPY (SELECT id, {}, {metadata}, utm_source, utm_medium, utm_campaign FROM s) \
             TO STDOUT CSV",
            cells.join(", ")
        );
        let mut psql = self.client("psql")?;
        tools::flow(psql.args(["-q", "-c", &sql, "postgres"])).await
    }

    /// Loads the submissions of the large form with three trees and a trigram index, as the service
    /// has them. At a million rows, the trigram index takes minutes.
    pub(crate) async fn load_indexed(&self, data: &Data) -> Result {
        self.sql(TABLE).await?;
        let form = format!("(SELECT seq FROM forms WHERE id = '{}')", data.large);
        let sql = format!(
            "SELECT form, submitted_at, id, utm_source, utm_medium, utm_campaign, \
             json -> '$.answers', json -> '$.metadata', \
             (SELECT group_concat(value, ' ') FROM json_each(json, '$.answers')) \
             FROM submissions WHERE form = {form}"
        );
        self.take_in(data, &sql).await?;
        self.sql(&format!("SET maintenance_work_mem = '1GB'; {INDEXES}")).await?;
        self.sql("VACUUM ANALYZE s").await.map(drop)
    }

    /// Processor time of the whole cluster so far, in microseconds.
    pub(crate) fn processor_us(&self) -> Result<u64> {
        let noted = std::fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let pid = noted.lines().next().unwrap_or_default().parse()?;
        Ok(family_processor_us(pid))
    }

    /// Connects so many who store submissions of the form that was loaded, each by a statement of
    /// its own that is prepared once, and each insertion a transaction.
    pub(crate) async fn storers(&self, count: usize, texts: &Texts) -> Result<Vec<Storer>> {
        let mut storers = Vec::new();
        for _ in 0..count {
            let mut config = Config::new();
            config.host_path(&self.folder).port(self.port).user("bench").dbname("postgres");
            let (client, connection) = config.connect(NoTls).await?;
            // Ends with its client, which hears of what went wrong.
            tokio::spawn(connection);
            let form = client.query_one("SELECT form FROM s LIMIT 1", &[]).await?.try_get(0)?;
            let insert = client.prepare(INSERT).await?;
            storers.push(Storer::new(client, insert, form, texts));
        }
        Ok(storers)
    }
}

impl Drop for Postgres {
    /// Stops the cluster and removes its folder, however the bench ends.
    fn drop(&mut self) {
        let stopped = self.command("pg_ctl").and_then(|mut stop| {
            stop.args(["-w", "-m", "immediate", "-D"]).arg(self.folder.join("data")).arg("stop");
            Ok(stop.as_std_mut().stdout(Stdio::null()).stderr(Stdio::null()).status()?)
        });
        let removed = std::fs::remove_dir_all(&self.folder);
        if let (Err(error), _) | (Ok(_), Err(error)) = (stopped, removed.map_err(Into::into)) {
            say(format!("PostgreSQL in {} could not be ended: {error}", self.folder.display()));
        }
    }
}

async fn output(command: &mut Command) -> Result<String> {
    let program = command.as_std().get_program().display().to_string();
    // A daemon keeps the pipes that it was started with, so there are none to wait for.
    let is_daemon = command.as_std().get_args().any(|word| word == "start");
    if is_daemon {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().await?;
        return if status.success() { Ok(String::new()) } else { Err("pg_ctl failed".into()) };
    }
    let output = command.output().await?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr)).into())
}
