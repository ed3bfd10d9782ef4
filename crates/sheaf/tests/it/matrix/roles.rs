//! The dimension role of the matrix: a reader and an editor request every route of their account.

use super::fixture::{ObjectIds, TwoAccounts};
use super::limited::{Requests, add_member};
use super::routes::ALL;
use super::rows::RowSnapshot;
use contract::Role;
use serde_json::Value;

#[test]
fn each_role_uses_its_routes_only() {
    let fixture = TwoAccounts::start("ada", "bea");
    let cookie = |role| add_member(&fixture, role, "free", &Value::Null).1;
    let members = [Role::Reader, Role::Editor].map(|role| (role, cookie(role)));
    let requests = Requests { fixture: &fixture, mode: "live" };
    let own = &fixture.victim.live;
    let routes = || ALL.iter().filter_map(|route| Some((route, route.role()?)));
    let before = RowSnapshot::load(&fixture);
    for (role, cookie) in &members {
        for (route, lowest) in routes() {
            let case = format!("{} {} as {role}", route.method, route.template);
            if *role < lowest {
                let answer = requests.send(route, own, cookie);
                assert_eq!(answer.status, 403, "{case}: {}", answer.text());
                let error = answer.json();
                assert_eq!(error["error"], "forbidden", "{case}");
                assert!(error["needs"].is_null(), "{case}: authentication must not grant access");
            } else if lowest == Role::Reader && route.method == "GET" {
                let answer = requests.send(route, own, cookie);
                assert_eq!(answer.status, route.status, "{case}: {}", answer.text());
            }
        }
    }
    // Neither a refused request nor a read changes data.
    before.assert_unchanged(&RowSnapshot::load(&fixture));
    // Only its author may edit a note, so this note does not exist.
    let own = ObjectIds { note: "nte_unknown".to_owned(), ..own.clone() };
    let (_, editor) = &members[1];
    for (route, _) in routes().filter(|(_, lowest)| *lowest == Role::Editor) {
        let answer = requests.send(route, &own, editor);
        assert_ne!(answer.status, 403, "{}: {}", route.template, answer.text());
    }
}
