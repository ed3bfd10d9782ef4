//! Descriptions of the four endpoints of the specification (section 4).

use super::describe::{Describe, Op, schema_of};
use super::samples;
use contract::filter::{
    FIELD_CRITERIA_MAX, FIELD_VALUE_CHARS_MAX, LABELS_CHARS_MAX, LabelProperty, NUMBER_PATTERN,
    SEARCH_CHARS_MAX,
};
use contract::page::LIMIT_DEFAULT;
use contract::sort::SORTED_MATCHES_MAX;
use contract::triage::{ExportedTriage, TriageColumn};
use contract::{FieldId, FormId, Submission, SubmissionId};
use serde_json::{Value, json};

const FORM: &str = "Id of the form, as in the URL of the dashboard.";
const SUBMISSION: &str = "Id of the submission.";

/// `GET /v1/forms/{form_id}/submissions` (section 4.1).
pub(crate) fn list_submissions(op: Op<'_>) -> Op<'_> {
    let op = op
        .title("listSubmissions", "List submissions")
        .description(
            "Newest first unless sorted, and by descending id for the same time. Submissions must \
             match all filters. `total` is the exact number of matches.\n\nFor the next page, \
             pass `next_cursor` as `cursor`, with the same form, filters and `sort`, until it \
             is `null`. A page of large submissions ends early, at about 2 MiB. Unknown, \
             repeated and invalid parameters are rejected by name.",
        )
        .add_path_parameter::<FormId>("form_id", FORM)
        .add_pagination("Maximum submissions per page.", LIMIT_DEFAULT);
    add_sort(add_filters(op))
        .add_json_response(200, "A page of submissions.", &samples::page())
        .add_busy_reading()
}

/// Adds the order, which the specification does not have.
pub(super) fn add_sort(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "Order: `submitted_at` (newest first; `%2Bsubmitted_at` for oldest first), \
         `completion_time_seconds`, `sentiment_score`, `updated_at` (the last change of the \
         triage or the notes, otherwise the submission), or the id of a field of the form. The \
         others are ascending, or descending after `-`. Submissions without a value come last; \
         equal values are newest first. By a field and in exports, at most {SORTED_MATCHES_MAX} \
         matches are sorted."
    );
    op.add_additive_parameter("sort", &about, sort_schema())
}

pub(super) fn sort_schema() -> Value {
    let pattern = "^[-+ ]?(submitted_at|completion_time_seconds|sentiment_score|\
                   updated_at|fld_[A-Za-z0-9_-]{1,64})$";
    json!({"type": "string", "pattern": pattern})
}

/// Adds the parameters of a filter.
pub(super) fn add_filters(op: Op<'_>) -> Op<'_> {
    add_filters_without_fields(op).add_field_filters()
}

fn add_filters_without_fields(op: Op<'_>) -> Op<'_> {
    add_date_range(op)
        .add_query_parameter("search", SEARCH_DESCRIPTION, search_schema())
        .add_query_parameter(
            "utm_source",
            "Exact UTM source. Empty means no filter.",
            text_schema(),
        )
        .add_query_parameter(
            "utm_medium",
            "Exact UTM medium. Empty means no filter.",
            text_schema(),
        )
        .add_query_parameter(
            "utm_campaign",
            "Exact UTM campaign. Empty means no filter.",
            text_schema(),
        )
        .add_property_filters()
}

/// Adds all filters to a route that needs a session, also that by read state.
pub(super) fn add_filters_of_member(op: Op<'_>) -> Op<'_> {
    add_read_filter(add_filters(op))
}

/// Adds the filters of the inbox: all but those by field, which belong to one form.
pub(super) fn add_filters_of_inbox(op: Op<'_>) -> Op<'_> {
    add_read_filter(add_filters_without_fields(op))
}

fn add_read_filter(op: Op<'_>) -> Op<'_> {
    op.add_additive_parameter(
        "read",
        "`true` for submissions that the signed-in member has read, `false` for the others.",
        json!({"type": "string", "enum": ["true", "false"]}),
    )
}

trait PropertyFilters {
    /// Adds the filters by label and by number, which the specification does not have.
    fn add_property_filters(self) -> Self;
    /// Adds the filters by the answers to fields, which the specification does not have.
    fn add_field_filters(self) -> Self;
}

impl PropertyFilters for Op<'_> {
    fn add_property_filters(mut self) -> Self {
        for (property, about) in [
            (LabelProperty::Sentiment, "Sentiments"),
            (LabelProperty::Category, "Categories, of which a submission must have one"),
            (LabelProperty::Language, "Language codes"),
            (LabelProperty::Country, "Two-letter country codes"),
            (LabelProperty::Device, "Device classes"),
            (LabelProperty::Browser, "Browser names"),
        ] {
            let about = format!("{about}, separated by commas; `none` for no value.");
            self = self.add_additive_parameter(property.as_str(), &about, labels_schema());
        }
        for (property, about) in [
            (LabelProperty::Status, "Statuses of the account, separated by commas."),
            (
                LabelProperty::Tag,
                "Tags, of which a submission must have one, separated by commas; `none` for no \
                 tag.",
            ),
            (
                LabelProperty::Assignee,
                "Ids of members, separated by commas; `none` for no assignee.",
            ),
        ] {
            self = self.add_additive_parameter(property.as_str(), about, labels_schema());
        }
        self = self.add_additive_parameter(
            LabelProperty::Starred.as_str(),
            "`true` for starred submissions, `false` for the others.",
            json!({"type": "string", "enum": ["true", "false"]}),
        );
        for (name, about) in [
            ("score_min", "Smallest sentiment score."),
            ("score_max", "Largest sentiment score."),
            ("seconds_min", "Smallest completion time, in seconds."),
            ("seconds_max", "Largest completion time, in seconds."),
        ] {
            let schema = json!({"type": "string", "pattern": NUMBER_PATTERN});
            self = self.add_additive_parameter(name, about, schema);
        }
        self
    }

    fn add_field_filters(self) -> Self {
        self.add_additive_parameter("fld", FIELD_CRITERIA, field_criteria_schema())
    }
}

/// `GET /v1/submissions/{id}` (section 4.2).
pub(crate) fn get_submission(op: Op<'_>) -> Op<'_> {
    op.title("getSubmission", "Get a submission")
        .add_path_parameter::<SubmissionId>("id", SUBMISSION)
        .add_data(200, "The submission.", samples::submission())
        .add_busy_reading()
}

/// `DELETE /v1/submissions/{id}` (section 4.3).
pub(crate) fn delete_submission(op: Op<'_>) -> Op<'_> {
    op.title("deleteSubmission", "Delete a submission")
        .description("Permanent. Later requests, including a second deletion, get 404.")
        .add_path_parameter::<SubmissionId>("id", SUBMISSION)
        .add_empty_response(204, "The submission is deleted.")
}

/// `GET /v1/forms/{form_id}/submissions/export` (section 4.4).
pub(crate) fn export_submissions(op: Op<'_>) -> Op<'_> {
    let op = op
        .title("exportSubmissions", "Export submissions")
        .description(
            "A stream without a size limit, which counts as one request: newest first, unless \
                 it is sorted. If the connection ends without the last chunk, the file is \
                 incomplete.\n\n\
                 CSV is RFC 4180 in UTF-8: `submission_id`, `submitted_at`, the form's fields by \
                 name, then metadata and insight. JSON ends with `export`, which an incomplete \
                 file lacks.",
        )
        .add_path_parameter::<FormId>("form_id", FORM)
        .add_query_parameter(
            "format",
            "Format of the file.",
            json!({"type": "string", "enum": ["csv", "json"], "default": "csv"}),
        );
    let content = json!({
        "text/csv": {"schema": {"type": "string"}, "example": samples::EXPORT_CSV},
        "application/json": {"schema": export_schema(), "example": samples::export()},
    });
    add_sort(add_date_range(op))
        .add_query_parameter(
            "fields",
            "Ids of fields of this form. The file has only these columns, in this order.",
            json!({
                "type": "array", "items": schema_of::<FieldId>(), "minItems": 1,
                "uniqueItems": true,
            }),
        )
        .add_additive_parameter("search", SEARCH_DESCRIPTION, search_schema())
        .add_additive_parameter("utm_source", "Exact UTM source.", text_schema())
        .add_additive_parameter("utm_medium", "Exact UTM medium.", text_schema())
        .add_additive_parameter("utm_campaign", "Exact UTM campaign.", text_schema())
        .add_property_filters()
        .add_field_filters()
        .add_additive_parameter(
            "safe",
            "Whether CSV prefixes spreadsheet formulas with `'`, so that they are not evaluated.",
            json!({"type": "boolean", "default": false}),
        )
        .add_additive_parameter(
            "columns",
            "Columns of the triage to append, in this order. CSV has the names of statuses and \
             the email addresses of members. JSON has ids in the last member `triage` of each \
             submission.",
            json!({
                "type": "array",
                "items": {"type": "string", "enum": TriageColumn::ALL.map(TriageColumn::as_str)},
                "uniqueItems": true,
            }),
        )
        .add_response(200, "The file.", &content)
        .add_response_header(
            200,
            "Content-Disposition",
            &json!({
                "description": "Name of the file.", "required": true,
                "schema": {"type": "string", "pattern": "^attachment; filename=\""},
            }),
        )
        .add_busy_reading()
}

pub(super) const SEARCH_DESCRIPTION: &str = "Text that an answer contains, regardless of case, \
    without wildcards. Surrounding spaces are ignored. Empty means no filter.";

pub(super) fn search_schema() -> Value {
    json!({"type": "string", "maxLength": SEARCH_CHARS_MAX})
}

fn labels_schema() -> Value {
    json!({"type": "string", "maxLength": LABELS_CHARS_MAX})
}

const FIELD_CRITERIA: &str = "Criteria for the answers to fields. Each member is a parameter of \
    its own: its name is the id of a field of the form, its value a criterion such as `gte:4`. The \
    type of the field decides how `eq`, `ne`, `gte` and `lte` compare; `gte` and `lte` need a \
    number or a date. Several criteria of one field repeat the parameter.";

/// Returns the schema of an object whose members are the parameters.
fn field_criteria_schema() -> Value {
    let criterion =
        format!("^((eq|ne|contains|gte|lte):.{{1,{FIELD_VALUE_CHARS_MAX}}}|empty|filled)$");
    json!({
        "type": "object",
        "additionalProperties": {"type": "string", "pattern": criterion},
        "propertyNames": schema_of::<FieldId>(),
        "maxProperties": FIELD_CRITERIA_MAX,
    })
}

fn text_schema() -> Value {
    json!({"type": "string"})
}

fn add_date_range(op: Op<'_>) -> Op<'_> {
    let date = || json!({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]});
    op.add_query_parameter(
        "date_from",
        "Earliest time, inclusive: ISO 8601. A date is midnight UTC. Not after `date_to`.",
        date(),
    )
    .add_query_parameter("date_to", "Latest time, exclusive: ISO 8601.", date())
}

/// Returns the schema of the JSON export. It is streamed, so no Rust type describes all of it.
fn export_schema() -> Value {
    let triage = json!({"properties": {"triage": schema_of::<ExportedTriage>()}});
    let submission = json!({"allOf": [schema_of::<Submission>(), triage]});
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
