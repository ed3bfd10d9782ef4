//! The dimension form of the matrix: members who are limited to one form request every route of
//! another form of their account.

use super::fixture::{MODES, ObjectIds, TwoAccounts};
use super::retry_rate_limited;
use super::routes::{ALL, Access, Route};
use crate::event_stream::EventStream;
use crate::roles::sign_in;
use crate::server::HttpResponse;
use contract::Role;
use serde_json::{Value, json};

/// The roles that can be limited.
const ROLES: [Role; 2] = [Role::Reader, Role::Editor];

/// Adds a member with this access to forms, and returns their id and cookie.
pub(super) fn add_member(
    fixture: &TwoAccounts,
    role: Role,
    name: &str,
    forms: &Value,
) -> (String, String) {
    let TwoAccounts { server, victim, .. } = fixture;
    let new = json!({ "email": format!("{name}-{role}@x.example"), "role": role, "forms": forms });
    let answer = server.dashboard("POST", "/people", &victim.cookie, &new.to_string());
    assert_eq!(answer.status, 201, "{}", answer.text());
    let invited = answer.json();
    assert_eq!(invited["data"]["forms"], *forms);
    let link = format!("#token={}", invited["token"].as_str().unwrap());
    (invited["data"]["id"].as_str().unwrap().to_owned(), sign_in(server, &link))
}

/// Creates a live form with a submission in the victim's account.
fn create_form(fixture: &TwoAccounts) -> String {
    let TwoAccounts { server, victim, .. } = fixture;
    let new = r#"{"name":"Open","mode":"live","fields":[{"name":"Name"}]}"#;
    let form = server.dashboard("POST", "/account/forms", &victim.cookie, new).json();
    let form = form["data"]["id"].as_str().unwrap().to_owned();
    submit(fixture, &form);
    form
}

fn submit(fixture: &TwoAccounts, form: &str) {
    let path = format!("/f/{form}");
    let answer = retry_rate_limited(|| fixture.server.ask("POST", &path, &[], r#"{"Name":"Ada"}"#));
    assert_eq!(answer.status, 201, "{}", answer.text());
}

/// Returns ids of objects that do not exist.
fn unknown_ids() -> ObjectIds {
    let id = |prefix: &str| format!("{prefix}_unknown");
    ObjectIds {
        form: id("frm"),
        submission: id("sub"),
        spam: id("sub"),
        field: id("fld"),
        webhook: id("whk"),
        delivery: id("dlv"),
        notification: id("ntf"),
        note: id("nte"),
        view: id("view"),
    }
}

/// Returns the routes with a form, or with a submission, that a member requests with a session.
fn routes_of_forms() -> impl Iterator<Item = &'static Route> {
    ALL.iter().filter(|route| {
        let is_of_form = ["{form_id}", "{id}"].iter().any(|name| route.template.contains(name));
        is_of_form && matches!(route.access, Access::Forwarded(_) | Access::Object(_))
    })
}

/// Sends requests of a member about objects of an environment.
pub(super) struct Requests<'a> {
    pub(super) fixture: &'a TwoAccounts,
    pub(super) mode: &'static str,
}

impl Requests<'_> {
    pub(super) fn send(&self, route: &Route, ids: &ObjectIds, cookie: &str) -> HttpResponse {
        let TwoAccounts { server, victim, .. } = self.fixture;
        let path = route.fill_path(ids, victim, self.mode);
        retry_rate_limited(|| server.dashboard(route.method, &path, cookie, route.body))
    }
}

/// Members of the victim's account: of each role, one who is limited to a form, and one other.
struct Members {
    fixture: TwoAccounts,
    /// The form of the limited members.
    open: String,
    /// Cookies, in the order of [`ROLES`].
    limited: [String; 2],
    free: [String; 2],
}

impl Members {
    fn start() -> Self {
        let fixture = TwoAccounts::start("ada", "bea");
        let open = create_form(&fixture);
        let add = |role, name: &str, forms: &Value| add_member(&fixture, role, name, forms).1;
        let limited = ROLES.map(|role| add(role, "limited", &json!([open])));
        let free = ROLES.map(|role| add(role, "free", &Value::Null));
        Self { fixture, open, limited, free }
    }

    /// Other forms look like forms that do not exist, by every route.
    fn check_other_forms_are_hidden(&self) {
        let fixture = &self.fixture;
        let mut hidden = 0;
        for (role, limited) in ROLES.into_iter().zip(&self.limited) {
            for mode in MODES {
                let requests = Requests { fixture, mode };
                for route in routes_of_forms() {
                    let answer = requests.send(route, fixture.victim.ids_in(mode), limited);
                    let unknown = requests.send(route, &unknown_ids(), limited);
                    let case = format!("{} {} as {role} in {mode}", route.method, route.template);
                    assert_eq!(
                        (answer.status, answer.text()),
                        (unknown.status, unknown.text()),
                        "{case}"
                    );
                    let is_allowed = route.role().is_some_and(|lowest| role >= lowest);
                    assert_eq!(answer.status, if is_allowed { 404 } else { 403 }, "{case}");
                    hidden += usize::from(is_allowed);
                }
            }
        }
        assert!(hidden > 80, "only {hidden} requests");
    }

    /// A form that does not exist is the same for limited members and others.
    fn check_unknown_forms(&self) {
        let ([_, limited], [_, free]) = (&self.limited, &self.free);
        let requests = Requests { fixture: &self.fixture, mode: "live" };
        for route in routes_of_forms().filter(|route| route.method == "GET") {
            let answer = requests.send(route, &self.fixture.victim.live, limited);
            let unknown = requests.send(route, &unknown_ids(), free);
            let case = route.template;
            assert_eq!((answer.status, answer.text()), (unknown.status, unknown.text()), "{case}");
        }
    }

    /// Limited members use their forms like others. The live form has 3 submissions.
    fn check_named_forms(&self) {
        let fixture = &self.fixture;
        let own = &fixture.victim.live;
        let requests = Requests { fixture, mode: "live" };
        let cookies = ROLES.map(|role| add_member(fixture, role, "own", &json!([own.form])).1);
        for limited in &cookies {
            for route in routes_of_forms().filter(|route| route.method == "GET") {
                if route.role() == Some(Role::Reader) {
                    let answer = requests.send(route, own, limited);
                    let case = route.template;
                    assert_eq!(answer.status, route.status, "{case}: {}", answer.text());
                }
            }
        }
        let [_, editor] = &cookies;
        let send = |method: &str, rest: &str, body: &str| {
            let path = format!("/account/forms/{}/submissions{rest}", own.form);
            fixture.server.dashboard(method, &path, editor, body).status
        };
        assert_eq!(send("PATCH", "", r#"{"filter":"","count":3,"set":{"status":"done"}}"#), 200);
        assert_eq!(send("POST", &format!("/{}/notes", own.submission), r#"{"text":"Hello"}"#), 201);
        // A submission of another form is no submission of this one.
        let other = &fixture.victim.test.submission;
        assert_eq!(send("GET", &format!("/{other}"), ""), 404);
        assert_eq!(send("POST", &format!("/{other}/notes"), r#"{"text":"Hello"}"#), 404);
    }

    /// Lists and live updates leave out other forms. Adds a submission to both live forms.
    fn check_lists_and_events(&self) {
        let TwoAccounts { server, victim, .. } = &self.fixture;
        let ([limited, _], [free, _], open) = (&self.limited, &self.free, &self.open);
        let mut events = EventStream::open(&server.address, "live", limited);
        // The submissions are newer than the members, and so unread.
        submit(&self.fixture, &victim.live.form);
        submit(&self.fixture, open);
        let (name, data) = events.next().unwrap();
        assert!(name == "created" && data.contains(open), "{name} {data}");
        assert!(!data.contains(&victim.live.form), "{data}");

        let list = |path: &str, cookie: &str| server.dashboard("GET", path, cookie, "").json();
        let forms = list("/account/forms", limited);
        assert_eq!(forms["data"].as_array().unwrap().len(), 1);
        let total = &forms["pagination"]["total"];
        assert_eq!((&forms["data"][0]["id"], total), (&json!(open), &json!(1)));
        assert_eq!(list("/account/forms", free)["pagination"]["total"], 3);
        let unread = list("/account/unread", limited);
        assert_eq!(unread["data"], json!([{ "form_id": open, "unread": 1 }]));
        assert_eq!(list("/account/unread", free)["data"].as_array().unwrap().len(), 2);
    }

    /// The inbox leaves out other forms. The open form has one submission, each other form two.
    fn check_inbox(&self) {
        let TwoAccounts { server, victim, .. } = &self.fixture;
        let open = &self.open;
        let (live, test) = (&victim.live.form, &victim.test.form);
        for (n, role) in ROLES.into_iter().enumerate() {
            let (_, two) = add_member(&self.fixture, role, "two", &json!([open, test]));
            let (one, free) = (&self.limited[n], &self.free[n]);
            for (cookie, mode, forms, count) in [
                (one, "live", vec![open], 1),
                (one, "test", vec![], 0),
                (&two, "live", vec![open], 1),
                (&two, "test", vec![test], 2),
                (free, "live", vec![open, live], 3),
                (free, "test", vec![test], 2),
            ] {
                let get = |route: &str| {
                    let path = format!("/account/inbox{route}?environment={mode}");
                    server.dashboard("GET", &path, cookie, "")
                };
                let page = get("").json();
                let rows = page["data"].as_array().unwrap();
                assert!(rows.iter().all(|row| forms.iter().any(|form| row["form_id"] == **form)));
                assert_eq!((rows.len(), &page["pagination"]["total"]), (count, &json!(count)));
                let summary = get("/summary");
                assert_eq!(summary.json()["data"]["total"], count);
                let shows_others = forms.iter().any(|form| *form != open);
                assert_eq!(summary.text().contains(&victim.marker()), shows_others);
            }
        }
    }
}

#[test]
fn limited_members_reach_only_named_forms() {
    let members = Members::start();
    members.check_inbox();
    members.check_lists_and_events();
    members.check_named_forms();
    // These send so many requests that they may reach the rate limit, so they are last.
    members.check_other_forms_are_hidden();
    members.check_unknown_forms();
}

#[test]
fn change_of_forms_applies_at_once_and_is_audited() {
    let fixture = TwoAccounts::start("ada", "bea");
    let TwoAccounts { server, victim, attacker, .. } = &fixture;
    let open = create_form(&fixture);
    let (id, editor) = add_member(&fixture, Role::Editor, "limited", &Value::Null);
    let status = |form: &str| {
        let path = format!("/account/forms/{form}");
        server.dashboard("GET", &path, &editor, "").status
    };
    let change = |body: Value| {
        let path = format!("/people/{id}");
        server.dashboard("PATCH", &path, &victim.cookie, &body.to_string())
    };
    let form = &victim.live.form;
    assert_eq!((status(form), status(&open)), (200, 200));
    assert_eq!(change(json!({ "forms": [open] })).status, 204);
    assert_eq!((status(form), status(&open)), (404, 200));
    assert_eq!(change(json!({ "role": "reader" })).status, 204);
    assert_eq!((status(form), status(&open)), (404, 200), "a role does not change the forms");
    for (forms, problem) in [
        (json!([]), "must name 1 to 100 forms, but names 0"),
        (json!([open, open]), "more than once"),
        (json!(["frm_unknown"]), "`frm_unknown`, which is not a form of this account"),
        (json!([attacker.live.form]), "is not a form of this account"),
    ] {
        let answer = change(json!({ "forms": forms }));
        assert_eq!((answer.status, answer.text().contains(problem)), (400, true), "{problem}");
    }
    assert_eq!(change(json!({})).status, 400);
    assert_eq!(change(json!({ "role": "editor", "forms": [form, victim.test.form] })).status, 204);
    assert_eq!((status(form), status(&open), status(&victim.test.form)), (200, 404, 200));
    // The list may contain a deleted form.
    let deletion = format!(r#"{{"name":"{}"}}"#, victim.marker());
    let path = format!("/account/forms/{form}/delete");
    assert_eq!(server.dashboard("POST", &path, &victim.cookie, &deletion).status, 204);
    assert_eq!((status(form), status(&open), status(&victim.test.form)), (404, 404, 200));
    assert_eq!(change(json!({ "forms": null })).status, 204);
    assert_eq!((status(&open), status(&victim.test.form)), (200, 200));

    let log = server.dashboard("GET", "/account/audit?limit=100", &victim.cookie, "").json();
    let entries = log["data"].as_array().unwrap().iter();
    let details: Vec<_> = entries
        .filter(|entry| entry["action"] == "person.changed" && entry["object"]["id"] == id)
        .map(|entry| (entry["detail"]["role"].clone(), entry["detail"]["forms"].clone()))
        .collect();
    let role = |role: &str| json!(role);
    assert_eq!(
        details,
        [
            (Value::Null, json!("all")),
            (role("editor"), json!(2)),
            (role("reader"), Value::Null),
            (Value::Null, json!(1)),
        ]
    );
}
