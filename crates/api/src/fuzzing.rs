//! The entry points of the fuzz targets, with the rule that holds for each input. Ordinary tests
//! run them over the corpus.

use crate::cursor::{Cursors, Listing};
use crate::intake;
use contract::{Environment, Filter, FormId, Submission};
use store::secret;

/// Reads a text as a cursor.
///
/// # Panics
/// Where one is taken that this service did not write.
pub fn cursor(text: &str) {
    let Ok(form) = "frm_1".parse::<FormId>() else { return };
    let filter = Filter::default();
    let listing = Listing { form: &form, environment: Environment::Live, filter: &filter };
    let cursors = Cursors::new([7; 32]);
    if let Some(position) = cursors.read(listing, text) {
        assert_eq!(cursors.write(listing, &position), text);
    }
}

/// Reads a text as the secret of a key.
///
/// # Panics
/// Where one is taken that has another shape than ours.
pub fn key(text: &str) {
    if let Some(environment) = secret::environment_of(text) {
        let body = text.strip_prefix(environment.secret_prefix());
        assert!(body.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_alphanumeric())));
    }
}

/// Reads bytes as the body of a submission, in one of the three kinds, and judges it.
///
/// # Panics
/// Where what is taken does not come back from the row that would be kept.
pub fn form_body(kind: u8, body: &[u8]) {
    let Some(submission) = intake::judged(kind, body) else { return };
    let json = serde_json::to_string(&submission).expect("a submission is JSON");
    let read: Submission = serde_json::from_str(&json).expect("what was written can be read");
    assert_eq!(read, submission);
    assert_eq!(submission.form_id.as_str(), "frm_1");
}

#[cfg(test)]
mod tests {
    use test_servers::{for_each_kind, for_each_text};

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn cursor_holds_for_the_corpus_and_changed_copies() {
        for_each_text(HERE, "cursor", 2000, super::cursor);
    }

    #[test]
    fn key_holds_for_the_corpus_and_changed_copies() {
        for_each_text(HERE, "key", 2000, super::key);
    }

    #[test]
    fn form_body_holds_for_the_corpus_and_changed_copies() {
        for_each_kind(HERE, "form_body", 2000, super::form_body);
    }
}
