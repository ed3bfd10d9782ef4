//! The audit log on the command line: verification, export, and one line per entry for any content.

use serde_json::Value;
use std::collections::BTreeSet;

use crate::roles::sign_in;
use crate::server::Server;
use crate::test_env::TestEnv;

fn export_entries(env: &TestEnv, more: &str) -> Vec<Value> {
    let text = env.run(&format!("audit export {more}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn action_names(notes: &[Value]) -> Vec<&str> {
    notes.iter().map(|note| note["action"].as_str().unwrap()).collect()
}

#[test]
fn commands_are_audited_as_system() {
    let env = TestEnv::with_account();
    let form = env.form("--field name");
    env.key("live");
    let key = env.json("key list --account a@example.com --json")[0]["id"].clone();
    env.run(&format!("key revoke {}", key.as_str().unwrap()));
    env.run(&format!("form rename {form} Other"));
    env.run(&format!("form analysis on {form}"));
    let lines = env.write("answers.ndjson", "{\"answers\":{\"name\":\"marked answer\"}}\n");
    env.run(&format!("import --form {form} {lines}"));
    env.run("account sign-in-link --account a@example.com");
    env.run("account add-member --account a@example.com --email r@example.com");
    let identity = "--issuer header:x-forwarded-email --subject a@example.com";
    env.run(&format!("account link-identity --account a@example.com {identity}"));
    env.run(&format!("account unlink-identity {identity}"));
    env.run("account remove-member --email r@example.com");
    let entries = export_entries(&env, "--account a@example.com");
    assert_eq!(
        action_names(&entries),
        [
            "audit.exported",
            "person.removed",
            "person.unlinked",
            "person.linked",
            "link.created",
            "person.added",
            "link.created",
            "submission.imported",
            "form.analysis_changed",
            "form.renamed",
            "key.revoked",
            "key.created",
            "form.created",
            "account.created",
        ]
    );
    assert!(entries.iter().all(|note| note["actor"]["kind"] == "system"));
    assert!(!format!("{entries:?}").contains("marked answer"));
    let recent = export_entries(&env, "--account a@example.com --to 2020-01-01");
    assert_eq!(recent.len(), 0);
    let csv = env.run("audit export --account a@example.com --format csv");
    assert!(csv.starts_with("place,at,account,mode,actor,"), "{csv}");
    assert_eq!(csv.lines().count(), 17);
}

#[test]
fn changed_audit_log_fails_verify_and_check() {
    let env = TestEnv::with_account();
    env.key("live");
    let printed = env.run("audit verify");
    let last = printed.lines().last().unwrap().to_owned();
    let end = last.split_whitespace().nth(2).unwrap().to_owned();
    assert!(last.ends_with("whole") && end.starts_with("2:"), "{printed}");
    env.run(&format!("audit verify --end {end}"));
    env.run("check");
    let conn = rusqlite::Connection::open(env.data().join("sheaf.db")).unwrap();
    conn.execute_batch(
        "DROP TRIGGER audit_is_not_changed; UPDATE audit SET detail = '{}' WHERE place = 1;",
    )
    .unwrap();
    for command in ["audit verify", "check"] {
        let output = env.command(command).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            printed.contains("entry 1 was changed after it was written"),
            "{command}: {printed}"
        );
    }
    let missing_entry = format!("audit verify --end 2:{}", "0".repeat(64));
    assert!(!env.command(&missing_entry).output().unwrap().status.success());
}

/// Uses characters that would forge a log line or control a terminal.
#[test]
fn hostile_names_stay_on_one_log_line() {
    let env = TestEnv::with_account();
    let name = "a\u{2028}b\u{202e}c";
    let mut create = env.command("form create --account a@example.com --name");
    create.arg(name);
    crate::test_env::expect_success(&create.output().unwrap());
    let mut server = Server::start(&env, "serve");
    let url = format!("http://{}/session", server.address);
    // Control characters in a header are refused earlier, by the HTTP parser.
    let agent = "\u{2028}\u{202e}Firefox/1";
    let body = r#"{"email":"x\r\n{\"level\":\"ERROR\"}@example.com","password":"marked-password"}"#;
    let sent = std::process::Command::new("curl")
        .args(["--silent", "--user-agent", agent, "--header", "x-sheaf-csrf: 1"])
        .args(["--json", body, &url, "--write-out", "%{http_code}"])
        .output()
        .unwrap();
    assert!(sent.stdout.ends_with(b"401"), "{sent:?}");
    server.signal("TERM");
    let logged = server.end();
    assert!(!logged.contains(['\u{2028}', '\u{202e}', '\u{1b}', '\r']), "{logged:?}");
    assert!(logged.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{logged}");
    let account_entries = env.run("audit export --account a@example.com");
    let system_entries = env.run("audit export");
    for text in [&account_entries, &system_entries] {
        assert!(!text.contains(['\u{2028}', '\u{202e}', '\u{1b}', '\r']), "{text:?}");
        assert!(!text.contains("marked-password") && !text.contains("ERROR"), "{text}");
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
    assert!(account_entries.contains(r#""name":"a b c""#), "{account_entries}");
    assert!(system_entries.contains("wrong_password"), "{system_entries}");
}

/// Members of an account act, one is removed, and the log still contains the removed address.
#[test]
fn audit_names_removed_members() {
    let env = TestEnv::with_account();
    let run = |arguments: &str| env.run(arguments);
    run("account create --email c@example.com --plan free");
    let form = run("form create --account a@example.com --name Form --field name");
    let invitation = run("account add-member --account a@example.com --email b@example.com");
    let mut server = Server::start(&env, "serve");
    let owner = sign_in(&server, &run("account sign-in-link --account a@example.com"));
    let reader = sign_in(&server, &invitation);
    let create = r#"{"name":"Website","mode":"live"}"#;
    for (method, path, cookie, body, status) in [
        ("POST", "/account/keys", &owner, create, 201),
        ("POST", "/account/keys", &reader, create, 403),
        ("GET", &format!("/api/live/v1/forms/{form}/submissions/export"), &reader, "", 200),
        ("POST", "/session", &String::new(), r#"{"email":"b@example.com","password":"x"}"#, 401),
    ] {
        let answer = server.dashboard(method, path, cookie, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
    }
    run("account remove-member --email b@example.com");
    server.signal("TERM");
    server.end();

    let account_entries = run("audit export --account a@example.com");
    let events: BTreeSet<String> = account_entries
        .lines()
        .map(|line| {
            let note: Value = serde_json::from_str(line).unwrap();
            let actor = &note["actor"];
            let action = note["action"].as_str().unwrap();
            let actor_name = actor["person"]["email"].as_str().or(actor["kind"].as_str()).unwrap();
            format!("{actor_name} {action} {}", note["outcome"].as_str().unwrap())
        })
        .collect();
    let expect = [
        "a@example.com key.created ok",
        "a@example.com session.begun ok",
        "b@example.com request.refused denied",
        "b@example.com session.begun ok",
        "b@example.com submission.export_begun ok",
        "b@example.com submission.export_ended ok",
        "nobody session.begun denied",
        "system account.created ok",
        "system audit.exported ok",
        "system form.created ok",
        "system link.created ok",
        "system person.added ok",
        "system person.removed ok",
    ];
    assert_eq!(events, expect.map(str::to_owned).into());
    let csv = run("audit export --account a@example.com --format csv");
    let headers = csv.lines().next().unwrap();
    assert!(headers.contains(",actor,actor_id,person,email,device,"), "{headers}");
    assert!(csv.lines().any(|line| line.contains(",b@example.com,")), "{csv}");
    // The logs of other accounts contain neither address.
    for export in ["audit export --account c@example.com", "audit export"] {
        let text = run(export);
        assert!(!text.contains("a@example.com") && !text.contains("b@example.com"), "{text}");
    }
    let verified = run("audit verify");
    assert!(verified.lines().skip(1).all(|line| line.ends_with("whole")), "{verified}");
}
