//! Webhooks in the real binary: the commands, the options of a server, and requests to a receiver.

use crate::outgoing_tls::Authority;
use crate::receiver::{Receiver, WebhookRequest};
use crate::roles::sign_in;
use crate::server::Server;
use crate::verify::verify;
use crate::world::{TestEnv, wait_until};
use serde_json::{Value, json};

/// Options that allow receivers on this machine without TLS.
pub(crate) const ALLOWED: &str = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";

/// A form with a webhook to a receiver.
pub(crate) struct WebhookFixture {
    pub(crate) world: TestEnv,
    pub(crate) receiver: Receiver,
    pub(crate) form: String,
    pub(crate) id: String,
    pub(crate) secret: String,
}

impl WebhookFixture {
    pub(crate) fn new(more: &str) -> Self {
        let world = TestEnv::with_account();
        let receiver = Receiver::start();
        let form = world.form("--field name");
        let url = &receiver.url;
        let created =
            world.json(&format!("webhook create --form {form} --url {url} {ALLOWED} {more}"));
        let member = |name: &str| created[name].as_str().unwrap().to_owned();
        let (id, secret) = (member("id"), member("secret"));
        assert_eq!(created, json!({ "id": id, "secret": secret }));
        Self { world, receiver, form, id, secret }
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(&self.world, &format!("serve {ALLOWED}"))
    }

    /// Returns the deliveries, the newest first.
    fn deliveries(&self, more: &str) -> Vec<Value> {
        let list = self.world.json(&format!("webhook deliveries {} --json {more}", self.id));
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
fn submission_is_delivered_and_signed() {
    let scene = WebhookFixture::new("");
    let server = scene.serve();
    let submission = submit(&server, &scene.form);
    let request = scene.receiver.next_request();
    let event = request.json();
    assert_eq!(event["type"], "submission.created");
    assert_eq!(event["data"]["id"], submission);
    assert_eq!(event["data"]["answers"], json!({ "name": "Ada" }));
    assert_eq!(request.header("content-type"), "application/json");
    assert_eq!(count_valid(&request, &scene.secret), 1);
    let changed = WebhookRequest { body: request.body.replace("Ada", "Bob"), ..request.clone() };
    assert_eq!(count_valid(&changed, &scene.secret), 0);

    let delivery = scene.delivery_after(1);
    assert_eq!(delivery["id"], request.header("webhook-id"));
    assert_eq!(delivery["state"], "delivered");
    assert_eq!(delivery["submission_id"], submission);
    assert_eq!(delivery["request_body"], request.body);
    assert_eq!(delivery["attempts"][0]["status"], 204);
    let table = scene.world.run(&format!("webhook deliveries {}", scene.id));
    assert!(table.contains(&submission) && table.ends_with("204     accepted"), "{table}");
}

#[test]
fn webhooks_are_listed_without_secret() {
    let scene = WebhookFixture::new("--event submission.deleted --event submission.created");
    let list = format!("webhook list --form {}", scene.form);
    let webhook = &scene.world.json(&format!("{list} --json"))[0];
    assert_eq!(webhook["id"], scene.id);
    assert_eq!(webhook["url"], scene.receiver.url);
    assert_eq!(webhook["events"], json!(["submission.created", "submission.deleted"]));
    assert_eq!((&webhook["format"], &webhook["disabled"]), (&json!("json"), &Value::Null));
    let table = scene.world.run(&list);
    assert!(table.contains(&scene.receiver.url) && table.ends_with("enabled"), "{table}");
    for secret in [scene.secret.as_str(), "whsec_"] {
        assert!(!table.contains(secret) && !webhook.to_string().contains(secret));
    }
}

#[test]
fn test_command_reports_outcome() {
    let scene = WebhookFixture::new("");
    let test = format!("webhook test {}", scene.id);
    let pending = scene.world.fail(&format!("{test} --wait 0"));
    assert!(pending.contains("is still pending; a running server sends it"), "{pending}");
    let _server = scene.serve();
    assert_eq!(scene.receiver.next_request().json()["type"], "test");

    let delivered = scene.world.run(&test);
    assert!(delivered.starts_with("delivered: 204 in ") && delivered.ends_with(" ms"));
    let request = scene.receiver.next_request();
    assert_eq!(request.json()["data"]["answers"], json!({ "name": "Example" }));
    assert_eq!(count_valid(&request, &scene.secret), 1);

    scene.receiver.respond_with(500);
    let failed = scene.world.fail(&test);
    assert_eq!(failed, "the test was not delivered: the receiver responded with 500");
    let delivery = &scene.deliveries("")[0];
    assert_eq!((&delivery["state"], &delivery["event"]), (&json!("pending"), &json!("test")));
    let list = || scene.world.run(&format!("webhook list --form {}", scene.form));
    assert!(list().contains("failing since 20"), "{}", list());
    let table = scene.world.run(&format!("webhook deliveries {} --limit 1", scene.id));
    assert!(table.ends_with("next attempt"), "{table}");

    scene.receiver.respond_with(410);
    scene.world.fail(&test);
    assert!(list().ends_with("(gone)"), "{}", list());
    let disabled = scene.world.fail(&test);
    assert!(disabled.contains(&format!("`sheaf webhook enable {}`", scene.id)), "{disabled}");
}

#[test]
fn disabled_webhook_waits_until_enabled() {
    let scene = WebhookFixture::new("");
    let server = scene.serve();
    scene.world.fail(&format!("webhook test {} --wait 0", scene.id));
    scene.receiver.next_request();
    let delivery = scene.delivery_after(1);
    let delivery = delivery["id"].as_str().unwrap();
    let disable = format!("webhook disable {}", scene.id);
    assert_eq!(scene.world.run(&disable), format!("{} is disabled", scene.id));
    let replayed = scene.world.run(&format!("webhook replay {delivery}"));
    let enable = format!("webhook enable {}", scene.id);
    assert_eq!(replayed, format!("{delivery} is due; it is sent again after `sheaf {enable}`"));
    // The disabled webhook gets no event of this submission, also not later.
    submit(&server, &scene.form);
    assert_eq!(scene.world.run(&enable), format!("{} is enabled", scene.id));
    assert_eq!(scene.receiver.next_request().header("webhook-id"), delivery);
    assert_eq!(scene.deliveries("").len(), 1);
}

#[test]
fn replay_sends_same_delivery() {
    let scene = WebhookFixture::new("");
    let server = scene.serve();
    submit(&server, &scene.form);
    let first = scene.receiver.next_request();
    scene.delivery_after(1);
    let id = first.header("webhook-id");
    let replayed = scene.world.run(&format!("webhook replay {id}"));
    assert_eq!(replayed, format!("{id} is due; a running server sends it again"));
    let second = scene.receiver.next_request();
    assert_eq!((second.header("webhook-id"), &second.body), (id, &first.body));
    assert_eq!(scene.delivery_after(2)["state"], "delivered");
}

#[test]
fn deliveries_are_limited_newest_first() {
    let scene = WebhookFixture::new("");
    // More than one page of the store.
    for _ in 0..3 {
        scene.world.fail(&format!("webhook test {} --wait 0", scene.id));
    }
    let seqs = |more: &str| -> Vec<u64> {
        let seq = |delivery: &Value| {
            let id = delivery["id"].as_str().unwrap();
            id.split('_').nth(1).unwrap().parse().unwrap()
        };
        scene.deliveries(more).iter().map(seq).collect()
    };
    let all = seqs("");
    assert!(all.len() == 3 && all.is_sorted_by(|a, b| a > b), "{all:?}");
    assert_eq!(seqs("--limit 2"), all[..2]);
}

#[test]
fn rotated_and_old_secrets_both_sign() {
    let scene = WebhookFixture::new("");
    let rotated = scene.world.json(&format!("webhook rotate {}", scene.id));
    assert_eq!(rotated["id"], scene.id);
    assert!(rotated["old_secret_until"].as_str().unwrap().ends_with('Z'), "{rotated}");
    let new_secret = rotated["secret"].as_str().unwrap();
    assert_ne!(new_secret, scene.secret);
    let again = scene.world.fail(&format!("webhook rotate {}", scene.id));
    let until = rotated["old_secret_until"].as_str().unwrap();
    assert!(again.contains(&format!("is valid until {until}; rotate it after that")), "{again}");
    let _server = scene.serve();
    scene.world.run(&format!("webhook test {}", scene.id));
    let request = scene.receiver.next_request();
    assert_eq!(count_valid(&request, new_secret), 1);
    assert_eq!(count_valid(&request, &scene.secret), 1);
}

#[test]
fn deletion_needs_confirmation() {
    let scene = WebhookFixture::new("");
    let delete = format!("webhook delete {}", scene.id);
    assert!(scene.world.fail(&delete).contains("use `--yes`"));
    assert_eq!(scene.world.run(&format!("{delete} --yes")), format!("{} is deleted", scene.id));
    assert_eq!(scene.world.run(&format!("webhook list --form {} --json", scene.form)), "[]");
}

#[test]
fn unknown_ids_name_listing_command() {
    let world = TestEnv::with_account();
    let whk = "whk_01890000000070008000000000000000";
    for command in ["delete", "rotate", "enable", "disable", "test", "deliveries"] {
        let error = world.fail(&format!("webhook {command} {whk}"));
        let expected = format!("there is no webhook `{whk}`; see `sheaf webhook list --form …`");
        assert_eq!(error, expected, "{command}");
    }
    for dlv in ["dlv_1_0123456789abcdef", "dlv_x"] {
        let error = world.fail(&format!("webhook replay {dlv}"));
        let expected = format!("there is no delivery `{dlv}`; see `sheaf webhook deliveries …`");
        assert_eq!(error, expected);
    }
    let frm = "frm_unknown";
    for command in ["list", "create --url https://example.com"] {
        let error = world.fail(&format!("webhook {command} --form {frm}"));
        assert!(error.contains("see `sheaf form list"), "{error}");
    }
}

#[test]
fn url_is_refused_without_option() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let create = |more: &str| format!("webhook create --form {form} --url {more}");
    let http = world.fail(&create("http://127.0.0.1:9000/"));
    assert!(http.contains("begins with `http:` (`--webhook-allow-http` allows it)"), "{http}");
    for more in ["https://127.0.0.1:9000/", "http://127.0.0.1:9000/ --webhook-allow-http"] {
        let error = world.fail(&create(more));
        assert!(error.starts_with("`--url` is not allowed: the host `127.0.0.1`"), "{error}");
        assert!(error.ends_with("(`--webhook-allow-network`)"), "{error}");
    }
    let other = "https://127.0.0.1:9000/ --webhook-allow-network 10.0.0.0/8,192.168.0.0/16";
    assert!(world.fail(&create(other)).contains("the host `127.0.0.1`"));
    let port = world.fail(&create(&format!("http://127.0.0.1:25/ {ALLOWED}")));
    assert!(port.contains("the port 25 is not allowed"), "{port}");
    assert_eq!(world.run(&format!("webhook list --form {form} --json")), "[]");
    let several = "https://127.0.0.1:9000/ --webhook-allow-network 10.0.0.0/8,127.0.0.1";
    world.run(&create(several));
}

#[test]
fn environment_allows_receivers() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let create = |http: &str, networks: &str| {
        let url = "http://127.0.0.1:9000/";
        let mut command = world.command(&format!("webhook create --form {form} --url {url}"));
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
    let world = TestEnv::with_account();
    let form = world.form("");
    let path = format!("/account/forms/{form}/webhooks");
    let receiver = Receiver::start();
    let body = json!({ "url": receiver.url }).to_string();
    let create = |server: &Server| {
        let cookie = sign_in(server, &world.run("account sign-in-link --account a@example.com"));
        server.dashboard("POST", &path, &cookie, &body)
    };
    let refused = create(&Server::start(&world, "serve"));
    assert_eq!(refused.status, 400, "{}", refused.text());
    let mut command = world.command("serve --listen 127.0.0.1:0");
    command.env("SHEAF_WEBHOOK_ALLOW_HTTP", "true");
    command.env("SHEAF_WEBHOOK_ALLOW_NETWORK", "127.0.0.0/8");
    let server = Server::spawn(command);
    let created = create(&server);
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["data"]["id"].as_str().unwrap().to_owned();
    assert!(world.run(&format!("webhook test {id}")).starts_with("delivered: 204"));
    drop(server);
    // Another server without the options does not send to this address.
    let _server = Server::start(&world, "serve");
    let error = world.fail(&format!("webhook test {id}"));
    assert!(error.contains("the URL must begin with `https://`"), "{error}");
}

#[test]
fn service_sends_webhooks() {
    let scene = WebhookFixture::new("");
    let server = Server::start(&scene.world, &format!("service {ALLOWED}"));
    let submission = submit(&server, &scene.form);
    assert_eq!(scene.receiver.next_request().json()["data"]["id"], submission);
}

#[test]
fn private_authority_needs_ca_option() {
    let authority = Authority::new();
    let port = authority.start_server(|request| {
        assert!(request.starts_with("POST /hook HTTP/1.1"), "{request}");
        b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec()
    });
    let world = TestEnv::with_account();
    let form = world.form("");
    let networks = "--webhook-allow-network 127.0.0.0/8,::1";
    let url = format!("https://localhost:{port}/hook");
    let created = world.json(&format!("webhook create --form {form} --url {url} {networks}"));
    let id = created["id"].as_str().unwrap();
    let server = Server::start(&world, &format!("serve {networks}"));
    let error = world.fail(&format!("webhook test {id}"));
    assert!(error.contains("certificate"), "{error}");
    drop(server);
    let ca = world.write("ca.pem", &authority.pem);
    let _server = Server::start(&world, &format!("serve {networks} --webhook-ca {ca}"));
    assert!(world.run(&format!("webhook test {id}")).starts_with("delivered: 204"));
    let empty = world.write("empty.pem", "");
    let error = world.fail(&format!("serve --listen 127.0.0.1:0 --webhook-ca {empty}"));
    assert!(error.ends_with("must hold certificates of authorities, as PEM"), "{error}");
}

#[test]
fn changes_are_audited_without_secrets() {
    let scene = WebhookFixture::new("");
    let id = &scene.id;
    for command in ["rotate", "disable", "enable", "test --wait 0", "delete --yes"] {
        let _ = scene.world.command(&format!("webhook {command} {id}")).output().unwrap();
        if command.starts_with("test") {
            let delivery = scene.deliveries("")[0]["id"].clone();
            scene.world.run(&format!("webhook replay {}", delivery.as_str().unwrap()));
        }
    }
    let log = scene.world.run("audit export --account a@example.com");
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

#[test]
fn gateway_has_no_webhook_options() {
    let world = TestEnv::with_account();
    let output = world.command("gateway --webhook-allow-http").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("unexpected argument '--webhook-allow-http'"), "{error}");
}
