//! Entry points of the fuzz targets. Each asserts an invariant. Unit tests run them over the
//! corpus.

use crate::cursor::{CursorCodec, CursorScope};
use crate::intake;
use contract::{Environment, Filter, FormId, Submission};
use store::secret;

/// Parses a text as a cursor.
///
/// # Panics
/// Panics if a cursor is accepted that this service did not write.
pub fn cursor(text: &str) {
    let Ok(form) = "frm_1".parse::<FormId>() else { return };
    let filter = Filter::default();
    let listing =
        CursorScope { form: Some(&form), environment: Environment::Live, filter: &filter };
    let cursors = CursorCodec::new([7; 32]);
    if let Some(position) = cursors.decode(listing, text) {
        assert_eq!(cursors.encode(listing, &position), text);
    }
}

/// Parses a text as the secret of a key.
///
/// # Panics
/// Panics if a secret of another shape is accepted.
pub fn key(text: &str) {
    if let Some(environment) = secret::parse_environment(text) {
        let body = text.strip_prefix(environment.secret_prefix());
        assert!(body.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    }
}

/// Builds a submission from a body in one of the three media types.
///
/// # Panics
/// Panics if the submission differs after it is written as JSON and parsed again.
pub fn form_body(kind: u8, body: &[u8]) {
    let Some(submission) = intake::build_from_bytes(kind, body) else { return };
    let json = serde_json::to_string(&submission).expect("a submission serializes to JSON");
    let read: Submission = serde_json::from_str(&json).expect("the serialized submission parses");
    assert_eq!(read, submission);
    assert_eq!(submission.form_id.as_str(), "frm_1");
}

#[cfg(test)]
mod tests {
    use test_servers::{for_each_kind, for_each_text};

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn cursor_target_passes_on_corpus() {
        for_each_text(HERE, "cursor", 2000, super::cursor);
    }

    #[test]
    fn key_target_passes_on_corpus() {
        for_each_text(HERE, "key", 2000, super::key);
    }

    #[test]
    fn form_body_target_passes_on_corpus() {
        for_each_kind(HERE, "form_body", 2000, super::form_body);
    }
}
