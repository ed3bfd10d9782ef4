//! The listener for operators: health, readiness, metrics and access.

use std::net::TcpListener;
use test_servers::ReservedPort;

use crate::mail::MailFixture;
use crate::server::{HttpResponse, Server};
use crate::smtp_server::SENDER;
use crate::webhook::{self, WebhookFixture};
use crate::world::{TestEnv, binary, expect_failure, expect_success, wait_until};

/// A running server and the address of its operator endpoints.
struct OperatorFixture {
    world: TestEnv,
    server: Server,
    operator: String,
}

impl OperatorFixture {
    fn start(command: &str, more: &str) -> Self {
        let world = TestEnv::with_account();
        Self::start_in(world, command, more)
    }

    fn start_in(world: TestEnv, command: &str, more: &str) -> Self {
        let mut server =
            Server::start(&world, &format!("{command} --operator-listen 127.0.0.1:0 {more}"));
        let line = server.line();
        let operator = line.strip_prefix("operator endpoints on http://").unwrap().to_owned();
        Self { world, server, operator }
    }

    fn get_operator(&self, path: &str) -> HttpResponse {
        Server::ask_at(&self.operator, "GET", path, &[], "")
    }

    /// Returns the value of a metric series.
    fn metric(&self, series: &str) -> Option<f64> {
        let metrics = self.get_operator("/metrics");
        assert_eq!(metrics.status, 200);
        let line = metrics.text().lines().find(|line| line.starts_with(&format!("{series} ")))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    fn run_health_command(&self, more: &str) -> std::process::Output {
        let mut health = binary();
        health.args(["health", "--operator-listen", &self.operator]).args(more.split_whitespace());
        health.output().unwrap()
    }
}

#[test]
fn server_reports_health_and_metrics() {
    let scene = OperatorFixture::start("serve", "");
    let form = scene.world.form("");
    let key = scene.world.key("live");
    let healthz = scene.get_operator("/healthz");
    assert_eq!((healthz.status, healthz.text()), (200, r#"{"alive":true}"#));
    let readyz = scene.get_operator("/readyz");
    assert_eq!((readyz.status, readyz.text()), (200, r#"{"ready":true,"not_ready":[]}"#));
    assert_eq!(expect_success(&scene.run_health_command("")), readyz.text());
    assert_eq!(expect_success(&scene.run_health_command("--alive")), healthz.text());

    let taken = scene.server.ask("POST", &format!("/f/{form}"), &[], r#"{"name":"Ada"}"#);
    assert_eq!(taken.status, 201, "{}", taken.text());
    let id = taken.json()["data"]["id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        assert_eq!(scene.server.get(&format!("/v1/submissions/{id}"), &key).status, 200);
    }
    assert_eq!(scene.server.get(&format!("/v1/submissions/{id}"), "nonsense").status, 401);
    let sign_in = r#"{"email":"a@example.com","password":"wrong wrong wrong"}"#;
    let refused = scene.server.ask("POST", "/session", &["x-sheaf-csrf: 1"], sign_in);
    assert_eq!(refused.status, 401, "{}", refused.text());

    let request = |method: &str, route: &str, status: &str| {
        let series = format!(
            "sheaf_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"
        );
        scene.metric(&series)
    };
    assert_eq!(
        request("GET", "/v1/submissions/{id}", "2xx"),
        Some(3.0),
        "the fast path is not counted"
    );
    assert_eq!(request("GET", "/v1/submissions/{id}", "4xx"), Some(1.0));
    assert_eq!(request("POST", "/f/{form_id}", "2xx"), Some(1.0));
    let count = "sheaf_http_request_duration_seconds_count{route=\"/v1/submissions/{id}\"}";
    assert_eq!(scene.metric(count), Some(4.0));
    assert_eq!(scene.metric("sheaf_submissions_taken_total"), Some(1.0));
    assert_eq!(scene.metric("sheaf_sign_in_failures_total"), Some(1.0));
    assert_eq!(scene.metric("sheaf_ready"), Some(1.0));
    assert_eq!(scene.metric("sheaf_upstream_left_alone"), Some(0.0));
    for at_least_one in [
        "sheaf_http_connections_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "sheaf_build_info{version=\"0.0.0\"}",
    ] {
        assert!(scene.metric(at_least_one) >= Some(1.0), "{at_least_one}");
    }
    assert!(scene.metric("sheaf_insights_waiting").is_some());
    // Metrics contain no ids, keys or addresses, because they need no credentials.
    let metrics = scene.get_operator("/metrics");
    assert!(metrics.head.contains("content-type: text/plain; version=0.0.4"), "{}", metrics.head);
    for private in [&id, &form, &key, "a@example.com", "127.0.0.1"] {
        assert!(!metrics.text().contains(private), "{private}");
    }
}

#[test]
fn metrics_count_webhook_attempts() {
    let hook = WebhookFixture::new("");
    let WebhookFixture { world, receiver, form, .. } = hook;
    let scene = OperatorFixture::start_in(world, "serve", webhook::ALLOWED);
    let attempts = |outcome: &str| {
        let series = format!("sheaf_webhook_attempts_total{{outcome=\"{outcome}\"}}");
        scene.metric(&series)
    };
    assert_eq!(scene.metric("sheaf_outbox_pending"), Some(0.0));
    assert_eq!(scene.metric("sheaf_outbox_oldest_seconds"), Some(0.0));
    webhook::submit(&scene.server, &form);
    receiver.next_request();
    wait_until("the delivery is counted", || attempts("delivered") == Some(1.0));
    receiver.respond_with(500);
    webhook::submit(&scene.server, &form);
    receiver.next_request();
    wait_until("the retry is counted", || attempts("retried") == Some(1.0));
    wait_until("the age is counted", || scene.metric("sheaf_outbox_oldest_seconds") >= Some(1.0));
    assert_eq!(scene.metric("sheaf_outbox_pending"), Some(1.0));
    assert_eq!(attempts("failed"), Some(0.0));
    assert_eq!(scene.metric("sheaf_webhook_attempt_seconds_count"), Some(2.0));
    assert!(scene.metric("sheaf_webhook_attempt_seconds_sum").is_some());
    assert_eq!(scene.get_operator("/readyz").status, 200);
}

#[test]
fn metrics_count_mails() {
    let MailFixture { world, smtp, form, .. } = MailFixture::new("");
    let port = ReservedPort::new().unwrap();
    let options = format!("--smtp-url smtp://{}?tls=none {SENDER}", port.address());
    let scene = OperatorFixture::start_in(world, "serve", &options);
    let sent = |scene: &OperatorFixture, outcome: &str| {
        scene.metric(&format!("sheaf_mail_sent_total{{outcome=\"{outcome}\"}}"))
    };
    assert_eq!(scene.metric("sheaf_mail_pending"), Some(0.0));
    assert_eq!(scene.metric("sheaf_mail_oldest_seconds"), Some(0.0));
    webhook::submit(&scene.server, &form);
    wait_until("the retry is counted", || sent(&scene, "retried") >= Some(1.0));
    wait_until("the age is counted", || scene.metric("sheaf_mail_oldest_seconds") >= Some(1.0));
    assert_eq!(scene.metric("sheaf_mail_pending"), Some(1.0));
    assert_eq!(scene.get_operator("/readyz").status, 200);
    let OperatorFixture { world, server, .. } = scene;
    drop(server);
    let scene = OperatorFixture::start_in(world, "serve", &smtp.options());
    smtp.next_mail();
    wait_until("the e-mail is counted", || sent(&scene, "sent") == Some(1.0));
    wait_until("no e-mail is pending", || scene.metric("sheaf_mail_pending") == Some(0.0));
    assert_eq!(sent(&scene, "refused"), Some(0.0));
    assert_eq!(scene.metric("sheaf_mail_send_seconds_count"), Some(1.0));
    assert!(scene.metric("sheaf_mail_send_seconds_sum").is_some());
}

#[test]
fn metrics_include_store_sizes() {
    let scene = OperatorFixture::start("serve", "");
    wait_until("the store is open", || scene.metric("sheaf_store_database_bytes") >= Some(1.0));
    // A starting server still has writes of its own.
    wait_until("no write waits", || scene.metric("sheaf_store_writes_waiting") == Some(0.0));
    for there in ["sheaf_search_memory_bytes", "sheaf_store_log_bytes"] {
        assert!(scene.metric(there).is_some(), "{there}");
    }
}

#[test]
fn operator_paths_exist_only_on_own_listener() {
    let scene = OperatorFixture::start("serve", "");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(scene.server.ask("GET", path, &[], "").status, 404, "{path}");
        let post = Server::ask_at(&scene.operator, "POST", path, &[], "x");
        assert_eq!(post.status, 405, "{path}");
    }
    for path in ["/", "/v1/forms", "/session", "/metrics/", "/f/frm_1"] {
        assert_eq!(scene.get_operator(path).status, 404, "{path}");
    }
    let smuggled = ["Content-Length: 1", "Transfer-Encoding: chunked"];
    let refused = Server::ask_at(&scene.operator, "POST", "/readyz", &smuggled, "");
    assert_eq!(refused.status, 400, "the operator listener accepts ambiguous framing");
}

/// Threat T7: requests that look like a health probe get no access.
#[test]
fn probe_like_requests_get_no_access() {
    let scene = OperatorFixture::start("serve", "");
    let document: serde_json::Value = serde_json::from_str(&scene.world.run("openapi")).unwrap();
    let mut routes = vec![("GET".to_owned(), "/sessions".to_owned())];
    routes.push(("PUT".to_owned(), "/password".to_owned()));
    routes.push(("GET".to_owned(), "/api/live/v1/submissions/sub_1".to_owned()));
    routes.push(("GET".to_owned(), "/account/anything".to_owned()));
    for (path, methods) in document["paths"].as_object().unwrap() {
        let is_closed = path.starts_with("/v1") || path.starts_with("/account");
        let path = path.replace("{form_id}", "frm_1").replace("{id}", "sub_1");
        let path = path.replace("{key_id}", "key_1");
        for method in methods.as_object().unwrap().keys().filter(|_| is_closed) {
            routes.push((method.to_uppercase(), path.clone()));
        }
    }
    assert!(routes.len() > 20);
    let probers = [
        "User-Agent: kube-probe/1.31",
        "User-Agent: GoogleHC/1.0",
        "User-Agent: ELB-HealthChecker/2.0",
        "X-Forwarded-Uri: /healthz",
        "X-Original-URL: /healthz",
        "X-Health-Check: 1",
    ];
    for (method, path) in &routes {
        // All headers in one request, because no combination may give access either.
        let mut headers = vec!["x-sheaf-csrf: 1", "Content-Type: application/json"];
        headers.extend(probers);
        for end in ["", "?/healthz", "?skip_auth=1&path=/readyz", "?x=%23/healthz"] {
            let answer = scene.server.ask(method, &format!("{path}{end}"), &headers, "{}");
            let is_shut = matches!(answer.status, 400 | 401 | 405 | 429);
            assert!(is_shut, "{method} {path}{end}: {} {}", answer.status, answer.text());
        }
        let plain = scene.server.ask(method, path, &headers, "");
        assert!(matches!(plain.status, 401 | 429), "{method} {path}: {}", plain.status);
    }
}

#[test]
fn readiness_ends_before_shutdown() {
    let mut scene = OperatorFixture::start("service", "--linger 300");
    assert_eq!(scene.get_operator("/readyz").status, 200);
    scene.server.signal("TERM");
    wait_until("it is not ready", || scene.get_operator("/readyz").status != 200);
    let not_ready = scene.get_operator("/readyz");
    assert_eq!(not_ready.status, 503);
    assert_eq!(not_ready.json()["not_ready"][0]["what"], "drain");
    assert_eq!(
        scene.get_operator("/healthz").status,
        200,
        "the server must report alive until it ends"
    );
    // While it drains, the server still answers requests.
    assert_eq!(scene.server.ask("GET", "/openapi.json", &[], "").status, 200);
    let said = expect_failure(&scene.run_health_command(""));
    assert!(said.contains("is not ready") && said.contains("shutting down"), "{said}");
    // A second signal ends the drain early.
    scene.server.signal("TERM");
    let log = scene.server.end();
    assert!(log.contains("draining: readiness is off") && log.contains("drained"), "{log}");
}

#[test]
fn lingering_server_ends_after_delay() {
    let mut scene = OperatorFixture::start("service", "--linger 1");
    scene.server.signal("TERM");
    let log = scene.server.end();
    assert!(log.contains("draining: readiness is off") && log.contains("drained"), "{log}");
}

#[test]
fn gateway_is_not_ready_without_upstream() {
    let closed_port = ReservedPort::new().unwrap();
    let upstream = closed_port.address();
    let world = TestEnv::with_account();
    let key = world.secret("live.key", "svc_sk_live_abc");
    let more = format!("--upstream http://{upstream} --key-live-file {key}");
    let scene = OperatorFixture::start_in(world, "gateway", &more);
    assert_eq!(scene.get_operator("/readyz").status, 200);
    let token = scene.world.sign_in_token();
    let body = format!(r#"{{"token":"{token}"}}"#);
    let session = scene.server.ask("POST", "/session", &["x-sheaf-csrf: 1"], &body);
    assert_eq!(session.status, 200, "{}", session.text());
    let cookie = session.cookie();
    for _ in 0..6 {
        let asked = scene.server.dashboard("GET", "/api/live/v1/submissions/sub_1", &cookie, "");
        assert!(asked.status >= 500, "{}", asked.status);
    }
    let readyz = scene.get_operator("/readyz");
    assert_eq!(readyz.status, 503);
    assert_eq!(readyz.json()["not_ready"][0]["what"], "upstream");
    assert_eq!(scene.metric("sheaf_ready"), Some(0.0));
    assert_eq!(scene.metric("sheaf_upstream_left_alone"), Some(1.0));
}

#[test]
fn health_command_reports_unreachable_server() {
    let closed_port = ReservedPort::new().unwrap();
    let address = closed_port.address();
    let ask =
        |words: &[&str]| expect_failure(&binary().arg("health").args(words).output().unwrap());
    let said = ask(&["--operator-listen", &address]);
    assert!(said.contains(&address) && said.contains("did not answer"), "{said}");
    assert!(ask(&[]).contains("`--operator-listen` is missing"));
    let mut named = binary();
    named.arg("health").env("SHEAF_OPERATOR_LISTEN", &address);
    assert!(expect_failure(&named.output().unwrap()).contains(&address));
    let world = TestEnv::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    let said = world.fail(&format!("service --operator-listen {address}"));
    assert!(said.contains("choose another `--operator-listen`"), "{said}");
}

#[test]
fn locked_database_fails_only_readiness() {
    let scene = OperatorFixture::start("serve", "");
    let other = rusqlite::Connection::open(scene.world.data().join("sheaf.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let readyz = scene.get_operator("/readyz");
    assert_eq!(readyz.status, 503, "{}", readyz.text());
    assert_eq!(readyz.json()["not_ready"][0]["what"], "write");
    assert_eq!(scene.get_operator("/healthz").status, 200);
    assert_eq!(scene.metric("sheaf_ready"), Some(0.0));
    other.execute_batch("ROLLBACK").unwrap();
    wait_until("it is ready", || scene.get_operator("/readyz").status == 200);
}
