//! Reads the answers of large forms in the background.

use super::{list_days, read_days};
use crate::PostgresStore;
use crate::errors::database_error;
use contract::FormId;
use store::Result;
use store::answers::ColumnKey;

impl PostgresStore {
    /// Starts to read the answers of a form, unless a task already reads those of any form.
    pub(crate) fn load_answers(&self, form: &FormId, columns: Vec<ColumnKey>) {
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
        // If there is no room, dropping the connection cancels the statement.
        if read_days(&tx, &self.answers, &days, &days.versions, columns).await? {
            tx.commit().await.map_err(database_error)?;
            conn.release();
        }
        Ok(())
    }
}
