//! The dashboard as static files of nginx: the same status and headers as the gateway's.

use crate::proxy::{Kind, Proxy, Reply};
use crate::server::Server;
use crate::test_env::TestEnv;

/// Headers that depend on the server software and are not compared.
const IGNORED_HEADERS: [&str; 10] = [
    "date",
    "server",
    "etag",
    "last-modified",
    "content-length",
    "content-encoding",
    "accept-ranges",
    "connection",
    "vary",
    "keep-alive",
];

struct StaticSite {
    server: Server,
    proxy: Proxy,
    names: Vec<String>,
    /// Contains the files that nginx serves.
    _world: TestEnv,
}

impl StaticSite {
    fn start() -> Self {
        let env = TestEnv::with_account();
        let server = Server::start(&env, "serve --behind-tls");
        let files = env.path("srv");
        let export_output = env.run(&format!("dashboard export {}", files.display()));
        assert!(export_output.contains("wrote "), "{export_output}");
        let headers = env.run(&format!("dashboard nginx --root {}", files.display()));
        let include = env.write("sheaf-dashboard.conf", headers);
        let fill = [("/etc/nginx/sheaf-dashboard.conf;", &*format!("{include};"))];
        let proxy = Proxy::start(Kind::Nginx, "nginx/forms-static.conf", &server.address, &fill);
        let names = std::fs::read_dir(&files).unwrap();
        let names = names.map(|file| file.unwrap().file_name().into_string().unwrap());
        let names = names.collect();
        Self { server, proxy, names, _world: env }
    }

    /// Returns the header lines that must be equal, sorted.
    fn comparable_headers(head: &str) -> Vec<String> {
        let head = head.to_lowercase();
        let lines = head.lines().skip(1).filter(|line| {
            let name = line.split(':').next().unwrap_or_default();
            !name.is_empty() && !IGNORED_HEADERS.contains(&name)
        });
        let mut lines: Vec<_> = lines.map(str::to_owned).collect();
        lines.sort();
        lines
    }

    /// Compares the responses of nginx and of the gateway.
    #[track_caller]
    fn compare_responses(&self, path: &str) -> Reply {
        let by_gateway = self.server.ask("GET", path, &[], "");
        let by_nginx = self.proxy.ask(path, &[]);
        assert_eq!(by_nginx.status, by_gateway.status, "{path}");
        assert_eq!(
            Self::comparable_headers(&by_nginx.head),
            Self::comparable_headers(&by_gateway.head),
            "{path}"
        );
        by_nginx
    }
}

#[test]
fn nginx_and_gateway_answers_are_equal() {
    let site = StaticSite::start();
    let mut plain: Vec<&String> = site.names.iter().collect();
    let is_packed = |ending| ["br", "gz"].contains(&ending);
    plain.retain(|name| !name.rsplit('.').next().is_some_and(is_packed));
    assert!(plain.len() > 20, "the binary has no dashboard: {plain:?}");
    // Hashed names with the same extension share a location, so one of each kind is enough.
    let mut kinds = std::collections::HashSet::new();
    for name in plain {
        let hashed = name.split_once('-').is_some_and(|(_, rest)| rest.len() > 10);
        let kind = (hashed, name.rsplit('.').next().unwrap().to_owned());
        if kinds.insert(kind) || !hashed {
            let reply = site.compare_responses(&format!("/{name}"));
            assert!(reply.header("cache-control").is_some(), "{name}");
        }
    }
    for page in
        ["/", "/sign-in", "/live", "/live/forms/frm_1/submissions", "/settings/keys", "/test/"]
    {
        let reply = site.compare_responses(page);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("connect-src 'self'"), "{page}: {policy}");
    }
    for unknown in ["/livex", "/live/a.js", "/live//x", "/sign-in/x", "/x-01234567.js", "/nothing"]
    {
        assert_eq!(site.proxy.ask(unknown, &[]).status, 404, "{unknown}");
    }
    for hidden in ["/index.html.gz", "/../etc/passwd", "/live/../../etc/passwd", "/%2e%2e/x"] {
        let reply = site.proxy.ask(hidden, &[]);
        assert!(matches!(reply.status, 400 | 404), "{hidden}: {}", reply.status);
    }
    // All other paths go to the gateway.
    assert_eq!(site.proxy.ask("/sessions", &["--header", "x-sheaf-csrf: 1"]).status, 401);
    assert_eq!(site.proxy.ask("/openapi.json", &[]).status, 200);
}

#[test]
fn precompressed_files_are_served_unchanged() {
    let site = StaticSite::start();
    let name = site.names.iter().find(|name| name.ends_with(".wasm.gz")).unwrap();
    let path = format!("/{}", name.strip_suffix(".gz").unwrap());
    let reply = site.proxy.ask(&path, &["--header", "Accept-Encoding: gzip"]);
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert_eq!(reply.header("content-type"), Some("application/wasm"));
    assert!(reply.head.contains("vary: accept-encoding"), "{}", reply.head);
    assert_eq!(reply.body[..2], [0x1f, 0x8b]);
    let etag = reply.header("etag").unwrap().to_owned();
    let words =
        ["--header", "Accept-Encoding: gzip", "--header", &format!("If-None-Match: {etag}")];
    assert_eq!(site.proxy.ask(&path, &words).status, 304);
}
