//! Descriptions of the routes for trash, and for marking and restoring spam (additive).

use super::describe::{COUNT_CHANGED, Describe, Op};
use super::{samples, submissions};
use crate::handlers::trash::TRASH_OFF;
use contract::page::LIMIT_DEFAULT;
use contract::trash::{
    AffectedCount, DAYS_DEFAULT, DAYS_MAX, MOVE_MAX, MoveRequest, MoveResult, TrashRequest,
    TrashSettings, TrashedSubmission,
};
use contract::{Page, Pagination};

const ID_EXISTS: &str = "submission `sub_01J9Z3K4` exists twice, in the list or the trash, so \
    nothing was restored; delete one of them permanently first";

/// `GET /account/forms/{form_id}/trash`.
pub(crate) fn list_trash(op: Op<'_>) -> Op<'_> {
    op.title("listTrash", "List trash")
        .description(
            "Deleted submissions that can be restored, newest submissions first, paginated like \
             submissions. Lists, exports, counts and summaries exclude them.",
        )
        .add_form()
        .add_pagination("Maximum submissions per page.", LIMIT_DEFAULT)
        .add_query_parameter(
            "search",
            submissions::SEARCH_DESCRIPTION,
            submissions::search_schema(),
        )
        .add_json_response(200, "A page of the trash.", &trash_page())
        .add_busy_reading()
}

/// `POST /account/forms/{form_id}/trash`.
pub(crate) fn move_to_trash(op: Op<'_>) -> Op<'_> {
    describe_move(op, "moveToTrash", "Move submissions to trash")
}

/// `POST /account/forms/{form_id}/spam`.
pub(crate) fn mark_spam(op: Op<'_>) -> Op<'_> {
    describe_move(op, "markSpam", "Mark submissions as spam")
}

fn describe_move<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let about = format!(
        "The body has either `ids`, at most 1,000, or `count`: the number of submissions that \
         match the filter in the query, or of all submissions in the list without a filter. If \
         the number differs, nothing is moved. One request moves at most {MOVE_MAX} submissions, \
         newest first, in one transaction.",
    );
    let result = MoveResult { batch: Some(samples::sample_id("bat_")), count: 12, remaining: 0 };
    let op = op.title(id, summary).description(&about).add_form();
    submissions::add_filters_of_member(op)
        .add_json_body(&MoveRequest { ids: None, count: Some(12), permanent: false })
        .add_data(200, "The number of moved and remaining submissions.", result)
        .add_errors_with_status(&[(409, COUNT_CHANGED), (409, TRASH_OFF)])
}

/// `PUT /account/forms/{form_id}/trash`.
pub(crate) fn set_trash(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "0 to {DAYS_MAX} days; {DAYS_DEFAULT} by default. Older submissions are deleted \
         permanently. With 0, a move to the trash deletes permanently and requires `permanent`.",
    );
    let settings = TrashSettings { days: DAYS_DEFAULT };
    op.title("setTrash", "Update trash retention")
        .description(&about)
        .add_form()
        .add_json_body(&settings)
        .add_data(200, "The new settings.", settings)
}

/// `DELETE /account/forms/{form_id}/trash`.
pub(crate) fn empty_trash(op: Op<'_>) -> Op<'_> {
    op.title("emptyTrash", "Empty trash").add_form().add_data(
        200,
        "The number of deleted submissions.",
        AffectedCount { count: 12 },
    )
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) fn restore_trash(op: Op<'_>) -> Op<'_> {
    describe_selection(op, "restoreTrash", "Restore submissions from trash")
        .description("Moves the submissions to the form's list, in one transaction.")
        .add_errors_with_status(&[(409, ID_EXISTS)])
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) fn restore_spam(op: Op<'_>) -> Op<'_> {
    describe_selection(op, "restoreSpam", "Restore submissions from spam")
        .description("Like `releaseSpam`, for many submissions, in one transaction.")
        .add_errors_with_status(&[(409, ID_EXISTS)])
}

/// `POST /account/forms/{form_id}/trash/delete`.
pub(crate) fn delete_trash(op: Op<'_>) -> Op<'_> {
    describe_selection(op, "deleteTrash", "Delete submissions from trash")
}

fn describe_selection<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.title(id, summary)
        .add_form()
        .add_json_body(&TrashRequest { ids: None, batch: Some(samples::sample_id("bat_")) })
        .add_data(200, "The number of affected submissions.", AffectedCount { count: 12 })
}

/// Example: the last page of a form's trash.
fn trash_page() -> Page<TrashedSubmission> {
    let pagination = Pagination { total: 1, limit: 20, has_more: false, next_cursor: None };
    let row = TrashedSubmission {
        trashed_at: samples::sample_time(),
        batch: samples::sample_id("bat_"),
        submission: samples::submission(),
    };
    Page { data: vec![row], pagination }
}
