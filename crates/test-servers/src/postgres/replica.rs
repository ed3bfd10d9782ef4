//! A replica of a cluster: a hot standby that follows it by streaming.

use super::Postgres;
use crate::process::{Result, folder, output, unprivileged};

impl Postgres {
    /// Copies the cluster and starts the copy, which then follows it as long as both run.
    ///
    /// # Errors
    /// What the programs of PostgreSQL say.
    pub fn replica(&self) -> Result<Self> {
        let folder = folder()?;
        let mut copy = unprivileged(self.programs.join("pg_basebackup"));
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"]);
        copy.args(["--no-sync", "--dbname", &self.url("postgres"), "--pgdata"]);
        output(copy.arg(folder.join("data")).current_dir(&folder))?;
        Self::run(self.programs.clone(), folder, self.settings.clone())
    }
}
