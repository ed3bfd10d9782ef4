//! The dashboard as static files of nginx, with the gateway behind the same origin, by the
//! configuration in `docs/deploy`.

use crate::harness::{OWNER, Server, Viewport, run_test};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use test_servers::ReservedPort;

/// nginx with its own folder. Killed on drop.
struct Nginx {
    child: Child,
    url: String,
    _folder: TempDir,
    _port: ReservedPort,
}

impl Nginx {
    /// Serves the dashboard's files, and forwards all other requests to a server.
    async fn start(server: &Server) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let files = folder.path().join("files");
        let named = files.to_str().expect("a plain path");
        server.run_command(&["dashboard", "export", named]);
        let headers = server.run_command(&["dashboard", "nginx", "--without-tls", "--root", named]);
        write_file(at, "dashboard.conf", &headers);
        let port = ReservedPort::new().expect("a free port");
        let address = port.address();
        write_file(at, "site.conf", &site_configuration(at, &address, &server.url()));
        let main = format!(
            "daemon off; master_process off; pid {0}/pid; error_log stderr;\nevents {{}}\n\
             http {{\naccess_log off; client_body_temp_path {0}/body; proxy_temp_path {0}/proxy;\n\
             fastcgi_temp_path {0}/fcgi; uwsgi_temp_path {0}/uwsgi; scgi_temp_path {0}/scgi;\n\
             include {0}/site.conf;\n}}\n",
            at.display()
        );
        write_file(at, "nginx.conf", &main);
        let program =
            std::env::var_os("NGINX").map_or_else(|| "/usr/sbin/nginx".into(), PathBuf::from);
        let mut command = Command::new(program);
        command.arg("-p").arg(at).arg("-c").arg(at.join("nginx.conf")).args(["-e", "stderr"]);
        // nginx reads a variable of this name as a list of sockets that it inherits.
        command.env_remove("NGINX");
        let mut child = command.stdin(Stdio::null()).spawn().expect("nginx starts");
        while TcpStream::connect(&address).is_err() {
            assert!(
                child.try_wait().expect("the state of nginx is known").is_none(),
                "nginx has ended"
            );
            tokio::task::yield_now().await;
        }
        Self { child, url: format!("http://{address}"), _folder: folder, _port: port }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_file(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("the file can be written");
}

/// Returns the documented configuration without TLS, because browsers do not trust a test
/// certificate.
fn site_configuration(folder: &Path, address: &str, upstream: &str) -> String {
    let shown = include_str!("../../docs/deploy/nginx/forms-static.conf");
    let lines = shown.lines().filter(|line| !line.trim_start().starts_with("ssl_"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let include = format!("{}/dashboard.conf", folder.display());
    let upstream = upstream.strip_prefix("http://").expect("plain http");
    let fill = [
        ("443 ssl http2", address),
        ("127.0.0.1:8080", upstream),
        ("/etc/nginx/sheaf-dashboard.conf", &include),
    ];
    fill.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "the file does not contain `{from}`");
        text.replace(from, to)
    })
}

#[tokio::test]
async fn dashboard_works_as_static_files() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 60);
    let nginx = Nginx::start(&server).await;
    let there = |path: &str| format!("{}{path}", nginx.url);
    run_test("still", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let words = ["account", "sign-in-link", "--account", OWNER, "--url", &nginx.url];
        page.open(&context.server.run_command(&words)).await;
        page.accept_link().await;
        page.wait_for_path(&format!("/live/forms/{form}")).await;
        page.wait_for_text("60 submissions").await;
        assert_eq!(page.eval("return location.origin", vec![]).await, nginx.url);
        // A filtered list, code that is loaded on demand, and a page opened by its URL.
        page.open(&there(&format!("/live/forms/{form}?search=delivery"))).await;
        page.wait_for_text("submissions").await;
        page.wait_for("marks", "return document.querySelector('mark') !== null", vec![]).await;
        page.open(&there("/settings/keys")).await;
        page.find("heading", "API keys").await;
        page.click("button", OWNER).await;
        page.click("menuitem", "Sign out").await;
        page.find("button", "Sign in").await;
    })
    .await;
    drop(nginx);
}
