//! A PostgreSQL cluster, as a peer for comparison and as the database of Sheaf. It ends with the
//! bench.

use crate::data::BenchData;
use crate::process::process_tree_time_us;
use crate::submissions::{PostgresSender, Texts};
use crate::tools::{self, Throughput};
use crate::{Result, print_line};
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio_postgres::{Config, NoTls};

/// Schema of the peer's table: the data that the service stores of a submission.
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

/// Settings for large buffers and rare checkpoints. Everything else has its default.
const SETTINGS: [&str; 2] = ["shared_buffers=512MB", "max_wal_size=4GB"];
/// Database of the peer.
const DATABASE: &str = "postgres";

/// A running cluster.
pub(crate) struct PostgresCluster(test_servers::Postgres);

impl PostgresCluster {
    /// Creates and starts a cluster. Returns `None` if PostgreSQL is not installed.
    pub(crate) fn start() -> Result<Option<Self>> {
        match test_servers::Postgres::start(&SETTINGS) {
            Ok(cluster) => Ok(Some(Self(cluster))),
            Err(test_servers::Error::Missing(..)) => {
                print_line("PostgreSQL is not installed: skipping its figures");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Creates an empty database and returns its URL.
    pub(crate) fn create_database(&self) -> Result<String> {
        Ok(self.0.create_database()?)
    }

    /// Returns the command of a client program with its connection parameters.
    pub(crate) fn client_command(&self, name: &str) -> Result<Command> {
        let program =
            tools::find_program(name).ok_or_else(|| format!("`{name}` is not installed"))?;
        let mut command = Command::new(program);
        let (socket, port) = self.0.socket();
        command
            .args(["-p", &port.to_string(), "-U", test_servers::Postgres::USER, "-h"])
            .arg(socket);
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// Runs statements and returns their output.
    pub(crate) async fn run_sql(&self, sql: &str) -> Result<String> {
        self.run_sql_in(DATABASE, sql).await
    }

    /// Like [`Self::run_sql`], in another database, given by its name or URL.
    pub(crate) async fn run_sql_in(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = self.client_command("psql")?;
        psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, database]);
        let output = psql.output().await?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("`psql` failed: {}", String::from_utf8_lossy(&output.stderr)).into())
    }

    /// Loads the submissions of the large form, without indexes.
    pub(crate) async fn load_rows(&self, data: &BenchData) -> Result {
        self.run_sql(TABLE).await?;
        let form = format!("(SELECT seq FROM forms WHERE id = '{}')", data.large);
        let sql = format!(
            "SELECT form, submitted_at, id, utm_source, utm_medium, utm_campaign, \
             json -> '$.answers', json -> '$.metadata', '' FROM submissions WHERE form = {form}"
        );
        self.copy_in(data, &sql).await?;
        self.run_sql("VACUUM ANALYZE s").await.map(drop)
    }

    /// Copies the result of a query of SQLite's shell into the table.
    async fn copy_in(&self, data: &BenchData, sql: &str) -> Result {
        let mut shell =
            Command::new(tools::find_program("sqlite3").ok_or("`sqlite3` is not installed")?);
        shell.args(["-readonly", "-csv"]).arg(data.database_path()).arg(sql).stdout(Stdio::piped());
        let mut shell = shell.spawn()?;
        let mut psql = self.client_command("psql")?;
        psql.args(["-q", "-c", r"\copy s from stdin csv", DATABASE]).stdin(Stdio::piped());
        let mut psql = psql.spawn()?;
        let mut from = shell.stdout.take().ok_or("no output")?;
        let mut to = psql.stdin.take().ok_or("no input")?;
        tokio::io::copy(&mut from, &mut to).await?;
        to.shutdown().await?;
        drop(to);
        shell.wait().await?;
        let done = psql.wait().await?;
        if done.success() { Ok(()) } else { Err("psql could not load the data".into()) }
    }

    /// Exports all rows as CSV, with a column for each answer.
    pub(crate) async fn copy_out(&self) -> Result<Throughput> {
        let keys = self
            .run_sql(
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
        let mut psql = self.client_command("psql")?;
        tools::measure_output(psql.args(["-q", "-c", &sql, DATABASE])).await
    }

    /// Loads the submissions of the large form with three B-tree indexes and a trigram index, like
    /// those of the service. At a million rows, the trigram index takes minutes.
    pub(crate) async fn load_indexed(&self, data: &BenchData) -> Result {
        self.run_sql(TABLE).await?;
        let form = format!("(SELECT seq FROM forms WHERE id = '{}')", data.large);
        let sql = format!(
            "SELECT form, submitted_at, id, utm_source, utm_medium, utm_campaign, \
             json -> '$.answers', json -> '$.metadata', \
             (SELECT group_concat(value, ' ') FROM json_each(json, '$.answers')) \
             FROM submissions WHERE form = {form}"
        );
        self.copy_in(data, &sql).await?;
        self.run_sql(&format!("SET maintenance_work_mem = '1GB'; {INDEXES}")).await?;
        self.run_sql("VACUUM ANALYZE s").await.map(drop)
    }

    /// Returns the processor time of the complete cluster so far, in microseconds.
    pub(crate) fn processor_us(&self) -> Result<u64> {
        Ok(process_tree_time_us(self.0.pid()?))
    }

    /// Opens connections that store submissions of the loaded form. Each uses its own prepared
    /// statement, and each insertion is a transaction.
    pub(crate) async fn connect_storers(
        &self,
        count: usize,
        texts: &Texts,
    ) -> Result<Vec<PostgresSender>> {
        let mut storers = Vec::new();
        for _ in 0..count {
            let (socket, port) = self.0.socket();
            let mut config = Config::new();
            config.host_path(socket).port(port).user(test_servers::Postgres::USER).dbname(DATABASE);
            let (client, connection) = config.connect(NoTls).await?;
            // The task ends with its client, which receives the errors.
            tokio::spawn(connection);
            let form = client.query_one("SELECT form FROM s LIMIT 1", &[]).await?.try_get(0)?;
            let insert = client.prepare(INSERT).await?;
            storers.push(PostgresSender::new(client, insert, form, texts));
        }
        Ok(storers)
    }
}
