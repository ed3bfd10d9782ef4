//! Replicas of a PostgreSQL cluster, by streaming replication.

use super::Postgres;
use crate::process::{Result, folder, output, unprivileged};

impl Postgres {
    /// Starts a hot standby that follows this cluster while both run.
    ///
    /// # Errors
    /// Errors of the PostgreSQL programs.
    pub fn replica(&self) -> Result<Self> {
        let folder = folder()?;
        let mut copy = unprivileged(self.programs.join("pg_basebackup"));
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"]);
        copy.args(["--no-sync", "--dbname", &self.url("postgres"), "--pgdata"]);
        output(copy.arg(folder.join("data")).current_dir(&folder))?;
        Self::run(self.programs.clone(), folder, self.settings.clone())
    }
}
