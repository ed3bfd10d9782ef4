//! Keys that only read, that name forms, or that expire.

use crate::app::{App, TestKey, TestResponse, submission};
use axum::body::Body;
use contract::{AccountId, Environment, Form, KeyAccess, NewKey, Plan};
use http::{Method, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::clock::Clock as _;

/// A form with a submission, and the status of a GET by a key of the account for live data.
struct Target {
    form: Form,
    submission: String,
    /// Status for a key for all forms.
    status_of_all: u16,
    /// Status for a key that names [`Data::named`].
    status_of_named: u16,
}

/// Two accounts with their forms.
struct Data {
    app: App,
    account: AccountId,
    targets: Vec<Target>,
}

impl Data {
    async fn create() -> Self {
        let app = App::start().await;
        let account = app.account(Plan::Enterprise).await;
        let other_account = app.account(Plan::Enterprise).await;
        let mut targets = Vec::new();
        for (n, owner, environment, status_of_all, status_of_named) in [
            (0, &account, Environment::Live, 200, 200),
            (1, &account, Environment::Live, 200, 403),
            (2, &account, Environment::Test, 403, 403),
            (3, &other_account, Environment::Live, 404, 404),
        ] {
            let form = app.form(owner, environment, &["name"]).await;
            let row = submission(&form, &n.to_string(), "2026-02-01", json!({"name": "datum"}));
            app.submit(&form, vec![row]).await;
            let submission = format!("sub_{n}");
            targets.push(Target { form, submission, status_of_all, status_of_named });
            app.clock.advance_ms(1000);
        }
        Self { app, account, targets }
    }

    /// The form that keys name.
    fn named(&self) -> &Form {
        &self.targets[0].form
    }

    /// Creates a live key.
    async fn key(&self, access: KeyAccess, forms: Option<&[&Form]>) -> TestKey {
        let forms = forms.map(|forms| forms.iter().map(|form| form.id.clone()).collect());
        let new = NewKey { access, forms, ..live_key() };
        self.app.restricted_key(&self.account, new).await
    }

    async fn send(&self, method: &Method, key: &TestKey, path: &str) -> TestResponse {
        self.app.clock.advance_ms(1000);
        self.app.call(method.clone(), key, path).await
    }
}

fn live_key() -> NewKey {
    NewKey::unrestricted("a key", Environment::Live)
}

/// Routes of a form and a submission: method, path in the `OpenAPI` document, and path.
fn routes_of(target: &Target) -> [(Method, &'static str, String); 6] {
    let form = format!("/v1/forms/{}", target.form.id);
    let one = format!("/v1/submissions/{}", target.submission);
    let list = format!("{form}/submissions");
    let export = "/v1/forms/{form_id}/submissions/export";
    [
        (Method::GET, "/v1/forms/{form_id}", form),
        (Method::GET, "/v1/forms/{form_id}/submissions", list.clone()),
        (Method::GET, export, format!("{list}/export")),
        (Method::GET, export, format!("{list}/export?format=json")),
        (Method::GET, "/v1/submissions/{id}", one.clone()),
        (Method::DELETE, "/v1/submissions/{id}", one),
    ]
}

/// Checks that [`routes_of`] has every route. A new route below `/v1` must be added to it, and to
/// the checks of its handler.
async fn check_routes(data: &Data) {
    let request = Request::get("/openapi.json").body(Body::empty()).unwrap();
    let document = data.app.send(request).await.json();
    let paths = document["paths"].as_object().unwrap().iter();
    let below_v1 = paths.filter(|(path, _)| path.starts_with("/v1"));
    let documented: BTreeSet<(String, String)> = below_v1
        .flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            let methods = methods.filter(|method| *method != "parameters");
            methods.map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect();
    let routes = routes_of(&data.targets[0]);
    let mut tested: BTreeSet<(String, String)> =
        routes.iter().map(|(method, path, _)| (method.to_string(), (*path).to_owned())).collect();
    tested.insert(("GET".to_owned(), "/v1/forms".to_owned()));
    assert_eq!(documented, tested);
}

#[tokio::test]
async fn restricted_key_is_forbidden_what_it_does_not_cover() {
    let data = Data::create().await;
    check_routes(&data).await;
    for access in KeyAccess::ALL {
        for is_named in [false, true] {
            let named = [data.named()];
            let key = data.key(access, is_named.then_some(&named)).await;
            for target in &data.targets {
                let allowed = if is_named { target.status_of_named } else { target.status_of_all };
                for (method, _, path) in routes_of(target) {
                    let status = match (allowed, &method, access) {
                        (200, &Method::DELETE, KeyAccess::Full) => 204,
                        (200, &Method::DELETE, KeyAccess::Read) => 403,
                        _ => allowed,
                    };
                    let answer = data.send(&method, &key, &path).await;
                    let what = format!("{access:?} {is_named} {method} {path}: {}", answer.body);
                    assert_eq!(answer.status, status, "{what}");
                    if status >= 400 {
                        let code = if status == 403 { "forbidden" } else { "not_found" };
                        assert_eq!(answer.error().1, code, "{what}");
                        assert!(!answer.body.contains("datum"), "{what}");
                    }
                    if status == 204 {
                        let row = json!({"name": "datum"});
                        let id = &target.submission["sub_".len()..];
                        let row = submission(&target.form, id, "2026-02-01", row);
                        data.app.submit(&target.form, vec![row]).await;
                    }
                }
            }
        }
    }
    // The messages say why.
    let key = data.key(KeyAccess::Read, Some(&[data.named()])).await;
    let other_form = format!("/v1/forms/{}", data.targets[1].form.id);
    let get = async |path: &str| data.send(&Method::GET, &key, path).await.body;
    insta::assert_snapshot!(get(&other_form).await, @r#"{"error":"forbidden","message":"this form is outside the forms of this API key; use a key for its form or for all forms"}"#);
    insta::assert_snapshot!(get("/v1/submissions/sub_1").await, @r#"{"error":"forbidden","message":"this submission is outside the forms of this API key; use a key for its form or for all forms"}"#);
    let deletion = data.send(&Method::DELETE, &key, "/v1/submissions/sub_0").await;
    insta::assert_snapshot!(deletion.body, @r#"{"error":"forbidden","message":"this API key is read-only; use a key with full access"}"#);
    // The refusal does not depend on the cursor.
    let with_cursor = get(&format!("{other_form}/submissions?cursor=x")).await;
    assert_eq!(with_cursor, get(&format!("{other_form}/submissions")).await);
}

#[tokio::test]
async fn list_of_forms_has_only_named_forms() {
    let data = Data::create().await;
    let last = data.app.form(&data.account, Environment::Live, &[]).await;
    let deleted = data.app.form(&data.account, Environment::Live, &[]).await;
    assert!(data.app.store.delete_form(&deleted.id).await.unwrap());
    let key = data.key(KeyAccess::Full, Some(&[&last, &deleted, data.named()])).await;
    let all = data.key(KeyAccess::Full, None).await;
    let ids = |forms: &[&Form]| forms.iter().map(|form| form.id.to_string()).collect::<Vec<_>>();
    let get = async |key: &TestKey, query: &str| {
        data.send(&Method::GET, key, &format!("/v1/forms?{query}")).await
    };

    let whole = get(&key, "").await;
    assert_eq!(whole.ids(), ids(&[data.named(), &last]));
    assert_eq!(
        whole.json()["pagination"],
        json!({"total": 2, "limit": 20, "has_more": false, "next_cursor": null})
    );
    assert_eq!(get(&all, "").await.ids(), ids(&[data.named(), &data.targets[1].form, &last]));

    let first = get(&key, "limit=1").await;
    assert_eq!(first.ids(), ids(&[data.named()]));
    let pagination = &first.json()["pagination"];
    assert_eq!((&pagination["total"], &pagination["has_more"]), (&json!(2), &json!(true)));
    let cursor = pagination["next_cursor"].as_str().unwrap();
    let second = get(&key, &format!("limit=1&cursor={cursor}")).await;
    assert_eq!(second.ids(), ids(&[&last]));
    assert_eq!(second.json()["pagination"]["has_more"], json!(false));

    let only_deleted = data.key(KeyAccess::Full, Some(&[&deleted])).await;
    let none = get(&only_deleted, "").await.json();
    assert_eq!((&none["data"], &none["pagination"]["total"]), (&json!([]), &json!(0)));
    let path = format!("/v1/forms/{}/submissions", deleted.id);
    assert_eq!(data.send(&Method::GET, &only_deleted, &path).await.status, 404);
}

#[tokio::test]
async fn key_is_refused_from_its_end_on() {
    let data = Data::create().await;
    let end = contract::Timestamp::from_micros(data.app.clock.now().micros() + 10_000_000).unwrap();
    let new = NewKey { expires_at: Some(end), ..live_key() };
    let key = data.app.restricted_key(&data.account, new).await;
    let target = &data.targets[0];
    let form_path = format!("/v1/forms/{}", target.form.id);
    data.app.clock.advance_ms(9_999);
    assert_eq!(data.app.get(&key, &form_path).await.status, 200);
    data.app.clock.advance_ms(1);
    for (method, _, path) in routes_of(target) {
        let answer = data.app.call(method.clone(), &key, &path).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()), "{method} {path}");
        assert!(answer.body.contains("this API key has expired"), "{}", answer.body);
        assert!(!answer.header("x-ratelimit-limit").is_empty());
    }
    assert_eq!(data.app.get(&key, "/v1/forms").await.status, 403);
    assert_eq!(data.app.get(&key, "/v1/unknown").await.status, 403);

    let path = format!("/account/keys/{}", key.record.id);
    assert_eq!(data.app.act(&data.account, Method::DELETE, &path, "").await.status, 204);
    assert!(data.app.get(&key, &form_path).await.body.contains("this API key was revoked"));
}

#[tokio::test]
async fn restrictions_are_set_listed_and_audited_at_creation() {
    let data = Data::create().await;
    let form = data.named().id.to_string();
    let body = json!({"name": "Report", "mode": "live", "access": "read", "forms": [form],
        "expires_at": "2026-04-01"});
    let send = async |method: Method, path: &str, body: &str| {
        data.app.act(&data.account, method, path, body).await
    };
    let created = send(Method::POST, "/account/keys", &body.to_string()).await.json();
    let restrictions =
        |key: &Value| [&key["access"], &key["forms"], &key["expires_at"]].map(Value::clone);
    let expected = [json!("read"), json!([form]), json!("2026-04-01T00:00:00Z")];
    assert_eq!(restrictions(&created["data"]), expected);
    let listed = send(Method::GET, "/account/keys", "").await.json();
    assert_eq!(listed["data"][0], created["data"]);
    let audit = send(Method::GET, "/account/audit?action=key.created", "").await.json();
    assert_eq!(
        audit["data"][0]["detail"],
        json!({"name": "Report", "access": "read", "expires_at": "2026-04-01T00:00:00Z",
            "forms": 1, "form_ids": form})
    );

    let body = json!({"name": "Plain", "mode": "live", "forms": null, "expires_at": null});
    let plain = send(Method::POST, "/account/keys", &body.to_string()).await.json();
    assert_eq!(restrictions(&plain["data"]), [json!("full"), json!(null), json!(null)]);
    let audit = send(Method::GET, "/account/audit?action=key.created", "").await.json();
    assert_eq!(audit["data"][0]["detail"], json!({"name": "Plain"}));
}

#[tokio::test]
async fn invalid_restrictions_are_named() {
    let data = Data::create().await;
    let [own, _, test, foreign] = &data.targets[..] else { panic!("four targets") };
    let id = |target: &Target| target.form.id.to_string();
    let many: Vec<String> = (0..101).map(|n| format!("frm_{n}")).collect();
    for (restriction, expected) in [
        (json!({"access": "write"}), "unknown variant `write`"),
        (json!({"forms": []}), "must name 1 to 100 forms, but names 0"),
        (json!({"forms": many}), "must name 1 to 100 forms, but names 101"),
        (json!({"forms": "all"}), "expected a sequence"),
        (json!({"forms": ["sub_1"]}), "an id here is `frm_`"),
        (json!({"forms": [id(own), id(own)]}), id(own).as_str()),
        (json!({"forms": [id(own), "frm_none"]}), "`frm_none`, which is not a form"),
        (json!({"forms": [id(foreign)]}), &format!("`{}`, which is not a form", id(foreign))),
        (json!({"forms": [id(test)]}), &format!("`{}`, which belongs to the test", id(test))),
        (json!({"expires_at": "2026-03-01T12:00:04Z"}), "must be in the future, but is 2026-03-01"),
        (json!({"expires_at": "soon"}), "must be an ISO 8601 date"),
        (json!({"read_only": true}), "read_only"),
    ] {
        let mut body = json!({"name": "x", "mode": "live"});
        let members = restriction.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(members);
        let answer =
            data.app.act(&data.account, Method::POST, "/account/keys", &body.to_string()).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}");
        assert!(answer.body.contains(expected), "{body}: {}", answer.body);
    }
    assert_eq!(data.app.store.list_keys(&data.account).await.unwrap(), []);
}
