//! How a form's trash is described (additive).

use super::operation::{Door, Operation};
use super::owner::{ACCOUNT, BODY_ERRORS};
use super::schemas::Schemas;
use super::{samples, submissions};
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::trash::{
    Affected, DAYS_DEFAULT, DAYS_MAX, MOVED_MAX, MoveRequest, Moved, TrashRequest, TrashSettings,
    Trashed,
};
use contract::{Data, ErrorCode, FormId, Page, Pagination};
use serde_json::json;

const FORM: &str = "The form.";
const CHANGED: (u16, ErrorCode, &str) = (
    409,
    ErrorCode::Validation,
    "13 submissions match the filter now; look at the list again, and confirm this count",
);
const NOT_KEPT: (u16, ErrorCode, &str) = (
    409,
    ErrorCode::Validation,
    "the form keeps no trash; to delete permanently, ask again with `\"permanent\": true`",
);
const TAKEN: (u16, ErrorCode, &str) =
    (409, ErrorCode::Validation, "submission `sub_01J9Z3K4` exists already");

/// `GET /account/forms/{form_id}/trash`.
pub(crate) fn list_trash(schemas: &mut Schemas) -> Operation {
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT,
    });
    Operation::new(Door::Session, ACCOUNT, "listTrash", "List a form's trash")
        .about(
            "Deleted submissions that can be restored, the newest submissions first, by pages as \
             submissions have. No list, export, count or summary of submissions has them.",
        )
        .path::<FormId>(schemas, "form_id", FORM)
        .query("limit", "How many a page holds at most.", limit)
        .query(
            "cursor",
            "`next_cursor` of the page before, unchanged.",
            json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
        )
        .query("search", submissions::SEARCH, submissions::search())
        .answer(schemas, 200, "A page of the trash.", &page())
        .errors(schemas, &[ErrorCode::NotFound])
        .sends(schemas)
}

/// `POST /account/forms/{form_id}/trash`.
pub(crate) fn move_to_trash(schemas: &mut Schemas) -> Operation {
    moves(schemas, "moveToTrash", "Move submissions to the trash")
}

/// `POST /account/forms/{form_id}/spam`.
pub(crate) fn mark_spam(schemas: &mut Schemas) -> Operation {
    moves(schemas, "markSpam", "Mark submissions as spam")
}

fn moves(schemas: &mut Schemas, id: &str, summary: &str) -> Operation {
    let about = format!(
        "The body has either `ids`, at most 1,000, or the `count` of all submissions that match \
         the filter in the query; without a filter, of all that the form lists. If another number \
         matches, nothing is moved. One request moves at most {MOVED_MAX}, the newest first: all \
         of them or none.",
    );
    let operation = Operation::new(Door::Session, ACCOUNT, id, summary)
        .about(&about)
        .path::<FormId>(schemas, "form_id", FORM);
    submissions::filters(operation)
        .body(schemas, &move_request())
        .answer(schemas, 200, "What was moved.", &Data { data: moved() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .finer(schemas, &[CHANGED, NOT_KEPT])
        .writes(schemas)
}

/// `PUT /account/forms/{form_id}/trash`.
pub(crate) fn set_trash(schemas: &mut Schemas) -> Operation {
    let about = format!(
        "0 to {DAYS_MAX} days; {DAYS_DEFAULT} unless set. Older submissions are deleted \
         permanently. With 0, a move to the trash deletes permanently at once.",
    );
    let settings = TrashSettings { days: DAYS_DEFAULT };
    Operation::new(Door::Session, ACCOUNT, "setTrash", "Set how long a form keeps its trash")
        .about(&about)
        .path::<FormId>(schemas, "form_id", FORM)
        .body(schemas, &settings)
        .answer(schemas, 200, "What is set now.", &Data { data: settings })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `DELETE /account/forms/{form_id}/trash`.
pub(crate) fn empty_trash(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "emptyTrash", "Delete a form's trash permanently")
        .path::<FormId>(schemas, "form_id", FORM)
        .answer(schemas, 200, "How many were deleted.", &Data { data: Affected { count: 12 } })
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) fn restore_trash(schemas: &mut Schemas) -> Operation {
    chosen(schemas, "restoreTrash", "Restore submissions from the trash")
        .about("Each takes its place among the form's submissions: all of them or none.")
        .finer(schemas, &[TAKEN])
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) fn restore_spam(schemas: &mut Schemas) -> Operation {
    chosen(schemas, "restoreSpam", "Restore submissions from the spam")
        .about("As `releaseSpam`, for many: all of them or none.")
        .finer(schemas, &[TAKEN])
}

/// `POST /account/forms/{form_id}/trash/delete`.
pub(crate) fn delete_trash(schemas: &mut Schemas) -> Operation {
    chosen(schemas, "deleteTrash", "Delete submissions of the trash permanently")
}

fn chosen(schemas: &mut Schemas, id: &str, summary: &str) -> Operation {
    Operation::new(Door::Session, ACCOUNT, id, summary)
        .path::<FormId>(schemas, "form_id", FORM)
        .body(schemas, &trash_request())
        .answer(schemas, 200, "How many there were.", &Data { data: Affected { count: 12 } })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// The last page of a form's trash.
fn page() -> Page<Trashed> {
    let pagination = Pagination { total: 1, limit: 20, has_more: false, next_cursor: None };
    let row = Trashed {
        trashed_at: samples::at(),
        batch: samples::id("bat_"),
        submission: samples::submission(),
    };
    Page { data: vec![row], pagination }
}

/// Which submissions to move.
fn move_request() -> MoveRequest {
    MoveRequest { ids: None, count: Some(12), permanent: false }
}

/// The answer to a move.
fn moved() -> Moved {
    Moved { batch: Some(samples::id("bat_")), count: 12, remaining: 0 }
}

/// Which submissions of the trash.
fn trash_request() -> TrashRequest {
    TrashRequest { ids: None, batch: Some(samples::id("bat_")) }
}
