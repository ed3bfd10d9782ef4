//! The connection that listens for notifications.

use super::parse_payload;
use crate::address::Address;
use crate::connect::Setup;
use crate::errors::{database_error, unavailable};
use crate::fair_share::CONNECTION_TIMEOUT;
use crate::{pool, tls};
use futures_util::{StreamExt as _, stream};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use store::Result;
use store::live::{LiveFeed, LiveMessage, LiveReceiver};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;
use tokio_postgres::config::TargetSessionAttrs;

/// Pause before the next attempt to connect.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// Maximum time that a subscriber waits for the connection.
const CONNECT_WAIT_MAX: Duration = Duration::from_secs(2);

/// Listens for the changes of all processes, from the first subscriber on.
pub(crate) struct LiveListener {
    feed: LiveFeed,
    link: Link,
    is_listening: watch::Sender<bool>,
    task: OnceLock<JoinHandle<()>>,
}

impl Drop for LiveListener {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl LiveListener {
    /// Creates a listener without a connection.
    ///
    /// # Errors
    /// An invalid address.
    pub(crate) fn new(setup: &Setup) -> Result<Self> {
        let mut address = Address::parse(&setup.url, setup.ca_file.is_some())?;
        // Standbys deliver no notifications.
        address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        Ok(Self {
            feed: LiveFeed::default(),
            link: Link { address, authority: setup.ca_file.clone() },
            is_listening: watch::Sender::new(false),
            task: OnceLock::new(),
        })
    }

    /// Subscribes to the changes. Waits up to two seconds for the connection. If it takes longer,
    /// the subscriber gets a reset later.
    pub(crate) async fn subscribe(&self) -> LiveReceiver {
        let mut is_listening = self.is_listening.subscribe();
        self.task.get_or_init(|| {
            let (link, feed) = (self.link.clone(), self.feed.clone());
            tokio::spawn(listen_forever(link, feed, self.is_listening.clone()))
        });
        // The errors say that it took too long, or that the task ended with its runtime.
        let _ =
            timeout(CONNECT_WAIT_MAX, is_listening.wait_for(|is_listening| *is_listening)).await;
        self.feed.subscribe()
    }
}

/// The database to connect to.
#[derive(Clone)]
struct Link {
    address: Address,
    authority: Option<PathBuf>,
}

/// Listens, and connects again after a pause whenever the connection ends.
async fn listen_forever(link: Link, feed: LiveFeed, is_listening: watch::Sender<bool>) {
    loop {
        let ended = listen(&link, &feed, &is_listening).await;
        is_listening.send_replace(false);
        let error = ended.err().unwrap_or_else(|| unavailable("the connection ended"));
        tracing::warn!(%error, "no live updates from other instances until the next connection");
        sleep(RECONNECT_PAUSE).await;
    }
}

/// Connects and passes notifications on, until the connection ends.
async fn listen(link: &Link, feed: &LiveFeed, is_listening: &watch::Sender<bool>) -> Result<()> {
    let connector = tls::create_connector(link.address.verification, link.authority.as_deref())?;
    let config = pool::with_network_timeouts(&link.address);
    let (client, mut connection) = timeout(CONNECTION_TIMEOUT, config.connect(connector))
        .await
        .map_err(|_| unavailable("no connection in time"))?
        .map_err(database_error)?;
    let mut messages = stream::poll_fn(|cx| connection.poll_message(cx));
    // The statement advances only while messages are read.
    let mut statement = std::pin::pin!(client.batch_execute("LISTEN sheaf_live"));
    let mut is_done = false;
    loop {
        tokio::select! {
            done = &mut statement, if !is_done => {
                done.map_err(database_error)?;
                is_done = true;
                feed.send(LiveMessage::Reset);
                is_listening.send_replace(true);
            }
            message = messages.next() => match message {
                Some(Ok(AsyncMessage::Notification(sent))) => {
                    feed.send(parse_payload(sent.payload()));
                }
                // Notices of the server.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(database_error(error)),
                None => return Ok(()),
            }
        }
    }
}
