//! Reads the answers of large forms in the background.

use super::{list_days, read_days};
use crate::PostgresStore;
use crate::errors::database_error;
use contract::FormId;
use store::Result;
use store::answers::ColumnKey;

/// Minimum number of connections for long reads. A task uses one of them, and a list of the same
/// form another one.
const LONG_CONNECTIONS_MIN: usize = 3;

impl PostgresStore {
    /// Starts to read the answers of a form, unless a task already reads those of any form, or
    /// there are too few connections for long reads.
    pub(crate) fn load_answers(&self, form: &FormId, columns: Vec<ColumnKey>) {
        let replica = self.connections.replica.as_ref();
        let pool = replica.map_or(&self.connections.long_pool, |replica| &replica.pool);
        if pool.status().max_size < LONG_CONNECTIONS_MIN {
            return;
        }
        let Some(permit) = self.answers.begin_loading() else { return };
        let (store, form) = (self.clone(), form.clone());
        tokio::spawn(async move {
            if let Err(error) = store.read_answers(&form, &columns).await {
                tracing::warn!(%error, %form, "the answers for a filter could not be cached");
            }
            drop(permit);
        });
    }

    async fn read_answers(&self, form: &FormId, columns: &[ColumnKey]) -> Result<()> {
        let mut conn = self.get_cancelable_for_cache().await?;
        let tx = self.begin_read(&mut conn).await?;
        let days = list_days(&tx, form).await?;
        let wanted = (&*days.versions, columns);
        // If there is no room, dropping the connection cancels the statement.
        if read_days(&tx, &self.answers, &days, wanted, usize::MAX).await?.is_some() {
            tx.commit().await.map_err(database_error)?;
            conn.release();
        }
        Ok(())
    }
}
