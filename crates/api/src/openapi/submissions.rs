//! How the four endpoints of the specification are described (§4).

use super::describe::{Describe, Op, schema_of};
use super::samples;
use contract::filter::SEARCH_CHARS_MAX;
use contract::page::LIMIT_DEFAULT;
use contract::{Data, FieldId, FormId, Submission, SubmissionId};
use serde_json::{Value, json};

const FORM: &str = "The form, as the dashboard's address names it.";
const SUBMISSION: &str = "The submission.";

/// `GET /v1/forms/{form_id}/submissions` (§4.1).
pub(crate) fn list(op: Op<'_>) -> Op<'_> {
    let op = op
        .id("listSubmissions")
        .summary("List submissions of a form")
        .description(
            "Newest first; those of one instant by id, greatest first. Filters add up: a \
             submission matches all of them. `total` is exact under the same filters.\n\nFor the \
             next page give `next_cursor` as `cursor`, with the same form and filters, until it is \
             `null`. A page of large submissions ends early, at about 2 MiB. A parameter \
             that is unknown, repeated or malformed is refused by its name.",
        )
        .path::<FormId>("form_id", FORM)
        .paged("How many submissions a page holds.", LIMIT_DEFAULT);
    filters(op).answer(200, "A page of submissions.", &samples::page()).sends()
}

/// Adds the parts of a filter.
pub(super) fn filters(op: Op<'_>) -> Op<'_> {
    bounds(op)
        .query("search", SEARCH, search())
        .query("utm_source", "Exactly this UTM source; empty is no filter.", text())
        .query("utm_medium", "Exactly this UTM medium; empty is no filter.", text())
        .query("utm_campaign", "Exactly this UTM campaign; empty is no filter.", text())
}

/// `GET /v1/submissions/{id}` (§4.2).
pub(crate) fn get(op: Op<'_>) -> Op<'_> {
    op.id("getSubmission")
        .summary("Get one submission")
        .path::<SubmissionId>("id", SUBMISSION)
        .answer(200, "The submission.", &Data::<Submission> { data: samples::submission() })
        .sends()
}

/// `DELETE /v1/submissions/{id}` (§4.3).
pub(crate) fn delete(op: Op<'_>) -> Op<'_> {
    op.id("deleteSubmission")
        .summary("Delete one submission")
        .description("Final. Afterwards the submission is 404, to a second deletion too.")
        .path::<SubmissionId>("id", SUBMISSION)
        .answers(204, "It is deleted.", &Value::Null)
}

/// `GET /v1/forms/{form_id}/submissions/export` (§4.4).
pub(crate) fn export(op: Op<'_>) -> Op<'_> {
    let op = op
        .id("exportSubmissions")
        .summary("Export submissions of a form")
        .description(
            "Streamed, newest first, without a largest size, and one request whatever its \
                 length. A connection that ends without the last chunk is a file that was cut.\n\n\
                 CSV is RFC 4180 in UTF-8: `submission_id`, `submitted_at`, the form's fields by \
                 name, then metadata and insight. JSON ends with `export`, which a cut file lacks.",
        )
        .path::<FormId>("form_id", FORM)
        .query(
            "format",
            "The file's format.",
            json!({"type": "string", "enum": ["csv", "json"], "default": "csv"}),
        );
    let content = json!({
        "text/csv": {"schema": {"type": "string"}, "example": samples::EXPORT_CSV},
        "application/json": {"schema": export_schema(), "example": samples::export()},
    });
    bounds(op)
        .query(
            "fields",
            "Ids of fields of this form: these columns alone, in this order.",
            json!({
                "type": "array", "items": schema_of::<FieldId>(), "minItems": 1,
                "uniqueItems": true,
            }),
        )
        .additive("search", SEARCH, search())
        .additive("utm_source", "Exactly this UTM source.", text())
        .additive("utm_medium", "Exactly this UTM medium.", text())
        .additive("utm_campaign", "Exactly this UTM campaign.", text())
        .additive(
            "safe",
            "Whether a spreadsheet's formulas are disarmed in CSV, by a `'` before them.",
            json!({"type": "boolean", "default": false}),
        )
        .answers(200, "The file.", &content)
        .answer_header(
            200,
            "Content-Disposition",
            &json!({
                "description": "The name under which to save the file.", "required": true,
                "schema": {"type": "string", "pattern": "^attachment; filename=\""},
            }),
        )
        .sends()
}

pub(super) const SEARCH: &str = "An answer contains this text, in any case. All else is literal. \
    Spaces around it are dropped, and an empty one is no filter.";

pub(super) fn search() -> Value {
    json!({"type": "string", "maxLength": SEARCH_CHARS_MAX})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn bounds(op: Op<'_>) -> Op<'_> {
    let date = || json!({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]});
    op.query(
        "date_from",
        "Submitted then or later: ISO 8601. A date alone is midnight UTC. Not after `date_to`.",
        date(),
    )
    .query("date_to", "Submitted before then: ISO 8601.", date())
}

/// The JSON export: written as a stream, so no type holds it whole.
fn export_schema() -> Value {
    let submission = schema_of::<Submission>();
    let form = schema_of::<FormId>();
    let at = schema_of::<contract::Timestamp>();
    let field = schema_of::<FieldId>();
    let or_null = |schema: &Value| json!({"anyOf": [schema, {"type": "null"}]});
    json!({
        "type": "object",
        "required": ["data", "export"],
        "properties": {
            "data": {"type": "array", "items": submission},
            "export": {
                "type": "object",
                "required": ["form_id", "exported_at", "date_from", "date_to", "fields", "count"],
                "properties": {
                    "form_id": form,
                    "exported_at": at,
                    "date_from": or_null(&at),
                    "date_to": or_null(&at),
                    "fields": or_null(&json!({"type": "array", "items": field})),
                    "count": {"type": "integer", "minimum": 0},
                },
            },
        },
    })
}
