//! The analysis part of the store, in PostgreSQL.
//!
//! Queue, leases and usage are only in the database, so any number of processes may analyse.

mod correct;
mod list;
mod queue;
mod write;

pub(super) use queue::{queue_analysed, queue_rows, request_sweep};

use super::query::read_column;
use super::{PostgresStore, query};
use crate::errors::database_error;
use async_trait::async_trait;
use contract::insight::{
    Categories, FormAnalysis, InsightCorrection, InsightDetail, InsightQuota, SetAnalysis,
};
use contract::{AccountId, Environment, FormId, SubmissionId, Timestamp};
use deadpool_postgres::GenericClient;
use store::Result;
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::{AnalysisOutcome, InsightStore, PendingBatch, PendingQuery};

#[async_trait]
impl InsightStore for PostgresStore {
    async fn set_analysis(&self, form: &FormId, switch: SetAnalysis) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = queue::switch_analysis(&tx, form, switch).await?;
        tx.commit_audited(done).await
    }

    async fn find_analysis(&self, form: &FormId) -> Result<Option<FormAnalysis>> {
        queue::find_analysis_state(&self.connections.get().await?, form).await
    }

    async fn find_categories(&self, form: &FormId) -> Result<Option<Categories>> {
        find_categories(&self.connections.get().await?, form).await
    }

    async fn set_categories(&self, form: &FormId, categories: Option<Categories>) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let id = form.as_str();
        if let Some(categories) = categories {
            let json = serde_json::to_string(&categories).map_err(database_error)?;
            let sql = "INSERT INTO insight_categories (form_id, categories)
                       SELECT form_id, $2 FROM forms WHERE form_id = $1
                       ON CONFLICT (form_id) DO UPDATE SET categories = EXCLUDED.categories";
            query::execute(&*tx, sql, &[&id, &json]).await?;
        } else {
            let sql = "DELETE FROM insight_categories WHERE form_id = $1";
            query::execute(&*tx, sql, &[&id]).await?;
        }
        tx.commit_audited(()).await
    }

    async fn queue_insights(&self, rows_max: usize) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        // Check first, so that no transaction begins if there is nothing to do.
        if !queue::has_sweep(&conn).await? {
            return Ok(false);
        }
        let tx = conn.transaction().await.map_err(database_error)?;
        let has_more = queue::sweep_next_form(&tx, rows_max).await?;
        tx.commit().await.map_err(database_error)?;
        Ok(has_more)
    }

    async fn list_pending(&self, query: PendingQuery) -> Result<Option<PendingBatch>> {
        let mut conn = self.connections.get().await?;
        let tx = conn.transaction().await.map_err(database_error)?;
        let pending = list::list_pending(&tx, &self.instance_id, &query).await?;
        // If there is nothing to analyse, the rollback releases the lease.
        if pending.is_some() {
            tx.commit().await.map_err(database_error)?;
        }
        Ok(pending)
    }

    async fn renew_lease(&self) -> Result<()> {
        list::renew_leases(&self.connections.get().await?, &self.instance_id).await
    }

    async fn insert_insights(
        &self,
        outcomes: Vec<AnalysisOutcome>,
        limits: DailyLimits,
        now: Timestamp,
    ) -> Result<u64> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let written = write::insert(&tx, &outcomes, &limits, now).await?;
        list::release_leases(&tx, &self.instance_id).await?;
        tx.commit_audited(written).await
    }

    async fn find_usage(
        &self,
        account: &AccountId,
        environment: Environment,
        limit: u64,
        day: UtcDay,
    ) -> Result<InsightQuota> {
        write::find_usage(&self.connections.get().await?, account, environment, limit, day).await
    }

    async fn find_insight(&self, id: &SubmissionId) -> Result<Option<InsightDetail>> {
        correct::find_insight(&self.connections.get().await?, id).await
    }

    async fn correct_insight(
        &self,
        id: &SubmissionId,
        correction: Option<InsightCorrection>,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = correct::set_correction(&tx, id, correction.as_ref(), now).await?;
        tx.commit_audited(done).await
    }
}

async fn find_categories(conn: &impl GenericClient, form: &FormId) -> Result<Option<Categories>> {
    let sql = "SELECT categories FROM insight_categories WHERE form_id = $1";
    let Some(found) = query::fetch_row(conn, sql, &[&form.as_str()]).await? else {
        return Ok(None);
    };
    serde_json::from_str(read_column(&found, 0)?).map(Some).map_err(database_error)
}
