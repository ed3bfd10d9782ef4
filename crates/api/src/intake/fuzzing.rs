//! Builds a submission from a body without a request, for the fuzz target and its test.

use super::build_submission;
use super::form_body::{self, BodyFormat};
use super::form_settings::CachedForm;
use super::request_metadata::RequestMetadata;
use axum::body::Body;
use contract::{Intake, Submission, Timestamp};
use futures_util::FutureExt;
use http::HeaderMap;
use std::collections::HashSet;
use std::pin::pin;
use store::new_submission::IntakeRecord;

/// Boundary in the bodies of the corpus.
const BOUNDARY: &str = "x";

/// Returns the submission that a form without fields accepts; `None` if it rejects the body.
pub(crate) fn build_from_bytes(kind: u8, body: &[u8]) -> Option<Submission> {
    let kind = match kind % 3 {
        0 => BodyFormat::Json(None),
        1 => BodyFormat::Urlencoded(None),
        _ => BodyFormat::Multipart(BOUNDARY.to_owned(), None),
    };
    let body = Body::from(body.to_vec());
    let headers = HeaderMap::new();
    let mut read = pin!(form_body::parse_body(&kind, &headers, body));
    // The stream for the multipart parser is polled again after each chunk. This body is one chunk.
    let parsed_body = (0..3).find_map(|_| read.as_mut().now_or_never());
    let parsed_body = parsed_body.expect("a body in memory is read without waiting").ok()?;
    let now = Timestamp::from_micros(1_800_000_000_000_000)?;
    let record = IntakeRecord {
        account_id: "acc_1".parse().ok()?,
        environment: contract::Environment::Live,
        fields: Vec::new(),
        removed_keys: HashSet::new(),
        intake: Intake::default(),
        version: 0,
    };
    let form = "frm_1".parse().ok()?;
    let built = build_submission::build_submission(
        &form,
        &CachedForm::new(record, now),
        parsed_body,
        &RequestMetadata::default(),
        None,
        now,
    )
    .ok()?;
    Some(built.new_submission.submission)
}
