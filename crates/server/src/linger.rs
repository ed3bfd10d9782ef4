//! Graceful close of a connection: the server reads and drops the data that the client still sends,
//! for a while.
//!
//! If a socket is closed with unread bytes, the system resets the connection. The client may then
//! lose the last response, for example the error that its body is too large. This is the lingering
//! close of HTTP servers. It is unrelated to `--linger`, which delays a shutdown.

use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// Maximum time without data from the client during a close.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum duration of a close.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 16 * 1024;

/// Shuts down a stream for writing, and reads until the client closes it or a timeout expires.
pub(crate) async fn close_gracefully(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut buffer = vec![0; BUFFER_BYTES];
    let drain =
        async { while let Ok(Ok(1..)) = timeout(IDLE_TIMEOUT, stream.read(&mut buffer)).await {} };
    let _ = timeout(TOTAL_TIMEOUT, drain).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;
    use tokio::time::{Instant, sleep};

    /// Closes a stream while its client sends a byte after each pause. Returns the elapsed time.
    async fn measure_close(pause: Duration, count: usize) -> Duration {
        let (server, mut client) = duplex(64);
        let sender = tokio::spawn(async move {
            for _ in 0..count {
                sleep(pause).await;
                if client.write_all(b"x").await.is_err() {
                    return;
                }
            }
        });
        let started_at = Instant::now();
        close_gracefully(server).await;
        sender.abort();
        started_at.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn close_ends_on_eof_idle_or_timeout() {
        let half = Duration::from_millis(500);
        assert_eq!(measure_close(half, 3).await, 3 * half, "closed");
        assert_eq!(measure_close(2 * IDLE_TIMEOUT, 3).await, IDLE_TIMEOUT, "stopped");
        assert_eq!(measure_close(half, 1000).await, TOTAL_TIMEOUT, "sent on");
    }
}
