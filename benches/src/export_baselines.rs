//! Upper bounds for an export's throughput: the same bytes, ready in a file, sent by `cat` and by
//! nginx.

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

/// Name of the file, also in nginx's URL.
const NAME: &str = "export";

/// The file, and an nginx that serves it.
pub(crate) struct ExportFile {
    folder: PathBuf,
    nginx: Option<Program>,
}

impl ExportFile {
    /// Writes the response of `sheaf` to a request into a file in the folder `scratch`, and starts
    /// nginx for it if that is installed.
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

    /// Measures `cat`, which writes the file into a socket. We read and count at the other end.
    pub(crate) async fn measure_cat(&self) -> Result<Throughput> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let reader = std::net::TcpStream::connect(listener.local_addr()?)?;
        let (writer, _) = listener.accept()?;
        reader.set_nonblocking(true)?;
        let mut reader = TcpStream::from_std(reader)?;
        let started_at = Instant::now();
        // The command owns our end of `cat`'s socket. It must be dropped here, because we read
        // until `cat` has the last one.
        let mut child = Command::new("cat")
            .arg(self.folder.join(NAME))
            .stdout(Stdio::from(OwnedFd::from(writer)))
            .kill_on_drop(true)
            .spawn()?;
        let bytes = tools::count_bytes(&mut reader).await?;
        let time = started_at.elapsed();
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
