//! Large hostile bodies, sent to every route that takes a body.

use super::fixture::{MODES, TwoAccounts};
use super::routes::{ALL, Access, Route};

/// Maximum size of a response, in bytes.
const ANSWER_BYTES_MAX: usize = 2048;
/// Size of a body, in bytes. A route either has a larger limit, or refuses the body by its length.
const BODY_BYTES: usize = 250_000;

/// Returns bodies that no route accepts.
fn hostile_bodies() -> Vec<(&'static str, String)> {
    let keys = "svc_sk_-".repeat(BODY_BYTES / 8);
    let text = "a".repeat(BODY_BYTES);
    let quotes = "`\\\"".repeat(BODY_BYTES / 4);
    vec![
        ("many keys in a name", format!("{{\"{keys}\":\"\\ud800\"}}")),
        ("many keys in a text", format!("{{\"name\":\"\\ud800\",\"{keys}\":\"{keys}\"}}")),
        ("a long name", format!("{{\"{text}\":\"\\ud800\"}}")),
        ("a long text in place of an object", format!("\"{text}\"")),
        ("many quotes", format!("{{\"{quotes}\":\"\\ud800\"}}")),
        ("deep lists", "[".repeat(BODY_BYTES)),
        ("deep objects", "{\"a\":".repeat(BODY_BYTES / 5)),
        ("deep lists in a value", format!("{{\"Name\":{}", "[".repeat(BODY_BYTES))),
        ("raw values", nested_raw_values("RawValue")),
        ("raw values in an answer", format!("{{\"Name\":{}}}", nested_raw_values("RawValue"))),
        ("deep raw values", "{\"$serde_json::private::RawValue\":".repeat(BODY_BYTES / 34)),
        ("numbers of any size", nested_raw_values("Number")),
        ("a long number", format!("{{\"Name\":{}}}", "9".repeat(BODY_BYTES))),
    ]
}

/// Returns JSON nested as text in JSON. Its key has a special meaning in `serde_json`, which may
/// parse the text again. Each level has as many lists around it as `serde_json` accepts.
fn nested_raw_values(kind: &str) -> String {
    let mut body = String::from("1");
    while body.len() < BODY_BYTES / 2 {
        let text = serde_json::to_string(&body).unwrap();
        let open = "[".repeat(125);
        let close = "]".repeat(125);
        body = format!("{open}{{\"$serde_json::private::{kind}\":{text}}}{close}");
    }
    body
}

/// Sends each body to the routes, as the owner of their objects.
pub(super) fn send_hostile_bodies(fixture: &TwoAccounts) {
    let mut wrong = Vec::new();
    let bodies = hostile_bodies();
    let routes = ALL.iter().filter(|route| ["POST", "PUT"].contains(&route.method));
    for (n, route) in routes.enumerate() {
        for (m, (what, body)) in bodies.iter().enumerate() {
            // Unless this is a full run, a third of the routes gets each body.
            if !test_servers::is_in_rotation(n + m, 3) {
                continue;
            }
            let answer = super::retry_rate_limited(|| request_as_owner(fixture, route, body));
            let status = answer.status;
            let length = answer.body.len();
            if status >= 500 || length > ANSWER_BYTES_MAX {
                let Route { method, template, .. } = route;
                wrong.push(format!("{method} {template}, {what}: {status}, {length} bytes"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn request_as_owner(
    fixture: &TwoAccounts,
    route: &Route,
    body: &str,
) -> crate::server::HttpResponse {
    let mode = MODES[0];
    let path = route.fill_path(fixture.victim.ids_in(mode), &fixture.victim, mode);
    match route.access {
        Access::Open(_) | Access::Key | Access::KeyOwn => {
            fixture.server.ask(route.method, &path, &[], body)
        }
        _ => fixture.server.dashboard(route.method, &path, &fixture.victim.cookie, body),
    }
}
