//! What editors and readers may change, and changes of roles. `matrix::roles` requests every route.

use serde_json::Value;

use crate::server::{HttpResponse, Server};
use crate::test_env::TestEnv;

/// A server with an owner, an editor and a reader, and a form with five submissions.
struct RolesFixture {
    env: TestEnv,
    server: Server,
    form: String,
    /// One of the submissions.
    id: String,
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
        let invitation =
            env.run("account add-member --account a@example.com --email b@example.com");
        let server = Server::start(&env, "serve");
        let owner = sign_in(&server, &env.run("account sign-in-link --account a@example.com"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let list = format!("/api/live/v1/forms/{form}/submissions");
        let id = text(&server.dashboard("GET", &list, &owner, "").json()["data"][0]["id"]);
        let reader = sign_in(&server, &invitation);
        let new = r#"{"email":"e@example.com","role":"editor"}"#;
        let token = text(&server.dashboard("POST", "/people", &owner, new).json()["token"]);
        let editor = sign_in(&server, &format!("#token={token}"));
        Self { env, server, form, id, owner, editor, reader }
    }

    /// Gets a path through the gateway.
    fn get(&self, path: &str, cookie: &str) -> HttpResponse {
        self.server.dashboard("GET", path, cookie, "")
    }

    fn get_submission(&self, cookie: &str) -> HttpResponse {
        self.get(&format!("/api/live/v1/submissions/{}", self.id), cookie)
    }
}

#[test]
fn editor_triages_and_restores_but_deletes_nothing() {
    let house = RolesFixture::new();
    let RolesFixture { form, id, .. } = &house;
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
    assert_eq!(house.get_submission(&house.editor).status, 200);
}

#[test]
fn change_of_role_and_removal_apply_at_once() {
    let house = RolesFixture::new();
    let people = house.get("/people", &house.owner).json();
    let editor = people["data"].as_array().unwrap().iter().find(|it| it["role"] == "editor");
    let path = format!("/people/{}", editor.unwrap()["id"].as_str().unwrap());
    let star = || {
        let body = r#"{"filter":"","count":5,"set":{"starred":true}}"#;
        let path = format!("/account/forms/{}/submissions", house.form);
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
    let log = house.get("/account/audit?limit=100", &house.owner);
    assert!(log.text().contains("person.changed"), "{}", log.text());
    house.env.run("account remove-member --email e@example.com");
    assert_eq!(star(), 401);

    assert_eq!(house.get("/account/forms", &house.reader).status, 200);
    house.env.run("account remove-member --email B@example.com");
    assert_eq!(house.get("/account/forms", &house.reader).status, 401);
    assert_eq!(house.get_submission(&house.reader).status, 401);
    let session = house.get("/session", &house.reader);
    assert_eq!(session.text(), r#"{"data":null}"#);
}

#[test]
fn readers_change_only_read_marks_and_private_views() {
    let house = RolesFixture::new();
    check_read_marks_of_reader(&house);
    check_views_of_reader(&house);
}

fn check_read_marks_of_reader(house: &RolesFixture) {
    let RolesFixture { form, id, .. } = house;
    let total = |cookie: &str, query: &str| {
        let list = format!("/api/live/v1/forms/{form}/submissions?{query}");
        let answer = house.get(&list, cookie);
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
    let unread = house.get("/account/unread", &house.reader).json();
    assert_eq!(unread["data"][0]["unread"], 1);
    for set in [r#"{"read":true,"status":"done"}"#, r#"{"starred":true}"#] {
        assert_eq!(patch(set).status, 403, "{set}");
    }
    assert_eq!(total(&house.reader, "read=false"), 1);
}

fn check_views_of_reader(house: &RolesFixture) {
    let views = format!("/account/forms/{}/views", house.form);
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
