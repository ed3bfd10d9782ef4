//! Tests of signatures, with the example of RFC 8463 and with keys of OpenSSL.

use super::*;
use ring::signature::{ED25519, KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

/// The example of RFC 8463, appendix A.
const HEAD: &str = "From: Joe SixPack <joe@football.example.com>\r\n\
                    To: Suzie Q <suzie@shopping.example.net>\r\n\
                    Subject: Is dinner ready?\r\n\
                    Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)\r\n\
                    Message-ID: <20030712040037.46341.5F8J@football.example.com>\r\n";
const BODY: &str = "\r\nHi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n";
const BODY_HASH: &str = "2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=";
const SIGNATURE_HEADER: &str = "DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;\r\n \
     d=football.example.com; i=@football.example.com;\r\n \
     q=dns/txt; s=brisbane; t=1528637909; h=from : to :\r\n \
     subject : date : message-id : from : subject : date;\r\n \
     bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;\r\n b=";
const SIGNATURE: &str = "/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus\
                         Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==";
const PUBLIC_KEY: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

/// The private key of the example as OpenSSL writes it: PKCS#8 without the public key.
const ED25519_PEM: &str = "-----BEGIN PRIVATE KEY-----\n\
                           MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
                           -----END PRIVATE KEY-----\n";
const RSA_PEM: &str = include_str!("test_data/dkim_rsa.pem");
const RSA_1024_PEM: &str = include_str!("test_data/dkim_rsa_1024.pem");

fn at() -> Timestamp {
    Timestamp::parse("2026-03-01T09:30:00Z").unwrap()
}

fn decode(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

/// Returns an RSA key of 2048 bits as PKCS#1, which PKCS#8 contains after 26 bytes.
fn pkcs1(pem: &str) -> String {
    let lines: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let der = BASE64_STANDARD.encode(&decode(&lines)[26..]);
    format!("-----BEGIN RSA PRIVATE KEY-----\n{der}\n-----END RSA PRIVATE KEY-----\n")
}

/// Returns the value of a tag of a signature, without white space.
fn tag(header: &str, name: &str) -> String {
    let value = header.split_once(':').unwrap().1;
    let tags = value.split(';').map(|tag| tag.trim().split_once('=').unwrap());
    let found = tags.into_iter().find(|(key, _)| *key == name).unwrap().1;
    found.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the bytes that a verifier hashes.
fn verified_bytes(message: &str, header: &str) -> Vec<u8> {
    let (head, _) = split_message(message.as_bytes());
    let mut signed = String::new();
    let mut seen: Vec<&str> = Vec::new();
    let names = tag(header, "h");
    for name in names.split(':') {
        // A name that is listed again means an earlier header of the same name. There is no such header.
        if !seen.contains(&name) {
            signed += &canonicalize_headers(head, &[name]);
            seen.push(name);
        }
    }
    let without = header.split_once(" b=").unwrap().0.to_owned() + " b=";
    signed += canonicalize_header(&without).trim_end();
    signed.into_bytes()
}

#[test]
fn example_of_rfc_8463_is_verified() {
    let message = format!("{HEAD}{BODY}");
    let (_, body) = split_message(message.as_bytes());
    let hash = Sha256::digest(canonicalize_body(body));
    assert_eq!(BASE64_STANDARD.encode(hash), BODY_HASH);
    let header = format!("{SIGNATURE_HEADER}{SIGNATURE}");
    let bytes = verified_bytes(&message, &header);
    let key = UnparsedPublicKey::new(&ED25519, decode(PUBLIC_KEY));
    key.verify(&Sha256::digest(bytes), &decode(SIGNATURE)).unwrap();
}

#[test]
fn ed25519_signature_is_verified() {
    let key = DkimKey::parse(ED25519_PEM.as_bytes(), "brisbane").unwrap();
    let message = format!("{HEAD}{BODY}");
    let header = key.sign(message.as_bytes(), "football.example.com", at()).unwrap();
    assert_eq!(tag(&header, "a"), "ed25519-sha256");
    assert_eq!(tag(&header, "bh"), BODY_HASH);
    let public = UnparsedPublicKey::new(&ED25519, decode(PUBLIC_KEY));
    let signature = decode(&tag(&header, "b"));
    public.verify(&Sha256::digest(verified_bytes(&message, &header)), &signature).unwrap();
    let changed = message.replace("dinner", "lunch");
    let bytes = verified_bytes(&changed, &header);
    assert!(public.verify(&Sha256::digest(bytes), &signature).is_err());
}

#[test]
fn rsa_signature_is_verified() {
    let key = DkimKey::parse(RSA_PEM.as_bytes(), "mail").unwrap();
    let SigningKey::Rsa(pair) = &key.key else { panic!("not an RSA key") };
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref());
    let message = format!("{HEAD}{BODY}");
    let header = key.sign(message.as_bytes(), "football.example.com", at()).unwrap();
    let signature = decode(&tag(&header, "b"));
    public.verify(&verified_bytes(&message, &header), &signature).unwrap();
    let same = DkimKey::parse(pkcs1(RSA_PEM).as_bytes(), "mail").unwrap();
    assert_eq!(same.sign(message.as_bytes(), "football.example.com", at()).unwrap(), header);
}

#[test]
fn header_has_expected_tags_and_short_lines() {
    let key = DkimKey::parse(RSA_PEM.as_bytes(), "mail.2026").unwrap();
    let header = key.sign(format!("{HEAD}{BODY}").as_bytes(), "example.com", at()).unwrap();
    for (name, value) in [
        ("v", "1"),
        ("a", "rsa-sha256"),
        ("c", "relaxed/relaxed"),
        ("d", "example.com"),
        ("s", "mail.2026"),
        ("t", "1772357400"),
    ] {
        assert_eq!(tag(&header, name), value);
    }
    let names = tag(&header, "h");
    for name in ["from", "to", "subject", "date", "list-unsubscribe", "list-unsubscribe-post"] {
        assert_eq!(names.split(':').filter(|signed| *signed == name).count(), 2, "{name}");
    }
    assert!(header.ends_with("\r\n") && !header.contains("\r\n\r\n"), "{header:?}");
    let lines: Vec<_> = header.trim_end().split("\r\n").collect();
    assert!(lines.iter().all(|line| line.len() <= 78), "{header}");
    assert!(lines[1..].iter().all(|line| line.starts_with(' ') && line.trim() != ""), "{header}");
}

#[test]
fn canonical_forms_follow_rfc_6376() {
    // The example of section 3.4.5.
    let head = "A: X \r\nB : Y\t\r\n\tZ  \r\n";
    assert_eq!(canonicalize_headers(head, &["a", "b", "absent"]), "a:X\r\nb:Y Z\r\n");
    assert_eq!(canonicalize_body(b" C \r\nD \t E\r\n\r\n\r\n"), b" C\r\nD E\r\n");
    assert_eq!(canonicalize_body(b""), b"");
    assert_eq!(canonicalize_body(b"\r\n\r\n"), b"");
    assert_eq!(canonicalize_body(b" \t\r\n"), b"");
    assert_eq!(canonicalize_body(b"a"), b"a\r\n");
    assert_eq!(canonicalize_body(b"\r\n a\t\tb \r\n"), b"\r\n a b\r\n");
    let twice = "A: 1\r\nA: 2\r\n";
    assert_eq!(canonicalize_headers(twice, &["a"]), "a:2\r\n");
}

#[test]
fn message_without_body_is_signed() {
    let key = DkimKey::parse(ED25519_PEM.as_bytes(), "s").unwrap();
    for message in ["From: a@b.example\r\n", "From: a@b.example\r\n\r\n", ""] {
        let header = key.sign(message.as_bytes(), "b.example", at()).unwrap();
        assert_eq!(tag(&header, "bh"), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}

#[test]
fn wrong_keys_and_selectors_are_refused() {
    let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    for pem in ["", "x", certificate, RSA_1024_PEM] {
        let error = DkimKey::parse(pem.as_bytes(), "mail").err().unwrap().to_string();
        assert!(error.contains("2048"), "{error}");
    }
    for selector in ["", ".", "a.", "-a", "a b", "a;b", "ä", "a\r\nb", &"a".repeat(64)] {
        let error = DkimKey::parse(ED25519_PEM.as_bytes(), selector).err().unwrap().to_string();
        assert!(error.contains("selector"), "{selector:?}: {error}");
    }
}
