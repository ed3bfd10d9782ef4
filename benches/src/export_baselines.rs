//! Upper bounds for an export: the same bytes, ready in a file, sent by `measure_cat` and nginx.

use crate::client::get_request;
use crate::process::{Program, free_address};
use crate::tools::download;
use crate::tools::{self, Throughput};
use crate::{Result, print_line};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use tokio::net::TcpStream;
use tokio::process::Command;

/// Name of the file, and its path on the server.
const NAME: &str = "export";

/// The file, and an nginx that serves it.
pub(crate) struct ExportFile {
    folder: PathBuf,
    nginx: Option<Program>,
}

impl ExportFile {
    /// Writes the response to a request into a file, and starts nginx in its folder if it is
    /// installed.
    pub(crate) async fn create(scratch: &Path, sheaf: &Program, request: &[u8]) -> Result<Self> {
        let folder = std::path::absolute(scratch.join("ready"))?;
        fs::create_dir_all(&folder)?;
        let mut file = fs::File::create(folder.join(NAME))?;
        download(sheaf.address, request, |bytes| std::io::Write::write_all(&mut file, bytes))
            .await?;
        let nginx = if let Some(program) = tools::find_program("nginx") {
            Some(start_nginx(&program, &folder).await?)
        } else {
            print_line("nginx is not installed: skipping its figures");
            None
        };
        Ok(Self { folder, nginx })
    }

    /// Measures `measure_cat`, which writes the file into a socket that is read at the other end.
    pub(crate) async fn measure_cat(&self) -> Result<Throughput> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let reads = std::net::TcpStream::connect(listener.local_addr()?)?;
        let (writes, _) = listener.accept()?;
        reads.set_nonblocking(true)?;
        let mut reads = TcpStream::from_std(reads)?;
        let begin = Instant::now();
        // The command holds the socket open until it is dropped.
        let mut child = Command::new("cat")
            .arg(self.folder.join(NAME))
            .stdout(Stdio::from(OwnedFd::from(writes)))
            .kill_on_drop(true)
            .spawn()?;
        let bytes = tools::count_bytes(&mut reads).await?;
        let time = begin.elapsed();
        let status = child.wait().await?;
        if status.success() {
            Ok(Throughput { bytes, time })
        } else {
            Err(format!("{status}").into())
        }
    }

    /// Measures nginx, which serves the file. Returns `None` if it is not installed.
    pub(crate) async fn measure_nginx(&self) -> Result<Option<Throughput>> {
        let Some(nginx) = &self.nginx else { return Ok(None) };
        let request = get_request(&format!("/{NAME}"), "none");
        download(nginx.address, &request, |_| Ok(())).await.map(Some)
    }

    /// Stops the server and removes the file.
    pub(crate) async fn remove(self) -> Result {
        if let Some(nginx) = self.nginx {
            nginx.stop().await?;
        }
        Ok(fs::remove_dir_all(self.folder)?)
    }
}

/// Starts nginx as one process that writes nothing outside of the folder.
async fn start_nginx(program: &Path, folder: &Path) -> Result<Program> {
    let address = free_address()?;
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = kinds.map(|kind| format!("  {kind}_temp_path {kind};\n")).concat();
    let settings = format!(
        "daemon off;\nmaster_process off;\npid pid;\nerror_log stderr;\n\
         events {{ worker_connections 64; }}\n\
         http {{\n  access_log off;\n  sendfile on;\n  tcp_nopush on;\n{temporary}  \
         server {{ listen {address}; root .; }}\n}}\n"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, settings)?;
    let mut command = Command::new(program);
    command.arg("-p").arg(folder).arg("-c").arg(file).args(["-e", "stderr"]);
    Program::start_and_wait(&mut command, address).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn both_peers_send_the_same_bytes() {
        let body = "a,b\r\n".repeat(100_000);
        let length = body.len() as u64;
        let router = Router::new().route("/", axum::routing::get(|| async { body }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async { axum::serve(listener, router).await });
        let folder = tempfile::tempdir().unwrap();
        let mut sleep = Command::new("sleep");
        let sheaf = Program::start(sleep.arg("60"), address).unwrap();
        let ready =
            ExportFile::create(folder.path(), &sheaf, &get_request("/", "key")).await.unwrap();
        assert_eq!(ready.measure_cat().await.unwrap().bytes, length);
        if let Some(flow) = ready.measure_nginx().await.unwrap() {
            assert_eq!(flow.bytes, length);
        }
        ready.remove().await.unwrap();
        assert!(!folder.path().join("ready").exists());
        server.abort();
    }
}
