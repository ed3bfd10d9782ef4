//! [`MailStore`] for PostgreSQL: notifications, pending e-mails, and e-mails to members.
//!
//! Any number of processes may send. A lease skips rows that another transaction has locked, and
//! moves the leased ones into the future.

mod account;
mod enqueue;
mod lease;
mod notifications;
mod queue;
mod usage;

pub(super) use account::insert as insert_account_mail;
pub(super) use enqueue::enqueue;

use super::PostgresStore;
use crate::errors::database_error;
use async_trait::async_trait;
use contract::notification::AutoReply;
use contract::{AccountId, FormId, Notification, NotificationId, Timestamp};
use store::audit::Unaudited;
use store::daily_limits::UtcDay;
use store::mail::{
    AccountMail, LeasedAccountMail, MailBatch, MailLeaseQuery, MailRecord, MailStore, MailUsage,
    NotificationRecord, NotificationUpdate, PendingSubmission, UsageKind,
};
use store::{Hash, Owner, QueueStats, Result, secret};

#[async_trait]
impl MailStore for PostgresStore {
    async fn insert_notification(&self, record: NotificationRecord) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = notifications::insert(&tx, &record).await?;
        tx.commit_audited(done).await
    }

    async fn list_notifications(&self, form: &FormId) -> Result<Vec<Notification>> {
        notifications::list(&self.connections.get().await?, form).await
    }

    async fn find_notification(&self, id: &NotificationId) -> Result<Option<NotificationRecord>> {
        notifications::find(&self.connections.get().await?, id).await
    }

    async fn update_notification(
        &self,
        id: &NotificationId,
        update: NotificationUpdate,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = notifications::update(&tx, id, &update, now).await?;
        tx.commit_audited(done).await
    }

    async fn delete_notification(&self, id: &NotificationId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = notifications::delete(&tx, id).await?;
        tx.commit_audited(done).await
    }

    async fn find_auto_reply(&self, form: &FormId) -> Result<Option<AutoReply>> {
        notifications::find_auto_reply(&self.connections.get().await?, form).await
    }

    async fn set_auto_reply(
        &self,
        form: &FormId,
        reply: AutoReply,
        now: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = notifications::set_auto_reply(&tx, form, &reply, now).await?;
        tx.commit_audited(done).await
    }

    async fn lease_mail(&self, query: MailLeaseQuery) -> Result<Vec<MailBatch>> {
        let mut conn = self.connections.get().await?;
        // Check first, so that no transaction begins if nothing is due.
        let due = lease::due_notifications(&conn, &query).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let tx = conn.transaction().await.map_err(database_error)?;
        let batches = lease::lease(&tx, &due, &query).await?;
        tx.commit().await.map_err(database_error)?;
        Ok(batches)
    }

    async fn find_pending_submissions(
        &self,
        id: &NotificationId,
        seqs: &[i64],
    ) -> Result<Vec<PendingSubmission>> {
        lease::find_submissions(&self.connections.get().await?, id, seqs).await
    }

    async fn record_mail(&self, record: MailRecord) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let is_disabled = lease::record(&tx, &record).await?;
        tx.commit_audited(is_disabled).await
    }

    async fn claim_mail(
        &self,
        account: &AccountId,
        kind: UsageKind,
        day: UtcDay,
        limit: u64,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = usage::claim(&*tx, account, kind, day, limit).await?;
        tx.commit_audited(done).await
    }

    async fn release_mail(&self, account: &AccountId, kind: UsageKind, day: UtcDay) -> Result<()> {
        usage::release(&self.connections.get().await?, account, kind, day).await
    }

    async fn mail_usage(&self, owner: &Owner, day: UtcDay) -> Result<MailUsage> {
        usage::find(&self.connections.get().await?, owner, day).await
    }

    async fn claim_auto_reply(&self, address: Hash, day: UtcDay) -> Result<bool> {
        usage::claim_address(&self.connections.get().await?, address, day).await
    }

    async fn release_auto_reply(&self, address: Hash, day: UtcDay) -> Result<()> {
        usage::release_address(&self.connections.get().await?, address, day).await
    }

    async fn insert_account_mail(&self, mail: AccountMail, now: Timestamp) -> Result<()> {
        account::insert(&self.connections.get().await?, &mail, now).await
    }

    async fn lease_account_mail(
        &self,
        now: Timestamp,
        rows_max: usize,
    ) -> Result<Vec<LeasedAccountMail>> {
        account::lease(&self.connections.get().await?, now, rows_max).await
    }

    async fn record_account_mail(&self, seq: i64, retry_at: Option<Timestamp>) -> Result<()> {
        account::record(&self.connections.get().await?, seq, retry_at).await
    }

    /// Does nothing: other processes may have leases.
    async fn release_mail_leases(&self) -> Result<()> {
        Ok(())
    }

    async fn purge_mail(&self, now: Timestamp) -> Result<u64> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let purged = queue::purge(&tx, now).await?;
        tx.commit_audited(Unaudited).await?;
        Ok(purged)
    }

    async fn mail_stats(&self) -> Result<QueueStats> {
        queue::stats(&self.connections.get().await?).await
    }

    async fn mail_secret(&self) -> Result<Hash> {
        self.find_or_create_secret("mail", secret::random_bytes()).await
    }
}
