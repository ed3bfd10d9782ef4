//! Sending e-mail from the real binary: a mail server that is down, refuses or needs TLS, and DKIM
//! signatures.

use crate::mail::{MailFixture, READER, expect_no_mail};
use crate::outgoing_tls::Authority;
use crate::smtp_server::{ParsedMail, SENDER, SmtpServer, python};
use crate::test_env::{TestEnv, expect_success, run_with_input, wait_until};
use crate::webhook::submit;
use serde_json::{Value, json};
use std::process::Command;
use test_servers::ReservedPort;

#[test]
fn mail_waits_until_server_sends() {
    let port = ReservedPort::new().unwrap();
    let fixture = MailFixture::new("");
    // Without the option, submissions wait.
    let server = fixture.serve_with("");
    let first = submit(&server, &fixture.form);
    drop(server);
    // The mail server is down.
    let url = format!("--smtp-url smtp://{}?tls=none {SENDER}", port.address());
    let server = fixture.serve_with(&url);
    let second = submit(&server, &fixture.form);
    wait_until("the error is recorded", || !fixture.notification()["last_error"].is_null());
    let smtp = SmtpServer::start_with(&json!({ "port": port.number() }));
    let texts = [smtp.next_mail(), smtp.next_mail()].map(|mail| mail.text().to_owned());
    assert!(texts[0].contains(&first) && texts[1].contains(&second), "{texts:?}");
    wait_until("the error is cleared", || fixture.notification()["last_error"].is_null());
    assert_eq!(fixture.notification()["disabled"], Value::Null);
    expect_no_mail(server, &smtp);
}

#[test]
fn wrong_password_is_shown_by_list() {
    let login = json!({ "login": ["forms", "right password"] });
    let fixture = MailFixture::with_server(SmtpServer::start_with(&login), "");
    let options = |password: &str| {
        let file = fixture.env.secret("password", password);
        let url = format!("smtp://forms@127.0.0.1:{}?tls=none", fixture.smtp.port);
        format!("--smtp-url {url} --smtp-password-file {file} {SENDER}")
    };
    let server = fixture.serve_with(&options("wrong password"));
    submit(&server, &fixture.form);
    wait_until("the error is recorded", || !fixture.notification()["last_error"].is_null());
    let list = fixture.env.run(&format!("notification list --form {}", fixture.form));
    assert!(list.contains("enabled; last error: ") && list.contains("535"), "{list}");
    assert!(!list.contains("wrong password\n") && !list.contains("right"), "{list}");
    drop(server);
    let _server = fixture.serve_with(&options("right password\n"));
    assert_eq!(fixture.smtp.next_mail().user.as_deref(), Some("forms"));
}

#[test]
fn refused_address_is_shown_by_list() {
    let refuse = json!({ "refuse": READER });
    let fixture = MailFixture::with_server(SmtpServer::start_with(&refuse), "");
    let other =
        fixture.env.run(&format!("notification add --form {} --email b@x.org", fixture.form));
    let server = fixture.serve();
    submit(&server, &fixture.form);
    // The refusal delays no other address.
    assert_eq!(fixture.smtp.next_mail().to, ["b@x.org"]);
    wait_until("the error is recorded", || !fixture.notification()["last_error"].is_null());
    let notification = fixture.notification();
    assert_ne!(notification["id"], other);
    let error = notification["last_error"].as_str().unwrap();
    assert!(error.contains("550") && error.contains("no such user here"), "{error}");
}

/// Returns a mail server with TLS, and the file of its authority.
fn start_tls_server(env: &TestEnv, tls: &str) -> (SmtpServer, String) {
    let authority = Authority::new();
    let options = json!({
        "tls": tls,
        "certificate": env.write("certificate.pem", &authority.certificate),
        "key": env.secret("key.pem", &authority.key),
        "login": ["forms", "password"],
    });
    (SmtpServer::start_with(&options), env.write("ca.pem", &authority.pem))
}

#[test]
fn starttls_and_tls_verify_certificate() {
    let env = TestEnv::with_account();
    for (tls, scheme) in [("starttls", "smtp"), ("implicit", "smtps")] {
        let (smtp, ca) = start_tls_server(&env, tls);
        let password = env.secret("password", "password");
        let url = format!("{scheme}://forms@localhost:{}", smtp.port);
        let test = format!(
            "mail test {READER} --smtp-url {url} --smtp-password-file {password} \
             --mail-from forms@sheaf.example"
        );
        let error = env.fail(&test);
        assert!(error.contains("certificate"), "{tls}: {error}");
        assert_eq!(
            env.run(&format!("{test} --smtp-ca {ca}")),
            "accepted: 250 2.0.0 queued as TEST"
        );
        let mail = smtp.next_mail();
        assert!(mail.is_encrypted && mail.user.as_deref() == Some("forms"), "{mail:?}");
    }
}

#[test]
fn password_is_never_sent_without_tls() {
    let env = TestEnv::with_account();
    let login = json!({ "login": ["forms", "password"] });
    let smtp = SmtpServer::start_with(&login);
    let password = env.secret("password", "password");
    let test = format!(
        "mail test {READER} --smtp-url smtp://forms@127.0.0.1:{}?tls=required \
         --smtp-password-file {password} --mail-from forms@sheaf.example",
        smtp.port
    );
    let error = env.fail(&test);
    assert!(error.contains("STARTTLS"), "{error}");
}

#[test]
fn dkim_signature_is_valid() {
    let fixture = MailFixture::new("");
    for (name, algorithm) in [("rsa", &["RSA"][..]), ("ed25519", &["ED25519"])] {
        let generate = [&["genpkey", "-algorithm"], algorithm].concat();
        let key = fixture.env.secret("dkim.pem", &run_openssl(&generate));
        let more = format!("--dkim-key-file {key} --dkim-selector sheaf");
        let server = fixture.serve_with(&format!("{} {more}", fixture.smtp.options()));
        submit(&server, &fixture.form);
        let mail = fixture.smtp.next_mail();
        let signature = mail.header("DKIM-Signature").replace(char::is_whitespace, "");
        assert!(signature.contains("d=sheaf.example;") && signature.contains("s=sheaf;"));
        let signed = signature.split(';').find_map(|tag| tag.strip_prefix("h=")).unwrap();
        for name in ["From", "To", "Subject", "List-Unsubscribe", "List-Unsubscribe-Post"] {
            assert!(signed.split(':').any(|other| other.eq_ignore_ascii_case(name)), "{signed}");
        }
        let record = format!("v=DKIM1; k={name}; p={}", public_key(name, &key));
        check_dkim(&record, &mail, "sheaf.example");
        expect_no_mail(server, &fixture.smtp);
    }
}

/// Runs `openssl`, which reports its progress on standard error.
fn run_openssl(arguments: &[&str]) -> String {
    let output = Command::new("openssl").args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the public key for the DNS record: for Ed25519 without the 12 bytes that name it.
fn public_key(algorithm: &str, key: &str) -> String {
    let pem = run_openssl(&["pkey", "-in", key, "-pubout"]);
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    if algorithm == "rsa" { base64 } else { base64.chars().skip(16).collect() }
}

/// Verifies the signature of an e-mail with dkimpy and the DNS record of a domain, and that it
/// covers subject and content.
#[track_caller]
pub(crate) fn check_dkim(record: &str, mail: &ParsedMail, domain: &str) {
    let script = format!(
        "import dkim, sys\nraw = sys.stdin.buffer.read()\n\
         def record(name, timeout=5):\n    \
         return b'{record}' if name == b'sheaf._domainkey.{domain}.' else None\n\
         print(dkim.verify(raw, dnsfunc=record))\n"
    );
    let verify = |raw: &[u8]| {
        let mut command = Command::new(python());
        command.args(["-c", &script]);
        expect_success(&run_with_input(command, raw))
    };
    assert_eq!(verify(&mail.raw()), "True");
    let text = String::from_utf8(mail.raw()).unwrap();
    let subject = mail.header("Subject");
    let changed = [text.replace(subject, "Changed"), text.replacen("</", "<!-- --></", 1)];
    for changed in changed {
        assert_ne!(changed, text);
        assert_eq!(verify(changed.as_bytes()), "False", "{changed}");
    }
}
