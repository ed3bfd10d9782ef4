//! Signatures of e-mails by DKIM (RFC 6376 and RFC 8463), relaxed in headers and body.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

use super::error::{MailConfigError, excerpt};

/// Signed headers. Each is listed twice, so that a second one invalidates the signature.
const SIGNED_HEADERS: [&str; 12] = [
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "reply-to",
    "in-reply-to",
    "references",
    "mime-version",
    "content-type",
    "list-unsubscribe",
    "list-unsubscribe-post",
];
/// Maximum length of a selector, and of each of its labels, in bytes.
const SELECTOR_BYTES_MAX: usize = 200;
const LABEL_BYTES_MAX: usize = 63;
/// Length of the lines of a signature, in characters.
const SIGNATURE_LINE: usize = 72;

/// Key that signs e-mails, and the name of its public key in DNS.
pub struct DkimKey {
    selector: String,
    key: SigningKey,
}

enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    Ed25519(Ed25519KeyPair),
}

impl DkimKey {
    /// Parses a private key as PEM: RSA of 2048 to 4096 bits as PKCS#1 or PKCS#8, or Ed25519 as
    /// PKCS#8. Its public key is the TXT record `{selector}._domainkey.{domain of the sender}`.
    ///
    /// # Errors
    /// [`MailConfigError::Dkim`].
    pub fn parse(pem: &[u8], selector: &str) -> Result<Self, MailConfigError> {
        if !is_selector(selector) {
            let text = "the DKIM selector must be letters, digits, hyphens and periods, but is";
            return Err(MailConfigError::Dkim(format!("{text} `{}`", excerpt(selector))));
        }
        let key = parse_key(pem).ok_or_else(|| {
            MailConfigError::Dkim(
                "the DKIM key must be a private key as PEM: RSA of 2048 to 4096 bits, or Ed25519. \
                 Create one with `openssl genrsa -out dkim.pem 2048`"
                    .to_owned(),
            )
        })?;
        Ok(Self { selector: selector.to_owned(), key })
    }

    /// Returns the header `DKIM-Signature` of a message, with its line end. `None` if the operating
    /// system provides no random bytes.
    pub(crate) fn sign(&self, message: &[u8], domain: &str, now: Timestamp) -> Option<String> {
        let (head, body) = split_message(message);
        let body_hash = BASE64_STANDARD.encode(Sha256::digest(canonicalize_body(body)));
        let algorithm = match self.key {
            SigningKey::Rsa(_) => "rsa-sha256",
            SigningKey::Ed25519(_) => "ed25519-sha256",
        };
        let mut header = format!(
            "DKIM-Signature: v=1; a={algorithm}; c=relaxed/relaxed; d={domain};\r\n s={}; t={};",
            self.selector,
            now.seconds()
        );
        header += "\r\n h=";
        for (at, name) in SIGNED_HEADERS.iter().enumerate() {
            let separator = if at == 0 { "" } else { ":\r\n " };
            let _ = write!(header, "{separator}{name}:{name}");
        }
        let _ = write!(header, ";\r\n bh={body_hash};\r\n b=");
        let mut signed = canonicalize_headers(head, &SIGNED_HEADERS);
        signed += canonicalize_header(&header).trim_end();
        let signature = BASE64_STANDARD.encode(self.sign_bytes(signed.as_bytes())?);
        for line in signature.as_bytes().chunks(SIGNATURE_LINE) {
            header.push_str(&String::from_utf8_lossy(line));
            header.push_str("\r\n ");
        }
        header.truncate(header.trim_end().len());
        header.push_str("\r\n");
        Some(header)
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match &self.key {
            SigningKey::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), bytes, &mut signature).ok()?;
                Some(signature)
            }
            // RFC 8463 signs the hash.
            SigningKey::Ed25519(key) => Some(key.sign(&Sha256::digest(bytes)).as_ref().to_vec()),
        }
    }
}

fn is_selector(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let has_edges = label.starts_with('-') || label.ends_with('-');
        !label.is_empty() && label.len() <= LABEL_BYTES_MAX && is_plain && !has_edges
    };
    text.len() <= SELECTOR_BYTES_MAX && text.split('.').all(is_label)
}

fn parse_key(pem: &[u8]) -> Option<SigningKey> {
    let rsa = |key| SigningKey::Rsa(Box::new(key));
    match PrivateKeyDer::from_pem_slice(pem).ok()? {
        PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok().map(rsa),
        PrivateKeyDer::Pkcs8(der) => {
            let der = der.secret_pkcs8_der();
            // OpenSSL writes Ed25519 keys without the public key, which is no error here.
            let ed25519 = || Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok();
            let key = RsaKeyPair::from_pkcs8(der).ok().map(rsa);
            key.or_else(|| ed25519().map(SigningKey::Ed25519))
        }
        _ => None,
    }
}

/// Returns the headers with their line ends, and the body.
fn split_message(message: &[u8]) -> (&str, &[u8]) {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, body) = match end {
        Some(end) => (&message[..end + 2], &message[end + 4..]),
        None => (message, &[][..]),
    };
    // The builder of messages writes headers as UTF-8.
    (std::str::from_utf8(head).unwrap_or_default(), body)
}

/// Returns the last header of each name, in the order of `names`.
fn canonicalize_headers(head: &str, names: &[&str]) -> String {
    let mut headers: Vec<String> = Vec::new();
    for line in head.split_inclusive("\r\n") {
        match headers.last_mut() {
            Some(header) if line.starts_with([' ', '\t']) => header.push_str(line),
            _ => headers.push(line.to_owned()),
        }
    }
    let headers: Vec<_> = headers.iter().map(|header| canonicalize_header(header)).collect();
    let find = |name: &&str| {
        let is_named = |header: &&String| header.split(':').next() == Some(name);
        headers.iter().rev().find(is_named).map(String::as_str)
    };
    names.iter().filter_map(find).collect()
}

/// Returns a header on one line: the name in lower case, and single spaces between words.
fn canonicalize_header(header: &str) -> String {
    let (name, value) = header.split_once(':').unwrap_or((header, ""));
    let words: Vec<_> =
        value.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).collect();
    format!("{}:{}\r\n", name.trim_end().to_ascii_lowercase(), words.join(" "))
}

/// Returns a body with single spaces, without spaces at the ends of lines, and without empty lines
/// at its end.
fn canonicalize_body(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 2);
    let body = body.strip_suffix(b"\r\n").unwrap_or(body);
    for line in body.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let end = line.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
        let mut was_space = false;
        for &byte in &line[..end] {
            let is_space = is_space(byte);
            if !(is_space && was_space) {
                out.push(if is_space { b' ' } else { byte });
            }
            was_space = is_space;
        }
        out.extend_from_slice(b"\r\n");
    }
    while out.ends_with(b"\r\n\r\n") {
        out.truncate(out.len() - 2);
    }
    if out == b"\r\n" {
        out.clear();
    }
    out
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

#[cfg(test)]
#[path = "dkim_tests.rs"]
mod tests;
