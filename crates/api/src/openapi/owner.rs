//! How the dashboard's own endpoints are described: `/account` (additive).
//!
//! They lie behind the gateway, which asks for a session and for its header; what it answers by
//! itself is said here with the rest.

use super::describe::{Describe, Op};
use super::{samples, submissions};
use contract::page::LIMIT_MAX;
use contract::{Data, ErrorCode, FormCopy, FormId, KeyId, Page, Pagination};
use serde_json::{Value, json};

/// `GET /account/forms`.
pub(crate) fn list_forms(op: Op<'_>) -> Op<'_> {
    let about = "Those of both environments, oldest first, by pages as submissions have. A page \
        may end early where forms have many fields: follow `next_cursor`.";
    let pagination = Pagination { total: 1, limit: 100, has_more: false, next_cursor: None };
    let page = Page { data: vec![samples::form()], pagination };
    op.id("listForms")
        .summary("List the account's forms")
        .description(about)
        .paged("How many a page holds at most.", LIMIT_MAX)
        .answer(200, "A page of forms.", &page)
        .sends()
}

/// `GET /account/forms/{form_id}`.
pub(crate) fn get_form(op: Op<'_>) -> Op<'_> {
    op.id("getForm").summary("Get one form").path::<FormId>("form_id", "The form.").answer(
        200,
        "The form and its fields.",
        &Data { data: samples::form() },
    )
}

/// `POST /account/forms`.
pub(crate) fn create_form(op: Op<'_>) -> Op<'_> {
    let full = "an account may hold at most 1000 forms, live and test together";
    op.id("createForm")
        .summary("Create a form")
        .description("A form without fields learns them from the first submissions that come.")
        .body(&samples::new_form())
        .answer(201, "The form, with its ids.", &Data { data: samples::form() })
        .finer(&[(409, ErrorCode::Validation, full)])
}

/// `PUT /account/forms/{form_id}`.
pub(crate) fn rename_form(op: Op<'_>) -> Op<'_> {
    op.id("renameForm")
        .summary("Rename a form")
        .description("Its id stays, and so does the address to send to.")
        .path::<FormId>("form_id", "The form.")
        .body(&samples::form_name())
        .answer(200, "The form.", &Data { data: samples::form() })
}

/// `POST /account/forms/{form_id}/duplicate`.
pub(crate) fn duplicate_form(op: Op<'_>) -> Op<'_> {
    let full = "an account may hold at most 1000 forms, live and test together";
    op.id("duplicateForm")
        .summary("Copy a form")
        .description(
            "The copy has the same fields, settings and categories, ids of its own, and no \
             submissions. It is open, also if the form is closed.",
        )
        .path::<FormId>("form_id", "The form to copy.")
        .body(&FormCopy { name: Some("Second survey".to_owned()) })
        .answer(201, "The copy, with its ids.", &Data { data: samples::form() })
        .finer(&[(409, ErrorCode::Validation, full)])
}

/// `POST /account/forms/{form_id}/delete`.
pub(crate) fn delete_form(op: Op<'_>) -> Op<'_> {
    op.id("deleteForm")
        .summary("Delete a form")
        .description(
            "With its submissions, its spam and its settings. The body has the form's name, so \
             that no other form is deleted by mistake. The form is gone at once, for its address \
             too; its rows are removed soon afterwards. This cannot be undone.",
        )
        .path::<FormId>("form_id", "The form.")
        .body(&samples::form_name())
        .answers(204, "It is deleted.", &Value::Null)
}

/// `PUT /account/forms/{form_id}/fields`.
pub(crate) fn set_fields(op: Op<'_>) -> Op<'_> {
    let about = "Every field of the form, in the order wanted, with what is to change of it; one \
        without an `id` is new. Ids and answer keys stay, so submissions keep their answers; lists \
        and exports have the new names and order at once.";
    let changed = "the fields of this form have changed meanwhile; read the form again, and send \
        all of its fields";
    op.id("setFields")
        .summary("Rename, order and add fields")
        .description(about)
        .path::<FormId>("form_id", "The form.")
        .body(&samples::field_edits())
        .answer(200, "The form.", &Data { data: samples::form() })
        .finer(&[(409, ErrorCode::Validation, changed)])
}

/// `GET /account/forms/{form_id}/summary`.
pub(crate) fn get_summary(op: Op<'_>) -> Op<'_> {
    let zone = json!({"type": "string", "default": "UTC", "examples": ["Europe/Berlin"]});
    let about = "How many came when, and which values occur how often, over all submissions that \
        match the same filter as in the list. Stretches of time are days of `time_zone`, or weeks, \
        months or years of it where the range is long.";
    let op = op
        .id("getSummary")
        .summary("Sum a form up")
        .description(about)
        .path::<FormId>("form_id", "The form.")
        .query("time_zone", "The IANA name of the time zone whose days count.", zone);
    submissions::filters(op).answer(
        200,
        "What they say together.",
        &Data { data: samples::summary() },
    )
}

/// `GET /account/keys`.
pub(crate) fn list_keys(op: Op<'_>) -> Op<'_> {
    op.id("listKeys")
        .summary("List the account's API keys")
        .description("Newest first, revoked ones too. Never with their secrets.")
        .answer(200, "All keys.", &Data { data: vec![samples::key()] })
}

/// `POST /account/keys`.
pub(crate) fn create_key(op: Op<'_>) -> Op<'_> {
    op.id("createKey")
        .summary("Create an API key")
        .description(
            "At most ten active keys an account. The secret is in this answer and never again. \
             Needs a proof of the last five minutes.",
        )
        .body(&samples::new_key())
        .answer(201, "The key and its secret.", &samples::created_key())
        .finer(&[(
            409,
            ErrorCode::Validation,
            "an account may hold at most 10 active keys; revoke one first",
        )])
}

/// `DELETE /account/keys/{key_id}`.
pub(crate) fn revoke_key(op: Op<'_>) -> Op<'_> {
    op.id("revokeKey")
        .summary("Revoke an API key")
        .description(
            "Final, and in force at once. Other keys are unaffected. Needs a proof of the last \
             five minutes.",
        )
        .path::<KeyId>("key_id", "The key's record.")
        .answers(204, "It is revoked.", &Value::Null)
}
