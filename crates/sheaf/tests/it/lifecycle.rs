//! Commands that change and delete accounts and forms.

use crate::commands::redact;
use crate::server::Server;
use crate::test_env::TestEnv;

#[test]
fn account_plan_and_email_are_changed() {
    let env = TestEnv::with_account();
    env.run("account create --email c@example.com --plan free");
    let link = env.run("account sign-in-link --account a@example.com");
    insta::assert_snapshot!(
        env.run("account set-plan a@example.com business"),
        @"a@example.com has the plan business"
    );
    insta::assert_snapshot!(
        env.run("account set-email a@example.com B@Example.com"),
        @"the owner's email address is now b@example.com, and the owner is signed out everywhere; create a sign-in link with `sheaf account sign-in-link`"
    );
    insta::assert_snapshot!(redact(&env.run("account list")), @r"
    ID EMAIL PLAN SIGN-IN CREATED
    acc_* b@example.com business link TIME
    acc_* c@example.com free link TIME
    ");
    let server = Server::start(&env, "serve");
    let token = link.split_once("token=").unwrap().1;
    let answer = server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{token}\"}}"));
    assert_eq!(answer.status, 401, "a link that went to the old address still works");
    insta::assert_snapshot!(
        env.fail("account set-email b@example.com C@example.com"),
        @"the email address `c@example.com` is in use; choose another one"
    );
    insta::assert_snapshot!(
        env.fail("account set-email b@example.com nonsense"),
        @"`NEW` must be an email address such as `you@example.com`, but is `nonsense`"
    );
    insta::assert_snapshot!(
        env.fail("account set-plan a@example.com free"),
        @"there is no account `a@example.com`; see `sheaf account list`"
    );
    let notes = env.run("audit export --account b@example.com");
    assert!(
        notes.contains(r#""detail":{"before":"a@example.com","email":"b@example.com"}"#),
        "{notes}"
    );
    assert!(notes.contains(r#""detail":{"before":"enterprise","plan":"business"}"#), "{notes}");
}

#[test]
fn account_deletion_removes_all_data() {
    let env = TestEnv::with_account();
    env.run("account create --email c@example.com --plan free");
    let form = env.form("--field name");
    env.run(&format!("sample --form {form} --count 5 --seed 1"));
    insta::assert_snapshot!(
        env.fail("account delete a@example.com"),
        @"there is no terminal to ask for confirmation; use `--yes` to delete without it"
    );
    let id = env.json("account list --json")[0]["id"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(
        env.run("account delete a@example.com --yes"),
        @"the account a@example.com is deleted"
    );
    assert!(env.fail("account delete a@example.com --yes").contains("there is no account"));
    assert!(env.fail(&format!("form show {form}")).contains("there is no form"));
    assert_eq!(env.json("account list --json").as_array().unwrap().len(), 1);
    let system_entries = env.run("audit export");
    let note = format!(r#""action":"account.deleted","object":{{"kind":"account","id":"{id}"}}"#);
    assert!(system_entries.contains(&note), "{system_entries}");
    assert!(!system_entries.contains("a@example.com"), "{system_entries}");
    env.check();
    let verified = env.run("audit verify");
    assert!(verified.lines().skip(1).all(|line| line.ends_with("whole")), "{verified}");
    env.run("account create --email a@example.com --plan pro");
}

#[test]
fn form_is_duplicated_and_deleted() {
    let env = TestEnv::with_account();
    let form = env.form("--field name --analysis");
    let copy = env.run(&format!("form duplicate {form} --name Second"));
    let shown = env.json(&format!("form show {copy} --json"));
    assert_eq!((&shown["name"], &shown["analysis"]), (&"Second".into(), &true.into()));
    assert_eq!(shown["fields"][0]["key"], "name");
    insta::assert_snapshot!(
        env.fail(&format!("form delete {form}")),
        @"there is no terminal to ask for confirmation; use `--yes` to delete without it"
    );
    let deleted = env.run(&format!("form delete {form} --yes"));
    assert_eq!(deleted, format!("{form} is deleted"));
    assert!(env.fail(&format!("form delete {form} --yes")).contains("there is no form"));
    let remaining = env.json("form list --account a@example.com --json");
    assert_eq!((remaining.as_array().unwrap().len(), &remaining[0]["id"]), (1, &copy.into()));
    env.check();
}

/// A command that was killed after its first transaction leaves rows that no query returns.
#[test]
fn killed_deletion_is_finished_by_repeat() {
    let env = TestEnv::with_account();
    let form = env.form("--field name");
    env.run(&format!("sample --form {form} --count 5 --seed 1"));
    let conn = rusqlite::Connection::open(env.data().join("sheaf.db")).unwrap();
    conn.execute_batch(
        "INSERT INTO accounts (id, email, email_folded, plan, created_at)
           VALUES ('deleted', '', 'deleted', 'free', 0);
         INSERT INTO deleted_forms (form) SELECT seq FROM forms;
         UPDATE forms SET id = 'deleted 1', account = 'deleted', analysis = 0;",
    )
    .unwrap();
    assert_eq!(env.json("account list --json").as_array().unwrap().len(), 1);
    let archive = env.path("archive");
    let dumped = env.json(&format!("dump {} --json", archive.display()));
    let rows = |table: &str| {
        let tables = dumped["tables"].as_array().unwrap();
        tables.iter().find(|it| it["table"] == table).unwrap()["rows"].clone()
    };
    assert_eq!(["accounts", "forms", "submissions"].map(rows), [1, 0, 0]);
    insta::assert_snapshot!(
        env.run(&format!("form delete {form} --yes")),
        @"finished an earlier deletion"
    );
    let remaining: i64 =
        conn.query_row("SELECT COUNT(*) FROM submissions", [], |row| row.get(0)).unwrap();
    assert_eq!(remaining, 0);
    assert!(env.fail(&format!("form delete {form} --yes")).contains("there is no form"));
}

#[test]
fn field_is_hidden_shown_and_deleted() {
    let env = TestEnv::with_account();
    let form = env.form("--field name --field age:number");
    let fields = || env.json(&format!("form show {form} --json"))["fields"].clone();
    let age = fields()[1]["id"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(
        env.run(&format!("form field hide {form} {age}")),
        @"hidden; its answers and its column in exports remain"
    );
    assert_eq!(fields()[1]["hidden"], true);
    assert!(env.run(&format!("form show {form}")).contains("number, hidden"));
    insta::assert_snapshot!(env.run(&format!("form field show {form} {age}")), @"shown");
    assert!(fields()[1]["hidden"].is_null());
    insta::assert_snapshot!(
        env.run(&format!("form field delete {form} {age}")),
        @"deleted; its answers remain in the submissions"
    );
    assert_eq!(fields().as_array().unwrap().len(), 1);
    assert_eq!(
        env.fail(&format!("form field delete {form} {age}")),
        format!("this form has no field `{age}`; see `sheaf form show`")
    );
    let audit = env.run("audit export --account a@example.com");
    assert!(audit.contains(r#""deleted":1"#), "{audit}");
}
