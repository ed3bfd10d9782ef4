//! Descriptions of the owner's routes for analysis (additive).

use super::describe::{Describe, Op};
use super::samples;
use contract::{Data, ErrorCode, FormId, SubmissionId};

const FORM: &str = "Id of the form.";
const SUBMISSION: &str = "Id of the submission.";

/// `GET /account/insight`.
pub(crate) fn get_insight_usage(op: Op<'_>) -> Op<'_> {
    op.id("getInsightUsage")
        .summary("Get analysis usage")
        .description("The limit per day (UTC), today's usage, and the pending submissions.")
        .answer(200, "The usage.", &Data { data: samples::insight_usage() })
        .errors(&[ErrorCode::NotFound])
}

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) fn get_analysis(op: Op<'_>) -> Op<'_> {
    of_form(op, "getAnalysis", "Get analysis status").answer(
        200,
        "The analysis status.",
        &Data { data: samples::analysis() },
    )
}

/// `PUT /account/forms/{form_id}/analysis`.
pub(crate) fn set_analysis(op: Op<'_>) -> Op<'_> {
    of_form(op, "setAnalysis", "Turn analysis on or off")
        .description("`again` also analyses existing submissions; it requires `analysis`.")
        .body(&samples::set_analysis())
        .answer(200, "The analysis status.", &Data { data: samples::analysis() })
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) fn get_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "getCategories", "Get categories").answer(
        200,
        "The categories.",
        &Data { data: samples::categories() },
    )
}

/// `PUT /account/forms/{form_id}/categories`.
pub(crate) fn set_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "setCategories", "Update categories")
        .description("Apply to submissions that are analysed from now on. Names must be unique.")
        .body(&samples::new_categories())
        .answer(200, "The categories.", &Data { data: samples::categories() })
}

/// `DELETE /account/forms/{form_id}/categories`.
pub(crate) fn reset_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "resetCategories", "Restore default categories").answer(
        200,
        "The categories.",
        &Data { data: samples::categories() },
    )
}

/// `GET /account/submissions/{id}/insight`.
pub(crate) fn get_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "getInsight", "Get an insight").answer(
        200,
        "The insight and its correction.",
        &Data { data: samples::insight_detail() },
    )
}

/// `PUT /account/submissions/{id}/insight`.
pub(crate) fn correct_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "correctInsight", "Correct an insight")
        .description("Omitted members retain the result of the analysis. At least one is required.")
        .body(&samples::correction())
        .answer(200, "The insight and its correction.", &Data { data: samples::insight_detail() })
}

/// `DELETE /account/submissions/{id}/insight`.
pub(crate) fn reset_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "resetInsight", "Remove a correction").answer(
        200,
        "The insight without correction.",
        &Data { data: samples::insight_detail() },
    )
}

fn of_form<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id).summary(summary).path::<FormId>("form_id", FORM)
}

fn of_submission<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let operation = op.id(id).summary(summary);
    operation.path::<SubmissionId>("id", SUBMISSION)
}
