//! Webhooks in the real binary: the commands, the options of a server, and requests to a receiver.

use crate::outgoing_tls::Authority;
use crate::receiver::{Receiver, WebhookRequest};
use crate::roles::sign_in;
use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};
use crate::verify::verify;
use serde_json::{Value, json};

/// Options that allow receivers on this machine without TLS.
pub(crate) const ALLOWED: &str = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";

/// A form with a webhook to a receiver.
pub(crate) struct WebhookFixture {
    pub(crate) env: TestEnv,
    pub(crate) receiver: Receiver,
    pub(crate) form: String,
    pub(crate) id: String,
    pub(crate) secret: String,
}

impl WebhookFixture {
    pub(crate) fn new(more: &str) -> Self {
        let env = TestEnv::with_account();
        let receiver = Receiver::start();
        let form = env.form("--field name");
        let url = &receiver.url;
        let created =
            env.json(&format!("webhook create --form {form} --url {url} {ALLOWED} {more}"));
        let member = |name: &str| created[name].as_str().unwrap().to_owned();
        let (id, secret) = (member("id"), member("secret"));
        assert_eq!(created, json!({ "id": id, "secret": secret }));
        Self { env, receiver, form, id, secret }
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(&self.env, &format!("serve {ALLOWED}"))
    }

    /// Returns the deliveries, the newest first.
    fn deliveries(&self, more: &str) -> Vec<Value> {
        let list = self.env.json(&format!("webhook deliveries {} --json {more}", self.id));
        list.as_array().unwrap().clone()
    }

    /// Returns the newest delivery after `count` attempts of it.
    fn delivery_after(&self, count: usize) -> Value {
        let newest = || self.deliveries("--limit 1").remove(0);
        let attempts = |delivery: &Value| delivery["attempts"].as_array().unwrap().len();
        wait_until("the attempt is recorded", || attempts(&newest()) == count);
        newest()
    }
}

/// Sends a submission, and returns its id.
pub(crate) fn submit(server: &Server, form: &str) -> String {
    let sent = server.ask("POST", &format!("/f/{form}"), &[], r#"{"name":"Ada"}"#);
    assert_eq!(sent.status, 201, "{}", sent.text());
    sent.json()["data"]["id"].as_str().unwrap().to_owned()
}

/// Returns the number of the signatures that a secret made.
fn count_valid(request: &WebhookRequest, secret: &str) -> usize {
    let (id, timestamp) = (request.header("webhook-id"), request.header("webhook-timestamp"));
    let signatures = request.header("webhook-signature").split(' ');
    signatures.filter(|it| verify(secret, id, timestamp, it, request.body.as_bytes())).count()
}

#[test]
fn submission_is_delivered_signed_and_replayed() {
    let fixture = WebhookFixture::new("");
    let server = fixture.serve();
    let submission = submit(&server, &fixture.form);
    let request = fixture.receiver.next_request();
    let event = request.json();
    assert_eq!(event["type"], "submission.created");
    assert_eq!(event["data"]["id"], submission);
    assert_eq!(event["data"]["answers"], json!({ "name": "Ada" }));
    assert_eq!(request.header("content-type"), "application/json");
    assert_eq!(count_valid(&request, &fixture.secret), 1);
    let changed = WebhookRequest { body: request.body.replace("Ada", "Bob"), ..request.clone() };
    assert_eq!(count_valid(&changed, &fixture.secret), 0);

    let delivery = fixture.delivery_after(1);
    assert_eq!(delivery["id"], request.header("webhook-id"));
    assert_eq!(delivery["state"], "delivered");
    assert_eq!(delivery["submission_id"], submission);
    assert_eq!(delivery["request_body"], request.body);
    assert_eq!(delivery["attempts"][0]["status"], 204);
    let table = fixture.env.run(&format!("webhook deliveries {}", fixture.id));
    assert!(table.contains(&submission) && table.ends_with("204     accepted"), "{table}");

    // The replay is the same delivery, and both secrets sign it after a rotation.
    let new_secret = rotate_secret(&fixture);
    let id = request.header("webhook-id");
    let replayed = fixture.env.run(&format!("webhook replay {id}"));
    assert_eq!(replayed, format!("{id} is due; a running server sends it again"));
    let second = fixture.receiver.next_request();
    assert_eq!((second.header("webhook-id"), &second.body), (id, &request.body));
    assert_eq!(count_valid(&second, &new_secret), 1);
    assert_eq!(count_valid(&second, &fixture.secret), 1);
    assert_eq!(fixture.delivery_after(2)["state"], "delivered");
}

/// Rotates the secret of a webhook, and returns the new secret. A second rotation is refused while
/// the old secret is valid.
#[track_caller]
fn rotate_secret(fixture: &WebhookFixture) -> String {
    let rotate = format!("webhook rotate {}", fixture.id);
    let rotated = fixture.env.json(&rotate);
    assert_eq!(rotated["id"], fixture.id);
    let until = rotated["old_secret_until"].as_str().unwrap();
    assert!(until.ends_with('Z'), "{rotated}");
    let again = fixture.env.fail(&rotate);
    assert!(again.contains(&format!("is valid until {until}; rotate it after that")), "{again}");
    let secret = rotated["secret"].as_str().unwrap();
    assert_ne!(secret, fixture.secret);
    secret.to_owned()
}

#[test]
fn webhooks_are_listed_without_secret_and_deleted() {
    let fixture = WebhookFixture::new("--event submission.deleted --event submission.created");
    let list = format!("webhook list --form {}", fixture.form);
    let webhook = &fixture.env.json(&format!("{list} --json"))[0];
    assert_eq!(webhook["id"], fixture.id);
    assert_eq!(webhook["url"], fixture.receiver.url);
    assert_eq!(webhook["events"], json!(["submission.created", "submission.deleted"]));
    assert_eq!((&webhook["format"], &webhook["disabled"]), (&json!("json"), &Value::Null));
    let table = fixture.env.run(&list);
    assert!(table.contains(&fixture.receiver.url) && table.ends_with("enabled"), "{table}");
    for secret in [fixture.secret.as_str(), "whsec_"] {
        assert!(!table.contains(secret) && !webhook.to_string().contains(secret));
    }
    let delete = format!("webhook delete {}", fixture.id);
    assert!(fixture.env.fail(&delete).contains("use `--yes`"));
    assert_eq!(fixture.env.run(&format!("{delete} --yes")), format!("{} is deleted", fixture.id));
    assert_eq!(fixture.env.run(&format!("{list} --json")), "[]");
}

#[test]
fn test_command_reports_outcome() {
    let fixture = WebhookFixture::new("");
    let test = format!("webhook test {}", fixture.id);
    let pending = fixture.env.fail(&format!("{test} --wait 0"));
    assert!(pending.contains("is still pending; a running server sends it"), "{pending}");
    let _server = fixture.serve();
    assert_eq!(fixture.receiver.next_request().json()["type"], "test");

    let delivered = fixture.env.run(&test);
    assert!(delivered.starts_with("delivered: 204 in ") && delivered.ends_with(" ms"));
    let request = fixture.receiver.next_request();
    assert_eq!(request.json()["data"]["answers"], json!({ "name": "Example" }));
    assert_eq!(count_valid(&request, &fixture.secret), 1);

    fixture.receiver.respond_with(500);
    let failed = fixture.env.fail(&test);
    assert_eq!(failed, "the test was not delivered: the receiver responded with 500");
    let delivery = &fixture.deliveries("")[0];
    assert_eq!((&delivery["state"], &delivery["event"]), (&json!("pending"), &json!("test")));
    let list = || fixture.env.run(&format!("webhook list --form {}", fixture.form));
    assert!(list().contains("failing since 20"), "{}", list());
    let table = fixture.env.run(&format!("webhook deliveries {} --limit 1", fixture.id));
    assert!(table.ends_with("next attempt"), "{table}");

    fixture.receiver.respond_with(410);
    fixture.env.fail(&test);
    assert!(list().ends_with("(gone)"), "{}", list());
    let disabled = fixture.env.fail(&test);
    assert!(disabled.contains(&format!("`sheaf webhook enable {}`", fixture.id)), "{disabled}");
}

#[test]
fn disabled_webhook_waits_until_enabled() {
    let fixture = WebhookFixture::new("");
    let server = fixture.serve();
    fixture.env.fail(&format!("webhook test {} --wait 0", fixture.id));
    fixture.receiver.next_request();
    let delivery = fixture.delivery_after(1);
    let delivery = delivery["id"].as_str().unwrap();
    let disable = format!("webhook disable {}", fixture.id);
    assert_eq!(fixture.env.run(&disable), format!("{} is disabled", fixture.id));
    let replayed = fixture.env.run(&format!("webhook replay {delivery}"));
    let enable = format!("webhook enable {}", fixture.id);
    assert_eq!(replayed, format!("{delivery} is due; it is sent again after `sheaf {enable}`"));
    // The disabled webhook gets no event of this submission, also not later.
    submit(&server, &fixture.form);
    assert_eq!(fixture.env.run(&enable), format!("{} is enabled", fixture.id));
    assert_eq!(fixture.receiver.next_request().header("webhook-id"), delivery);
    assert_eq!(fixture.deliveries("").len(), 1);
}

#[test]
fn deliveries_are_limited_newest_first() {
    let fixture = WebhookFixture::new("");
    // More than one page of the store.
    for _ in 0..3 {
        fixture.env.fail(&format!("webhook test {} --wait 0", fixture.id));
    }
    let seqs = |more: &str| -> Vec<u64> {
        let seq = |delivery: &Value| {
            let id = delivery["id"].as_str().unwrap();
            id.split('_').nth(1).unwrap().parse().unwrap()
        };
        fixture.deliveries(more).iter().map(seq).collect()
    };
    let sequence = seqs("");
    assert!(sequence.len() == 3 && sequence.is_sorted_by(|a, b| a > b), "{sequence:?}");
    assert_eq!(seqs("--limit 2"), sequence[..2]);
}

#[test]
fn unknown_ids_name_listing_command() {
    let env = TestEnv::with_account();
    let whk = "whk_01890000000070008000000000000000";
    for command in ["delete", "rotate", "enable", "disable", "test", "deliveries"] {
        let error = env.fail(&format!("webhook {command} {whk}"));
        let expected = format!("there is no webhook `{whk}`; see `sheaf webhook list --form …`");
        assert_eq!(error, expected, "{command}");
    }
    for dlv in ["dlv_1_0123456789abcdef", "dlv_x"] {
        let error = env.fail(&format!("webhook replay {dlv}"));
        let expected = format!("there is no delivery `{dlv}`; see `sheaf webhook deliveries …`");
        assert_eq!(error, expected);
    }
    let frm = "frm_unknown";
    for command in ["list", "create --url https://example.com"] {
        let error = env.fail(&format!("webhook {command} --form {frm}"));
        assert!(error.contains("see `sheaf form list"), "{error}");
    }
}

#[test]
fn url_is_refused_without_option() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let create = |more: &str| format!("webhook create --form {form} --url {more}");
    let http = env.fail(&create("http://127.0.0.1:9000/"));
    assert!(http.contains("begins with `http:` (`--webhook-allow-http` allows it)"), "{http}");
    for more in ["https://127.0.0.1:9000/", "http://127.0.0.1:9000/ --webhook-allow-http"] {
        let error = env.fail(&create(more));
        assert!(error.starts_with("`--url` is not allowed: the host `127.0.0.1`"), "{error}");
        assert!(error.ends_with("(`--webhook-allow-network`)"), "{error}");
    }
    let other = "https://127.0.0.1:9000/ --webhook-allow-network 10.0.0.0/8,192.168.0.0/16";
    assert!(env.fail(&create(other)).contains("the host `127.0.0.1`"));
    let port = env.fail(&create(&format!("http://127.0.0.1:25/ {ALLOWED}")));
    assert!(port.contains("the port 25 is not allowed"), "{port}");
    assert_eq!(env.run(&format!("webhook list --form {form} --json")), "[]");
    let several = "https://127.0.0.1:9000/ --webhook-allow-network 10.0.0.0/8,127.0.0.1";
    env.run(&create(several));
}

#[test]
fn environment_allows_receivers() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let create = |http: &str, networks: &str| {
        let url = "http://127.0.0.1:9000/";
        let mut command = env.command(&format!("webhook create --form {form} --url {url}"));
        command.env("SHEAF_WEBHOOK_ALLOW_HTTP", http);
        command.env("SHEAF_WEBHOOK_ALLOW_NETWORK", networks);
        command.output().unwrap().status.code()
    };
    assert_eq!(create("true", "10.0.0.0/8,127.0.0.0/8"), Some(0));
    assert_eq!(create("1", "127.0.0.1"), Some(0));
    assert_eq!(create("false", "127.0.0.0/8"), Some(1));
    assert_eq!(create("true", "10.0.0.0/8"), Some(1));
    assert_eq!(create("perhaps", "127.0.0.0/8"), Some(2));
    assert_eq!(create("true", "127.0.0.0/8,somewhere"), Some(2));
}

#[test]
fn server_options_apply_to_api() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let path = format!("/account/forms/{form}/webhooks");
    let receiver = Receiver::start();
    let body = json!({ "url": receiver.url }).to_string();
    let create = |server: &Server| {
        let cookie = sign_in(server, &env.run("account sign-in-link --account a@example.com"));
        server.dashboard("POST", &path, &cookie, &body)
    };
    let refused = create(&Server::start(&env, "serve"));
    assert_eq!(refused.status, 400, "{}", refused.text());
    let mut command = env.command("serve --listen 127.0.0.1:0");
    command.env("SHEAF_WEBHOOK_ALLOW_HTTP", "true");
    command.env("SHEAF_WEBHOOK_ALLOW_NETWORK", "127.0.0.0/8");
    let server = Server::spawn(command);
    let created = create(&server);
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["data"]["id"].as_str().unwrap().to_owned();
    assert!(env.run(&format!("webhook test {id}")).starts_with("delivered: 204"));
    drop(server);
    // Another server without the options does not send to this address.
    let _server = Server::start(&env, "serve");
    let error = env.fail(&format!("webhook test {id}"));
    assert!(error.contains("the URL must begin with `https://`"), "{error}");
}

#[test]
fn private_authority_needs_ca_option() {
    let authority = Authority::new();
    let port = authority.start_server(|request| {
        assert!(request.starts_with("POST /hook HTTP/1.1"), "{request}");
        b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec()
    });
    let env = TestEnv::with_account();
    let form = env.form("");
    let networks = "--webhook-allow-network 127.0.0.0/8,::1";
    let url = format!("https://localhost:{port}/hook");
    let created = env.json(&format!("webhook create --form {form} --url {url} {networks}"));
    let id = created["id"].as_str().unwrap();
    let server = Server::start(&env, &format!("serve {networks}"));
    let error = env.fail(&format!("webhook test {id}"));
    assert!(error.contains("certificate"), "{error}");
    drop(server);
    let ca = env.write("ca.pem", &authority.pem);
    let _server = Server::start(&env, &format!("serve {networks} --webhook-ca {ca}"));
    assert!(env.run(&format!("webhook test {id}")).starts_with("delivered: 204"));
    let empty = env.write("empty.pem", "");
    let error = env.fail(&format!("serve --listen 127.0.0.1:0 --webhook-ca {empty}"));
    assert!(error.ends_with("must hold certificates of authorities, as PEM"), "{error}");
}

#[test]
fn changes_are_audited_without_secrets() {
    let fixture = WebhookFixture::new("");
    let id = &fixture.id;
    for command in ["rotate", "disable", "enable", "test --wait 0", "delete --yes"] {
        let _ = fixture.env.command(&format!("webhook {command} {id}")).output().unwrap();
        if command.starts_with("test") {
            let delivery = fixture.deliveries("")[0]["id"].clone();
            fixture.env.run(&format!("webhook replay {}", delivery.as_str().unwrap()));
        }
    }
    let log = fixture.env.run("audit export --account a@example.com");
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let about: Vec<_> = entries.filter(|entry| entry["object"]["id"] == *id).collect();
    let actions: Vec<_> = about.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let expected = [
        "webhook.deleted",
        "webhook.replayed",
        "webhook.tested",
        "webhook.changed",
        "webhook.changed",
        "webhook.secret_rotated",
        "webhook.created",
    ];
    assert_eq!(actions, expected, "{log}");
    assert!(!log.contains("whsec_") && !log.contains("/hook"), "{log}");
    assert!(about.iter().all(|entry| entry["detail"]["host"] == "127.0.0.1"), "{log}");
}
