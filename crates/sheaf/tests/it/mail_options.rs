//! The options of e-mail, as a server and `sheaf mail test` check them before they start.

use crate::smtp_server::{SENDER, SmtpServer};
use crate::test_env::TestEnv;
use serde_json::json;

/// Runs an invalid command line, and returns what it prints.
#[track_caller]
fn fail_usage(env: &TestEnv, arguments: &str) -> String {
    let output = env.command(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn server_requires_sender_and_public_url() {
    let env = TestEnv::with_account();
    let serve = "serve --listen 127.0.0.1:0 --smtp-url smtp://127.0.0.1:9";
    assert!(fail_usage(&env, serve).contains("--mail-from"));
    for command in [serve.to_owned(), serve.replace("serve", "service")] {
        let error = env.fail(&format!("{command} --mail-from forms@sheaf.example"));
        assert!(error.contains("set `--public-url "), "{error}");
    }
    for option in ["--smtp-password-file x", "--smtp-ca x", "--mail-operator a@b.example"] {
        assert!(fail_usage(&env, &format!("serve {option}")).contains("--smtp-url"), "{option}");
    }
    let dkim = format!("{serve} {SENDER} --dkim-key-file x");
    assert!(fail_usage(&env, &dkim).contains("--dkim-selector"));
}

#[test]
fn invalid_options_prevent_start() {
    let env = TestEnv::with_account();
    let serve = "serve --listen 127.0.0.1:0";
    let url = "--smtp-url smtp://127.0.0.1:9";
    let fail = |more: &str| env.fail(&format!("{serve} {more}"));
    for bad in ["http://127.0.0.1", "127.0.0.1:25", "smtp://", "smtp://127.0.0.1?tls=maybe"] {
        let error = fail(&format!("--smtp-url {bad} {SENDER}"));
        assert!(error.contains("`--smtp-url`"), "{bad}: {error}");
    }
    for bad in ["sheaf", "a@b@c", "@sheaf.example"] {
        let error = fail(&format!("{url} --public-url http://sheaf.example --mail-from {bad}"));
        assert!(error.contains("`--mail-from`"), "{bad}: {error}");
    }
    let error = fail(&format!("{url} {SENDER} --mail-operator nobody"));
    assert!(error.contains("`--mail-operator`"), "{error}");
    let missing = fail(&format!("{url} {SENDER} --smtp-ca /nowhere/ca.pem"));
    assert!(missing.contains("`/nowhere/ca.pem`"), "{missing}");
    let empty = env.write("empty.pem", "");
    let error = fail(&format!("{url} {SENDER} --smtp-ca {empty}"));
    assert!(error.contains(&empty), "{error}");
    let key = env.secret("key.pem", "canary");
    let error = fail(&format!("{url} {SENDER} --dkim-key-file {key} --dkim-selector a"));
    assert!(error.contains(&key) && !error.contains("canary"), "{error}");
    let open = env.write("password", "canary");
    let error = fail(&format!("{url} {SENDER} --smtp-password-file {open}"));
    assert!(error.contains("chmod 600") && !error.contains("canary"), "{error}");
}

#[test]
fn password_in_url_is_refused_without_showing_it() {
    let env = TestEnv::with_account();
    for command in ["serve --listen 127.0.0.1:0", "mail test a@b.example"] {
        let mut command = env.command(command);
        command.env("SHEAF_SMTP_URL", "smtps://forms:canary@mail.example");
        command.env("SHEAF_MAIL_FROM", "forms@sheaf.example");
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("--smtp-password-file") && !error.contains("canary"), "{error}");
    }
}

#[test]
fn mail_test_prints_answer_of_server() {
    let env = TestEnv::with_account();
    let smtp = SmtpServer::start_with(&json!({ "refuse": "nobody@" }));
    let mut test = env.command("mail test reader@example.org");
    test.env("SHEAF_SMTP_URL", smtp.url()).env("SHEAF_MAIL_FROM", "Forms <forms@sheaf.example>");
    let output = test.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "accepted: 250 2.0.0 queued as TEST\n");
    let mail = smtp.next_mail();
    assert_eq!(mail.header("From"), "Forms <forms@sheaf.example>");
    assert_eq!((mail.header("To"), mail.to.len()), ("reader@example.org", 1));

    let options = format!("--smtp-url {} --mail-from forms@sheaf.example", smtp.url());
    let error = env.fail(&format!("mail test nobody@example.org {options}"));
    assert!(error.contains("550") && error.contains("no such user here"), "{error}");
    let error = env.fail("mail test a@b.example");
    assert!(error.contains("set `--smtp-url` and `--mail-from`"), "{error}");
    let error = env.fail(&format!("mail test nobody {options}"));
    assert!(error.starts_with("`ADDRESS` must be an email address"), "{error}");
    drop(smtp);
    let error = env.fail(&format!("mail test reader@example.org {options}"));
    assert!(error.starts_with("the e-mail was not accepted: "), "{error}");
}
