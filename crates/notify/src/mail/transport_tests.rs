//! Tests of the SMTP client with a scripted server.

use super::super::config::{MailFrom, SmtpServer};
use super::super::direct::{DirectContent, DirectMail};
use super::super::dkim::DkimKey;
use super::*;
use contract::Timestamp;
use contract::notification::MailLanguage;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use std::sync::Arc;
use store::clock::FixedClock;
use test_servers::{SmtpOptions, SmtpReceiver, SmtpStage, SmtpTls};
use tokio_rustls::TlsAcceptor;

const PASSWORD: &str = "correct horse";

fn config(url: &str) -> MailConfig {
    MailConfig {
        server: SmtpServer::parse(url).unwrap(),
        password: None,
        from: MailFrom::parse("Forms <forms@example.com>").unwrap(),
        authorities: None,
        dkim: None,
        clock: Arc::new(FixedClock::at(Timestamp::parse("2026-03-01T09:30:00Z").unwrap())),
    }
}

fn mailer(config: MailConfig) -> Mailer {
    Mailer::new(config).unwrap()
}

fn mail_to(recipient: &str) -> OutgoingMail {
    OutgoingMail::new(recipient, "Subject".into(), "text\n.\nend\n".into(), "<p>".into())
}

/// Sends an e-mail to a server with scripted answers.
async fn send(server: &SmtpReceiver) -> Result<(), MailError> {
    mailer(config(&server.url())).send(mail_to("ada@example.org")).await
}

/// Returns the settings of a server with TLS for `localhost`, and its certificate as PEM.
fn tls() -> (TlsAcceptor, Vec<u8>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), cert.pem().into_bytes())
}

fn login() -> (String, String) {
    ("forms@example.com".to_owned(), PASSWORD.to_owned())
}

fn with_login(url: &str) -> MailConfig {
    let url = url.replace("://", "://forms%40example.com@");
    MailConfig { password: Some(PASSWORD.to_owned()), ..config(&url) }
}

#[tokio::test]
async fn mail_is_sent_with_envelope_and_dots() {
    let server = SmtpReceiver::start().await;
    send(&server).await.unwrap();
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].from, "forms@example.com");
    assert_eq!(mails[0].recipients, ["ada@example.org"]);
    let raw = String::from_utf8(mails[0].raw.clone()).unwrap();
    assert!(raw.contains("\r\ntext\r\n.\r\nend\r\n"), "{raw}");
    let expected = [
        "(connected)",
        "EHLO example.com",
        "MAIL FROM:<forms@example.com>",
        "RCPT TO:<ada@example.org>",
        "DATA",
        "QUIT",
    ];
    assert_eq!(server.commands(), expected);
}

#[tokio::test]
async fn refusal_of_recipient_or_message_is_not_repeated() {
    for (stage, code, text) in [
        (SmtpStage::Rcpt, 550, "5.1.1 no such user"),
        (SmtpStage::Data, 554, "no valid recipients"),
        (SmtpStage::Message, 552, "5.3.4 too big"),
    ] {
        let server = SmtpReceiver::start().await;
        server.refuse(stage, code, text, 1);
        let error = send(&server).await.unwrap_err();
        assert_eq!(error, MailError::Refused(format!("{code} {text}")), "{stage:?}");
        assert_eq!(server.mails(), []);
    }
}

#[tokio::test]
async fn other_refusals_are_errors_of_the_server() {
    for (stage, code) in [
        (SmtpStage::Greeting, 421),
        (SmtpStage::Greeting, 554),
        (SmtpStage::Ehlo, 502),
        (SmtpStage::Mail, 550),
        (SmtpStage::Mail, 421),
        (SmtpStage::Rcpt, 451),
        (SmtpStage::Rcpt, 421),
        (SmtpStage::Rcpt, 530),
        (SmtpStage::Data, 451),
        (SmtpStage::Data, 503),
        (SmtpStage::Message, 451),
    ] {
        let server = SmtpReceiver::start().await;
        server.refuse(stage, code, "no reason given", 1);
        let error = send(&server).await.unwrap_err();
        assert!(matches!(error, MailError::Server(_)), "{stage:?} {code}: {error}");
        let text = error.to_string();
        assert!(text.ends_with(&format!("{code} no reason given")), "{text}");
        assert_eq!(server.mails(), []);
        // The next attempt succeeds.
        send(&server).await.unwrap();
    }
}

#[tokio::test]
async fn unreachable_and_broken_servers_are_errors_of_the_server() {
    let server = SmtpReceiver::start().await;
    let url = server.url();
    server.answer_raw(SmtpStage::Greeting, "HTTP/1.1 400 Bad Request\r\n", 1);
    let error = send(&server).await.unwrap_err();
    assert!(matches!(error, MailError::Server(_)), "{error}");
    server.answer_raw(SmtpStage::Mail, "421 bye", 1);
    let error = send(&server).await.unwrap_err();
    assert!(matches!(error, MailError::Server(_)), "{error}");
    let server_name = format!("the mail server 127.0.0.1:{}", server.port());
    drop(server);
    let error = mailer(config(&url)).send(mail_to("ada@example.org")).await.unwrap_err();
    assert!(error.to_string().starts_with(&server_name), "{error}");
}

#[tokio::test]
async fn silent_server_ends_at_the_time_limit() {
    for stage in [SmtpStage::Greeting, SmtpStage::Ehlo, SmtpStage::Rcpt, SmtpStage::Message] {
        let server = SmtpReceiver::start().await;
        server.hang(stage, "");
        let mailer = mailer(config(&server.url())).with_timeout(Duration::from_millis(50));
        let error = mailer.send(mail_to("ada@example.org")).await.unwrap_err();
        assert!(error.is_temporary(), "{stage:?}: {error}");
        let is_unanswered = matches!(error, MailError::Unanswered(_));
        assert_eq!(is_unanswered, stage == SmtpStage::Message, "{stage:?}: {error}");
        assert!(error.to_string().ends_with("no answer within 0.05 s"), "{error}");
    }
}

#[tokio::test]
async fn long_answers_are_shortened() {
    let server = SmtpReceiver::start().await;
    server.refuse(SmtpStage::Rcpt, 550, &format!("5.7.1 a\u{1b}b\n{}", "é".repeat(400)), 1);
    let text = send(&server).await.unwrap_err().to_string();
    assert!(text.starts_with("the mail server refused the e-mail: 550 5.7.1 a b éé"), "{text}");
    assert!(text.chars().count() <= 300, "{text}");
}

#[tokio::test]
async fn invalid_address_is_refused_without_connection() {
    let server = SmtpReceiver::start().await;
    let mailer = mailer(config(&server.url()));
    let mut session = mailer.connect().await.unwrap();
    let error = session.send(mail_to("a@b.example\r\nDATA")).await.unwrap_err();
    assert!(matches!(error, MailError::Address(_)), "{error}");
    assert_eq!(server.commands(), ["(connected)", "EHLO example.com"]);
}

#[tokio::test]
async fn international_address_needs_support_of_the_server() {
    let server = SmtpReceiver::start().await;
    let mailer = mailer(config(&server.url()));
    let error = mailer.send(mail_to("jürgen@example.org")).await.unwrap_err();
    assert!(matches!(error, MailError::Address(_)), "{error}");
    mailer.send(mail_to("ada@münchen.example")).await.unwrap();
    assert_eq!(server.mails()[0].recipients, ["ada@xn--mnchen-3ya.example"]);
    let options = SmtpOptions { has_utf8_addresses: true, ..SmtpOptions::default() };
    let server = SmtpReceiver::start_with(options).await;
    self::mailer(config(&server.url())).send(mail_to("jürgen@example.org")).await.unwrap();
    assert_eq!(server.mails()[0].recipients, ["jürgen@example.org"]);
    let mail = "MAIL FROM:<forms@example.com> SMTPUTF8 BODY=8BITMIME".to_owned();
    assert!(server.commands().contains(&mail), "{:?}", server.commands());
}

#[tokio::test]
async fn session_sends_several_mails_and_survives_refusals() {
    let server = SmtpReceiver::start().await;
    server.refuse_matching(SmtpStage::Rcpt, "bob@", 550, "no such user", 1);
    let mailer = mailer(config(&server.url()));
    let mut session = mailer.connect().await.unwrap();
    session.send(mail_to("ada@example.org")).await.unwrap();
    session.send(mail_to("bob@example.org")).await.unwrap_err();
    session.send(mail_to("eve@example.org")).await.unwrap();
    session.close().await;
    assert_eq!(server.mails().len(), 2);
    let commands = server.commands();
    assert_eq!(commands.iter().filter(|command| *command == "(connected)").count(), 1);
    assert!(commands.contains(&"RSET".to_owned()) && commands.contains(&"QUIT".to_owned()));
}

#[tokio::test]
async fn session_connects_again_after_errors_and_many_mails() {
    let server = SmtpReceiver::start().await;
    let mailer = mailer(config(&server.url()));
    let mut session = mailer.connect().await.unwrap();
    server.refuse(SmtpStage::Message, 451, "try again later", 1);
    session.send(mail_to("ada@example.org")).await.unwrap_err();
    for _ in 0..=SESSION_MAILS_MAX {
        session.send(mail_to("ada@example.org")).await.unwrap();
    }
    assert_eq!(server.mails().len(), 51);
    let connections = server.commands().iter().filter(|command| *command == "(connected)").count();
    assert_eq!(connections, 3);
}

#[tokio::test]
async fn dropped_send_leaves_no_open_transaction() {
    let server = SmtpReceiver::start().await;
    server.hang(SmtpStage::Rcpt, "slow@");
    let mailer = mailer(config(&server.url()));
    let mut session = mailer.connect().await.unwrap();
    let slow = session.send(mail_to("slow@example.org"));
    tokio::select! {
        biased;
        _ = slow => panic!("the server does not answer"),
        () = server.wait_for_command("slow@") => {}
    }
    session.send(mail_to("ada@example.org")).await.unwrap();
    assert_eq!(server.mails()[0].recipients, ["ada@example.org"]);
}

#[tokio::test]
async fn starttls_needs_a_trusted_certificate() {
    let (acceptor, pem) = tls();
    let options = SmtpOptions { tls: SmtpTls::StartTls(acceptor), ..SmtpOptions::default() };
    let server = SmtpReceiver::start_with(options).await;
    let url = format!("smtp://localhost:{}", server.port());
    let error = mailer(config(&url)).send(mail_to("ada@example.org")).await.unwrap_err();
    assert!(matches!(&error, MailError::Server(text) if text.starts_with("STARTTLS")), "{error}");
    assert_eq!(server.mails(), []);
    let authorities = Some(pem.clone());
    let trusting = mailer(MailConfig { authorities, ..config(&format!("{url}?tls=required")) });
    trusting.send(mail_to("ada@example.org")).await.unwrap();
    // The second EHLO is encrypted.
    let commands = server.commands().join("\n");
    assert!(commands.contains("STARTTLS\nEHLO example.com\nMAIL FROM"), "{commands}");
    // The certificate is of another host.
    let url = url.replace("localhost", "127.0.0.1");
    let other = mailer(MailConfig { authorities: Some(pem), ..config(&url) });
    let error = other.send(mail_to("ada@example.org")).await.unwrap_err();
    assert!(matches!(error, MailError::Server(_)), "{error}");
    assert_eq!(server.mails().len(), 1);
}

#[tokio::test]
async fn implicit_tls_needs_a_trusted_certificate() {
    let (acceptor, pem) = tls();
    let options = SmtpOptions {
        tls: SmtpTls::Implicit(acceptor),
        login: Some(login()),
        ..SmtpOptions::default()
    };
    let server = SmtpReceiver::start_with(options).await;
    let url = format!("smtps://localhost:{}", server.port());
    let error = mailer(with_login(&url)).send(mail_to("ada@example.org")).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    let trusting = mailer(MailConfig { authorities: Some(pem), ..with_login(&url) });
    trusting.send(mail_to("ada@example.org")).await.unwrap();
    assert_eq!(server.mails().len(), 1);
}

#[tokio::test]
async fn required_encryption_refuses_plain_servers() {
    let server = SmtpReceiver::start().await;
    let url = server.url().replace("tls=none", "tls=required");
    let error = mailer(config(&url)).send(mail_to("ada@example.org")).await.unwrap_err();
    assert_eq!(error.to_string(), "the mail server offers no STARTTLS");
    server.wait_for_command("EHLO").await;
    assert!(!server.commands().iter().any(|command| command.starts_with("MAIL")));
}

#[tokio::test]
async fn password_is_sent_by_offered_mechanism() {
    for mechanisms in ["PLAIN LOGIN", "LOGIN", "PLAIN"] {
        let options = SmtpOptions { login: Some(login()), mechanisms, ..SmtpOptions::default() };
        let server = SmtpReceiver::start_with(options).await;
        mailer(with_login(&server.url())).send(mail_to("ada@example.org")).await.unwrap();
        assert_eq!(server.mails().len(), 1, "{mechanisms}");
    }
    let options =
        SmtpOptions { login: Some(login()), mechanisms: "CRAM-MD5", ..SmtpOptions::default() };
    let server = SmtpReceiver::start_with(options).await;
    let error = mailer(with_login(&server.url())).send(mail_to("a@b.example")).await.unwrap_err();
    assert!(error.to_string().contains("AUTH PLAIN"), "{error}");
}

#[tokio::test]
async fn wrong_password_is_an_error_of_the_server() {
    let options = SmtpOptions { login: Some(login()), ..SmtpOptions::default() };
    let server = SmtpReceiver::start_with(options).await;
    let config = MailConfig { password: Some("wrong".into()), ..with_login(&server.url()) };
    let error = mailer(config).send(mail_to("ada@example.org")).await.unwrap_err();
    let text = "the mail server refused the user or password: 535 5.7.8 wrong password";
    assert_eq!(error, MailError::Server(text.to_owned()));
    // Without a password the server refuses the sender.
    let error = send(&server).await.unwrap_err();
    assert!(matches!(error, MailError::Server(_)), "{error}");
}

#[tokio::test]
async fn password_is_never_sent_without_encryption_to_another_host() {
    let options = SmtpOptions { login: Some(login()), ..SmtpOptions::default() };
    let server = SmtpReceiver::start_with(options).await;
    // A server that does not offer STARTTLS, as if somebody had removed the offer.
    let config = with_login(&format!("smtp://0.0.0.0:{}", server.port()));
    assert!(!config.server.is_loopback());
    let error = mailer(config).send(mail_to("ada@example.org")).await.unwrap_err();
    assert!(error.to_string().contains("the password is not sent"), "{error}");
    assert!(!server.commands().iter().any(|command| command.starts_with("AUTH")));
}

#[test]
fn wrong_settings_are_refused() {
    let refused = |config| Mailer::new(config).err().unwrap().to_string();
    let user = "smtps://forms@mail.example";
    assert!(refused(config(user)).contains("--smtp-password-file"));
    let password = Some(PASSWORD.to_owned());
    let without_user = MailConfig { password: password.clone(), ..config("smtps://mail.example") };
    assert!(refused(without_user).contains("needs a user"));
    let plain = MailConfig { password, ..config("smtp://forms@mail.example?tls=none") };
    assert!(refused(plain).contains("without encryption"));
    for pem in ["", "x", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
        let authorities = Some(pem.as_bytes().to_vec());
        let error = refused(MailConfig { authorities, ..config("smtps://mail.example") });
        assert!(error.starts_with("the SMTP certificate authority is not valid"), "{error}");
    }
}

#[tokio::test]
async fn signature_is_the_first_header() {
    let server = SmtpReceiver::start().await;
    let pem = include_bytes!("test_data/dkim_rsa.pem");
    let dkim = Some(DkimKey::parse(pem, "mail").unwrap());
    let mailer = mailer(MailConfig { dkim, ..config(&server.url()) });
    mailer.send(mail_to("ada@example.org")).await.unwrap();
    let raw = String::from_utf8(server.mails()[0].raw.clone()).unwrap();
    assert!(raw.starts_with("DKIM-Signature: v=1; a=rsa-sha256;"), "{raw}");
    assert!(raw.contains("d=example.com;"), "{raw}");
}

#[tokio::test]
async fn test_mail_returns_the_answer() {
    let server = SmtpReceiver::start().await;
    let mailer = mailer(config(&server.url()));
    let answer = mailer.send_test("ada@example.org").await.unwrap();
    assert_eq!(answer, "250 2.0.0 queued as 4711");
    let raw = String::from_utf8(server.mails()[0].raw.clone()).unwrap();
    assert!(raw.contains("Subject: Test e-mail from Sheaf\r\n"), "{raw}");
}

#[tokio::test]
async fn direct_mail_is_sent() {
    let server = SmtpReceiver::start().await;
    let content = DirectContent::SignInLink { url: "https://f.example/s#x".into(), minutes: 15 };
    let language = MailLanguage::English;
    let mail = DirectMail { recipient: "ada@example.org".into(), language, content };
    mailer(config(&server.url())).send_direct(mail).await.unwrap();
    let raw = String::from_utf8(server.mails()[0].raw.clone()).unwrap();
    assert!(raw.contains("\r\nhttps://f.example/s#x\r\n"), "{raw}");
}

#[tokio::test(start_paused = true)]
async fn direct_mail_ends_after_15_seconds() {
    let server = SmtpReceiver::start().await;
    let limit = Duration::from_mins(10);
    let mailer = mailer(config(&server.url())).with_timeout(limit);
    server.hang(SmtpStage::Greeting, "");
    let content = DirectContent::SignInLink { url: "https://f.example".into(), minutes: 15 };
    let language = MailLanguage::English;
    let mail = DirectMail { recipient: "ada@example.org".into(), language, content };
    let error = mailer.send_direct(mail).await.unwrap_err();
    assert_eq!(error.to_string(), "the mail server did not answer within 15 s");
}
