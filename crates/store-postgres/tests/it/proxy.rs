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
        let break_point = Arc::clone(&next);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let host = host.clone();
                let break_point = Arc::clone(&break_point);
                tokio::spawn(async move {
                    let server = TcpStream::connect(host).await.unwrap();
                    serve(client, server, &break_point).await;
                });
            }
        });
        Self { url, next }
    }

    /// Breaks one connection at the next commit.
    pub(super) fn break_at(&self, break_point: BreakPoint) {
        self.next.store(break_point as u8, Ordering::SeqCst);
    }
}

async fn serve(client: TcpStream, server: TcpStream, break_point: &AtomicU8) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (broken_sender, is_broken) = tokio::sync::watch::channel(false);
    tokio::join!(
        forward_requests(from_client, to_server, break_point, &broken_sender),
        forward_answers(from_server, to_client, is_broken),
    );
}

async fn forward_requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    break_point: &AtomicU8,
    broken_sender: &tokio::sync::watch::Sender<bool>,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let message = &bytes[..read];
        let is_commit = message.windows(7).any(|word| word == b"COMMIT\0");
        let break_now = if is_commit { break_point.swap(0, Ordering::SeqCst) } else { 0 };
        if break_now > 0 {
            broken_sender.send_replace(true);
        }
        if break_now == BreakPoint::Before as u8 || to.write_all(message).await.is_err() {
            break;
        }
        if break_now == BreakPoint::After as u8 {
            // Wait for the answer, which is discarded.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        if break_now > 0 {
            break;
        }
    }
    broken_sender.send_replace(true);
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
