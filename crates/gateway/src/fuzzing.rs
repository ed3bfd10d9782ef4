//! What the fuzz targets reach of this crate, with what must hold whatever comes in. Compiled for
//! them alone.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::identity::{Identity, fuzzing};

/// The header that says who comes, in the tests of it.
const NAME: &str = "x-auth-email";
/// The header of the proxy's secret, and the secret.
const SECRET: (&str, &str) = ("x-sheaf-proxy-secret", "0123456789abcdef");

/// Reads lines as the headers of a request, and finds out as whom it comes: as a trusted proxy
/// sends it where the first bit says so, with its secret where the second does.
///
/// # Panics
/// Where somebody comes of anything but the one header, spelt as it should, from the proxy.
pub fn identity_header(bits: u8, lines: &[u8]) {
    let (is_trusted, has_secret) = (bits & 1 != 0, bits & 2 != 0);
    let headers = read(lines, has_secret);
    let said: Vec<_> = headers.iter().filter(|(name, _)| is_spelling(name.as_str())).collect();
    match fuzzing::identify(NAME, SECRET, &headers, is_trusted) {
        Ok(None) => assert!(said.is_empty(), "a header was not seen"),
        Ok(Some(identity)) => {
            assert!(is_trusted && headers.get_all(SECRET.0).iter().count() == 1);
            let [(name, value)] = &said[..] else { panic!("one of several was chosen") };
            assert_eq!((name.as_str(), identity.issuer()), (NAME, "header:x-auth-email"));
            assert_eq!(value.as_bytes().to_ascii_lowercase(), identity.subject().as_bytes());
            let again = Identity::new(identity.issuer(), identity.subject());
            assert_eq!(again, Ok(identity), "an operator could not write it");
        }
        Err(_) => assert!(!said.is_empty(), "refused for nothing"),
    }
    fuzzing::key_set(lines);
}

fn read(lines: &[u8], has_secret: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n').take(64) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(&line[colon + 1..]);
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    if has_secret {
        headers.append(SECRET.0, HeaderValue::from_static(SECRET.1));
    }
    headers
}

/// Whether somebody may take a name for [`NAME`], told in another way than the code does.
fn is_spelling(name: &str) -> bool {
    let parts: Vec<_> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    parts.iter().map(|part| part.to_ascii_lowercase()).eq(NAME.split('-').map(str::to_owned))
}
