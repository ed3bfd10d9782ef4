//! How taking submissions in is described: `/f`, and what an owner does about it (additive).

use super::operation::{Door, Operation};
use super::owner::{ACCOUNT, BODY_ERRORS};
use super::samples;
use super::schemas::Schemas;
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::{Data, ErrorCode, FormId, Intake, SubmissionId};
use serde_json::{Value, json};

/// The tag of what anybody may send.
pub(super) const TAG: &str = "Intake (additive)";

const FORM: &str = "The form.";

/// `POST /f/{form_id}`.
pub(crate) fn take(schemas: &mut Schemas) -> Operation {
    let html = json!({"text/html": {"schema": {"type": "string"}}});
    let location = json!({
        "description": "An address that the form's owner allows, or the page that thanks.",
        "required": true,
        "schema": {"type": "string"},
    });
    let repeat = json!({"type": "string", "pattern": "^[!-~]{1,255}$"});
    Operation::new(Door::Sender, TAG, "createSubmission", "Send a submission")
        .about(
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
        .path::<FormId>(schemas, "form_id", FORM)
        .header(
            "Idempotency-Key",
            "Up to 255 visible characters: the same request sent again with the same key is taken \
             once.",
            repeat,
        )
        .bodies(&bodies())
        .answer(schemas, 201, "It is taken.", &Data { data: samples::receipt() })
        .answers(200, "It is taken; the page's `_redirect` is not allowed.", &html)
        .answers(303, "It is taken, and the browser goes on to a page.", &Value::Null)
        .answer_header(303, "Location", location)
        .errors(schemas, &[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::RateLimitExceeded])
        .finer(
            schemas,
            &[
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
            ],
        )
        .writes(schemas)
}

/// What is sent, in the three ways in which it can be.
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
pub(crate) fn thank(schemas: &mut Schemas) -> Operation {
    let page = json!({"text/html": {"schema": {"type": "string"}}});
    Operation::new(Door::Sender, TAG, "showThanks", "Show the page after a plain form")
        .about("In the language that the browser prefers. Nothing is looked up.")
        .path_text("form_id", FORM)
        .answers(200, "The page.", &page)
        .errors(schemas, &[])
}

/// `OPTIONS /f/{form_id}`.
pub(crate) fn preflight(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Sender, TAG, "allowSubmission", "Ask whether a page may send")
        .about(
            "What browsers ask before a page of another origin sends JSON. Nothing is looked up, \
             so the form need not exist.",
        )
        .path_text("form_id", FORM)
        .answers(204, "It may.", &Value::Null)
        .errors(schemas, &[])
}

/// `GET /account/forms/{form_id}/intake`.
pub(crate) fn get_intake(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "getIntake", "Get what a form takes in")
        .path::<FormId>(schemas, "form_id", FORM)
        .answer(schemas, 200, "What is set.", &Data { data: Intake::default() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `PUT /account/forms/{form_id}/intake`.
pub(crate) fn put_intake(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "setIntake", "Set what a form takes in")
        .about(
            "Replaces all of it, in force at once; what is left out has its default. Only \
             `learns_fields` and `closing` stay as they are if they are left out; \
             `\"closing\": {}` opens the form.",
        )
        .path::<FormId>(schemas, "form_id", FORM)
        .body(schemas, &Intake::default())
        .answer(schemas, 200, "What is set now.", &Data { data: Intake::default() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `GET /account/forms/{form_id}/spam`.
pub(crate) fn list_spam(schemas: &mut Schemas) -> Operation {
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT,
    });
    Operation::new(Door::Session, ACCOUNT, "listSpam", "List a form's spam")
        .about(
            "The newest submissions first, by the same pages as submissions. It is kept for 30 \
             days.",
        )
        .path::<FormId>(schemas, "form_id", FORM)
        .query("limit", "How many a page holds.", limit)
        .query(
            "cursor",
            "`next_cursor` of the page before, unchanged.",
            json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
        )
        .answer(schemas, 200, "A page of spam.", &samples::spam())
        .errors(schemas, &[ErrorCode::NotFound])
        .sends(schemas)
}

/// `DELETE /account/forms/{form_id}/spam`.
pub(crate) fn delete_all_spam(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "deleteAllSpam", "Delete all spam of a form")
        .path::<FormId>(schemas, "form_id", FORM)
        .answers(204, "It is deleted.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}

/// `DELETE /account/forms/{form_id}/spam/{id}`.
pub(crate) fn delete_spam(schemas: &mut Schemas) -> Operation {
    of_spam(schemas, "deleteSpam", "Delete one submission of the spam")
        .answers(204, "It is deleted.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}

/// `POST /account/forms/{form_id}/spam/{id}/release`.
pub(crate) fn release_spam(schemas: &mut Schemas) -> Operation {
    of_spam(schemas, "releaseSpam", "Say that a submission was no spam")
        .about("It takes its place among the form's submissions.")
        .answers(204, "It is released.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

fn of_spam(schemas: &mut Schemas, id: &str, summary: &str) -> Operation {
    Operation::new(Door::Session, ACCOUNT, id, summary)
        .path::<FormId>(schemas, "form_id", FORM)
        .path::<SubmissionId>(schemas, "id", "The submission.")
}
