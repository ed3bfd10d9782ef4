//! How the dashboard's own endpoints are described: `/account` (additive).
//!
//! They lie behind the gateway, which asks for a session and for its header; what it answers by
//! itself is said here with the rest.

use super::operation::{Door, Operation};
use super::schemas::Schemas;
use super::{samples, submissions};
use contract::page::LIMIT_MAX;
use contract::{Data, ErrorCode, FormCopy, FormId, KeyId, Page, Pagination};
use serde_json::{Value, json};

/// The tag of the owner's actions.
pub(super) const ACCOUNT: &str = "Account (additive)";

/// What the gateway says to a body that it does not take.
pub(super) const BODY_ERRORS: [(u16, ErrorCode, &str); 2] = [
    (413, ErrorCode::Validation, "the body may have 262144 bytes at most"),
    (
        415,
        ErrorCode::Validation,
        "the body must be JSON: send `content-type: application/json` and no encoding",
    ),
];

/// `GET /account/forms`.
pub(crate) fn list_forms(schemas: &mut Schemas) -> Operation {
    let about = "Those of both environments, oldest first, by pages as submissions have. A page \
        may end early where forms have many fields: follow `next_cursor`.";
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_MAX,
    });
    let cursor = json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"});
    let pagination = Pagination { total: 1, limit: 100, has_more: false, next_cursor: None };
    let page = Page { data: vec![samples::form()], pagination };
    Operation::new(Door::Session, ACCOUNT, "listForms", "List the account's forms")
        .about(about)
        .query("limit", "How many a page holds at most.", limit)
        .query("cursor", "`next_cursor` of the page before, unchanged.", cursor)
        .answer(schemas, 200, "A page of forms.", &page)
        .errors(schemas, &[])
        .sends(schemas)
}

/// `GET /account/forms/{form_id}`.
pub(crate) fn get_form(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "getForm", "Get one form")
        .path::<FormId>(schemas, "form_id", "The form.")
        .answer(schemas, 200, "The form and its fields.", &Data { data: samples::form() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `POST /account/forms`.
pub(crate) fn create_form(schemas: &mut Schemas) -> Operation {
    let full = "an account may hold at most 1000 forms, live and test together";
    Operation::new(Door::Session, ACCOUNT, "createForm", "Create a form")
        .about("A form without fields learns them from the first submissions that come.")
        .body(schemas, &samples::new_form())
        .answer(schemas, 201, "The form, with its ids.", &Data { data: samples::form() })
        .errors(schemas, &[])
        .finer(schemas, &BODY_ERRORS)
        .finer(schemas, &[(409, ErrorCode::Validation, full)])
        .writes(schemas)
}

/// `PUT /account/forms/{form_id}`.
pub(crate) fn rename_form(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "renameForm", "Rename a form")
        .about("Its id stays, and so does the address to send to.")
        .path::<FormId>(schemas, "form_id", "The form.")
        .body(schemas, &samples::form_name())
        .answer(schemas, 200, "The form.", &Data { data: samples::form() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `POST /account/forms/{form_id}/duplicate`.
pub(crate) fn duplicate_form(schemas: &mut Schemas) -> Operation {
    let full = "an account may hold at most 1000 forms, live and test together";
    Operation::new(Door::Session, ACCOUNT, "duplicateForm", "Copy a form")
        .about(
            "The copy has the same fields, settings and categories, ids of its own, and no \
             submissions. It is open, also if the form is closed.",
        )
        .path::<FormId>(schemas, "form_id", "The form to copy.")
        .body(schemas, &FormCopy { name: Some("Second survey".to_owned()) })
        .answer(schemas, 201, "The copy, with its ids.", &Data { data: samples::form() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .finer(schemas, &[(409, ErrorCode::Validation, full)])
        .writes(schemas)
}

/// `POST /account/forms/{form_id}/delete`.
pub(crate) fn delete_form(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "deleteForm", "Delete a form")
        .about(
            "With its submissions, its spam and its settings. The body has the form's name, so \
             that no other form is deleted by mistake. The form is gone at once, for its address \
             too; its rows are removed soon afterwards. This cannot be undone.",
        )
        .path::<FormId>(schemas, "form_id", "The form.")
        .body(schemas, &samples::form_name())
        .answers(204, "It is deleted.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `PUT /account/forms/{form_id}/fields`.
pub(crate) fn set_fields(schemas: &mut Schemas) -> Operation {
    let about = "Every field of the form, in the order wanted, with what is to change of it; one \
        without an `id` is new. Ids and answer keys stay, so submissions keep their answers; lists \
        and exports have the new names and order at once.";
    let changed = "the fields of this form have changed meanwhile; read the form again, and send \
        all of its fields";
    Operation::new(Door::Session, ACCOUNT, "setFields", "Rename, order and add fields")
        .about(about)
        .path::<FormId>(schemas, "form_id", "The form.")
        .body(schemas, &samples::field_edits())
        .answer(schemas, 200, "The form.", &Data { data: samples::form() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .finer(schemas, &[(409, ErrorCode::Validation, changed)])
        .writes(schemas)
}

/// `GET /account/forms/{form_id}/summary`.
pub(crate) fn get_summary(schemas: &mut Schemas) -> Operation {
    let zone = json!({"type": "string", "default": "UTC", "examples": ["Europe/Berlin"]});
    let about = "How many came when, and which values occur how often, over all submissions that \
        match the same filter as in the list. Stretches of time are days of `time_zone`, or weeks, \
        months or years of it where the range is long.";
    let operation = Operation::new(Door::Session, ACCOUNT, "getSummary", "Sum a form up")
        .about(about)
        .path::<FormId>(schemas, "form_id", "The form.")
        .query("time_zone", "The IANA name of the time zone whose days count.", zone);
    submissions::filters(operation)
        .answer(schemas, 200, "What they say together.", &Data { data: samples::summary() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `GET /account/keys`.
pub(crate) fn list_keys(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "listKeys", "List the account's API keys")
        .about("Newest first, revoked ones too. Never with their secrets.")
        .answer(schemas, 200, "All keys.", &Data { data: vec![samples::key()] })
        .errors(schemas, &[])
}

/// `POST /account/keys`.
pub(crate) fn create_key(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "createKey", "Create an API key")
        .about(
            "At most ten active keys an account. The secret is in this answer and never again. \
             Needs a proof of the last five minutes.",
        )
        .body(schemas, &samples::new_key())
        .answer(schemas, 201, "The key and its secret.", &samples::created_key())
        .errors(schemas, &[])
        .finer(schemas, &BODY_ERRORS)
        .finer(
            schemas,
            &[(
                409,
                ErrorCode::Validation,
                "an account may hold at most 10 active keys; revoke one first",
            )],
        )
        .writes(schemas)
}

/// `DELETE /account/keys/{key_id}`.
pub(crate) fn revoke_key(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "revokeKey", "Revoke an API key")
        .about(
            "Final, and in force at once. Other keys are unaffected. Needs a proof of the last \
             five minutes.",
        )
        .path::<KeyId>(schemas, "key_id", "The key's record.")
        .answers(204, "It is revoked.", &Value::Null)
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}
