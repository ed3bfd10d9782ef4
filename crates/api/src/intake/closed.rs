//! What a closed form answers: the owner's sentence, as JSON here; for people it becomes a page.

use axum::response::{IntoResponse, Response};
use contract::{Closing, ErrorBody, ErrorCode};
use http::StatusCode;

/// What scripts read if the owner gave no sentence.
const MESSAGE: &str = "this form is closed; it takes no more submissions";

/// Marks the answer of a closed form, with the owner's sentence.
#[derive(Debug, Clone)]
pub(super) struct Closed(pub(super) Option<String>);

/// Returns the answer of a form that is closed.
pub(super) fn answer(closing: &Closing) -> Response {
    let mut body = ErrorBody::new(ErrorCode::Forbidden, MESSAGE);
    if let Some(sentence) = &closing.message {
        // The owner's own words, whole: nothing of it came with the request.
        body.message.clone_from(sentence);
    }
    let mut response = (StatusCode::FORBIDDEN, axum::Json(body)).into_response();
    response.extensions_mut().insert(Closed(closing.message.clone()));
    response
}
