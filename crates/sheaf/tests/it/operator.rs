//! The listener for operators: health, readiness, metrics and access.

use std::net::TcpListener;
use test_servers::ReservedPort;

use crate::mail::MailFixture;
use crate::server::{HttpResponse, Server};
use crate::smtp_server::SENDER;
use crate::test_env::{TestEnv, binary, expect_failure, expect_success, wait_until};
use crate::webhook::{self, WebhookFixture};

/// A running server and the address of its operator endpoints.
struct OperatorFixture {
    env: TestEnv,
    server: Server,
    operator: String,
}

impl OperatorFixture {
    fn start(command: &str, more: &str) -> Self {
        let env = TestEnv::with_account();
        Self::start_in(env, command, more)
    }

    fn start_in(env: TestEnv, command: &str, more: &str) -> Self {
        let mut server =
            Server::start(&env, &format!("{command} --operator-listen 127.0.0.1:0 {more}"));
        let line = server.line();
        let operator = line.strip_prefix("operator endpoints on http://").unwrap().to_owned();
        Self { env, server, operator }
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
    let fixture = OperatorFixture::start("serve", "");
    let form = fixture.env.form("");
    let key = fixture.env.key("live");
    let healthz = fixture.get_operator("/healthz");
    assert_eq!((healthz.status, healthz.text()), (200, r#"{"alive":true}"#));
    let readyz = fixture.get_operator("/readyz");
    assert_eq!((readyz.status, readyz.text()), (200, r#"{"ready":true,"not_ready":[]}"#));
    assert_eq!(expect_success(&fixture.run_health_command("")), readyz.text());
    assert_eq!(expect_success(&fixture.run_health_command("--alive")), healthz.text());

    let accepted = fixture.server.ask("POST", &format!("/f/{form}"), &[], r#"{"name":"Ada"}"#);
    assert_eq!(accepted.status, 201, "{}", accepted.text());
    let id = accepted.json()["data"]["id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        assert_eq!(fixture.server.get(&format!("/v1/submissions/{id}"), &key).status, 200);
    }
    assert_eq!(fixture.server.get(&format!("/v1/submissions/{id}"), "nonsense").status, 401);
    let sign_in = r#"{"email":"a@example.com","password":"wrong wrong wrong"}"#;
    let refused = fixture.server.ask("POST", "/session", &["x-sheaf-csrf: 1"], sign_in);
    assert_eq!(refused.status, 401, "{}", refused.text());

    let request = |method: &str, route: &str, status: &str| {
        let series = format!(
            "sheaf_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"
        );
        fixture.metric(&series)
    };
    assert_eq!(
        request("GET", "/v1/submissions/{id}", "2xx"),
        Some(3.0),
        "the fast path is not counted"
    );
    assert_eq!(request("GET", "/v1/submissions/{id}", "4xx"), Some(1.0));
    assert_eq!(request("POST", "/f/{form_id}", "2xx"), Some(1.0));
    let count = "sheaf_http_request_duration_seconds_count{route=\"/v1/submissions/{id}\"}";
    assert_eq!(fixture.metric(count), Some(4.0));
    assert_eq!(fixture.metric("sheaf_submissions_taken_total"), Some(1.0));
    assert_eq!(fixture.metric("sheaf_sign_in_failures_total"), Some(1.0));
    assert_eq!(fixture.metric("sheaf_ready"), Some(1.0));
    assert_eq!(fixture.metric("sheaf_upstream_left_alone"), Some(0.0));
    for at_least_one in [
        "sheaf_http_connections_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "sheaf_build_info{version=\"0.0.0\"}",
    ] {
        assert!(fixture.metric(at_least_one) >= Some(1.0), "{at_least_one}");
    }
    assert!(fixture.metric("sheaf_insights_waiting").is_some());
    // Metrics contain no ids, keys or addresses, because they need no credentials.
    let metrics = fixture.get_operator("/metrics");
    assert!(metrics.head.contains("content-type: text/plain; version=0.0.4"), "{}", metrics.head);
    for private in [&id, &form, &key, "a@example.com", "127.0.0.1"] {
        assert!(!metrics.text().contains(private), "{private}");
    }
}

#[test]
fn metrics_count_webhook_attempts() {
    let hook = WebhookFixture::new("");
    let WebhookFixture { env, receiver, form, .. } = hook;
    let fixture = OperatorFixture::start_in(env, "serve", webhook::ALLOWED);
    let attempts = |outcome: &str| {
        let series = format!("sheaf_webhook_attempts_total{{outcome=\"{outcome}\"}}");
        fixture.metric(&series)
    };
    assert_eq!(fixture.metric("sheaf_outbox_pending"), Some(0.0));
    assert_eq!(fixture.metric("sheaf_outbox_oldest_seconds"), Some(0.0));
    webhook::submit(&fixture.server, &form);
    receiver.next_request();
    wait_until("the delivery is counted", || attempts("delivered") == Some(1.0));
    receiver.respond_with(500);
    webhook::submit(&fixture.server, &form);
    receiver.next_request();
    wait_until("the retry is counted", || attempts("retried") == Some(1.0));
    wait_until("the age is counted", || fixture.metric("sheaf_outbox_oldest_seconds") >= Some(1.0));
    assert_eq!(fixture.metric("sheaf_outbox_pending"), Some(1.0));
    assert_eq!(attempts("failed"), Some(0.0));
    assert_eq!(fixture.metric("sheaf_webhook_attempt_seconds_count"), Some(2.0));
    assert!(fixture.metric("sheaf_webhook_attempt_seconds_sum").is_some());
    assert_eq!(fixture.get_operator("/readyz").status, 200);
}

#[test]
fn metrics_count_mails() {
    let MailFixture { env, smtp, form, .. } = MailFixture::new("");
    let port = ReservedPort::new().unwrap();
    let options = format!("--smtp-url smtp://{}?tls=none {SENDER}", port.address());
    let fixture = OperatorFixture::start_in(env, "serve", &options);
    let sent = |fixture: &OperatorFixture, outcome: &str| {
        fixture.metric(&format!("sheaf_mail_sent_total{{outcome=\"{outcome}\"}}"))
    };
    assert_eq!(fixture.metric("sheaf_mail_pending"), Some(0.0));
    assert_eq!(fixture.metric("sheaf_mail_oldest_seconds"), Some(0.0));
    webhook::submit(&fixture.server, &form);
    wait_until("the retry is counted", || sent(&fixture, "retried") >= Some(1.0));
    wait_until("the age is counted", || fixture.metric("sheaf_mail_oldest_seconds") >= Some(1.0));
    assert_eq!(fixture.metric("sheaf_mail_pending"), Some(1.0));
    assert_eq!(fixture.get_operator("/readyz").status, 200);
    let OperatorFixture { env, server, .. } = fixture;
    drop(server);
    let fixture = OperatorFixture::start_in(env, "serve", &smtp.options());
    smtp.next_mail();
    wait_until("the e-mail is counted", || sent(&fixture, "sent") == Some(1.0));
    wait_until("no e-mail is pending", || fixture.metric("sheaf_mail_pending") == Some(0.0));
    assert_eq!(sent(&fixture, "refused"), Some(0.0));
    assert_eq!(fixture.metric("sheaf_mail_send_seconds_count"), Some(1.0));
    assert!(fixture.metric("sheaf_mail_send_seconds_sum").is_some());
}

#[test]
fn metrics_include_store_sizes() {
    let fixture = OperatorFixture::start("serve", "");
    wait_until("the store is open", || fixture.metric("sheaf_store_database_bytes") >= Some(1.0));
    // A starting server still has writes of its own.
    wait_until("no write waits", || fixture.metric("sheaf_store_writes_waiting") == Some(0.0));
    for metric in ["sheaf_search_memory_bytes", "sheaf_store_log_bytes"] {
        assert!(fixture.metric(metric).is_some(), "{metric}");
    }
}

#[test]
fn operator_paths_and_probe_like_requests_give_no_access() {
    let fixture = OperatorFixture::start("serve", "");
    check_operator_paths(&fixture);
    check_probe_like_requests(&fixture);
}

/// Operator paths exist only on their own listener.
fn check_operator_paths(fixture: &OperatorFixture) {
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(fixture.server.ask("GET", path, &[], "").status, 404, "{path}");
        let post = Server::ask_at(&fixture.operator, "POST", path, &[], "x");
        assert_eq!(post.status, 405, "{path}");
    }
    for path in ["/", "/v1/forms", "/session", "/metrics/", "/f/frm_1"] {
        assert_eq!(fixture.get_operator(path).status, 404, "{path}");
    }
    let smuggled = ["Content-Length: 1", "Transfer-Encoding: chunked"];
    let refused = Server::ask_at(&fixture.operator, "POST", "/readyz", &smuggled, "");
    assert_eq!(refused.status, 400, "the operator listener accepts ambiguous framing");
}

/// Threat T7: requests that look like a health probe get no access.
fn check_probe_like_requests(fixture: &OperatorFixture) {
    let document: serde_json::Value = serde_json::from_str(&fixture.env.run("openapi")).unwrap();
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
            let answer = fixture.server.ask(method, &format!("{path}{end}"), &headers, "{}");
            let is_shut = matches!(answer.status, 400 | 401 | 405 | 429);
            assert!(is_shut, "{method} {path}{end}: {} {}", answer.status, answer.text());
        }
        let plain = fixture.server.ask(method, path, &headers, "");
        assert!(matches!(plain.status, 401 | 429), "{method} {path}: {}", plain.status);
    }
}

#[test]
fn readiness_ends_before_shutdown() {
    let mut fixture = OperatorFixture::start("service", "--linger 300");
    assert_eq!(fixture.get_operator("/readyz").status, 200);
    fixture.server.signal("TERM");
    wait_until("it is not ready", || fixture.get_operator("/readyz").status != 200);
    let not_ready = fixture.get_operator("/readyz");
    assert_eq!(not_ready.status, 503);
    assert_eq!(not_ready.json()["not_ready"][0]["what"], "drain");
    assert_eq!(
        fixture.get_operator("/healthz").status,
        200,
        "the server must report alive until it ends"
    );
    // While it drains, the server still answers requests.
    assert_eq!(fixture.server.ask("GET", "/openapi.json", &[], "").status, 200);
    let printed = expect_failure(&fixture.run_health_command(""));
    assert!(printed.contains("is not ready") && printed.contains("shutting down"), "{printed}");
    // A second signal ends the drain early.
    fixture.server.signal("TERM");
    let log = fixture.server.end();
    assert!(log.contains("draining: readiness is off") && log.contains("drained"), "{log}");
}

#[test]
fn lingering_server_ends_after_delay() {
    let mut fixture = OperatorFixture::start("service", "--linger 1");
    fixture.server.signal("TERM");
    let log = fixture.server.end();
    assert!(log.contains("draining: readiness is off") && log.contains("drained"), "{log}");
}

#[test]
fn gateway_is_not_ready_without_upstream() {
    let closed_port = ReservedPort::new().unwrap();
    let upstream = closed_port.address();
    let env = TestEnv::with_account();
    let key = env.secret("live.key", "svc_sk_live_abc");
    let more = format!("--upstream http://{upstream} --key-live-file {key}");
    let fixture = OperatorFixture::start_in(env, "gateway", &more);
    assert_eq!(fixture.get_operator("/readyz").status, 200);
    let token = fixture.env.sign_in_token();
    let body = format!(r#"{{"token":"{token}"}}"#);
    let session = fixture.server.ask("POST", "/session", &["x-sheaf-csrf: 1"], &body);
    assert_eq!(session.status, 200, "{}", session.text());
    let cookie = session.cookie();
    for _ in 0..6 {
        let answer = fixture.server.dashboard("GET", "/api/live/v1/submissions/sub_1", &cookie, "");
        assert!(answer.status >= 500, "{}", answer.status);
    }
    let readyz = fixture.get_operator("/readyz");
    assert_eq!(readyz.status, 503);
    assert_eq!(readyz.json()["not_ready"][0]["what"], "upstream");
    assert_eq!(fixture.metric("sheaf_ready"), Some(0.0));
    assert_eq!(fixture.metric("sheaf_upstream_left_alone"), Some(1.0));
}

#[test]
fn health_command_reports_unreachable_server() {
    let closed_port = ReservedPort::new().unwrap();
    let address = closed_port.address();
    let request =
        |words: &[&str]| expect_failure(&binary().arg("health").args(words).output().unwrap());
    let printed = request(&["--operator-listen", &address]);
    assert!(printed.contains(&address) && printed.contains("did not answer"), "{printed}");
    assert!(request(&[]).contains("`--operator-listen` is missing"));
    let mut command = binary();
    command.arg("health").env("SHEAF_OPERATOR_LISTEN", &address);
    assert!(expect_failure(&command.output().unwrap()).contains(&address));
    let env = TestEnv::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    let printed = env.fail(&format!("service --operator-listen {address}"));
    assert!(printed.contains("choose another `--operator-listen`"), "{printed}");
}

#[test]
fn locked_database_fails_only_readiness() {
    let fixture = OperatorFixture::start("serve", "");
    let other = rusqlite::Connection::open(fixture.env.data().join("sheaf.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let readyz = fixture.get_operator("/readyz");
    assert_eq!(readyz.status, 503, "{}", readyz.text());
    assert_eq!(readyz.json()["not_ready"][0]["what"], "write");
    assert_eq!(fixture.get_operator("/healthz").status, 200);
    assert_eq!(fixture.metric("sheaf_ready"), Some(0.0));
    other.execute_batch("ROLLBACK").unwrap();
    wait_until("it is ready", || fixture.get_operator("/readyz").status == 200);
}
