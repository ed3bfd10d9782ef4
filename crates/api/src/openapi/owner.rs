//! Descriptions of the owner's routes below `/account`, and of the forms of a key (additive).
//!
//! The routes below `/account` are behind the gateway, which requires a session and a CSRF header.
//! Their descriptions include the gateway's own responses.

use super::describe::{Describe, Op, schema_of};
use super::{samples, submissions};
use crate::handlers::forms::FIELDS_CHANGED;
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::{CreatedKey, FieldId, FormCopy, FormId, KeyId, Page, Pagination};
use serde_json::json;

const TOO_MANY_FORMS: &str = "an account may hold at most 1000 forms, live and test together";

/// `GET /account/forms`.
pub(crate) fn list_forms(op: Op<'_>) -> Op<'_> {
    describe_forms_page(op.id("listForms"), "Forms of both environments", LIMIT_MAX)
}

/// `GET /v1/forms`.
pub(crate) fn list_forms_of_key(op: Op<'_>) -> Op<'_> {
    let op = op.id("listFormsOfKey");
    describe_forms_page(
        op,
        "Forms of the key: all of its environment, or those that it names",
        LIMIT_DEFAULT,
    )
}

/// `GET /v1/forms/{form_id}`.
pub(crate) fn get_form_of_key(op: Op<'_>) -> Op<'_> {
    op.title("getFormOfKey", "Get a form")
        .add_form()
        .add_data(200, "The form and its fields.", samples::form())
        .add_busy_reading()
}

/// Describes a list of forms with a default page size.
fn describe_forms_page<'a>(op: Op<'a>, forms: &str, limit: u16) -> Op<'a> {
    let about = format!(
        "{forms}, oldest first, paginated like submissions. A page may end early if forms have \
         many fields: follow `next_cursor`."
    );
    let pagination = Pagination { total: 1, limit, has_more: false, next_cursor: None };
    let page = Page { data: vec![samples::form()], pagination };
    op.summary("List forms")
        .description(&about)
        .add_pagination("Maximum forms per page.", limit)
        .add_json_response(200, "A page of forms.", &page)
        .add_busy_reading()
}

/// `GET /account/forms/{form_id}`.
pub(crate) fn get_form(op: Op<'_>) -> Op<'_> {
    op.title("getForm", "Get a form").add_form().add_data(
        200,
        "The form and its fields.",
        samples::form(),
    )
}

/// `POST /account/forms`.
pub(crate) fn create_form(op: Op<'_>) -> Op<'_> {
    op.title("createForm", "Create a form")
        .description("A form without fields adds them from its submissions.")
        .add_json_body(&samples::new_form())
        .add_data(201, "The form, with its ids.", samples::form())
        .add_errors_with_status(&[(409, TOO_MANY_FORMS)])
}

/// `PUT /account/forms/{form_id}`.
pub(crate) fn rename_form(op: Op<'_>) -> Op<'_> {
    op.title("renameForm", "Rename a form")
        .description("The id and the submission URL do not change.")
        .add_form()
        .add_json_body(&samples::form_name())
        .add_data(200, "The form.", samples::form())
}

/// `POST /account/forms/{form_id}/duplicate`.
pub(crate) fn duplicate_form(op: Op<'_>) -> Op<'_> {
    op.title("duplicateForm", "Duplicate a form")
        .description(
            "The copy has the same fields, settings and categories, new ids, and no submissions. \
             It is open even if the form is closed.",
        )
        .add_path_parameter::<FormId>("form_id", "Id of the form to duplicate.")
        .add_json_body(&FormCopy { name: Some("Second survey".to_owned()) })
        .add_data(201, "The copy, with its ids.", samples::form())
        .add_errors_with_status(&[(409, TOO_MANY_FORMS)])
}

/// `POST /account/forms/{form_id}/delete`.
pub(crate) fn delete_form(op: Op<'_>) -> Op<'_> {
    op.title("deleteForm", "Delete a form")
        .description(
            "Deletes the form with its submissions, spam and settings. The body repeats the form's \
             name, so that no other form is deleted by mistake. The form and its submission URL \
             stop working at once; its rows are removed soon afterwards. This cannot be undone.",
        )
        .add_form()
        .add_json_body(&samples::form_name())
        .add_empty_response(204, "The form is deleted.")
}

/// `PUT /account/forms/{form_id}/fields`.
pub(crate) fn set_fields(op: Op<'_>) -> Op<'_> {
    let about = "All fields of the form in the new order, each with its changes. A field without \
        `id` is added. Ids and answer keys do not change, so submissions retain their answers. \
        Lists and exports use the new names and order at once.";
    op.title("setFields", "Update fields")
        .description(about)
        .add_form()
        .add_json_body(&samples::field_edits())
        .add_data(200, "The form.", samples::form())
        .add_errors_with_status(&[(409, FIELDS_CHANGED)])
}

/// `GET /account/forms/{form_id}/summary`.
pub(crate) fn get_summary(op: Op<'_>) -> Op<'_> {
    let zone = json!({"type": "string", "default": "UTC", "examples": ["Europe/Berlin"]});
    let about = "Submissions over time and the frequency of values, for all submissions that match \
        the filter, which is the same as in the list. Time buckets are days of `time_zone`, or \
        weeks, months or years for a long range.";
    let field_text = "Id of a field of any type: `fields` contains the answers to this field only.";
    let op = op
        .title("getSummary", "Get a summary")
        .description(about)
        .add_form()
        .add_query_parameter("time_zone", "IANA name of the time zone for buckets.", zone)
        .add_query_parameter("field", field_text, schema_of::<FieldId>())
        .add_query_parameter(
            "sort",
            "Order of the list, without effect here.",
            submissions::sort_schema(),
        );
    submissions::add_filters_of_member(op).add_data(200, "The summary.", samples::summary())
}

/// `GET /account/forms/{form_id}/distributions`.
pub(crate) fn get_distributions(op: Op<'_>) -> Op<'_> {
    let about = "Quartiles and ranges of number fields, and the most frequent words of text fields \
        without stop words, of the submissions that match the filter, which is the same as in the \
        list. At most 100,000 submissions are read, the newest first.";
    let op =
        op.title("getDistributions", "Get distributions of answers").description(about).add_form();
    submissions::add_filters_of_member(op).add_data(
        200,
        "The distributions.",
        samples::distributions(),
    )
}

/// `GET /account/keys`.
pub(crate) fn list_keys(op: Op<'_>) -> Op<'_> {
    op.title("listKeys", "List API keys")
        .description("Newest first, including revoked and expired ones. Secrets are not included.")
        .add_data(200, "All keys.", vec![samples::key()])
}

/// `POST /account/keys`.
pub(crate) fn create_key(op: Op<'_>) -> Op<'_> {
    let created = CreatedKey { data: samples::key(), secret: "svc_sk_live_<API_KEY>".to_owned() };
    op.title("createKey", "Create an API key")
        .description(
            "An account has at most ten active keys. The secret is in this response only. A key \
             may be restricted to reading (`access`), to `forms`, and to the time before \
             `expires_at`; these cannot be changed later. Requires a confirmation of the password \
             within the last five minutes.",
        )
        .add_json_body(&samples::new_key())
        .add_json_response(201, "The key and its secret.", &created)
        .add_errors_with_status(&[(
            409,
            "an account may hold at most 10 active keys; revoke one first",
        )])
}

/// `DELETE /account/keys/{key_id}`.
pub(crate) fn revoke_key(op: Op<'_>) -> Op<'_> {
    op.title("revokeKey", "Revoke an API key")
        .description(
            "Permanent, and effective at once. Other keys are unaffected. Requires a confirmation \
             of the password within the last five minutes.",
        )
        .add_path_parameter::<KeyId>("key_id", "Id of the key.")
        .add_empty_response(204, "The key is revoked.")
}
