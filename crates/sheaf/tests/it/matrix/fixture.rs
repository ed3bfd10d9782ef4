//! Two accounts in one database, each with objects of every kind, and the real binary on it.

use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};
use crate::webhook::ALLOWED;
use serde_json::{Value, json};

/// Marker in every object of an account.
pub(super) const MARKER: &str = "heronsecret";
/// The environments.
pub(super) const MODES: [&str; 2] = ["live", "test"];

/// Objects of an owner in one environment.
#[derive(Clone)]
pub(super) struct ObjectIds {
    pub(super) form: String,
    pub(super) submission: String,
    pub(super) spam: String,
    pub(super) field: String,
    pub(super) webhook: String,
    pub(super) delivery: String,
    pub(super) notification: String,
    pub(super) note: String,
    pub(super) view: String,
}

/// An account and its credentials.
pub(super) struct AccountFixture {
    pub(super) name: &'static str,
    pub(super) account: String,
    pub(super) live: ObjectIds,
    pub(super) test: ObjectIds,
    /// One API key per environment.
    pub(super) keys: [String; 2],
    pub(super) revoked: String,
    pub(super) key_id: String,
    pub(super) cookie: String,
    pub(super) session_id: String,
    pub(super) person_id: String,
}

impl AccountFixture {
    /// Returns a marker that is in all objects of this account, and in no other account.
    pub(super) fn marker(&self) -> String {
        format!("{MARKER}{}", self.name)
    }

    pub(super) fn ids_in(&self, mode: &str) -> &ObjectIds {
        if mode == MODES[0] { &self.live } else { &self.test }
    }
}

/// A server with two accounts. Requests of the attacker must not reach the victim's data.
pub(super) struct TwoAccounts {
    pub(super) env: TestEnv,
    pub(super) server: Server,
    pub(super) victim: AccountFixture,
    pub(super) attacker: AccountFixture,
    /// Ended sessions of the victim: idle for too long, too old, and signed out.
    pub(super) ended_sessions: [String; 3],
}

impl TwoAccounts {
    pub(super) fn start(victim: &'static str, attacker: &'static str) -> Self {
        let env = TestEnv::new();
        for name in [victim, attacker] {
            env.run(&format!("account create --email {name}@example.com --plan enterprise"));
        }
        // High limits, because the test sends many requests without a key from one address.
        let options = format!("--plan-limits free=100000/10000 --no-insight {ALLOWED}");
        let server = Server::start(&env, &format!("serve {options}"));
        let victim = create_objects(&env, &server, victim);
        let attacker = create_objects(&env, &server, attacker);
        let ended = ["idle", "old", "out"].map(|_| sign_in(&env, &server, victim.name));
        let conn = rusqlite::Connection::open(env.data().join("sheaf.db")).unwrap();
        conn.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        let age = |cookie: &str, column: &str, by_s: i64| {
            let token = gateway::secret::hash_token(cookie.split_once('=').unwrap().1);
            let sql = format!("UPDATE sessions SET {column} = {column} - ? WHERE token = ?");
            assert_eq!(conn.execute(&sql, (by_s * 1_000_000, token)).unwrap(), 1);
        };
        age(&ended[0], "seen_at", gateway::IDLE_S + 60);
        age(&ended[1], "created_at", gateway::ABSOLUTE_S + 60);
        let out = server.dashboard("DELETE", "/session", &ended[2], "");
        assert_eq!(out.status, 204, "{}", out.text());
        Self { env, server, victim, attacker, ended_sessions: ended }
    }

    /// Signs an account in again and returns the cookie.
    pub(super) fn sign_in(&self, owner: &AccountFixture) -> String {
        sign_in(&self.env, &self.server, owner.name)
    }

    /// Returns the dashboard paths of the victim's objects.
    pub(super) fn dashboard_pages(&self) -> Vec<String> {
        let of = |mode: &str| {
            let ObjectIds { form, submission, .. } = self.victim.ids_in(mode);
            [format!("/{mode}/forms/{form}"), format!("/{mode}/forms/{form}/{submission}")]
        };
        MODES.into_iter().flat_map(of).collect()
    }
}

fn sign_in(env: &TestEnv, server: &Server, name: &str) -> String {
    let link = env.run(&format!("account sign-in-link --account {name}@example.com"));
    crate::roles::sign_in(server, &link)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Creates a disabled webhook with a pending delivery. The server attempted it once and waits, so
/// its row does not change.
fn create_webhook(
    call: impl Fn(&str, &str, Value) -> Value,
    form: &str,
    mark: &str,
) -> (String, String) {
    let path = format!("/account/forms/{form}/webhooks");
    let url = format!("http://127.0.0.1:2/{mark}");
    let webhook = string(&call("POST", &path, json!({ "url": url }))["data"]["id"]);
    let path = format!("{path}/{webhook}");
    let delivery = string(&call("POST", &format!("{path}/test"), json!({}))["data"]["id"]);
    wait_until("the server attempted the delivery", || {
        let log = call("GET", &format!("{path}/deliveries"), json!({}));
        log["data"][0]["attempts"].as_array().is_some_and(|attempts| !attempts.is_empty())
    });
    let events = ["submission.created"];
    let settings = json!({ "url": url, "events": events, "format": "json", "enabled": false });
    call("PUT", &path, settings);
    (webhook, delivery)
}

/// Creates an object of every kind in an account.
fn create_objects(env: &TestEnv, server: &Server, name: &'static str) -> AccountFixture {
    let cookie = sign_in(env, server, name);
    let call = |method: &str, path: &str, body: Value| -> Value {
        let answer = server.dashboard(method, path, &cookie, &body.to_string());
        assert!(answer.status < 300, "{method} {path}: {}", answer.text());
        serde_json::from_slice(&answer.body).unwrap_or_default()
    };
    let mark = format!("{MARKER}{name}");
    let ids = |mode: &str| {
        let new = json!({ "name": mark, "mode": mode, "fields": [{ "name": "Name" }] });
        let form = call("POST", "/account/forms", new)["data"].clone();
        let field = string(&form["fields"][0]["id"]);
        let form = string(&form["id"]);
        let send = |body: Value| {
            let answer = server.ask("POST", &format!("/f/{form}"), &[], &body.to_string());
            assert_eq!(answer.status, 201, "{}", answer.text());
            string(&answer.json()["data"]["id"])
        };
        let submission = send(json!({ "Name": mark, "utm_source": mark }));
        send(json!({ "Name": format!("{mark} again") }));
        let spam = send(json!({ "Name": mark, "_gotcha": "x" }));
        let at = format!("/account/forms/{form}");
        let categories = json!({ "categories": [{ "name": mark, "words": [mark] }] });
        call("PUT", &format!("{at}/categories"), categories);
        call("PUT", &format!("{at}/intake"), json!({ "origins": ["https://heron.example"] }));
        let insight = format!("/account/submissions/{submission}/insight");
        call("PUT", &insight, json!({ "sentiment": "mixed" }));
        let set = json!({ "starred": true, "add_tags": [mark] });
        let update = json!({ "ids": [submission], "set": set });
        call("PATCH", &format!("{at}/submissions"), update);
        let notes = format!("{at}/submissions/{submission}/notes");
        let note = string(&call("POST", &notes, json!({ "text": mark }))["data"]["id"]);
        let (webhook, delivery) = create_webhook(call, &form, &mark);
        // The server cannot send e-mail, so the rows of notifications do not change.
        let add = format!("notification add --form {form} --email {mark}@notify.example");
        let notification = env.run(&add);
        let view = json!({ "name": mark, "query": format!("search={mark}"), "shared": true });
        let view = string(&call("POST", &format!("{at}/views"), view)["data"]["id"]);
        ObjectIds { form, submission, spam, field, webhook, delivery, notification, note, view }
    };
    let live = ids("live");
    let test = ids("test");
    let key = |mode: &str| call("POST", "/account/keys", json!({ "name": mark, "mode": mode }));
    let first = key("live");
    let second = key("test");
    let gone = key("live");
    let path = format!("/account/keys/{}", string(&gone["data"]["id"]));
    assert_eq!(server.dashboard("DELETE", &path, &cookie, "").status, 204);
    let sessions = server.dashboard("GET", "/sessions", &cookie, "").json();
    let account = server.dashboard("GET", "/session", &cookie, "").json();
    let reader = json!({ "email": format!("{mark}@example.com") });
    let reader = call("POST", "/people", reader);
    AccountFixture {
        name,
        account: string(&account["data"]["account"]["id"]),
        live,
        test,
        keys: [string(&first["secret"]), string(&second["secret"])],
        revoked: string(&gone["secret"]),
        key_id: string(&first["data"]["id"]),
        session_id: string(&sessions["data"]["sessions"][0]["id"]),
        person_id: string(&reader["data"]["id"]),
        cookie,
    }
}
