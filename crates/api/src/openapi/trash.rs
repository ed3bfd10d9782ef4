//! How a form's trash is described (additive).

use super::describe::{Describe, Op};
use super::{samples, submissions};
use contract::page::LIMIT_DEFAULT;
use contract::trash::{
    Affected, DAYS_DEFAULT, DAYS_MAX, MOVED_MAX, MoveRequest, Moved, TrashRequest, TrashSettings,
    Trashed,
};
use contract::{Data, ErrorCode, FormId, Page, Pagination};

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
pub(crate) fn list_trash(op: Op<'_>) -> Op<'_> {
    op.id("listTrash")
        .summary("List a form's trash")
        .description(
            "Deleted submissions that can be restored, the newest submissions first, by pages as \
             submissions have. No list, export, count or summary of submissions has them.",
        )
        .path::<FormId>("form_id", FORM)
        .paged("How many a page holds at most.", LIMIT_DEFAULT)
        .query("search", submissions::SEARCH, submissions::search())
        .answer(200, "A page of the trash.", &page())
        .sends()
}

/// `POST /account/forms/{form_id}/trash`.
pub(crate) fn move_to_trash(op: Op<'_>) -> Op<'_> {
    moves(op, "moveToTrash", "Move submissions to the trash")
}

/// `POST /account/forms/{form_id}/spam`.
pub(crate) fn mark_spam(op: Op<'_>) -> Op<'_> {
    moves(op, "markSpam", "Mark submissions as spam")
}

fn moves<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let about = format!(
        "The body has either `ids`, at most 1,000, or the `count` of all submissions that match \
         the filter in the query; without a filter, of all that the form lists. If another number \
         matches, nothing is moved. One request moves at most {MOVED_MAX}, the newest first: all \
         of them or none.",
    );
    let op = op.id(id).summary(summary).description(&about).path::<FormId>("form_id", FORM);
    submissions::filters(op)
        .body(&move_request())
        .answer(200, "What was moved.", &Data { data: moved() })
        .finer(&[CHANGED, NOT_KEPT])
}

/// `PUT /account/forms/{form_id}/trash`.
pub(crate) fn set_trash(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "0 to {DAYS_MAX} days; {DAYS_DEFAULT} unless set. Older submissions are deleted \
         permanently. With 0, a move to the trash deletes permanently at once.",
    );
    let settings = TrashSettings { days: DAYS_DEFAULT };
    op.id("setTrash")
        .summary("Set how long a form keeps its trash")
        .description(&about)
        .path::<FormId>("form_id", FORM)
        .body(&settings)
        .answer(200, "What is set now.", &Data { data: settings })
}

/// `DELETE /account/forms/{form_id}/trash`.
pub(crate) fn empty_trash(op: Op<'_>) -> Op<'_> {
    op.id("emptyTrash")
        .summary("Delete a form's trash permanently")
        .path::<FormId>("form_id", FORM)
        .answer(200, "How many were deleted.", &Data { data: Affected { count: 12 } })
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) fn restore_trash(op: Op<'_>) -> Op<'_> {
    chosen(op, "restoreTrash", "Restore submissions from the trash")
        .description("Each takes its place among the form's submissions: all of them or none.")
        .finer(&[TAKEN])
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) fn restore_spam(op: Op<'_>) -> Op<'_> {
    chosen(op, "restoreSpam", "Restore submissions from the spam")
        .description("As `releaseSpam`, for many: all of them or none.")
        .finer(&[TAKEN])
}

/// `POST /account/forms/{form_id}/trash/delete`.
pub(crate) fn delete_trash(op: Op<'_>) -> Op<'_> {
    chosen(op, "deleteTrash", "Delete submissions of the trash permanently")
}

fn chosen<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id).summary(summary).path::<FormId>("form_id", FORM).body(&trash_request()).answer(
        200,
        "How many there were.",
        &Data { data: Affected { count: 12 } },
    )
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
