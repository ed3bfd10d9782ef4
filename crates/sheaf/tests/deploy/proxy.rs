//! nginx and Caddy as plain processes on free ports, with the files of the documentation, and curl
//! as their client.

use rcgen::{CertificateParams, KeyPair};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use test_servers::ReservedPort;

/// Host name that all files of the documentation use.
pub(crate) const NAME: &str = "forms.example.com";
/// Address of Sheaf in these files.
const SHEAF: &str = "127.0.0.1:8080";
/// Maximum start time of a proxy.
const SOON: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nginx,
    Caddy,
}

/// A running proxy. It is killed on drop.
pub(crate) struct Proxy {
    child: Child,
    port: ReservedPort,
    folder: tempfile::TempDir,
}

/// A response as curl received it.
#[derive(Debug)]
pub(crate) struct Reply {
    /// 0 if there was no response.
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether curl found the response complete.
    pub(crate) is_whole: bool,
}

/// Returns the text of a file in `docs/deploy`.
pub(crate) fn shown(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the program that `cargo xtask test deploy` sets in `variable`, or the installed one.
fn program(variable: &str, usual: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| usual.into(), PathBuf::from)
}

/// Replaces `from` with `to`, and panics if the text does not contain `from`.
#[track_caller]
pub(crate) fn filled(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the file does not contain `{from}`:\n{text}");
    text.replace(from, to)
}

impl Proxy {
    /// Starts a proxy in front of the server at `sheaf`, with a file of the documentation and
    /// further replacements in it.
    pub(crate) fn start(kind: Kind, page: &str, sheaf: &str, fill: &[(&str, &str)]) -> Self {
        let fill = [&[(SHEAF, sheaf)], fill].concat();
        Self::start_filled(kind, page, &fill)
    }

    /// Starts a proxy with a file of the documentation and these replacements in it.
    pub(crate) fn start_filled(kind: Kind, page: &str, fill: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = ReservedPort::new().unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([NAME.to_owned()]).unwrap();
        let certificate = certificate.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("cert.pem"), certificate.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
        let mut text = shown(page);
        for (from, to) in fill {
            text = filled(&text, from, to);
        }
        let mut command = match kind {
            Kind::Nginx => nginx(folder.path(), &text, port.number()),
            Kind::Caddy => caddy(folder.path(), &text, port.number()),
        };
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("{command:?} does not start ({error}): `cargo xtask test deploy` installs it")
        });
        let mut proxy = Self { child, port, folder };
        proxy.wait();
        proxy
    }

    fn wait(&mut self) {
        let started_at = Instant::now();
        while TcpStream::connect(self.port.address()).is_err() {
            let is_over = self.child.try_wait().unwrap().is_some();
            assert!(
                !is_over && started_at.elapsed() < SOON,
                "the proxy did not start: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the log up to now.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the origin of the proxy.
    pub(crate) fn url(&self) -> String {
        format!("https://{NAME}:{}", self.port.number())
    }

    /// Returns a curl command for a path, which trusts the proxy's certificate.
    pub(crate) fn curl(&self, path: &str) -> Command {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--include", "--http1.1", "--max-time", "60"]);
        curl.args(["--noproxy", "*", "--path-as-is"]);
        curl.arg("--cacert").arg(self.folder.path().join("cert.pem"));
        curl.arg("--resolve").arg(format!("{NAME}:{}:127.0.0.1", self.port.number()));
        curl.arg(format!("{}{path}", self.url()));
        curl.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        curl
    }

    /// Requests a path, with more arguments for curl.
    pub(crate) fn ask(&self, path: &str, words: &[&str]) -> Reply {
        let reply = Reply::of(self.curl(path).args(words).spawn().unwrap());
        assert_ne!(reply.status, 0, "{}", self.log());
        reply
    }

    /// Sends raw bytes over TLS, and returns the output until the connection ends.
    pub(crate) fn raw(&self, request: &str) -> String {
        let mut client = Command::new("openssl");
        client.args(["s_client", "-quiet", "-servername", NAME, "-connect"]);
        client.arg(self.port.address());
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = client.spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(request.as_bytes()).unwrap();
        // `s_client` closes the connection when its input ends, so the input stays open.
        let _input = child.stdin.take();
        String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    /// Waits until curl ends, and parses its output.
    pub(crate) fn of(curl: Child) -> Self {
        let output = curl.wait_with_output().unwrap();
        let end = output.stdout.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = output.stdout.split_at(end.map_or(output.stdout.len(), |at| at + 4));
        let head = String::from_utf8_lossy(head).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let is_whole = output.status.success();
        Self { status: status.unwrap_or(0), head, body: body.to_vec(), is_whole }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.head, self.text()))
    }

    /// Returns the first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.starts_with(&format!("{name}: ")))?;
        line.split_once(": ").map(|(_, value)| value.trim())
    }

    /// Returns the cookie that a response sets, as `name=value`. It takes the raw output because
    /// `head` is in lower case.
    pub(crate) fn cookie(output: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(output).into_owned();
        let line = text.lines().find(|line| line.to_lowercase().starts_with("set-cookie: "))?;
        line["set-cookie: ".len()..].split(';').next().map(str::to_owned)
    }
}

/// nginx without the configuration of its package; all its files are in `folder`.
fn nginx(folder: &Path, site: &str, port: u16) -> Command {
    let at = folder.display();
    let site = filled(site, "listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl"));
    let site = filled(&site, "/etc/ssl/forms.example.com/fullchain.pem", &format!("{at}/cert.pem"));
    let site = filled(&site, "/etc/ssl/forms.example.com/privkey.pem", &format!("{at}/key.pem"));
    let main = format!(
        "daemon off; master_process off; pid {at}/pid; error_log stderr warn;\n\
         events {{}}\n\
         http {{\n\
         access_log off;\n\
         client_body_temp_path {at}/body; proxy_temp_path {at}/proxy;\n\
         fastcgi_temp_path {at}/fcgi; uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n\
         include {at}/site.conf;\n\
         }}\n"
    );
    std::fs::write(folder.join("site.conf"), site).unwrap();
    std::fs::write(folder.join("nginx.conf"), main).unwrap();
    let mut command = Command::new(program("NGINX", "/usr/sbin/nginx"));
    command.arg("-p").arg(folder).arg("-c").arg(folder.join("nginx.conf")).args(["-e", "stderr"]);
    // nginx reads a variable of this name as a list of sockets that it inherits.
    command.env_remove("NGINX");
    command
}

/// Caddy without certificate requests and without its admin endpoint.
fn caddy(folder: &Path, site: &str, port: u16) -> Command {
    let at = folder.display();
    let named =
        format!("https://{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {at}/cert.pem {at}/key.pem\n");
    let site = filled(site, &format!("{NAME} {{\n"), &named);
    let global = format!(
        "{{\n\tadmin off\n\tauto_https off\n\tskip_install_trust\n\
         \tstorage file_system {at}/storage\n\tservers {{\n\t\tprotocols h1 h2\n\t}}\n}}\n"
    );
    std::fs::write(folder.join("Caddyfile"), global + &site).unwrap();
    let mut command = Command::new(program("CADDY", "caddy"));
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    command.env("HOME", folder).env("XDG_CONFIG_HOME", folder).env("XDG_DATA_HOME", folder);
    command
}
