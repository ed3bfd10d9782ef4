//! Tests of identity headers in every spelling and from every sender: only the proxy is accepted.

use super::*;
use http::{HeaderName, HeaderValue};
use proptest::prelude::*;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn header_source() -> HeaderSource {
    let [field, secret] =
        ["x-auth-email", "x-sheaf-proxy-secret"].map(|n| ProxyHeader::new(n).unwrap());
    HeaderSource::new(field, secret, SECRET).unwrap()
}

fn header_map(pairs: &[(&str, &[u8])]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        map.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    map
}

fn identify(pairs: &[(&str, &[u8])], is_trusted: bool) -> Result<Option<String>, IdentityError> {
    identify_by(&header_source(), pairs, is_trusted.then_some(TrustedPeer::ByAddress))
}

fn identify_by(
    rule: &HeaderSource,
    pairs: &[(&str, &[u8])],
    from: Option<TrustedPeer>,
) -> Result<Option<String>, IdentityError> {
    let found = rule.identify(&header_map(pairs), from)?;
    Ok(found.map(|identity| identity.subject().to_owned()))
}

const SECRET_HEADER: (&str, &[u8]) = ("x-sheaf-proxy-secret", SECRET.as_bytes());

#[test]
fn trusted_proxy_with_secret_is_accepted() {
    let header: (&str, &[u8]) = ("X-Auth-Email", b"Alice@Example.com");
    assert_eq!(identify(&[SECRET_HEADER, header], true), Ok(Some("alice@example.com".to_owned())));
    assert_eq!(identify(&[SECRET_HEADER], true), Ok(None));
    assert_eq!(identify(&[], false), Ok(None));
}

#[test]
fn missing_or_wrong_secret_is_rejected() {
    let header: (&str, &[u8]) = ("x-auth-email", b"alice@example.com");
    let untrusted = Err(IdentityError::NotFromProxy("x-auth-email".to_owned()));
    let wrong = [
        ("x-sheaf-proxy-secret", &SECRET.as_bytes()[..31]),
        ("x-sheaf-proxy-secret", b"0123456789ABCDEF0123456789abcdef"),
        ("x-sheaf-proxy-secret", b""),
        ("x_sheaf_proxy_secret", SECRET.as_bytes()),
        ("x-other", SECRET.as_bytes()),
    ];
    for proof in wrong {
        assert_eq!(identify(&[header, proof], true), untrusted, "{proof:?}");
    }
    assert_eq!(identify(&[header], true), untrusted);
    assert_eq!(identify(&[header, SECRET_HEADER], false), untrusted);
    assert_eq!(
        identify(&[header, SECRET_HEADER, SECRET_HEADER], true),
        untrusted,
        "a repeated secret"
    );
}

/// The socket is reserved for the proxy, so it needs no secret. It opens no other way to send an
/// identity.
#[test]
fn socket_needs_no_secret() {
    let header: (&str, &[u8]) = ("X-Auth-Email", b"alice@example.com");
    let untrusted = Err(IdentityError::NotFromProxy("x-auth-email".to_owned()));
    let sole = HeaderSource::by_socket(ProxyHeader::new("x-auth-email").unwrap());
    for rule in [&header_source(), &sole] {
        let by_socket = |pairs: &[_]| identify_by(rule, pairs, Some(TrustedPeer::BySocket));
        assert_eq!(by_socket(&[header]), Ok(Some("alice@example.com".to_owned())));
        assert_eq!(by_socket(&[]), Ok(None));
        let twice = Err(IdentityError::Ambiguous("x-auth-email".to_owned()));
        assert_eq!(by_socket(&[header, header]), twice);
        assert_eq!(by_socket(&[("x_auth_email", b"alice@example.com")]), twice);
        assert_eq!(identify_by(rule, &[header], Some(TrustedPeer::ByAddress)), untrusted);
        assert_eq!(identify_by(rule, &[header, SECRET_HEADER], None), untrusted);
    }
    assert_eq!(
        identify_by(&sole, &[header, SECRET_HEADER], Some(TrustedPeer::ByAddress)),
        untrusted
    );
}

#[test]
fn invalid_secret_settings_are_rejected() {
    let field = |name| ProxyHeader::new(name).unwrap();
    let bad = |secret: &str| HeaderSource::new(field("x-a"), field("x-b"), secret).err();
    for secret in ["", "too short", "0123456789 abcdef", &"a".repeat(257), "é123456789abcdef"] {
        assert_eq!(bad(secret), Some(InvalidHeaderSettings::Secret), "{secret:?}");
    }
    let same = HeaderSource::new(field("x-a"), field("X-A"), SECRET).err();
    assert_eq!(same, Some(InvalidHeaderSettings::SameHeader("x-a".to_owned())));
}

/// A spelling of the header: letters in either case, and `-`, `_` or `.` as separators.
fn spelling() -> impl Strategy<Value = String> {
    let replace = |c: char| match c {
        '-' => prop_oneof![3 => Just('-'), 1 => Just('_'), 1 => Just('.')].boxed(),
        c => prop_oneof![Just(c), Just(c.to_ascii_uppercase())].boxed(),
    };
    "x-auth-email".chars().map(replace).collect::<Vec<_>>().prop_map(String::from_iter)
}

/// A value of the header: a plain one, with spaces around or inside, or any bytes that a header
/// allows.
fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"mallory@example.com".to_vec()),
        Just(b" mallory@example.com".to_vec()),
        Just(b"mallory@example.com, alice@example.com".to_vec()),
        Just(b"mallory@example.com@example.com".to_vec()),
        proptest::collection::vec(prop_oneof![32_u8..=126, 128_u8..=255, Just(9)], 0..40),
    ]
}

proptest! {
    #[test]
    fn identity_requires_proxy_and_single_header(
        headers in proptest::collection::vec((spelling(), value()), 0..4),
        is_trusted: bool,
        has_secret: bool,
    ) {
        let mut pairs: Vec<(&str, &[u8])> =
            headers.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        let is_sole =
            matches!(&headers[..], [(name, _)] if name.eq_ignore_ascii_case("x-auth-email"));
        if has_secret {
            pairs.push(SECRET_HEADER);
        }
        match identify(&pairs, is_trusted) {
            Ok(None) => prop_assert!(headers.is_empty()),
            Ok(Some(subject)) => {
                prop_assert!(is_trusted && has_secret && is_sole);
                prop_assert_eq!(subject.as_bytes(), headers[0].1.to_ascii_lowercase());
                prop_assert!(subject.bytes().all(|b| b.is_ascii_graphic() && b != b','));
                prop_assert!(subject.matches('@').count() <= 1);
            }
            Err(IdentityError::NotFromProxy(_)) => prop_assert!(!is_trusted || !has_secret),
            Err(IdentityError::Ambiguous(_)) => prop_assert!(is_trusted && has_secret && !is_sole),
            Err(refusal) => prop_assert!(is_trusted && is_sole, "{refusal:?}"),
        }
    }
}
