//! Descriptions of the intake (`/f`) and of the owner's routes for it (additive).

use super::describe::{Describe, Op};
use super::samples;
use super::shared::BODY_ERRORS;
use contract::page::LIMIT_DEFAULT;
use contract::{ErrorCode, Intake, Receipt, SubmissionId};
use serde_json::{Value, json};

const FORM: &str = "Id of the form.";

/// `POST /f/{form_id}`.
pub(crate) fn create_submission(op: Op<'_>) -> Op<'_> {
    let html = json!({"text/html": {"schema": {"type": "string"}}});
    let location = json!({
        "description": "A URL that the form's owner allows, or the thank-you page.",
        "required": true,
        "schema": {"type": "string"},
    });
    let repeat = json!({"type": "string", "pattern": "^[!-~]{1,255}$"});
    let receipt = Receipt { id: samples::sample_id("sub_"), submitted_at: samples::sample_time() };
    op.title("createSubmission", "Create a submission")
        .description(
            "From any page or script, without a key. Acknowledged submissions are on disk.\n\nA \
             member is an answer, under the key of its field, or a control input: `_gotcha` (the \
             honeypot), `_redirect`, `_started_at`, `_elapsed_seconds`, `_page`, `utm_source`, \
             `utm_medium`, `utm_campaign`. The names that other services use for these work too. \
             Other names that begin with `_` are ignored. A form without fields adds them from its \
             submissions; other unknown keys are stored with the submission. Nested objects in \
             JSON become dotted keys. Only the name and size of a file are stored. Limits: 256 KiB \
             without files, 10 MiB of files, 500 answers, 32 KiB per text.\n\nScripts get JSON. A \
             browser with a plain form is redirected to a page, and gets errors as pages. The same \
             answers from one browser within 10 seconds are one submission.",
        )
        .add_form()
        .add_parameter(
            "header",
            "Idempotency-Key",
            "Up to 255 visible characters. A request repeated with the same key is stored once.",
            repeat,
        )
        .add_body(&submission_bodies())
        .add_data(201, "The submission is stored.", receipt)
        .add_response(200, "The submission is stored; its `_redirect` is not allowed.", &html)
        .add_empty_response(303, "The submission is stored; the browser is redirected.")
        .add_response_header(303, "Location", &location)
        .add_errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::RateLimitExceeded])
        .add_errors_with_status(&[
            (413, "a submission must have at most 262144 bytes, but has more; shorten it"),
            (
                415,
                "`Content-Type` must be `application/json`, \
                     `application/x-www-form-urlencoded` or `multipart/form-data`, but is \
                     `text/plain`",
            ),
        ])
        .add_busy_writing()
}

/// Returns the body of a submission in its three media types.
fn submission_bodies() -> Value {
    let text = json!({"type": "string"});
    let leaf = json!({"anyOf": [{"type": ["number", "boolean", "null"]}, text]});
    let key = json!({"maxLength": 1000});
    let members = |value: Value| {
        json!({
            "type": "object", "minProperties": 1, "maxProperties": 500, "propertyNames": key,
            "additionalProperties": value,
        })
    };
    let list = json!({"type": "array", "maxItems": 200, "items": leaf});
    let typed = members(json!({"anyOf": [leaf, list]}));
    let texts = members(text);
    let example = json!({"name": "Ada", "age": 36, "topics": ["price", "support"]});
    let text_example = json!({"name": "Ada", "age": "36"});
    json!({
        "application/json": {"schema": typed, "example": example},
        "application/x-www-form-urlencoded": {"schema": texts, "example": text_example},
        "multipart/form-data": {"schema": texts, "example": text_example},
    })
}

/// `GET /f/{form_id}/thanks`.
pub(crate) fn show_thanks(op: Op<'_>) -> Op<'_> {
    let page = json!({"text/html": {"schema": {"type": "string"}}});
    op.title("showThanks", "Show the thank-you page")
        .description("In the language that the browser prefers. The form is not looked up.")
        .add_parameter("path", "form_id", FORM, json!({"type": "string"}))
        .add_response(200, "The page.", &page)
}

/// `OPTIONS /f/{form_id}`.
pub(crate) fn preflight(op: Op<'_>) -> Op<'_> {
    op.title("allowSubmission", "Check cross-origin access")
        .description(
            "The CORS preflight of browsers, before a page of another origin sends JSON. The form \
             is not looked up and need not exist.",
        )
        .add_parameter("path", "form_id", FORM, json!({"type": "string"}))
        .add_empty_response(204, "Access is allowed.")
}

/// `GET /account/forms/{form_id}/intake`.
pub(crate) fn get_intake(op: Op<'_>) -> Op<'_> {
    op.title("getIntake", "Get intake settings").add_form().add_data(
        200,
        "The intake settings.",
        Intake::default(),
    )
}

/// `PUT /account/forms/{form_id}/intake`.
pub(crate) fn put_intake(op: Op<'_>) -> Op<'_> {
    op.title("setIntake", "Update intake settings")
        .description(
            "Replaces all settings at once. Omitted members get their defaults, except \
             `learns_fields` and `closing`, which do not change. `\"closing\": {}` opens the form.",
        )
        .add_form()
        .add_json_body(&Intake::default())
        .add_data(200, "The new settings.", Intake::default())
}

/// `GET /account/forms/{form_id}/spam`.
pub(crate) fn list_spam(op: Op<'_>) -> Op<'_> {
    op.title("listSpam", "List spam")
        .description(
            "Newest submissions first, paginated like submissions. Spam is deleted after 30 days.",
        )
        .add_form()
        .add_pagination("Maximum submissions per page.", LIMIT_DEFAULT)
        .add_json_response(200, "A page of spam.", &samples::spam())
        .add_busy_reading()
}

/// `DELETE /account/forms/{form_id}/spam`.
pub(crate) fn delete_all_spam(op: Op<'_>) -> Op<'_> {
    op.title("deleteAllSpam", "Delete all spam")
        .add_form()
        .add_empty_response(204, "All spam is deleted.")
}

/// `DELETE /account/forms/{form_id}/spam/{id}`.
pub(crate) fn delete_spam(op: Op<'_>) -> Op<'_> {
    describe_spam_operation(op, "deleteSpam", "Delete a submission from spam")
        .add_empty_response(204, "The submission is deleted.")
}

/// `POST /account/forms/{form_id}/spam/{id}/release`.
pub(crate) fn release_spam(op: Op<'_>) -> Op<'_> {
    describe_spam_operation(op, "releaseSpam", "Mark as not spam")
        .description("Moves the submission to the form's list.")
        .add_empty_response(204, "The submission is in the list.")
        .add_errors_with_status(&BODY_ERRORS)
}

fn describe_spam_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.title(id, summary)
        .add_form()
        .add_path_parameter::<SubmissionId>("id", "Id of the submission.")
}
