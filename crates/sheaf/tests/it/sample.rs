//! `sheaf sample`: equal seeds create equal submissions.

use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};
use serde_json::Value;

#[test]
fn same_seed_creates_same_submissions() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name --field Comment:long_text --analysis");
    let line = format!("sample --form {form} --count 300 --seed 7 --until 2026-03-01");
    let copy = env.path("copy");
    std::fs::create_dir(&copy).unwrap();
    env.run(&format!("backup {}/sheaf.db", copy.display()));
    assert_eq!(env.run(&line), "300 sample submissions inserted");
    insta::assert_snapshot!(
        env.fail(&line),
        @"this form already has samples of the seed 7; choose another `--seed`"
    );
    crate::test_env::expect_success(&env.command(&line).env("SHEAF_DATA", &copy).output().unwrap());

    let key = env.key("live");
    // The server analyses the samples after its start.
    let export = |server: &Server, key: &str| {
        let mut rows = Value::Null;
        wait_until("all samples are analysed", || {
            let path = format!("/v1/forms/{form}/submissions/export?format=json");
            let answer = server.get(&path, key);
            assert_eq!(answer.status, 200);
            rows = answer.json()["data"].take();
            rows.as_array().unwrap().iter().all(|row| !row["ai_insights"].is_null())
        });
        rows.to_string()
    };
    let one = export(&Server::start(&env, "service"), &key);
    let mut other = env.command("key create --account a@example.com --name K --mode live");
    let other_key =
        crate::test_env::expect_success(&other.env("SHEAF_DATA", &copy).output().unwrap());
    let mut serve = env.command("service --listen 127.0.0.1:0");
    serve.env("SHEAF_DATA", &copy);
    assert_eq!(export(&Server::spawn(serve), &other_key), one);
}

#[test]
fn sample_adds_fields_to_empty_form() {
    let env = TestEnv::with_account();
    let form = env.form("");
    env.run(&format!("sample --form {form} --count 10 --seed 1"));
    let fields = env.json(&format!("form show {form} --json"))["fields"].as_array().unwrap().len();
    assert_eq!(fields, 12);
    assert_eq!(env.count(&form), 10);
    env.run(&format!("sample --form {form} --count 10 --seed 2"));
    assert_eq!(env.count(&form), 20);
    let log = env.run("audit export --account a@example.com");
    let counts = log.lines().filter(|line| line.contains(r#""count":10"#)).count();
    assert_eq!(counts, 2, "{log}");
}
