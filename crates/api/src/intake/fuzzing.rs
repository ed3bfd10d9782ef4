//! Builds a submission from a body without a request, for the fuzz target and its test.

use super::build_submission;
use super::form_body::{self, Kind};
use super::form_settings::Known;
use super::request_metadata::Visit;
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
pub(crate) fn judged(kind: u8, body: &[u8]) -> Option<Submission> {
    let kind = match kind % 3 {
        0 => Kind::Json(None),
        1 => Kind::Urlencoded(None),
        _ => Kind::Multipart(BOUNDARY.to_owned(), None),
    };
    let body = Body::from(body.to_vec());
    let headers = HeaderMap::new();
    let mut read = pin!(form_body::read(&kind, &headers, body));
    // The stream for the multipart parser is polled again after each chunk. This body is one chunk.
    let sheet = (0..3).find_map(|_| read.as_mut().now_or_never());
    let sheet = sheet.expect("a body in memory is read without waiting").ok()?;
    let now = Timestamp::from_micros(1_800_000_000_000_000)?;
    let record = IntakeRecord {
        account_id: "acc_1".parse().ok()?,
        fields: Vec::new(),
        removed_keys: HashSet::new(),
        intake: Intake::default(),
        version: 0,
    };
    let form = "frm_1".parse().ok()?;
    let judged = build_submission::judge(
        &form,
        &Known::new(record, now),
        sheet,
        &Visit::default(),
        None,
        now,
    )
    .ok()?;
    Some(judged.arrival.submission)
}
