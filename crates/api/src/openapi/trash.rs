//! Descriptions of the routes for trash, and for marking and restoring spam (additive).

use super::describe::{Describe, Op};
use super::{samples, submissions};
use contract::page::LIMIT_DEFAULT;
use contract::trash::{
    Affected, DAYS_DEFAULT, DAYS_MAX, MOVED_MAX, MoveRequest, Moved, TrashRequest, TrashSettings,
    Trashed,
};
use contract::{Data, ErrorCode, FormId, Page, Pagination};

const FORM: &str = "Id of the form.";
const CHANGED: (u16, ErrorCode, &str) = (
    409,
    ErrorCode::Validation,
    "13 submissions match the filter now; check the list and confirm this count",
);
const NOT_KEPT: (u16, ErrorCode, &str) = (
    409,
    ErrorCode::Validation,
    "trash is off for this form; to delete permanently, send `\"permanent\": true`",
);
const TAKEN: (u16, ErrorCode, &str) =
    (409, ErrorCode::Validation, "submission `sub_01J9Z3K4` exists already");

/// `GET /account/forms/{form_id}/trash`.
pub(crate) fn list_trash(op: Op<'_>) -> Op<'_> {
    op.id("listTrash")
        .summary("List trash")
        .description(
            "Deleted submissions that can be restored, newest submissions first, paginated like \
             submissions. Lists, exports, counts and summaries exclude them.",
        )
        .path::<FormId>("form_id", FORM)
        .paged("Maximum submissions per page.", LIMIT_DEFAULT)
        .query("search", submissions::SEARCH, submissions::search())
        .answer(200, "A page of the trash.", &page())
        .sends()
}

/// `POST /account/forms/{form_id}/trash`.
pub(crate) fn move_to_trash(op: Op<'_>) -> Op<'_> {
    moves(op, "moveToTrash", "Move submissions to trash")
}

/// `POST /account/forms/{form_id}/spam`.
pub(crate) fn mark_spam(op: Op<'_>) -> Op<'_> {
    moves(op, "markSpam", "Mark submissions as spam")
}

fn moves<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let about = format!(
        "The body has either `ids`, at most 1,000, or `count`: the number of submissions that \
         match the filter in the query, or of all submissions in the list without a filter. If \
         the number differs, nothing is moved. One request moves at most {MOVED_MAX} submissions, \
         newest first, in one transaction.",
    );
    let op = op.id(id).summary(summary).description(&about).path::<FormId>("form_id", FORM);
    submissions::filters(op)
        .body(&move_request())
        .answer(200, "The number of moved and remaining submissions.", &Data { data: moved() })
        .finer(&[CHANGED, NOT_KEPT])
}

/// `PUT /account/forms/{form_id}/trash`.
pub(crate) fn set_trash(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "0 to {DAYS_MAX} days; {DAYS_DEFAULT} by default. Older submissions are deleted \
         permanently. With 0, a move to the trash deletes permanently and requires `permanent`.",
    );
    let settings = TrashSettings { days: DAYS_DEFAULT };
    op.id("setTrash")
        .summary("Update trash retention")
        .description(&about)
        .path::<FormId>("form_id", FORM)
        .body(&settings)
        .answer(200, "The new settings.", &Data { data: settings })
}

/// `DELETE /account/forms/{form_id}/trash`.
pub(crate) fn empty_trash(op: Op<'_>) -> Op<'_> {
    op.id("emptyTrash").summary("Empty trash").path::<FormId>("form_id", FORM).answer(
        200,
        "The number of deleted submissions.",
        &Data { data: Affected { count: 12 } },
    )
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) fn restore_trash(op: Op<'_>) -> Op<'_> {
    chosen(op, "restoreTrash", "Restore submissions from trash")
        .description("Moves the submissions to the form's list, in one transaction.")
        .finer(&[TAKEN])
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) fn restore_spam(op: Op<'_>) -> Op<'_> {
    chosen(op, "restoreSpam", "Restore submissions from spam")
        .description("Like `releaseSpam`, for many submissions, in one transaction.")
        .finer(&[TAKEN])
}

/// `POST /account/forms/{form_id}/trash/delete`.
pub(crate) fn delete_trash(op: Op<'_>) -> Op<'_> {
    chosen(op, "deleteTrash", "Delete submissions from trash")
}

fn chosen<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id).summary(summary).path::<FormId>("form_id", FORM).body(&trash_request()).answer(
        200,
        "The number of affected submissions.",
        &Data { data: Affected { count: 12 } },
    )
}

/// Example: the last page of a form's trash.
fn page() -> Page<Trashed> {
    let pagination = Pagination { total: 1, limit: 20, has_more: false, next_cursor: None };
    let row = Trashed {
        trashed_at: samples::at(),
        batch: samples::id("bat_"),
        submission: samples::submission(),
    };
    Page { data: vec![row], pagination }
}

/// Example: a selection of submissions to move.
fn move_request() -> MoveRequest {
    MoveRequest { ids: None, count: Some(12), permanent: false }
}

/// Example: the result of a move.
fn moved() -> Moved {
    Moved { batch: Some(samples::id("bat_")), count: 12, remaining: 0 }
}

/// Example: a selection of submissions in the trash.
fn trash_request() -> TrashRequest {
    TrashRequest { ids: None, batch: Some(samples::id("bat_")) }
}
