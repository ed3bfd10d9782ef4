//! Replicas of a PostgreSQL cluster, by streaming replication.

use super::Postgres;
use crate::process::{Result, create_folder, run_to_end, unprivileged_command};

impl Postgres {
    /// Starts a hot standby that follows this cluster while both run.
    ///
    /// # Errors
    /// Errors of the PostgreSQL programs.
    pub fn start_replica(&self) -> Result<Self> {
        let folder = create_folder()?;
        let mut copy = unprivileged_command(self.programs.join("pg_basebackup"));
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"]);
        copy.args(["--no-sync", "--dbname", &self.url("postgres"), "--pgdata"]);
        run_to_end(copy.arg(folder.join("data")).current_dir(&folder))?;
        Self::run_cluster(self.programs.clone(), folder, self.settings.clone())
    }
}
