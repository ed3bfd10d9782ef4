//! Access control: every caller against the data of every account, on every route.

use crate::app::{App, TestKey, TestResponse, submission};
use axum::body::Body;
use contract::account::Principal;
use contract::{AccountId, Environment, Filter, Form, FormAccess, Plan, Role};
use http::{Method, Request};
use serde_json::json;
use std::fmt::Write;
use store::{Owner, secret};
use tower::ServiceExt as _;

/// Data of one account in one environment.
struct AccountData {
    account: AccountId,
    environment: Environment,
    form: Form,
    submission: String,
    active: TestKey,
    revoked: TestKey,
}

/// Creates two accounts, each with a form, a submission and keys in both environments.
async fn create_accounts(app: &App) -> Vec<AccountData> {
    let mut accounts = Vec::new();
    for name in ["a", "b"] {
        let account = app.account(Plan::Enterprise).await;
        for environment in Environment::ALL {
            let form = app.form(&account, environment, &["name"]).await;
            let id = format!("{name}_{environment}");
            let row = submission(&form, &id, "2026-02-01", json!({"name": format!("datum {id}")}));
            app.submit(&form, vec![row]).await;
            let active = app.key(&account, environment).await;
            let revoked = app.key(&account, environment).await;
            let now = revoked.record.created_at;
            app.store.revoke_key(&account, &revoked.record.id, now).await.unwrap();
            let account = account.clone();
            let submission = format!("sub_{id}");
            accounts.push(AccountData { account, environment, form, submission, active, revoked });
        }
    }
    accounts
}

/// Returns the data of all accounts as text.
async fn dump_all_data(app: &App, accounts: &[AccountData]) -> String {
    let mut bodies = String::new();
    for account in accounts {
        let form = &account.form.id;
        let account_id = account.account.clone();
        let owner = Owner { account_id, environment: account.environment };
        let page = app.store.list_page(&owner, form, &Filter::default(), None, 100).await.unwrap();
        let keys = app.store.list_keys(&account.account).await.unwrap();
        let revoked: Vec<_> = keys.iter().map(|key| (&key.id, key.revoked_at)).collect();
        let form = app.store.find_form(form).await.unwrap();
        writeln!(bodies, "{page:?} {revoked:?} {form:?}").unwrap();
    }
    bodies
}

fn routes_of(account: &AccountData) -> [(Method, String); 5] {
    let list = format!("/v1/forms/{}/submissions", account.form.id);
    let submission_path = format!("/v1/submissions/{}", account.submission);
    [
        (Method::GET, list.clone()),
        (Method::GET, format!("{list}/export")),
        (Method::GET, format!("{list}/export?format=json")),
        (Method::GET, submission_path.clone()),
        (Method::DELETE, submission_path),
    ]
}

/// Authentication of a request.
#[derive(Clone)]
enum RequestAuth<'a> {
    Anonymous,
    Key(&'a str),
    SignedIn(Principal),
}

fn signed_in(account_id: &AccountId, role: Role, environment: Environment) -> RequestAuth<'static> {
    RequestAuth::SignedIn(Principal {
        account_id: account_id.clone(),
        role,
        forms: FormAccess::default(),
        environment,
    })
}

async fn send_request(app: &App, method: &Method, path: &str, by: RequestAuth<'_>) -> TestResponse {
    app.clock.advance_ms(1000);
    let request = Request::builder().method(method).uri(path);
    let request = match by {
        RequestAuth::Anonymous => request,
        RequestAuth::Key(secret) => request.header("x-api-key", secret),
        RequestAuth::SignedIn(principal) => request.extension(principal),
    };
    app.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn callers_access_only_their_own_data() {
    let app = App::start().await;
    let accounts = create_accounts(&app).await;
    let before = dump_all_data(&app, &accounts).await;
    let mut requests = 0;
    for (caller, target) in accounts.iter().flat_map(|c| accounts.iter().map(move |t| (c, t))) {
        let is_own = caller.account == target.account;
        let opens = is_own && caller.environment == target.environment;
        let allowed = if opens {
            200
        } else if is_own {
            403
        } else {
            404
        };
        let unknown = secret::generate_secret(caller.environment);
        let callers = [
            (RequestAuth::Key(&caller.active.secret), allowed),
            (signed_in(&caller.account, Role::Owner, caller.environment), allowed),
            (RequestAuth::Key(&caller.revoked.secret), 403),
            (RequestAuth::Key(unknown.expose()), 401),
            (RequestAuth::Anonymous, 401),
        ];
        for (method, path) in routes_of(target) {
            for (by, status) in callers.clone() {
                if method == Method::DELETE && status == 200 {
                    continue;
                }
                // Requests without a known key share a window of a hundred. Start another before it
                // is full.
                if requests % 80 == 0 {
                    app.clock.advance_ms(901_000);
                }
                requests += 1;
                let answer = send_request(&app, &method, &path, by).await;
                assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
                assert_eq!(
                    answer.body.contains("datum "),
                    status == 200 && opens,
                    "{}",
                    answer.body
                );
                if status == 200 && path.ends_with("/submissions") {
                    assert_eq!(answer.ids(), std::slice::from_ref(&target.submission));
                }
                let answer_text = format!("{answer:?}");
                for secret in accounts.iter().flat_map(|it| [&it.active.secret, &it.revoked.secret])
                {
                    assert!(!answer_text.contains(secret.as_str()), "{answer_text}");
                }
            }
        }
    }
    assert_eq!(requests, 16 * 5 * 5 - 4 * 2);
    assert_eq!(dump_all_data(&app, &accounts).await, before);
    for account in &accounts {
        let path = format!("/v1/submissions/{}", account.submission);
        let deleted =
            send_request(&app, &Method::DELETE, &path, RequestAuth::Key(&account.active.secret))
                .await;
        assert_eq!(deleted.status, 204, "own submission, own key");
    }
}

#[tokio::test]
async fn key_with_mismatched_environment_returns_401() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Test).await;
    app.sql("UPDATE keys SET environment = 'live'");
    assert_eq!(app.get(&key, "/v1/submissions/sub_x").await.status, 401);
}

#[tokio::test]
async fn errors_do_not_repeat_secrets() {
    let (app, key, form) = App::with_form(&[]).await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    let secret = &key.secret;
    for path in [
        format!("{list}?limit={secret}"),
        format!("{list}?{secret}=1"),
        format!("{list}?cursor={secret}"),
        format!("{list}?date_from={secret}"),
        format!("{list}/export?format={secret}"),
        format!("{list}/export?fields=fld_{secret}"),
        format!("/v1/submissions/sub_{secret}"),
        format!("/v1/{secret}"),
    ] {
        let answer = app.get(&key, &path).await;
        assert!((400..=404).contains(&answer.status), "{path}");
        assert!(!format!("{answer:?}").contains(&secret[15..40]), "{answer:?}");
    }
}

#[tokio::test]
async fn session_needs_account_and_uses_plan_limit() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let form = app.form(&account, Environment::Test, &[]).await;
    let path = format!("/v1/forms/{}/submissions", form.id);
    let owner = signed_in(&account, Role::Owner, Environment::Test);
    let answer = send_request(&app, &Method::GET, &path, owner).await;
    assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (200, "99"));
    assert!(app.store.list_keys(&account).await.unwrap().is_empty());
    let unknown_account = signed_in(&"acc_nobody".parse().unwrap(), Role::Owner, Environment::Live);
    let answer = send_request(&app, &Method::GET, "/v1/submissions/sub_1", unknown_account).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn reader_cannot_delete_submission() {
    let app = App::start().await;
    let accounts = create_accounts(&app).await;
    let account = &accounts[0];
    let before = dump_all_data(&app, &accounts).await;
    let submission_path = format!("/v1/submissions/{}", account.submission);
    let environment = account.environment;
    let principal = |role| signed_in(&account.account, role, environment);
    assert_eq!(
        send_request(&app, &Method::GET, &submission_path, principal(Role::Reader)).await.status,
        200
    );
    let refused =
        send_request(&app, &Method::DELETE, &submission_path, principal(Role::Reader)).await;
    assert_eq!((refused.status, refused.json()["error"].as_str()), (403, Some("forbidden")));
    assert_eq!(dump_all_data(&app, &accounts).await, before);
    let other_path = format!("/v1/submissions/{}", accounts[2].submission);
    let refused = send_request(&app, &Method::DELETE, &other_path, principal(Role::Reader)).await;
    assert_eq!(refused.status, 404, "submissions of other accounts are hidden");
    assert_eq!(
        send_request(&app, &Method::DELETE, &submission_path, principal(Role::Owner)).await.status,
        204
    );
}

#[tokio::test]
async fn reader_cannot_use_owner_routes() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let status = async |method: Method, path: &str, role: Option<Role>| {
        let mut request = Request::builder().method(method).uri(path).extension(account.clone());
        if let Some(role) = role {
            request = request.extension(role).extension(FormAccess::default());
        }
        let request = request.body(Body::empty()).unwrap();
        app.account.clone().oneshot(request).await.unwrap().status().as_u16()
    };
    let reader = Some(Role::Reader);
    for (method, path) in [
        (Method::POST, "/account/forms"),
        (Method::DELETE, "/account/forms/frm_1/spam"),
        (Method::GET, "/account/keys"),
        (Method::DELETE, "/account/keys/key_1"),
    ] {
        assert_eq!(status(method.clone(), path, reader).await, 403, "{method} {path}");
    }
    assert_eq!(status(Method::GET, "/account/forms", reader).await, 200);
    assert_eq!(status(Method::GET, "/account/forms", None).await, 401, "the role is missing");
    let without_access = Request::get("/account/forms").extension(account).extension(Role::Owner);
    let request = without_access.body(Body::empty()).unwrap();
    let answer = app.account.clone().oneshot(request).await.unwrap();
    assert_eq!(answer.status().as_u16(), 401, "the access to forms is missing");
}

#[tokio::test]
async fn limited_user_does_not_learn_of_other_forms() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let own = app.form(&account, Environment::Live, &[]).await;
    let hidden = [
        app.form(&account, Environment::Live, &[]).await,
        app.form(&account, Environment::Test, &[]).await,
    ];
    for (form, id) in [(&own, "own"), (&hidden[0], "live"), (&hidden[1], "test")] {
        app.submit(form, vec![submission(form, id, "2026-02-01", json!({}))]).await;
    }
    let limited = RequestAuth::SignedIn(Principal {
        account_id: account.clone(),
        role: Role::Editor,
        forms: FormAccess(Some(vec![own.id.clone()])),
        environment: Environment::Live,
    });
    let get = async |path: String| {
        let answer = send_request(&app, &Method::GET, &path, limited.clone()).await;
        (answer.status, answer.body)
    };
    for rest in ["", "/submissions", "/submissions?cursor=x", "/submissions/export?format=csv"] {
        let path = |form: &str| format!("/v1/forms/{form}{rest}");
        let unknown = get(path("frm_unknown")).await;
        assert_eq!(unknown.0, 404, "{rest}");
        for form in &hidden {
            assert_eq!(get(path(form.id.as_str())).await, unknown, "{rest}");
        }
        let expected = if rest.ends_with("cursor=x") { 400 } else { 200 };
        assert_eq!(get(path(own.id.as_str())).await.0, expected, "{rest}");
    }
    let unknown = get("/v1/submissions/sub_unknown".to_owned()).await;
    for id in ["live", "test"] {
        assert_eq!(get(format!("/v1/submissions/sub_{id}")).await, unknown);
    }
    assert_eq!(get("/v1/submissions/sub_own".to_owned()).await.0, 200);
    let (status, list) = get("/v1/forms".to_owned()).await;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!((status, &list["pagination"]["total"]), (200, &1.into()));
    assert_eq!(list["data"][0]["id"], own.id.as_str());
}

#[tokio::test]
async fn key_use_is_recorded_once_a_minute() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let last_used = async || app.store.list_keys(&account).await.unwrap()[0].last_used_at;
    let settled = async |wanted| {
        for _ in 0..500 {
            if last_used().await == wanted {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{:?} is not {wanted:?}", last_used().await);
    };
    assert_eq!(last_used().await, None);
    let first = store::clock::Clock::now(&*app.clock);
    app.get(&key, "/v1/submissions/sub_1").await;
    settled(Some(first)).await;

    app.clock.advance_ms(59_000);
    app.get(&key, "/v1/submissions/sub_1").await;
    app.clock.advance_ms(1000);
    let second = store::clock::Clock::now(&*app.clock);
    app.get(&key, "/v1/submissions/sub_1").await;
    settled(Some(second)).await;
}

#[tokio::test]
async fn deletion_and_revocation_apply_at_once() {
    let (app, key, form) = App::with_form(&["name"]).await;
    app.submit(&form, vec![submission(&form, "a", "2026-02-01", json!({"name": "Ada"}))]).await;
    let path = "/v1/submissions/sub_a";
    assert_eq!(app.get(&key, path).await.status, 200);
    app.store.delete_submission(&"sub_a".parse().unwrap()).await.unwrap();
    assert_eq!(app.get(&key, path).await.status, 404);
    app.submit(&form, vec![submission(&form, "a", "2026-02-02", json!({"name": "Bo"}))]).await;
    let again = app.get(&key, path).await;
    assert!(again.status == 200 && again.body.contains("Bo"), "{}", again.body);
    // As another process would do it.
    app.sql("UPDATE keys SET revoked_at = 1");
    assert_eq!(app.get(&key, path).await.status, 403);
}
