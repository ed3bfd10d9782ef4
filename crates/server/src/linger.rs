//! The end of a connection: what its client still sends is read and dropped for a while.
//!
//! If a socket is closed while there are unread bytes, the system resets the connection, and the
//! client may lose the answer that was written last: for example that its body is too large.

use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// How long the client may send nothing.
const IDLE: Duration = Duration::from_secs(1);
/// How long all of it may take.
const WHOLE: Duration = Duration::from_secs(10);
/// How much is read at once, in bytes.
const PIECE_BYTES: usize = 16 * 1024;

/// Shuts a stream down, and reads until the client closes it or its time is over.
pub(crate) async fn close(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut piece = vec![0; PIECE_BYTES];
    let rest = async { while let Ok(Ok(1..)) = timeout(IDLE, stream.read(&mut piece)).await {} };
    let _ = timeout(WHOLE, rest).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;
    use tokio::time::{Instant, sleep};

    /// Closes a stream whose client sends a byte after each pause. Returns how long it took.
    async fn lingers(pause: Duration, count: usize) -> Duration {
        let (server, mut client) = duplex(64);
        let sender = tokio::spawn(async move {
            for _ in 0..count {
                sleep(pause).await;
                if client.write_all(b"x").await.is_err() {
                    return;
                }
            }
        });
        let begun = Instant::now();
        close(server).await;
        sender.abort();
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_is_read_until_it_closes_stops_or_has_had_its_time() {
        let half = Duration::from_millis(500);
        assert_eq!(lingers(half, 3).await, 3 * half, "closed");
        assert_eq!(lingers(2 * IDLE, 3).await, IDLE, "stopped");
        assert_eq!(lingers(half, 1000).await, WHOLE, "sent on");
    }
}
