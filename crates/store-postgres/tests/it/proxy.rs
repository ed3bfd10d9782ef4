//! A proxy to a database that breaks connections on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// When a connection breaks, relative to a commit.
#[derive(Debug, Clone, Copy)]
pub(super) enum BreakPoint {
    /// Before the next commit reaches the database.
    Before = 1,
    /// After the next commit, before the client gets the answer.
    After = 2,
    /// While the database processes the next commit.
    During = 3,
}

/// A proxy that runs as long as the runtime.
pub(super) struct DatabaseProxy {
    pub(super) url: String,
    next: Arc<AtomicU8>,
}

impl DatabaseProxy {
    /// Starts a proxy to the database of an address.
    pub(super) async fn start(url: &str) -> Self {
        let (head, rest) = url.split_once('@').unwrap();
        let (host, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{head}@{}/{database}", listener.local_addr().unwrap());
        let next = Arc::new(AtomicU8::new(0));
        let host = host.to_owned();
        let breaks = Arc::clone(&next);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let host = host.clone();
                let breaks = Arc::clone(&breaks);
                tokio::spawn(async move {
                    let server = TcpStream::connect(host).await.unwrap();
                    serve(client, server, &breaks).await;
                });
            }
        });
        Self { url, next }
    }

    /// Breaks one connection at the next commit.
    pub(super) fn break_at(&self, when: BreakPoint) {
        self.next.store(when as u8, Ordering::SeqCst);
    }
}

async fn serve(client: TcpStream, server: TcpStream, breaks: &AtomicU8) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (broken, is_broken) = tokio::sync::watch::channel(false);
    tokio::join!(
        forward_requests(from_client, to_server, breaks, &broken),
        forward_answers(from_server, to_client, is_broken),
    );
}

async fn forward_requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    breaks: &AtomicU8,
    broken: &tokio::sync::watch::Sender<bool>,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let asked = &bytes[..read];
        let is_commit = asked.windows(7).any(|word| word == b"COMMIT\0");
        let when = if is_commit { breaks.swap(0, Ordering::SeqCst) } else { 0 };
        if when > 0 {
            broken.send_replace(true);
        }
        if when == BreakPoint::Before as u8 || to.write_all(asked).await.is_err() {
            break;
        }
        if when == BreakPoint::After as u8 {
            // Wait for the answer, which is discarded.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        if when > 0 {
            break;
        }
    }
    broken.send_replace(true);
}

async fn forward_answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut is_broken: tokio::sync::watch::Receiver<bool>,
) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let read = tokio::select! {
            biased;
            _ = is_broken.wait_for(|broken| *broken) => break,
            read = from.read(&mut bytes) => read,
        };
        match read {
            Ok(read @ 1..) if to.write_all(&bytes[..read]).await.is_ok() => {}
            _ => break,
        }
    }
}
