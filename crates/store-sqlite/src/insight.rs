//! [`InsightStore`] for SQLite.
//!
//! No operation blocks other writes for long: older submissions are queued in batches, and results
//! go through the writer like other writes. The searched text does not change.

mod correct;
mod queue;
mod write;

pub(super) use queue::{delete_insight_rows, queue_submission, schedule_sweep};

use super::{Result, SqliteStore, forms, query};
use async_trait::async_trait;
use contract::insight::{
    Categories, FormAnalysis, InsightCorrection, InsightDetail, InsightQuota, SetAnalysis,
};
use contract::{AccountId, Environment, FormId, SubmissionId, Timestamp};
use rusqlite::Connection;
use std::sync::Arc;
use store::columns::database_error;
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::{AnalysisOutcome, InsightStore, PendingBatch, PendingQuery};

#[async_trait]
impl InsightStore for SqliteStore {
    async fn set_analysis(&self, form: &FormId, switch: SetAnalysis) -> Result<bool> {
        let form = form.clone();
        self.writer.write(move |conn| queue::switch_analysis(conn, &form, switch)).await
    }

    async fn find_analysis(&self, form: &FormId) -> Result<Option<FormAnalysis>> {
        let form = form.clone();
        self.readers.read(move |conn| queue::find_analysis(conn, &form)).await
    }

    async fn find_categories(&self, form: &FormId) -> Result<Option<Categories>> {
        let form = form.clone();
        let find = move |conn: &Connection| match forms::find_seq(conn, &form)? {
            Some(seq) => find_categories(conn, seq),
            None => Ok(None),
        };
        self.readers.read(find).await
    }

    async fn set_categories(&self, form: &FormId, categories: Option<Categories>) -> Result<()> {
        let form = form.clone();
        self.writer.write(move |conn| set_categories(conn, &form, categories.as_ref())).await
    }

    async fn queue_insights(&self, rows_max: usize) -> Result<bool> {
        // A read first, so that the writer is not used if there is no sweep.
        if !self.readers.read(queue::has_sweep).await? {
            return Ok(false);
        }
        self.writer.write(move |conn| queue::run_sweep(conn, rows_max)).await
    }

    async fn list_pending(&self, query: PendingQuery) -> Result<Option<PendingBatch>> {
        self.readers.read(move |conn| queue::list_pending(conn, &query)).await
    }

    /// Does nothing: only one process analyses the submissions of a file.
    async fn renew_lease(&self) -> Result<()> {
        Ok(())
    }

    async fn insert_insights(
        &self,
        outcomes: Vec<AnalysisOutcome>,
        limits: DailyLimits,
        now: Timestamp,
    ) -> Result<u64> {
        let index = Arc::clone(&self.memory_index);
        self.writer
            .write(move |conn| write::insert_outcomes(conn, &index, &outcomes, &limits, now))
            .await
    }

    async fn find_usage(
        &self,
        account: &AccountId,
        environment: Environment,
        limit: u64,
        day: UtcDay,
    ) -> Result<InsightQuota> {
        let account = account.clone();
        self.readers
            .read(move |conn| write::find_spent(conn, &account, environment, limit, day))
            .await
    }

    async fn find_insight(&self, id: &SubmissionId) -> Result<Option<InsightDetail>> {
        let id = id.clone();
        self.readers.read(move |conn| correct::find_detail(conn, &id)).await
    }

    async fn correct_insight(
        &self,
        id: &SubmissionId,
        correction: Option<InsightCorrection>,
        now: Timestamp,
    ) -> Result<bool> {
        let id = id.clone();
        let index = Arc::clone(&self.memory_index);
        let set = move |conn: &Connection| {
            correct::set_correction(conn, &index, &id, correction.as_ref(), now)
        };
        self.writer.write(set).await
    }
}

fn find_categories(conn: &Connection, form: i64) -> Result<Option<Categories>> {
    let sql = "SELECT categories FROM insight_categories WHERE form = ?";
    let json: Option<String> = query::find(conn, sql, [form], |row| row.get(0))?;
    json.map(|json| serde_json::from_str(&json).map_err(database_error)).transpose()
}

fn set_categories(conn: &Connection, form: &FormId, categories: Option<&Categories>) -> Result<()> {
    let Some(form) = forms::find_seq(conn, form)? else { return Ok(()) };
    match categories {
        Some(categories) => {
            let json = serde_json::to_string(categories).map_err(database_error)?;
            let sql = "INSERT INTO insight_categories (form, categories) VALUES (?, ?)
                       ON CONFLICT (form) DO UPDATE SET categories = excluded.categories";
            query::execute(conn, sql, (form, json))
        }
        None => query::execute(conn, "DELETE FROM insight_categories WHERE form = ?", [form]),
    }
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{connect, migrate};
    use store::insight::InsightStore;

    /// Opens a file from before analysis existed: only submissions without an insight are queued.
    #[tokio::test]
    async fn submissions_without_insight_are_queued_by_migration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let mut conn = connect::open_or_create(&path).unwrap();
        let is_ours = |step: &&migrate::Migration| step.name.ends_with("_insight");
        let older = migrate::MIGRATIONS.iter().take_while(|step| !is_ours(step)).count();
        migrate::migrate(&path, &mut conn, &migrate::MIGRATIONS[..older]).unwrap();
        let found = r#"{"ai_insights":{"sentiment":null}}"#;
        let rows = format!(
            "INSERT INTO accounts (id, email, email_folded, plan, created_at)
               VALUES ('acc_1', 'a', 'a', 'pro', 1);
             INSERT INTO forms (id, account, name, environment, analysis, created_at) VALUES
               ('frm_1', 'acc_1', 'on', 'live', 1, 1), ('frm_2', 'acc_1', 'off', 'live', 0, 1);
             INSERT INTO submissions (form, submitted_at, id, json) VALUES
               (1, 1, 'sub_1', '{{\"ai_insights\":null}}'), (1, 2, 'sub_2', '{found}'),
               (1, 3, 'sub_3', '{{\"ai_insights\":null}}'), (2, 1, 'sub_4', '{{}}');"
        );
        conn.execute_batch(&rows).unwrap();
        drop(conn);
        let store = SqliteStore::open(&path).unwrap();
        let form: FormId = "frm_1".parse().unwrap();
        assert!(store.find_analysis(&form).await.unwrap().unwrap().is_queueing);
        assert!(!store.queue_insights(9).await.unwrap());
        let settings = store.find_analysis(&form).await.unwrap().unwrap();
        assert_eq!((settings.pending, settings.is_queueing), (2, false));
    }
}
