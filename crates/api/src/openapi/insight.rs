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
        .add_json_response(200, "The usage.", &Data { data: samples::insight_usage() })
        .add_errors(&[ErrorCode::NotFound])
}

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) fn get_analysis(op: Op<'_>) -> Op<'_> {
    describe_form_operation(op, "getAnalysis", "Get analysis status").add_json_response(
        200,
        "The analysis status.",
        &Data { data: samples::analysis() },
    )
}

/// `PUT /account/forms/{form_id}/analysis`.
pub(crate) fn set_analysis(op: Op<'_>) -> Op<'_> {
    describe_form_operation(op, "setAnalysis", "Turn analysis on or off")
        .description("`again` also analyses existing submissions; it requires `analysis`.")
        .add_json_body(&samples::set_analysis())
        .add_json_response(200, "The analysis status.", &Data { data: samples::analysis() })
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) fn get_categories(op: Op<'_>) -> Op<'_> {
    describe_form_operation(op, "getCategories", "Get categories").add_json_response(
        200,
        "The categories.",
        &Data { data: samples::categories() },
    )
}

/// `PUT /account/forms/{form_id}/categories`.
pub(crate) fn set_categories(op: Op<'_>) -> Op<'_> {
    describe_form_operation(op, "setCategories", "Update categories")
        .description("Apply to submissions that are analysed from now on. Names must be unique.")
        .add_json_body(&samples::new_categories())
        .add_json_response(200, "The categories.", &Data { data: samples::categories() })
}

/// `DELETE /account/forms/{form_id}/categories`.
pub(crate) fn reset_categories(op: Op<'_>) -> Op<'_> {
    describe_form_operation(op, "resetCategories", "Restore default categories").add_json_response(
        200,
        "The categories.",
        &Data { data: samples::categories() },
    )
}

/// `GET /account/submissions/{id}/insight`.
pub(crate) fn get_insight(op: Op<'_>) -> Op<'_> {
    describe_submission_operation(op, "getInsight", "Get an insight").add_json_response(
        200,
        "The insight and its correction.",
        &Data { data: samples::insight_detail() },
    )
}

/// `PUT /account/submissions/{id}/insight`.
pub(crate) fn correct_insight(op: Op<'_>) -> Op<'_> {
    describe_submission_operation(op, "correctInsight", "Correct an insight")
        .description("Omitted members retain the result of the analysis. At least one is required.")
        .add_json_body(&samples::correction())
        .add_json_response(
            200,
            "The insight and its correction.",
            &Data { data: samples::insight_detail() },
        )
}

/// `DELETE /account/submissions/{id}/insight`.
pub(crate) fn reset_insight(op: Op<'_>) -> Op<'_> {
    describe_submission_operation(op, "resetInsight", "Remove a correction").add_json_response(
        200,
        "The insight without correction.",
        &Data { data: samples::insight_detail() },
    )
}

fn describe_form_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id).summary(summary).add_path_parameter::<FormId>("form_id", FORM)
}

fn describe_submission_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let operation = op.id(id).summary(summary);
    operation.add_path_parameter::<SubmissionId>("id", SUBMISSION)
}
