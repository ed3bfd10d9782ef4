//! Tests of settings.

use super::*;

fn server(url: &str) -> SmtpServer {
    SmtpServer::parse(url).unwrap()
}

#[test]
fn url_of_server_has_defaults() {
    let check = |url, (host, port): (&str, u16), user: Option<&str>, encryption| {
        let expected =
            SmtpServer { host: host.to_owned(), port, user: user.map(str::to_owned), encryption };
        assert_eq!(server(url), expected, "{url}");
    };
    check("smtps://mail.example", ("mail.example", 465), None, Encryption::Implicit);
    check("smtps://u@mail.example:4465/", ("mail.example", 4465), Some("u"), Encryption::Implicit);
    check("smtp://MAIL.example", ("mail.example", 587), None, Encryption::IfOffered);
    check("smtp://u%40e@m.example", ("m.example", 587), Some("u@e"), Encryption::IfOffered);
    check("smtp://a@b@m.example", ("m.example", 587), Some("a@b"), Encryption::IfOffered);
    check("smtp://127.0.0.1:25?tls=none", ("127.0.0.1", 25), None, Encryption::Never);
    check("smtp://[::1]:25?tls=required", ("::1", 25), None, Encryption::Required);
    check("smtp://münchen.example", ("xn--mnchen-3ya.example", 587), None, Encryption::IfOffered);
}

#[test]
fn wrong_url_of_server_is_refused() {
    for (url, reason) in [
        ("mail.example", "it is no URL"),
        ("https://mail.example", "begins with `https:`"),
        ("smtp://u:secret@mail.example", "`--smtp-password-file`"),
        ("smtps://mail.example?tls=none", "ends with `?tls=none`"),
        ("smtp://mail.example?tls=maybe", "ends with `?tls=maybe`"),
        ("smtp://mail.example/path", "path or fragment"),
        ("smtp://mail.example#x", "path or fragment"),
        ("smtp://", "no valid host"),
        ("smtp:", "no valid host"),
        ("smtp:mail.example", "path or fragment"),
        ("smtp://mail.example:0", "port is 0"),
        ("smtp://mail.example:70000", "it is no URL"),
        ("smtp://a%0d%0ab@mail.example", "control characters"),
        ("smtp://a%ff@mail.example", "valid UTF-8"),
    ] {
        let error = SmtpServer::parse(url).unwrap_err().to_string();
        assert!(error.contains(reason), "{url}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn loopback_is_this_host_only() {
    for url in ["smtp://localhost", "smtp://127.8.0.1", "smtp://[::1]"] {
        assert!(server(url).is_loopback(), "{url}");
    }
    for url in ["smtp://10.0.0.1", "smtp://localhost.example", "smtp://[fe80::1]"] {
        assert!(!server(url).is_loopback(), "{url}");
    }
}

#[test]
fn sender_has_optional_name() {
    for (text, name, address) in [
        ("forms@example.com", None, "forms@example.com"),
        (" <forms@example.com> ", None, "forms@example.com"),
        ("Forms <forms@example.com>", Some("Forms"), "forms@example.com"),
        ("\"Forms, Ltd.\" <f@example.com>", Some("Forms, Ltd."), "f@example.com"),
        ("Städte <f@münchen.example>", Some("Städte"), "f@xn--mnchen-3ya.example"),
    ] {
        let from = MailFrom::parse(text).unwrap();
        assert_eq!(from.mailbox().name.as_deref(), name, "{text}");
        assert_eq!(from.address().to_string(), address);
        assert_eq!(from.domain(), address.split_once('@').unwrap().1);
    }
}

#[test]
fn wrong_sender_is_refused() {
    for text in [
        "",
        "Forms",
        "Forms <>",
        "a@example.com, b@example.com",
        "For\r\nms <forms@example.com>",
        "jürgen@example.com",
        "Forms <forms@example.com",
    ] {
        let error = MailFrom::parse(text).unwrap_err();
        assert!(matches!(error, MailConfigError::From(_)), "{text:?}");
    }
}
