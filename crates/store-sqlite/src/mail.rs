//! [`MailStore`] for SQLite: notifications, pending e-mails, and e-mails to members.

mod account;
mod notifications;
mod pending;
mod usage;

pub(super) use account::insert as insert_account_mail;
pub(super) use pending::enqueue;

use super::SqliteStore;
use async_trait::async_trait;
use contract::notification::AutoReply;
use contract::{AccountId, FormId, Notification, NotificationId, Timestamp};
use store::daily_limits::UtcDay;
use store::mail::{
    AccountMail, LeasedAccountMail, MailBatch, MailLeaseQuery, MailRecord, MailStore, MailUsage,
    NotificationRecord, NotificationUpdate, PendingSubmission, UsageKind,
};
use store::{Hash, Owner, QueueStats, Result, secret};

#[async_trait]
impl MailStore for SqliteStore {
    async fn insert_notification(&self, record: NotificationRecord) -> Result<bool> {
        self.writer.write(move |conn| notifications::insert(conn, &record)).await
    }

    async fn list_notifications(&self, form: &FormId) -> Result<Vec<Notification>> {
        let form = form.clone();
        self.readers.read(move |conn| notifications::list(conn, &form)).await
    }

    async fn find_notification(&self, id: &NotificationId) -> Result<Option<NotificationRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| notifications::find(conn, &id)).await
    }

    async fn update_notification(
        &self,
        id: &NotificationId,
        update: NotificationUpdate,
        now: Timestamp,
    ) -> Result<bool> {
        let id = id.clone();
        self.writer
            .write_when_full(move |conn| notifications::update(conn, &id, &update, now))
            .await
    }

    async fn delete_notification(&self, id: &NotificationId) -> Result<bool> {
        let id = id.clone();
        self.writer.write_when_full(move |conn| notifications::delete(conn, &id)).await
    }

    async fn find_auto_reply(&self, form: &FormId) -> Result<Option<AutoReply>> {
        let form = form.clone();
        self.readers.read(move |conn| notifications::find_auto_reply(conn, &form)).await
    }

    async fn set_auto_reply(
        &self,
        form: &FormId,
        reply: AutoReply,
        now: Timestamp,
    ) -> Result<bool> {
        let form = form.clone();
        self.writer.write(move |conn| notifications::set_auto_reply(conn, &form, &reply, now)).await
    }

    async fn lease_mail(&self, query: MailLeaseQuery) -> Result<Vec<MailBatch>> {
        // A read first, so that the writer is not used if nothing is due.
        let due = {
            let query = query.clone();
            self.readers.read(move |conn| pending::due_notifications(conn, &query)).await?
        };
        if due.is_empty() {
            return Ok(Vec::new());
        }
        self.writer.write_when_full(move |conn| pending::lease(conn, &due, &query)).await
    }

    async fn find_pending_submissions(
        &self,
        id: &NotificationId,
        seqs: &[i64],
    ) -> Result<Vec<PendingSubmission>> {
        let (id, seqs) = (id.clone(), seqs.to_vec());
        self.readers.read(move |conn| pending::find_submissions(conn, &id, &seqs)).await
    }

    async fn record_mail(&self, record: MailRecord) -> Result<bool> {
        self.writer.write_when_full(move |conn| pending::record(conn, &record)).await
    }

    async fn claim_mail(
        &self,
        account: &AccountId,
        kind: UsageKind,
        day: UtcDay,
        limit: u64,
    ) -> Result<bool> {
        let account = account.clone();
        self.writer
            .write_when_full(move |conn| usage::claim(conn, &account, kind, day, limit))
            .await
    }

    async fn release_mail(&self, account: &AccountId, kind: UsageKind, day: UtcDay) -> Result<()> {
        let account = account.clone();
        self.writer.write_when_full(move |conn| usage::release(conn, &account, kind, day)).await
    }

    async fn mail_usage(&self, owner: &Owner, day: UtcDay) -> Result<MailUsage> {
        let owner = owner.clone();
        self.readers.read(move |conn| usage::find(conn, &owner, day)).await
    }

    async fn claim_auto_reply(&self, address: Hash, day: UtcDay) -> Result<bool> {
        self.writer.write_when_full(move |conn| usage::claim_address(conn, address, day)).await
    }

    async fn release_auto_reply(&self, address: Hash, day: UtcDay) -> Result<()> {
        self.writer.write_when_full(move |conn| usage::release_address(conn, address, day)).await
    }

    async fn insert_account_mail(&self, mail: AccountMail, now: Timestamp) -> Result<()> {
        self.writer.write_when_full(move |conn| account::insert(conn, &mail, now)).await
    }

    async fn lease_account_mail(
        &self,
        now: Timestamp,
        rows_max: usize,
    ) -> Result<Vec<LeasedAccountMail>> {
        if !self.readers.read(move |conn| account::has_due(conn, now)).await? {
            return Ok(Vec::new());
        }
        self.writer.write_when_full(move |conn| account::lease(conn, now, rows_max)).await
    }

    async fn record_account_mail(&self, seq: i64, retry_at: Option<Timestamp>) -> Result<()> {
        self.writer.write_when_full(move |conn| account::record(conn, seq, retry_at)).await
    }

    async fn release_mail_leases(&self) -> Result<()> {
        self.writer.write_when_full(pending::release).await
    }

    async fn purge_mail(&self, now: Timestamp) -> Result<u64> {
        if !self.readers.read(move |conn| usage::has_expired(conn, now)).await? {
            return Ok(0);
        }
        self.writer.write_when_full(move |conn| usage::purge(conn, now)).await
    }

    async fn mail_stats(&self) -> Result<QueueStats> {
        self.readers.read(pending::stats).await
    }

    async fn mail_secret(&self) -> Result<Hash> {
        self.find_or_create_secret("mail", secret::random_bytes()).await
    }
}
