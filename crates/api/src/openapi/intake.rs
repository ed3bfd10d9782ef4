//! How taking submissions in is described: `/f`, and what an owner does about it (additive).

use super::describe::{Describe, Op};
use super::samples;
use super::shared::BODY_ERRORS;
use contract::page::LIMIT_DEFAULT;
use contract::{Data, ErrorCode, FormId, Intake, SubmissionId};
use serde_json::{Value, json};

const FORM: &str = "The form.";

/// `POST /f/{form_id}`.
pub(crate) fn take(op: Op<'_>) -> Op<'_> {
    let html = json!({"text/html": {"schema": {"type": "string"}}});
    let location = json!({
        "description": "An address that the form's owner allows, or the page that thanks.",
        "required": true,
        "schema": {"type": "string"},
    });
    let repeat = json!({"type": "string", "pattern": "^[!-~]{1,255}$"});
    op.id("createSubmission")
        .summary("Send a submission")
        .description(
            "From any page or script, without a key. What is acknowledged is on disk.\n\nA member \
             is an answer, by the key of its field, or a control input: `_gotcha` (the honeypot), \
             `_redirect`, `_started_at`, `_elapsed_seconds`, `_page`, `utm_source`, `utm_medium`, \
             `utm_campaign`. The names that other services use for them work too, and other names \
             that begin with `_` are ignored. A form without fields learns them from what comes; \
             other unknown keys are kept with the submission. Objects in JSON become dotted keys. \
             Of a file its name and size are kept. At most 256 KiB without files, 10 MiB of files, \
             500 answers, 32 KiB a text.\n\nScripts get JSON. A plain form of a browser is \
             redirected to a page; a refusal is a page, too. The same answers from one person \
             within 10 seconds are one submission.",
        )
        .path::<FormId>("form_id", FORM)
        .add_parameter(
            "header",
            "Idempotency-Key",
            "Up to 255 visible characters: the same request sent again with the same key is taken \
             once.",
            repeat,
        )
        .bodies(&bodies())
        .answer(201, "It is taken.", &Data { data: samples::receipt() })
        .answers(200, "It is taken; the page's `_redirect` is not allowed.", &html)
        .answers(303, "It is taken, and the browser goes on to a page.", &Value::Null)
        .answer_header(303, "Location", &location)
        .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::RateLimitExceeded])
        .finer(&[
            (
                413,
                ErrorCode::Validation,
                "a submission must have at most 262144 bytes, but has more; shorten it",
            ),
            (
                415,
                ErrorCode::Validation,
                "`Content-Type` must be `application/json`, \
                     `application/x-www-form-urlencoded` or `multipart/form-data`, but is \
                     `text/plain`",
            ),
        ])
        .writes()
}

/// The body of a submission, in its three media types.
fn bodies() -> Value {
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
    let sheet = json!({"name": "Ada", "age": "36"});
    json!({
        "application/json": {"schema": typed, "example": example},
        "application/x-www-form-urlencoded": {"schema": texts, "example": sheet},
        "multipart/form-data": {"schema": texts, "example": sheet},
    })
}

/// `GET /f/{form_id}/thanks`.
pub(crate) fn thank(op: Op<'_>) -> Op<'_> {
    let page = json!({"text/html": {"schema": {"type": "string"}}});
    op.id("showThanks")
        .summary("Show the page after a plain form")
        .description("In the language that the browser prefers. Nothing is looked up.")
        .add_parameter("path", "form_id", FORM, json!({"type": "string"}))
        .answers(200, "The page.", &page)
}

/// `OPTIONS /f/{form_id}`.
pub(crate) fn preflight(op: Op<'_>) -> Op<'_> {
    op.id("allowSubmission")
        .summary("Ask whether a page may send")
        .description(
            "What browsers ask before a page of another origin sends JSON. Nothing is looked up, \
             so the form need not exist.",
        )
        .add_parameter("path", "form_id", FORM, json!({"type": "string"}))
        .answers(204, "It may.", &Value::Null)
}

/// `GET /account/forms/{form_id}/intake`.
pub(crate) fn get_intake(op: Op<'_>) -> Op<'_> {
    op.id("getIntake").summary("Get what a form takes in").path::<FormId>("form_id", FORM).answer(
        200,
        "What is set.",
        &Data { data: Intake::default() },
    )
}

/// `PUT /account/forms/{form_id}/intake`.
pub(crate) fn put_intake(op: Op<'_>) -> Op<'_> {
    op.id("setIntake")
        .summary("Set what a form takes in")
        .description(
            "Replaces all of it, in force at once; what is left out has its default. Only \
             `learns_fields` and `closing` stay as they are if they are left out; \
             `\"closing\": {}` opens the form.",
        )
        .path::<FormId>("form_id", FORM)
        .body(&Intake::default())
        .answer(200, "What is set now.", &Data { data: Intake::default() })
}

/// `GET /account/forms/{form_id}/spam`.
pub(crate) fn list_spam(op: Op<'_>) -> Op<'_> {
    op.id("listSpam")
        .summary("List a form's spam")
        .description(
            "The newest submissions first, by the same pages as submissions. It is kept for 30 \
             days.",
        )
        .path::<FormId>("form_id", FORM)
        .paged("How many a page holds.", LIMIT_DEFAULT)
        .answer(200, "A page of spam.", &samples::spam())
        .sends()
}

/// `DELETE /account/forms/{form_id}/spam`.
pub(crate) fn delete_all_spam(op: Op<'_>) -> Op<'_> {
    op.id("deleteAllSpam")
        .summary("Delete all spam of a form")
        .path::<FormId>("form_id", FORM)
        .answers(204, "It is deleted.", &Value::Null)
}

/// `DELETE /account/forms/{form_id}/spam/{id}`.
pub(crate) fn delete_spam(op: Op<'_>) -> Op<'_> {
    of_spam(op, "deleteSpam", "Delete one submission of the spam").answers(
        204,
        "It is deleted.",
        &Value::Null,
    )
}

/// `POST /account/forms/{form_id}/spam/{id}/release`.
pub(crate) fn release_spam(op: Op<'_>) -> Op<'_> {
    of_spam(op, "releaseSpam", "Say that a submission was no spam")
        .description("It takes its place among the form's submissions.")
        .answers(204, "It is released.", &Value::Null)
        .finer(&BODY_ERRORS)
}

fn of_spam<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id)
        .summary(summary)
        .path::<FormId>("form_id", FORM)
        .path::<SubmissionId>("id", "The submission.")
}
