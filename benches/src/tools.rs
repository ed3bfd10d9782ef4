//! Other programs as pipes: their output is counted and discarded.

use crate::Result;
use crate::client::Client;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// A number of bytes and their duration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Throughput {
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
}

impl Throughput {
    /// Returns the megabytes (10⁶ bytes) per second.
    pub(crate) fn megabytes_a_second(self) -> f64 {
        self.bytes as f64 / 1e6 / self.time.as_secs_f64().max(f64::EPSILON)
    }
}

/// Finds a program in the usual folders.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/lib/postgresql/15/bin", "/usr/local/bin", "/usr/bin", "/usr/sbin", "/bin"];
    folders.iter().map(|folder| PathBuf::from(folder).join(name)).find(|path| path.is_file())
}

/// Counts the output of a program.
pub(crate) async fn measure_output(command: &mut Command) -> Result<Throughput> {
    let started_at = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut out = child.stdout.take().ok_or("a program without output")?;
    let bytes = count_bytes(&mut out).await?;
    let status = child.wait().await?;
    let name = command.as_std().get_program().display();
    if status.success() {
        Ok(Throughput { bytes, time: started_at.elapsed() })
    } else {
        Err(format!("`{name}` failed ({status})").into())
    }
}

/// Counts the bytes up to the end of a stream.
async fn count_bytes(from: &mut (impl AsyncRead + Unpin)) -> Result<u64> {
    let mut buffer = vec![0; 256 * 1024];
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer).await? {
            0 => return Ok(bytes),
            read => bytes += read as u64,
        }
    }
}

/// Requests a large response, and calls `each` with its pieces. Returns the number of bytes and the
/// duration.
pub(crate) async fn download(
    address: SocketAddr,
    request: &[u8],
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<Throughput> {
    let mut client = Client::connect(address).await?;
    let started_at = Instant::now();
    let mut bytes = 0;
    let mut result = Ok(());
    let take = |piece: &[u8]| {
        bytes += piece.len() as u64;
        if result.is_ok() {
            result = each(piece);
        }
    };
    let status = client.send(request, take).await?;
    let time = started_at.elapsed();
    result?;
    if status == 200 { Ok(Throughput { bytes, time }) } else { Err(format!("{status}").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn program_output_is_counted() {
        let flow = measure_output(Command::new("sh").args(["-c", "printf 12345; printf 678"]))
            .await
            .unwrap();
        assert_eq!(flow.bytes, 8);
        assert!(super::measure_output(&mut Command::new("false")).await.is_err());
    }
}
