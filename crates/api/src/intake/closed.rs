//! Response of a closed form: JSON with the owner's message. Browsers get it as a page.

use axum::response::{IntoResponse, Response};
use contract::{Closing, ErrorBody, ErrorCode};
use http::StatusCode;

/// Message in JSON if the owner has set no message.
const DEFAULT_MESSAGE: &str = "this form is closed and accepts no more submissions";

/// Marks a response of a closed form, and contains the owner's message.
#[derive(Debug, Clone)]
pub(super) struct ClosedForm(pub(super) Option<String>);

/// Returns the response of a closed form.
pub(super) fn closed_response(closing: &Closing) -> Response {
    let mut body = ErrorBody::new(ErrorCode::Forbidden, DEFAULT_MESSAGE);
    if let Some(sentence) = &closing.message {
        // The owner's message is sent in full: it contains no data of the request.
        body.message.clone_from(sentence);
    }
    let mut response = (StatusCode::FORBIDDEN, axum::Json(body)).into_response();
    response.extensions_mut().insert(ClosedForm(closing.message.clone()));
    response
}
