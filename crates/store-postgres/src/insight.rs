//! The analysis part of the store, in PostgreSQL.
//!
//! Queue, leases and usage are only in the database, so any number of processes may analyse.

mod correct;
mod list;
mod queue;
mod write;

pub(super) use queue::{look_through, queue, queue_analysed};

use super::query::column;
use super::{PostgresStore, query};
use crate::errors::database;
use async_trait::async_trait;
use contract::insight::{Categories, Correction, FormAnalysis, InsightDetail, SetAnalysis, Spent};
use contract::{AccountId, Environment, FormId, SubmissionId, Timestamp};
use deadpool_postgres::GenericClient;
use store::Result;
use store::insight::{Day, InsightStore, Limits, Outcome, Pending, Wanted};

#[async_trait]
impl InsightStore for PostgresStore {
    async fn set_analysis(&self, form: &FormId, switch: SetAnalysis) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let done = queue::switch(&work, form, switch).await?;
        work.done(done).await
    }

    async fn find_analysis(&self, form: &FormId) -> Result<Option<FormAnalysis>> {
        queue::find(&self.connections.get().await?, form).await
    }

    async fn find_categories(&self, form: &FormId) -> Result<Option<Categories>> {
        find_categories(&self.connections.get().await?, form).await
    }

    async fn set_categories(&self, form: &FormId, categories: Option<Categories>) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let id = form.as_str();
        if let Some(categories) = categories {
            let json = serde_json::to_string(&categories).map_err(database)?;
            let sql = "INSERT INTO insight_categories (form_id, categories)
                       SELECT form_id, $2 FROM forms WHERE form_id = $1
                       ON CONFLICT (form_id) DO UPDATE SET categories = EXCLUDED.categories";
            query::run(&*work, sql, &[&id, &json]).await?;
        } else {
            let sql = "DELETE FROM insight_categories WHERE form_id = $1";
            query::run(&*work, sql, &[&id]).await?;
        }
        work.done(()).await
    }

    async fn queue_insights(&self, rows_max: usize) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        // Check first, so that no transaction begins if there is nothing to do.
        if !queue::has_sweep(&conn).await? {
            return Ok(false);
        }
        let tx = conn.transaction().await.map_err(database)?;
        let has_more = queue::sweep(&tx, rows_max).await?;
        tx.commit().await.map_err(database)?;
        Ok(has_more)
    }

    async fn list_pending(&self, wanted: Wanted) -> Result<Option<Pending>> {
        let mut conn = self.connections.get().await?;
        let tx = conn.transaction().await.map_err(database)?;
        let pending = list::list(&tx, &self.me, &wanted).await?;
        // If there is nothing to analyse, the rollback releases the lease.
        if pending.is_some() {
            tx.commit().await.map_err(database)?;
        }
        Ok(pending)
    }

    async fn hold_pending(&self) -> Result<()> {
        list::hold(&self.connections.get().await?, &self.me).await
    }

    async fn insert_insights(
        &self,
        outcomes: Vec<Outcome>,
        limits: Limits,
        now: Timestamp,
    ) -> Result<u64> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let written = write::insert(&work, &outcomes, &limits, now).await?;
        list::release(&work, &self.me).await?;
        work.done(written).await
    }

    async fn find_spent(
        &self,
        account: &AccountId,
        environment: Environment,
        limit: u64,
        day: Day,
    ) -> Result<Spent> {
        write::spent(&self.connections.get().await?, account, environment, limit, day).await
    }

    async fn find_insight(&self, id: &SubmissionId) -> Result<Option<InsightDetail>> {
        correct::find(&self.connections.get().await?, id).await
    }

    async fn correct_insight(
        &self,
        id: &SubmissionId,
        correction: Option<Correction>,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let done = correct::set(&work, id, correction.as_ref(), now).await?;
        work.done(done).await
    }
}

async fn find_categories(conn: &impl GenericClient, form: &FormId) -> Result<Option<Categories>> {
    let sql = "SELECT categories FROM insight_categories WHERE form_id = $1";
    let Some(found) = query::row(conn, sql, &[&form.as_str()]).await? else { return Ok(None) };
    serde_json::from_str(column(&found, 0)?).map(Some).map_err(database)
}
