//! A statement that somebody waits for, and that ends when nobody does any more.
//!
//! A future that is dropped leaves its statement running. So its connection is taken out of the
//! pool then, the server is told to cancel, and the connection ends: nothing that runs there later
//! can be what is canceled.

use super::PostgresStore;
use super::fair_share::Share;
use super::transaction::Conn;
use contract::FormId;
use deadpool_postgres::ClientWrapper;
use std::ops::{Deref, DerefMut};
use std::time::Duration;
use store::{Result, StoreError};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long the server may take to be told; then the statement ends by its time-out.
const TOLD_WITHIN: Duration = Duration::from_secs(5);

/// A connection whose statements end with whoever waits for them.
pub(super) struct Watched {
    conn: Option<Conn>,
    /// By which the server is told.
    tls: MakeRustlsConnect,
    is_of_replica: bool,
    /// Where it is one for long reads.
    _share: Option<Share>,
}

impl PostgresStore {
    /// Returns a connection for statements that answer at once, if all goes well.
    pub(super) async fn watched(&self) -> Result<Watched> {
        let conn = self.connections.get().await?;
        Ok(self.watch(conn, false, None))
    }

    /// Returns a connection of a form's share for statements that may be long: of the replica,
    /// where that knows all that the primary does.
    pub(super) async fn watched_aside(&self, form: &FormId) -> Result<Watched> {
        let ((conn, share), is_of_replica) = self.connections.get_aside(form).await?;
        Ok(self.watch(conn, is_of_replica, Some(share)))
    }

    /// Returns one of the primary in the place of one on which a read failed, where that was the
    /// replica's; else the error again.
    pub(super) async fn watched_instead(
        &self,
        failed: Watched,
        error: StoreError,
        form: &FormId,
    ) -> Result<Watched> {
        let Some(replica) = self.connections.replica.as_ref().filter(|_| failed.is_of_replica)
        else {
            return Err(error);
        };
        replica.leave(&error.to_string());
        let (conn, share) = self.connections.get_share(form).await?;
        Ok(self.watch(conn, false, Some(share)))
    }

    fn watch(&self, conn: Conn, is_of_replica: bool, share: Option<Share>) -> Watched {
        let tls = self.connections.tls[usize::from(is_of_replica)].clone();
        Watched { conn: Some(conn), tls, is_of_replica, _share: share }
    }
}

impl Watched {
    /// Ends the watch: all statements were answered.
    pub(super) fn done(mut self) {
        drop(self.conn.take());
    }
}

impl Deref for Watched {
    type Target = Conn;

    #[expect(clippy::expect_used, reason = "only `done` and `drop` take it, and both end this")]
    fn deref(&self) -> &Conn {
        self.conn.as_ref().expect("a connection")
    }
}

impl DerefMut for Watched {
    #[expect(clippy::expect_used, reason = "only `done` and `drop` take it, and both end this")]
    fn deref_mut(&mut self) -> &mut Conn {
        self.conn.as_mut().expect("a connection")
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        let client = Conn::take(conn);
        // Without a runtime nothing of the connection runs either.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(cancel(client, self.tls.clone()));
        }
    }
}

async fn cancel(client: ClientWrapper, tls: MakeRustlsConnect) {
    let why = match timeout(TOLD_WITHIN, client.cancel_token().cancel_query(tls)).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    tracing::debug!(why, "a statement that nobody waits for could not be canceled");
}
