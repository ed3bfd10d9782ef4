//! Every route of the `OpenAPI` document for every role: the requests that a role does not allow are
//! refused and change no data.

mod routes;

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;
use std::fmt::Write as _;

use crate::server::Server;
use crate::test_env::TestEnv;
use crate::webhook::ALLOWED;
use routes::{FOR_ALL, FOR_EDITORS, FOR_KEYS, FOR_OWNERS, FOR_READERS, documented_routes};

/// A server with an owner, an editor and a reader, and values for the names in a path.
struct RolesFixture {
    env: TestEnv,
    server: Server,
    names: Vec<(&'static str, String)>,
    owner: String,
    editor: String,
    reader: String,
}

/// Signs in by a link that a command printed, and returns the cookie.
pub(crate) fn sign_in(server: &Server, link: &str) -> String {
    let (_, token) = link.split_once("#token=").unwrap();
    let answer = server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{token}\"}}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.cookie()
}

impl RolesFixture {
    fn new() -> Self {
        let env = TestEnv::with_account();
        let form = env.form("--field name --field age:number");
        env.run(&format!("sample --form {form} --count 5 --seed 1"));
        env.key("live");
        let invitation =
            env.run("account add-member --account a@example.com --email b@example.com");
        let server = Server::start(&env, "serve");
        let owner = sign_in(&server, &env.run("account sign-in-link --account a@example.com"));
        let list = format!("/api/live/v1/forms/{form}/submissions");
        let list = server.dashboard("GET", &list, &owner, "").json();
        let keys = env.json("key list --account a@example.com --json");
        let people = env.json("account people --account a@example.com --json");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let create = format!("webhook create --form {form} --url http://127.0.0.1:2/ {ALLOWED}");
        let webhook = text(&env.json(&create)["id"]);
        let notification = format!("notification add --form {form} --email c@example.com");
        let notification = env.run(&notification);
        let names = vec![
            ("{form_id}", form),
            ("{id}", text(&list["data"][0]["id"])),
            ("{key_id}", text(&keys[0]["id"])),
            ("{person_id}", text(&people[1]["id"])),
            ("{session_id}", "ses_1".to_owned()),
            ("{webhook_id}", webhook),
            ("{delivery_id}", "dlv_1_a".to_owned()),
            ("{notification_id}", notification),
            ("{note_id}", "nte_1".to_owned()),
            ("{view_id}", "view_1".to_owned()),
            ("{token}", "x".to_owned()),
        ];
        let reader = sign_in(&server, &invitation);
        let new = r#"{"email":"e@example.com","role":"editor"}"#;
        let token = text(&server.dashboard("POST", "/people", &owner, new).json()["token"]);
        let editor = sign_in(&server, &format!("#token={token}"));
        Self { env, server, names, owner, editor, reader }
    }

    /// Sends a request for a route of the document through the gateway.
    fn request(&self, route: &str, cookie: &str) -> crate::server::HttpResponse {
        let (method, path) = route.split_once(' ').unwrap();
        let mut path = path.to_owned();
        for (name, value) in &self.names {
            path = path.replace(name, value);
        }
        if path.starts_with("/v1/") {
            path = format!("/api/live{path}");
        }
        if path.starts_with("/account/inbox") {
            path += "?environment=live";
        }
        let body = if matches!(method, "POST" | "PUT" | "PATCH") { "{}" } else { "" };
        self.server.dashboard(method, &path, cookie, body)
    }

    /// Returns all rows as text, except sessions, which record their use, and the audit log,
    /// which records the refusals.
    fn dump_rows(&self) -> String {
        let file = self.env.data().join("sheaf.db");
        let file = Connection::open(file).unwrap();
        let mut tables = file
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sessions'
                 AND name NOT LIKE 'audit%'",
            )
            .unwrap();
        let tables = tables.query_map([], |row| row.get(0)).unwrap();
        let mut bodies = String::new();
        for table in tables.map(Result::<String, _>::unwrap) {
            let mut rows = file.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
            let columns = rows.column_count();
            let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Vec<Cell>> {
                (0..columns).map(|column| row.get(column)).collect()
            };
            for row in rows.query_map([], row).unwrap() {
                writeln!(bodies, "{table} {:?}", row.unwrap()).unwrap();
            }
        }
        bodies
    }
}

#[test]
fn every_route_has_role_and_others_are_refused() {
    let house = RolesFixture::new();
    let document = house.server.ask("GET", "/openapi.json", &[], "").json();
    let routes = documented_routes(&document);
    let lists = [&FOR_READERS[..], &FOR_EDITORS, &FOR_OWNERS, &FOR_ALL, &FOR_KEYS];
    let decided = || lists.iter().copied().flatten();
    for route in &routes {
        assert!(
            decided().any(|it| it == route),
            "`{route}` has no role; add it to one of the lists here"
        );
    }
    for route in decided() {
        assert!(
            routes.iter().any(|it| it == route),
            "`{route}` does not exist; remove it from its list"
        );
    }
    let before = house.dump_rows();
    assert!(before.contains("psn_") && before.contains("submissions"));
    let of_reader = FOR_OWNERS.iter().chain(&FOR_EDITORS).map(|route| (route, &house.reader));
    let of_editor = FOR_OWNERS.iter().map(|route| (route, &house.editor));
    for (route, cookie) in of_reader.chain(of_editor) {
        let answer = house.request(route, cookie);
        assert_eq!(answer.status, 403, "{route}: {}", answer.text());
        assert_eq!(answer.json()["error"], "forbidden", "{route}");
        assert!(
            answer.json()["needs"].is_null(),
            "{route}: re-authentication must not grant access"
        );
    }
    assert_eq!(house.dump_rows(), before, "a refused request changed data");
    let reads = || FOR_READERS.iter().filter(|route| route.starts_with("GET"));
    let of_reader = reads().map(|route| (route, &house.reader));
    for (route, cookie) in of_reader.chain(reads().map(|route| (route, &house.editor))) {
        let answer = house.request(route, cookie);
        // A submission without an insight returns 404. A list without ids and a stream without an
        // environment return 400. These are no refusals.
        let is_given = answer.status == 200
            || route.ends_with("/insight") && answer.status == 404
            || route.ends_with("/{form_id}/triage") && answer.status == 400
            || route.ends_with("/events") && answer.status == 400;
        assert!(is_given, "{route}: {} {}", answer.status, answer.text());
    }
    assert_eq!(house.dump_rows(), before, "a read changed data");
    for route in FOR_EDITORS {
        let answer = house.request(route, &house.editor);
        assert_ne!(answer.status, 403, "{route}: {}", answer.text());
    }
}

#[test]
fn editor_triages_and_restores_but_deletes_nothing() {
    let house = RolesFixture::new();
    let name = |name: &str| &house.names.iter().find(|(known, _)| *known == name).unwrap().1;
    let (form, id) = (name("{form_id}"), name("{id}"));
    let send = |method: &str, rest: &str, body: &str| {
        let path = format!("/account/forms/{form}/{rest}");
        house.server.dashboard(method, &path, &house.editor, body)
    };
    let ids = format!(r#""ids":["{id}"]"#);
    let set = r#"{"status":"done","starred":true,"add_tags":["VIP"]}"#;
    let all = format!(r#"{{"filter":"","count":5,"set":{set}}}"#);
    assert_eq!(send("PATCH", "submissions", &all).json()["data"]["changed"], 5);
    let note = send("POST", &format!("submissions/{id}/notes"), r#"{"text":"Called back."}"#);
    assert_eq!(note.status, 201, "{}", note.text());
    for state in ["trash", "spam"] {
        let count = |path: &str, body: &str| {
            let answer = send("POST", path, body);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            answer.json()["data"]["count"].clone()
        };
        assert_eq!(count(state, &format!("{{{ids}}}")), 1);
        assert_eq!(count(&format!("{state}/restore"), &format!("{{{ids}}}")), 1);
    }
    let permanent = format!(r#"{{{ids},"permanent":true}}"#);
    assert_eq!(send("POST", "trash", &permanent).status, 403);
    let shared = r#"{"name":"A","query":"","shared":true}"#;
    assert_eq!(send("POST", "views", shared).status, 403);
    let off = format!("/account/forms/{form}/trash");
    assert_eq!(house.server.dashboard("PUT", &off, &house.owner, r#"{"days":0}"#).status, 200);
    assert_eq!(send("POST", "trash", &format!("{{{ids}}}")).status, 409);
    assert_eq!(house.request("GET /v1/submissions/{id}", &house.editor).status, 200);
}

#[test]
fn change_of_role_and_removal_apply_at_once() {
    let house = RolesFixture::new();
    let people = house.server.dashboard("GET", "/people", &house.owner, "").json();
    let editor = people["data"].as_array().unwrap().iter().find(|it| it["role"] == "editor");
    let path = format!("/people/{}", editor.unwrap()["id"].as_str().unwrap());
    let star = || {
        let form = &house.names[0].1;
        let body = r#"{"filter":"","count":5,"set":{"starred":true}}"#;
        let path = format!("/account/forms/{form}/submissions");
        house.server.dashboard("PATCH", &path, &house.editor, body).status
    };
    assert_eq!(star(), 200);
    for (role, status, allowed) in
        [("reader", 204, 403), ("owner", 400, 403), ("admin", 400, 403), ("editor", 204, 200)]
    {
        let body = format!(r#"{{"role":"{role}"}}"#);
        let answer = house.server.dashboard("PATCH", &path, &house.owner, &body);
        assert_eq!(answer.status, status, "{role}: {}", answer.text());
        assert_eq!(star(), allowed, "{role}");
    }
    let log = house.server.dashboard("GET", "/account/audit?limit=100", &house.owner, "");
    assert!(log.text().contains("person.changed"), "{}", log.text());
    house.env.run("account remove-member --email e@example.com");
    assert_eq!(star(), 401);

    assert_eq!(house.request("GET /account/forms", &house.reader).status, 200);
    house.env.run("account remove-member --email B@example.com");
    assert_eq!(house.request("GET /account/forms", &house.reader).status, 401);
    assert_eq!(house.request("GET /v1/submissions/{id}", &house.reader).status, 401);
    let session = house.request("GET /session", &house.reader);
    assert_eq!(session.text(), r#"{"data":null}"#);
}

#[test]
fn readers_change_only_read_marks_and_private_views() {
    let house = RolesFixture::new();
    check_read_marks_of_reader(&house);
    check_views_of_reader(&house);
}

fn check_read_marks_of_reader(house: &RolesFixture) {
    let name = |name: &str| &house.names.iter().find(|(known, _)| *known == name).unwrap().1;
    let (form, id) = (name("{form_id}"), name("{id}"));
    let total = |cookie: &str, query: &str| {
        let list = format!("/api/live/v1/forms/{form}/submissions?{query}");
        let answer = house.server.dashboard("GET", &list, cookie, "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["pagination"]["total"].clone()
    };
    let patch = |set: &str| {
        let body = format!(r#"{{"ids":["{id}"],"set":{set}}}"#);
        let path = format!("/account/forms/{form}/submissions");
        house.server.dashboard("PATCH", &path, &house.reader, &body)
    };
    // The samples are older than the members.
    assert_eq!(
        (total(&house.reader, "read=true"), total(&house.owner, "read=true")),
        (5.into(), 5.into())
    );
    assert_eq!(patch(r#"{"read":false}"#).status, 200);
    assert_eq!(
        (total(&house.reader, "read=false"), total(&house.owner, "read=false")),
        (1.into(), 0.into())
    );
    let unread = house.server.dashboard("GET", "/account/unread", &house.reader, "").json();
    assert_eq!(unread["data"][0]["unread"], 1);
    for set in [r#"{"read":true,"status":"done"}"#, r#"{"starred":true}"#] {
        assert_eq!(patch(set).status, 403, "{set}");
    }
    assert_eq!(total(&house.reader, "read=false"), 1);
}

fn check_views_of_reader(house: &RolesFixture) {
    let form = &house.names[0].1;
    let views = format!("/account/forms/{form}/views");
    let send = |method: &str, rest: &str, cookie: &str, body: &str| {
        let answer = house.server.dashboard(method, &format!("{views}{rest}"), cookie, body);
        (answer.status, if answer.status == 204 { Value::Null } else { answer.json() })
    };
    let create = |cookie: &str, shared: bool| {
        let body = format!(r#"{{"name":"A","query":"search=x","shared":{shared}}}"#);
        let (status, body) = send("POST", "", cookie, &body);
        (status, format!("/{}", body["data"]["id"].as_str().unwrap_or_default()))
    };
    assert_eq!(create(&house.reader, true).0, 403);
    let (status, shared) = create(&house.owner, true);
    assert_eq!(status, 201);
    let (status, private) = create(&house.reader, false);
    assert_eq!(status, 201, "a private view may have the name of a shared one");
    let names = |cookie: &str| send("GET", "", cookie, "").1["data"].as_array().unwrap().len();
    assert_eq!((names(&house.reader), names(&house.owner)), (2, 1));
    for (rest, body) in [(&shared, r#"{"name":"B"}"#), (&private, r#"{"shared":true}"#)] {
        assert_eq!(send("PATCH", rest, &house.reader, body).0, 403, "{body}");
    }
    assert_eq!(send("DELETE", &shared, &house.reader, "").0, 403);
    assert_eq!(send("PATCH", &private, &house.reader, r#"{"name":"B"}"#).0, 200);
    // The owner does not see the private view.
    assert_eq!(send("PATCH", &private, &house.owner, r#"{"name":"C"}"#).0, 404);
    assert_eq!(send("DELETE", &private, &house.owner, "").0, 404);
    assert_eq!(send("DELETE", &private, &house.reader, "").0, 204);
    assert_eq!(send("DELETE", &shared, &house.owner, "").0, 204);
}
