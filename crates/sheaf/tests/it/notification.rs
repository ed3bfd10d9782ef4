//! `sheaf notification`: adds, lists and removes addresses.

use crate::mail::MailFixture;
use crate::roles::sign_in;
use crate::server::Server;
use crate::test_env::TestEnv;
use crate::webhook::submit;
use serde_json::{Value, json};

const ID: &str = "ntf_01890000000070008000000000000000";

fn list(env: &TestEnv, form: &str) -> Value {
    env.json(&format!("notification list --form {form} --json"))
}

#[test]
fn added_notifications_are_listed_removed_and_audited() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let add = format!("notification add --form {form} --email");
    let first = env.run(&format!("{add} Reader@Example.org"));
    let options = "--every day --content link --time-zone Europe/Berlin --language de";
    let second = env.run(&format!("{add} other@example.org {options}"));
    let listed = list(&env, &form);
    let with_time = |mut expected: Value, n: usize| {
        expected["created_at"] = listed[n]["created_at"].clone();
        expected
    };
    let expected = json!({
        "id": first, "email": "reader@example.org", "view": null, "every": "submission",
        "content": "full", "time_zone": "UTC", "language": "en", "confirmed": true, "disabled": null,
        "last_error": null,
    });
    assert_eq!(listed[0], with_time(expected, 0));
    let expected = json!({
        "id": second, "email": "other@example.org", "view": null, "every": "day",
        "content": "link", "time_zone": "Europe/Berlin", "language": "de", "confirmed": true, "disabled": null,
        "last_error": null,
    });
    assert_eq!(listed[1], with_time(expected, 1));
    let table = env.run(&format!("notification list --form {form}"));
    assert!(table.contains("reader@example.org") && table.ends_with("enabled"), "{table}");
    assert_eq!(env.run(&format!("notification remove {first}")), format!("{first} is removed"));
    assert_eq!(list(&env, &form).as_array().unwrap().len(), 1);

    let log = env.run("audit export --account a@example.com");
    for action in ["notification.created", "notification.deleted"] {
        let mut lines = log.lines().filter(|line| line.contains(action));
        let line = lines.find(|line| line.contains(&first)).unwrap_or_else(|| panic!("{log}"));
        assert!(line.contains("reader@example.org"), "{line}");
    }
}

#[test]
fn invalid_notifications_are_refused() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let add = format!("notification add --form {form}");
    env.run(&format!("{add} --email a@b.example"));
    let error = env.fail(&format!("{add} --email A@B.example"));
    assert!(error.contains("a@b.example"), "{error}");
    for bad in ["nobody", "a@b@c", "a@b.example,c@d.example"] {
        let error = env.fail(&format!("{add} --email {bad}"));
        assert!(error.starts_with("`--email` must be"), "{bad}: {error}");
    }
    let error = env.fail(&format!("{add} --email c@d.example --time-zone Mars/Olympus"));
    assert!(error.contains("`Europe/Berlin`, but is `Mars/Olympus`"), "{error}");
    for bad in ["--every week", "--content none", "--language fr"] {
        let output = env.command(&format!("{add} --email c@d.example {bad}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
    assert_eq!(list(&env, &form).as_array().unwrap().len(), 1);
}

#[test]
fn shared_view_selects_submissions_of_daily_mails() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let server = Server::start(&env, "serve");
    let cookie = sign_in(&server, &env.run("account sign-in-link --account a@example.com"));
    let view = |name: &str, is_shared: bool| {
        let body = json!({ "name": name, "query": "status=open", "shared": is_shared });
        let path = format!("/account/forms/{form}/views");
        let answer = server.dashboard("POST", &path, &cookie, &body.to_string());
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["data"]["id"].as_str().unwrap().to_owned()
    };
    let (shared, private) = (view("Open", true), view("Mine", false));
    let add = format!("notification add --form {form} --email a@b.example");
    let error = env.fail(&format!("{add} --view {shared}"));
    assert_eq!(error, "`--every` must be `hour` or `day` with `--view`");
    let error = env.fail(&format!("{add} --every day --view {private}"));
    assert!(
        error
            .contains(&format!("must be a shared view of this form or `null`, but is `{private}`")),
        "{error}"
    );
    env.run(&format!("{add} --every day --view {shared}"));
    assert_eq!(list(&env, &form)[0]["view"], json!(shared));
    let table = env.run(&format!("notification list --form {form}"));
    assert!(table.contains(&shared), "{table}");
}

#[test]
fn unknown_ids_name_listing_command() {
    let env = TestEnv::with_account();
    let error = env.fail(&format!("notification remove {ID}"));
    let list = "see `sheaf notification list --form …`";
    assert_eq!(error, format!("there is no notification `{ID}`; {list}"));
    for command in ["list", "add --email a@b.example"] {
        let error = env.fail(&format!("notification {command} --form frm_unknown"));
        assert!(error.contains("see `sheaf form list"), "{error}");
    }
}

#[test]
fn restored_notifications_send_pending_mails() {
    let fixture = MailFixture::new("--every submission --language de");
    let server = Server::start(&fixture.env, "serve");
    let submission = submit(&server, &fixture.form);
    drop(server);
    let file = fixture.env.path("all.sheaf");
    fixture.env.run(&format!("dump {}", file.display()));
    let copy = TestEnv::new();
    copy.run(&format!("restore {}", file.display()));
    assert_eq!(list(&copy, &fixture.form), list(&fixture.env, &fixture.form));
    let server = Server::start(&copy, &format!("serve {}", fixture.smtp.options()));
    let mail = fixture.smtp.next_mail();
    assert!(mail.text().contains(&submission), "{}", mail.text());
    // The links of e-mails from before the dump still work.
    assert_eq!(server.ask("POST", &mail.link("unsubscribe"), &[], "").status, 200);
}
