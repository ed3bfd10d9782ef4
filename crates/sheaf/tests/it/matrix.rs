//! Access matrix: every route is requested in every state of a key and of a session, for two
//! accounts and two environments. The test checks each status, that no response contains data of
//! the other account, and that the other account's rows are unchanged afterwards.
//!
//! It fails for a route that is missing in `routes::ALL`, and for a database table that is missing
//! in the lists of `rows`.

mod fixture;
mod hostile;
mod limited;
mod roles;
mod routes;
mod rows;
mod states;

use self::fixture::{MARKER, MODES, TwoAccounts};
use self::routes::{ALL, Access, Route};
use self::rows::RowSnapshot;
use self::states::{Credentials, KeyState};
use crate::server::HttpResponse;
use gateway::ENDPOINTS;
use std::time::Duration;

/// Returns the expected status of a route in a state.
fn expected_status(route: &Route, state: &Credentials) -> u16 {
    if state.is_cross_site && route.is_behind_gateway() {
        return 403;
    }
    match route.access {
        Access::Open(status) => status,
        Access::Key => match state.key {
            KeyState::None => 401,
            KeyState::Revoked | KeyState::OtherMode => 403,
            KeyState::Stranger => 404,
            KeyState::Owner => route.status,
        },
        Access::KeyOwn => match state.key {
            KeyState::None => 401,
            KeyState::Revoked => 403,
            KeyState::OtherMode | KeyState::Stranger | KeyState::Owner => route.status,
        },
        _ if !state.is_signed_in => 401,
        Access::Forwarded(_) | Access::Object(_) if !state.is_owner => 404,
        Access::Forwarded(_) if state.uses_other_mode => 403,
        Access::Forwarded(_) | Access::Object(_) | Access::Own(_) => route.status,
    }
}

/// Sends every request of the attacker to every object of the victim.
fn run_matrix(fixture: &TwoAccounts) {
    let before = RowSnapshot::load(fixture);
    let mut requests = 0;
    let mut wrong = Vec::new();
    for mode in MODES {
        for state in states::all_states(fixture, mode) {
            for route in ALL.iter().filter(|route| state.is_tested(route)) {
                let path = route.fill_path(
                    fixture.victim.ids_in(mode),
                    &fixture.victim,
                    state.request_mode(mode),
                );
                let cookie = if route.ends_session && state.is_signed_in && !state.is_owner {
                    // This request ends its session, so it gets a session of its own.
                    state.with_cookie(&fixture.sign_in(&fixture.attacker))
                } else {
                    state.headers.clone()
                };
                let headers: Vec<&str> = cookie.iter().map(String::as_str).collect();
                let answer = retry_rate_limited(|| {
                    fixture.server.ask(route.method, &path, &headers, route.body)
                });
                requests += 1;
                let expect = expected_status(route, &state);
                let request_line = format!("{} {path} as {} in {mode}", route.method, state.name);
                if answer.status != expect {
                    let printed = String::from_utf8_lossy(&answer.body).into_owned();
                    wrong.push(format!(
                        "{request_line}: got {}, expected {expect}: {printed}",
                        answer.status
                    ));
                }
                let text = String::from_utf8_lossy(&answer.body);
                let leaks = text.contains(&fixture.victim.marker()) || answer.head.contains(MARKER);
                if leaks && !state.is_authorized(route) {
                    wrong.push(format!(
                        "{request_line}: the response contains data of the other account"
                    ));
                }
            }
        }
    }
    for page in fixture.dashboard_pages() {
        let cookie = format!("Cookie: {}", fixture.attacker.cookie);
        for headers in [&[cookie.as_str()][..], &[]] {
            let answer = fixture.server.ask("GET", &page, headers, "");
            if String::from_utf8_lossy(&answer.body).contains(&fixture.victim.marker()) {
                wrong.push(format!("the page {page} shows the other account's rows"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {requests}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(requests > 1000, "only {requests} requests");
    assert_eq!(mixed_object_requests(fixture), [""; 0]);
    before.assert_unchanged(&RowSnapshot::load(fixture));
    submissions_only_add(fixture, &before);
}

/// Requests objects of the victim by routes of the attacker's own forms, and returns the failures.
fn mixed_object_requests(fixture: &TwoAccounts) -> Vec<String> {
    let TwoAccounts { server, victim, attacker, .. } = fixture;
    let mut wrong = Vec::new();
    let mut check = |case: &str, answer: &HttpResponse, expect: u16| {
        if answer.status != expect || answer.text().contains(&victim.marker()) {
            wrong.push(format!("{case}: got {}, expected {expect}", answer.status));
        }
    };
    let ask = |method: &str, path: &str, body: &str| {
        retry_rate_limited(|| server.dashboard(method, path, &attacker.cookie, body))
    };
    for (n, mode) in MODES.into_iter().enumerate() {
        let victim_ids = victim.ids_in(mode);
        let mine = attacker.ids_in(mode);
        let spam_path = format!("/account/forms/{}/spam/{}", mine.form, victim_ids.spam);
        check(&spam_path, &ask("DELETE", &spam_path, ""), 404);
        let release = format!("{spam_path}/release");
        check(&release, &ask("POST", &release, "{}"), 404);
        let webhook = format!("/account/forms/{}/webhooks/{}", mine.form, victim_ids.webhook);
        check(&webhook, &ask("DELETE", &webhook, ""), 404);
        let log = format!("{webhook}/deliveries");
        check(&log, &ask("GET", &log, ""), 404);
        let own_webhook = format!("/account/forms/{}/webhooks/{}", mine.form, mine.webhook);
        let replay = format!("{own_webhook}/deliveries/{}/replay", victim_ids.delivery);
        check(&replay, &ask("POST", &replay, ""), 404);
        let notification =
            format!("/account/forms/{}/notifications/{}", mine.form, victim_ids.notification);
        check(&notification, &ask("DELETE", &notification, ""), 404);
        let test = format!("{notification}/test");
        check(&test, &ask("POST", &test, ""), 404);
        let foreign = format!("/account/forms/{}/submissions/{}", mine.form, victim_ids.submission);
        check(&foreign, &ask("GET", &foreign, ""), 404);
        let notes = format!("{foreign}/notes");
        let body = r#"{"text":"taken"}"#;
        check(&notes, &ask("POST", &notes, body), 404);
        let note = format!(
            "/account/forms/{}/submissions/{}/notes/{}",
            mine.form, mine.submission, victim_ids.note
        );
        check(&note, &ask("PUT", &note, body), 404);
        check(&note, &ask("DELETE", &note, ""), 404);
        let view = format!("/account/forms/{}/views/{}", mine.form, victim_ids.view);
        check(&view, &ask("PATCH", &view, r#"{"name":"taken"}"#), 404);
        check(&view, &ask("DELETE", &view, ""), 404);
        let list = |form: &str| format!("/v1/forms/{form}/submissions?limit=1");
        let page = server.get(&list(&victim_ids.form), &victim.keys[n]).json();
        let cursor = page["pagination"]["next_cursor"].as_str().unwrap().to_owned();
        let next = format!("{}&cursor={cursor}", list(&mine.form));
        check(&next, &server.get(&next, &attacker.keys[n]), 400);
        let export =
            format!("/v1/forms/{}/submissions/export?fields={}", mine.form, victim_ids.field);
        check(&export, &server.get(&export, &attacker.keys[n]), 400);
    }
    wrong
}

/// Repeats a request while it exceeds the intake limit of its address.
fn retry_rate_limited(request: impl Fn() -> HttpResponse) -> HttpResponse {
    for _ in 0..100 {
        let answer = request();
        if answer.status != 429 {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the request is still rate limited after 10 seconds")
}

/// Checks that submissions with foreign ids and credentials add rows to a form and change no other.
fn submissions_only_add(fixture: &TwoAccounts, before: &RowSnapshot) {
    for mode in MODES {
        let path = format!("/f/{}", fixture.victim.ids_in(mode).form);
        let key = format!("X-API-Key: {}", fixture.attacker.keys[0]);
        let cookie = format!("Cookie: {}", fixture.attacker.cookie);
        let victim_id = &fixture.victim.ids_in(mode).submission;
        let planted = format!(
            r#"{{"Name":"x","id":"{victim_id}","form_id":"frm_x","account":"{}","metadata":{{"submitted_at":"2001-01-01T00:00:00Z"}}}}"#,
            fixture.attacker.account
        );
        for body in [r#"{"Name":"a walrus"}"#, &planted] {
            let answer =
                retry_rate_limited(|| fixture.server.ask("POST", &path, &[&key, &cookie], body));
            assert!(matches!(answer.status, 201 | 400), "{}", answer.text());
        }
    }
    RowSnapshot::load(fixture).assert_contains(before);
}

#[test]
fn account_cannot_reach_other_account() {
    run_matrix(&TwoAccounts::start("ada", "bea"));
}

#[test]
fn hostile_bodies_get_short_errors() {
    hostile::send_hostile_bodies(&TwoAccounts::start("ada", "bea"));
}

/// Compares `routes::ALL` with the published `OpenAPI` document and the gateway's table of
/// endpoints.
#[test]
fn matrix_contains_every_route() {
    let document = api::openapi_document();
    let mut published = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            published.push((method.to_uppercase(), path.clone()));
        }
    }
    for endpoint in &ENDPOINTS {
        let path = endpoint.template.replace("{form}", "{form_id}");
        let path = format!("/api/{{mode}}{}", path.replace("{submission}", "{id}"));
        let methods = endpoint.methods.split(", ");
        published.extend(methods.map(|method| (method.to_owned(), path.clone())));
    }
    // Browsers send these reports, so the route is not in the published document.
    published.push(("POST".to_owned(), "/csp-report".to_owned()));
    let name_of = |route: &Route| (route.method.to_owned(), route.template.to_owned());
    let mut tested: Vec<_> = ALL.iter().map(name_of).collect();
    published.sort();
    tested.sort();
    assert_eq!(tested, published);
}
