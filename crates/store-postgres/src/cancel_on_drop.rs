//! Statements that are canceled when their future is dropped.
//!
//! Dropping a future leaves its statement running on the server. So the connection is taken out of
//! the pool, a cancel request is sent, and the connection closes. The cancel request can therefore
//! not hit a later statement of another caller.

use super::PostgresStore;
use super::fair_share::SharePermit;
use super::pool;
use super::transaction::Conn;
use contract::FormId;
use deadpool_postgres::ClientWrapper;
use std::ops::{Deref, DerefMut};
use std::time::Duration;
use store::{Result, StoreError};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Timeout of the cancel request. After it, the statement ends by its own timeout.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that cancels its running statement on drop.
pub(super) struct CancelOnDrop {
    conn: Option<Conn>,
    /// Connector for the cancel request.
    tls: MakeRustlsConnect,
    is_replica: bool,
    /// Present on connections for long reads.
    _share: Option<SharePermit>,
}

impl PostgresStore {
    /// Returns a connection for short statements.
    pub(super) async fn get_cancelable(&self) -> Result<CancelOnDrop> {
        let conn = self.connections.get().await?;
        Ok(self.wrap_connection(conn, false, None))
    }

    /// Returns a connection for long statements within the form's share: to the replica if it is up
    /// to date, else to the primary.
    pub(super) async fn get_cancelable_long(&self, form: &FormId) -> Result<CancelOnDrop> {
        let ((conn, share), is_of_replica) = self.connections.get_for_long_read(form).await?;
        Ok(self.wrap_connection(conn, is_of_replica, Some(share)))
    }

    /// Returns a connection that reads answers into the cache, outside of the shares of forms: to
    /// the replica, if lists read there.
    pub(super) async fn get_cancelable_for_cache(&self) -> Result<CancelOnDrop> {
        let replica = self.connections.replica.as_ref().filter(|replica| !replica.is_disabled());
        let conn = match replica {
            Some(replica) => pool::get(&replica.pool).await?,
            None => self.connections.get_long().await?,
        };
        Ok(self.wrap_connection(conn, replica.is_some(), None))
    }

    /// After a failed read on the replica, returns a connection to the primary. After a failed read
    /// on the primary, returns the error.
    pub(super) async fn fall_back_to_primary(
        &self,
        failed: CancelOnDrop,
        error: StoreError,
        form: &FormId,
    ) -> Result<CancelOnDrop> {
        let Some(replica) = self.connections.replica.as_ref().filter(|_| failed.is_replica) else {
            return Err(error);
        };
        replica.disable(&error.to_string());
        let (conn, share) = self.connections.get_long_for_form(form).await?;
        Ok(self.wrap_connection(conn, false, Some(share)))
    }

    fn wrap_connection(
        &self,
        conn: Conn,
        is_of_replica: bool,
        share: Option<SharePermit>,
    ) -> CancelOnDrop {
        let tls = self.connections.cancel_connectors[usize::from(is_of_replica)].clone();
        CancelOnDrop { conn: Some(conn), tls, is_replica: is_of_replica, _share: share }
    }
}

impl CancelOnDrop {
    /// Returns the connection to its pool, because all statements were answered.
    pub(super) fn release(mut self) {
        drop(self.conn.take());
    }
}

impl Deref for CancelOnDrop {
    type Target = Conn;

    #[expect(clippy::expect_used, reason = "only `release` and `drop` take it, at the end")]
    fn deref(&self) -> &Conn {
        self.conn.as_ref().expect("the connection is present until drop")
    }
}

impl DerefMut for CancelOnDrop {
    #[expect(clippy::expect_used, reason = "only `release` and `drop` take it, at the end")]
    fn deref_mut(&mut self) -> &mut Conn {
        self.conn.as_mut().expect("the connection is present until drop")
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        let client = Conn::take(conn);
        // Without a runtime, the connection's own task does not run either.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(send_cancel(client, self.tls.clone()));
        }
    }
}

async fn send_cancel(client: ClientWrapper, tls: MakeRustlsConnect) {
    let reason = match timeout(CANCEL_TIMEOUT, client.cancel_token().cancel_query(tls)).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    tracing::debug!(reason, "could not cancel an abandoned statement");
}
