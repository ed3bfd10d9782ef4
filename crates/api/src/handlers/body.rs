//! Strict parsing of JSON request bodies, with a size limit.

use crate::error::{Error, Result};
use crate::message::quotable;
use axum::extract::Request;
use bytes::Bytes;
use contract::BODY_BYTES_MAX;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use std::fmt::Display;

/// Reads a JSON body. `wanted` is the expected shape, for error messages.
///
/// # Errors
/// Fails if the body is not JSON, is too large, or has another shape.
pub(crate) async fn read_json<T: DeserializeOwned>(request: Request, wanted: &str) -> Result<T> {
    if !is_json(request.headers()) {
        let message = "the body must be JSON; send it with `Content-Type: application/json`";
        return Err(Error::validation(message));
    }
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX);
    let body: Bytes = body.collect().await.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            Error::validation(format!("the body must have at most {BODY_BYTES_MAX} bytes"))
        } else {
            Error::validation("the body ended early or came too slowly; send it again")
        }
    })?;
    let wrong = |problem: &dyn Display| {
        Error::validation(format!("the body must be `{wanted}`, but {problem}"))
    };
    // serde would accept a list of the values in place of the object.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(wrong(&"is a list"));
    }
    serde_json::from_slice(&body).map_err(|error| wrong(&shorten_quoted_text(&error.to_string())))
}

/// Shortens the text of the client in an error of serde, such as "unknown field `X`, expected `a`".
/// It may contain the quotes that surround it.
fn shorten_quoted_text(problem: &str) -> String {
    for (open, close) in [("`", "`, expected "), ("\"", "\", expected ")] {
        if let (Some(start), Some(end)) = (problem.find(open), problem.rfind(close))
            && let Some(quoted) = problem.get(start + 1..end)
        {
            let (before, after) = (&problem[..=start], &problem[end..]);
            return format!("{before}{}{after}", quotable(quoted));
        }
    }
    problem.to_owned()
}

/// Returns whether the body is declared as JSON and is not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
        && !headers.contains_key(header::CONTENT_ENCODING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[expect(dead_code, reason = "only the error is read")]
        limit: u32,
    }

    #[test]
    fn text_of_clients_is_shortened_in_errors() {
        let long = "b".repeat(900);
        for (json, expected) in [
            (format!(r#"{{"a`{long}":1}}"#), format!("unknown field `a'{}…`", "b".repeat(98))),
            (
                format!(r#"{{"limit":"a\"{long}"}}"#),
                format!("invalid type: string \"a\\\"{}…\"", "b".repeat(97)),
            ),
        ] {
            let error = serde_json::from_str::<Body>(&json).unwrap_err();
            let message = shorten_quoted_text(&error.to_string());
            assert!(message.starts_with(&expected), "{message}");
        }
        assert_eq!(shorten_quoted_text("missing field `limit`"), "missing field `limit`");
    }
}
