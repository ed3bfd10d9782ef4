//! Accounts, forms, keys and backups: output and errors of the commands.

use serde_json::{Value, json};

use crate::test_env::{TestEnv, expect_failure, expect_success, mode, run_with_input};

/// Replaces ids and times, which differ from run to run.
pub(crate) fn redact(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n', '"', ',', '…', '`']) {
        let bare = word.trim_end_matches([' ', '\n', '"', ',', '…', '`']);
        let is_time = bare.len() > 19 && bare.starts_with("20") && bare.ends_with('Z');
        let end = &word[bare.len()..];
        match bare.get(..4) {
            Some(kind @ ("acc_" | "psn_" | "frm_" | "fld_" | "key_")) if bare.len() == 30 => {
                out += kind;
                out += "*";
            }
            _ if is_time => out += "TIME",
            _ => out += bare,
        }
        out += end;
    }
    // Column widths depend on the replaced values, so runs of spaces become one space.
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn create_account_rejects_duplicate_email() {
    let env = TestEnv::new();
    let id = env.run("account create --email A@Example.COM --plan pro");
    assert_eq!(redact(&id), "acc_*");
    insta::assert_snapshot!(
        env.fail("account create --email a@example.com --plan free"),
        @"the email address `a@example.com` is in use; see `sheaf account list`"
    );
    insta::assert_snapshot!(redact(&env.run("account list")), @r"
    ID EMAIL PLAN SIGN-IN CREATED
    acc_* a@example.com pro link TIME
    ");
    insta::assert_snapshot!(
        redact(&env.run("account list --json")),
        @r#"[{"id":"acc_*","email":"a@example.com","plan":"pro"}]"#
    );
    assert_eq!(mode(&env.data()), 0o700);
    assert_eq!(mode(&env.data().join("sheaf.db")), 0o600);
}

#[test]
fn members_are_added_listed_changed_and_removed() {
    let env = TestEnv::with_account();
    let link = env.run("account add-member --account a@example.com --email B@Example.com");
    assert!(link.starts_with("http://127.0.0.1:8080/sign-in#token="), "{link}");
    insta::assert_snapshot!(redact(&env.run("account people --account a@example.com")), @r"
    ID EMAIL ROLE FORMS SIGN-IN CREATED
    psn_* a@example.com owner all link TIME
    psn_* b@example.com reader all link TIME
    ");
    // The data of `sheaf gateway` contain no forms, so the form is not checked.
    env.run("account set-member --email b@example.com --form frm_elsewhere");
    check_member_changes(&env);
    insta::assert_snapshot!(
        env.fail("account add-member --account a@example.com --email b@example.com"),
        @"the email address `b@example.com` is in use; see `sheaf account people --account …`"
    );
    let link = env.run("account sign-in-link --account b@example.com");
    assert!(link.contains("/sign-in#token="), "{link}");
    insta::assert_snapshot!(
        env.fail("account remove-member --email a@example.com"),
        @"`a@example.com` is the owner of an account, who cannot be removed"
    );
    assert_eq!(env.run("account remove-member --email b@example.com"), "removed b@example.com");
    insta::assert_snapshot!(
        env.fail("account remove-member --email b@example.com"),
        @"there is no member with the email address `b@example.com`"
    );
    assert!(
        env.fail("account sign-in-link --account b@example.com").contains("there is no member")
    );
}

/// Changes role and forms of the member `b@example.com`.
fn check_member_changes(env: &TestEnv) {
    let form = env.form("");
    let member = || {
        let people = env.json("account people --account a@example.com --json");
        let member = people.as_array().unwrap().iter().find(|one| one["email"] == "b@example.com");
        let member = member.unwrap();
        (member["role"].clone(), member["forms"].clone())
    };
    let set = "account set-member --email b@example.com";
    let changed = env.run(&format!("{set} --role editor --form {form}"));
    assert_eq!(changed, "changed b@example.com");
    assert_eq!(member(), (json!("editor"), json!([form])));
    env.run(&format!("{set} --role reader"));
    assert_eq!(member(), (json!("reader"), json!([form])));
    env.run(&format!("{set} --all-forms"));
    assert_eq!(member(), (json!("reader"), Value::Null));
    let log = env.run("audit export --account a@example.com --format csv");
    assert_eq!(log.matches("person.changed").count(), 4, "{log}");

    for (options, message) in
        [("", "required arguments were not provided"), ("--role owner", "must be reader or editor")]
    {
        let refused = env.command(&format!("{set} {options}")).output().unwrap();
        let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.contains(message), "{options}: {refused}");
    }
    for forms in ["--form frm_none", "--form frm_none --form frm_none"] {
        let refused = env.fail(&format!("{set} {forms}"));
        assert!(refused.contains("frm_none`"), "{forms}: {refused}");
    }
    let refused = env.fail("account set-member --email a@example.com --role reader");
    assert_eq!(refused, "`a@example.com` is the owner of an account, who cannot be changed");
    // The old name of the command.
    let add = "account add-reader --account a@example.com --email c@example.com";
    assert!(env.fail(&format!("{add} --form frm_none")).contains("`frm_none`"));
    env.run(&format!("{add} --role editor --form {form}"));
    let log = env.run("audit export --account a@example.com --format csv");
    assert!(log.contains("person.added") && log.contains("editor"), "{log}");
    assert_eq!(env.run("account remove-member --email c@example.com"), "removed c@example.com");
}

#[test]
fn invalid_account_options_are_refused() {
    let env = TestEnv::new();
    insta::assert_snapshot!(
        env.fail("account create --email a.example.com --plan pro"),
        @"`--email` must be an email address such as `you@example.com`, but is `a.example.com`"
    );
    let output = env.command("account create --email a@example.com --plan gold").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("but is `gold`"));
    assert!(!env.data().exists(), "a refused command created the data directory");
}

#[test]
fn password_is_read_from_stdin() {
    let env = TestEnv::new();
    let create = |email: &str, input: &str| {
        let line = format!("account create --email {email} --plan pro --password-stdin");
        run_with_input(env.command(&line), input.as_bytes())
    };
    expect_success(&create("a@example.com", "a walrus in winter\nand more"));
    expect_success(&create("b@example.com", "a walrus in winter\r\n"));
    assert!(env.run("account list").lines().skip(1).all(|line| line.contains("password")));
    insta::assert_snapshot!(
        expect_failure(&create("c@example.com", "short\n")),
        @"a password must have at least 12 characters"
    );
    insta::assert_snapshot!(
        expect_failure(&create("c@example.com", "")),
        @"a password must have at least 12 characters"
    );
    insta::assert_snapshot!(
        expect_failure(&create("c@example.com", &"ab".repeat(65))),
        @"a password may have at most 128 characters"
    );
    assert_eq!(
        expect_failure(&create("c@example.com", &"\u{fffd}x".repeat(5000))).matches('x').count(),
        0
    );
    assert!(
        !String::from_utf8_lossy(&std::fs::read(env.data().join("sheaf.db")).unwrap())
            .contains("walrus")
    );
}

#[test]
fn form_fields_keep_their_order() {
    let env = TestEnv::with_account();
    let id = env.form("--mode test --analysis --field Name --field Score:rating --field Name");
    let form = env.json(&format!("form show {id} --json"));
    assert_eq!(
        (&form["id"], &form["mode"], &form["analysis"]),
        (&id.into(), &"test".into(), &true.into())
    );
    let fields: Vec<_> = form["fields"].as_array().unwrap().iter().collect();
    let command =
        |at: usize| (fields[at]["name"].as_str().unwrap(), fields[at]["type"].as_str().unwrap());
    assert_eq!(
        [command(0), command(1), command(2)],
        [("Name", "text"), ("Score", "rating"), ("Name", "text")]
    );
    assert_eq!(fields[0]["key"], "Name");
    assert_eq!(fields[2]["key"], format!("Name ({})", fields[2]["id"].as_str().unwrap()));
    let list = env.json("form list --account a@example.com --json");
    assert_eq!(list, json!([form]));
    let id = form["id"].as_str().unwrap();
    let shown = env.run(&format!("form show {id} --url https://forms.example.com/"));
    let (table, how) = shown.split_once("\n\nSEND TO  ").unwrap();
    insta::assert_snapshot!(redact(table), @r"
    FORM
    ID frm_*
    NAME Form
    MODE test
    ANALYSIS on
    CREATED TIME
    SUBMISSIONS 0
    LAST never

    FIELD NAME TYPE
    fld_* Name text
    fld_* Score rating
    fld_* Name text
    ");
    assert!(how.starts_with(&format!("https://forms.example.com/f/{id}\n")), "{how}");
    assert!(how.contains("<form method=\"post\" action=") && how.contains("\ncurl https"), "{how}");
    insta::assert_snapshot!(redact(&env.run("form list --account A@example.com")), @r"
    ID NAME MODE FIELDS SUBMISSIONS LAST
    frm_* Form test 3 0
    ");
}

#[test]
fn errors_name_missing_objects() {
    let env = TestEnv::new();
    let error = env.fail("form list --account a@example.com");
    assert!(error.starts_with("there is no data in `"), "{error}");
    let env = TestEnv::with_account();
    insta::assert_snapshot!(
        env.fail("form list --account b@example.com"),
        @"there is no account `b@example.com`; see `sheaf account list`"
    );
    insta::assert_snapshot!(
        env.fail("form list --account acc_1"),
        @"there is no account `acc_1`; see `sheaf account list`"
    );
    insta::assert_snapshot!(
        env.fail("form show frm_1"),
        @"there is no form `frm_1`; see `sheaf form list --account …`"
    );
    insta::assert_snapshot!(
        env.fail("sample --form frm_1 --count 1 --seed 1"),
        @"there is no form `frm_1`; see `sheaf form list --account …`"
    );
    insta::assert_snapshot!(
        env.fail("import --form frm_1 file"),
        @"there is no form `frm_1`; see `sheaf form list --account …`"
    );
    insta::assert_snapshot!(
        env.fail("key revoke key_1"),
        @"there is no key `key_1`; see `sheaf key list --account …`"
    );
}

#[test]
fn key_secret_is_printed_once() {
    let env = TestEnv::with_account();
    let secret = env.key("live");
    assert!(secret.starts_with("svc_sk_live_") && secret.len() == 48, "{secret}");
    let list = env.run("key list --account a@example.com --json");
    assert!(!list.contains(&secret) && list.contains(&secret[44..]));
    let keys: Value = serde_json::from_str(&list).unwrap();
    let id = keys[0]["id"].as_str().unwrap();
    assert_eq!(env.run(&format!("key revoke {id}")), format!("{id} is revoked"));
    let again = env.fail(&format!("key revoke {id}"));
    insta::assert_snapshot!(
        redact(&again),
        @"the key `key_*` is already revoked"
    );
    let table = env.run("key list --account a@example.com");
    assert!(table.contains("revoked 20") && !table.contains(&secret));
    let database = std::fs::read(env.data().join("sheaf.db")).unwrap();
    assert!(
        !database.windows(48).any(|part| part == secret.as_bytes()),
        "the database contains the secret"
    );
}

#[test]
fn key_is_created_with_restrictions() {
    let env = TestEnv::with_account();
    let form = env.run("form create --account a@example.com --name Feedback --mode live");
    let create = "key create --account a@example.com --name Report --mode live --read-only";
    env.run(&format!("{create} --form {form} --expires 2099-01-01"));
    env.run("key create --account a@example.com --name Month --mode live --expires 30d");
    env.key("live");
    let keys = env.json("key list --account a@example.com --json");
    let restricted = &keys[2];
    assert_eq!(restricted["access"], "read");
    assert_eq!(restricted["forms"], json!([form]));
    assert_eq!(restricted["expires_at"], "2099-01-01T00:00:00Z");
    let instant =
        |name: &str| contract::Timestamp::parse(keys[1][name].as_str().unwrap()).unwrap().micros();
    assert_eq!(instant("expires_at") - instant("created_at"), 30 * 86_400_000_000);
    let table = env.run("key list --account a@example.com");
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[1].contains("full    all") && rows[1].ends_with("active"), "{table}");
    assert!(rows[2].contains("full    all") && rows[2].contains("expires 20"), "{table}");
    assert!(rows[3].contains("read    1"), "{table}");
    assert!(rows[3].ends_with("expires 2099-01-01T00:00:00Z"), "{table}");
    let test = "key create --account a@example.com --name Other --mode test";
    let other_mode = env.fail(&format!("{test} --form {form}"));
    assert!(other_mode.contains(&format!("`{form}`, which belongs to the live")), "{other_mode}");
    let past = env.fail("key create --account a@example.com --name Old --mode test --expires 0d");
    assert!(past.contains("must be in the future"), "{past}");
}

#[test]
fn eleventh_key_is_refused() {
    let env = TestEnv::with_account();
    for _ in 0..5 {
        env.key("live");
        env.key("test");
    }
    insta::assert_snapshot!(
        env.fail("key create --account a@example.com --name Key --mode live"),
        @"an account may hold at most 10 active keys; revoke one first"
    );
    let keys = env.json("key list --account a@example.com --json");
    env.run(&format!("key revoke {}", keys[3]["id"].as_str().unwrap()));
    env.key("live");
}

#[test]
fn backup_is_complete_and_overwrites_nothing() {
    let env = TestEnv::with_account();
    let form = env.form("");
    env.run(&format!("sample --form {form} --count 50 --seed 1"));
    let copy = env.path("copy");
    std::fs::create_dir(&copy).unwrap();
    let file = copy.join("sheaf.db");
    env.run(&format!("backup {}", file.display()));
    assert_eq!(mode(&file), 0o600);
    let refused = env.fail(&format!("backup {}", file.display()));
    assert!(refused.ends_with("exists already; choose another name"), "{refused}");
    let missing = env.fail(&format!("backup {}/no/where.db", copy.display()));
    assert!(missing.contains("no/where.db"), "{missing}");
    let mut show = env.command(&format!("form show {form} --json"));
    let shown = expect_success(&show.env("SHEAF_DATA", &copy).output().unwrap());
    assert_eq!(shown, env.run(&format!("form show {form} --json")));
}

#[test]
fn data_option_works_before_and_after_command() {
    let env = TestEnv::with_account();
    let data = env.data();
    let list = env.run("account list");
    for line in [
        format!("--data {} account list", data.display()),
        format!("account list --data {}", data.display()),
    ] {
        let mut command = crate::test_env::binary();
        assert_eq!(expect_success(&command.args(line.split(' ')).output().unwrap()), list);
    }
    let mut command = crate::test_env::binary();
    command.current_dir(env.path("")).args(["account", "list"]);
    assert_eq!(expect_success(&command.output().unwrap()), list, "`./data` is not the default");
}

#[test]
fn version_is_printed() {
    let env = TestEnv::new();
    assert_eq!(env.run("--version"), concat!("sheaf ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn damaged_file_error_says_what_to_do() {
    let env = TestEnv::with_account();
    let file = env.data().join("sheaf.db");
    let intact = std::fs::read(&file).unwrap();
    std::fs::write(&file, &intact[..intact.len() / 2]).unwrap();
    let refused = env.fail("account list");
    assert!(refused.starts_with(&format!("`{}` is damaged (", file.display())), "{refused}");
    assert!(refused.ends_with("put a backup in its place, and see `sheaf check`"), "{refused}");
    assert!(env.fail("check").contains("is damaged"));
}

#[test]
fn check_accepts_intact_file_and_backup() {
    let env = TestEnv::with_account();
    let form = env.form("");
    env.run(&format!("sample --form {form} --count 30 --seed 1"));
    let copy = env.path("copy.db");
    env.run(&format!("backup {}", copy.display()));
    assert!(env.run("check").ends_with("/data/sheaf.db` is whole: 30 submissions"));
    let printed = env.run(&format!("check {}", copy.display()));
    assert_eq!(printed, format!("`{}` is whole: 30 submissions", copy.display()));
    let names = std::fs::read_dir(env.path("")).unwrap().count();
    assert_eq!(names, 2, "`check` left files next to the copy");
    let nothing = env.fail("check no-such-file.db");
    assert!(nothing.contains("`no-such-file.db` cannot be opened"), "{nothing}");
    let other = env.write("notes", "Dear diary, ".repeat(100));
    assert!(env.fail(&format!("check {other}")).contains("is not a database"));
}

#[test]
fn rename_changes_only_names() {
    let env = TestEnv::new();
    env.run("account create --email a@example.com --plan free");
    let owned = "--account a@example.com --name Feedback";
    let form = env.run(&format!("form create {owned} --field Name --field Score:rating"));
    let shown = || env.json(&format!("form show {form} --json"));
    let before = shown();
    env.run(&format!("form rename {form} Kundenstimmen"));
    let field = before["fields"][1]["id"].as_str().unwrap();
    env.run(&format!("form rename {form} Note --field {field}"));
    let mut wanted = before.clone();
    wanted["name"] = "Kundenstimmen".into();
    wanted["fields"][1]["name"] = "Note".into();
    assert_eq!(shown(), wanted);
    for bad in ["form rename frm_x New", &format!("form rename {form} New --field fld_x")] {
        assert!(!env.command(bad).output().unwrap().status.success(), "{bad}");
    }
    let empty = env.command(&format!("form rename {form}")).arg(" ").output().unwrap();
    assert!(String::from_utf8_lossy(&empty.stderr).contains("`NAME` must be 1 to 200"));
    assert_eq!(shown(), wanted);
}
