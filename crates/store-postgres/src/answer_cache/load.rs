//! Reads the answers of large forms in the background.

use super::{AnswerCache, list_days, read_days};
use crate::PostgresStore;
use crate::errors::database_error;
use contract::FormId;
use std::sync::Arc;
use store::Result;
use store::answers::ColumnKey;

/// Ends a reading when it is dropped.
struct LoadingGuard {
    cache: Arc<AnswerCache>,
    form: FormId,
}

impl Drop for LoadingGuard {
    fn drop(&mut self) {
        self.cache.end_loading(&self.form);
    }
}

impl PostgresStore {
    /// Starts to read the answers of a form with this number of submissions, unless a task already
    /// reads them.
    pub(crate) fn load_answers(&self, form: &FormId, rows: u64, columns: Vec<ColumnKey>) {
        if !self.answers.begin_loading(form, rows) {
            return;
        }
        let store = self.clone();
        let guard = LoadingGuard { cache: Arc::clone(&self.answers), form: form.clone() };
        tokio::spawn(async move {
            if let Err(error) = store.read_answers(&guard.form, &columns).await {
                tracing::warn!(%error, form = %guard.form, "answers for filters were not read");
            }
        });
    }

    async fn read_answers(&self, form: &FormId, columns: &[ColumnKey]) -> Result<()> {
        let mut conn = self.get_cancelable_long(form).await?;
        let tx = self.begin_read(&mut conn).await?;
        let listed = list_days(&tx, form).await?;
        let rows = listed.iter().map(|version| version.rows).sum();
        read_days(&tx, &self.answers, (form, rows), &listed, columns).await?;
        tx.commit().await.map_err(database_error)?;
        conn.release();
        Ok(())
    }
}
