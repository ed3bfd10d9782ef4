//! Descriptions of the owner's routes for analysis (additive).

use super::describe::{Describe, Op};
use super::samples;
use contract::insight::SetAnalysis;
use contract::{ErrorCode, SubmissionId};

const SUBMISSION: &str = "Id of the submission.";

/// `GET /account/insight`.
pub(crate) fn get_insight_usage(op: Op<'_>) -> Op<'_> {
    op.title("getInsightUsage", "Get analysis usage")
        .description("The limit per day (UTC), today's usage, and the pending submissions.")
        .add_data(200, "The usage.", samples::insight_usage())
        .add_errors(&[ErrorCode::NotFound])
}

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) fn get_analysis(op: Op<'_>) -> Op<'_> {
    op.title("getAnalysis", "Get analysis status").add_form().add_data(
        200,
        "The analysis status.",
        samples::analysis(),
    )
}

/// `PUT /account/forms/{form_id}/analysis`.
pub(crate) fn set_analysis(op: Op<'_>) -> Op<'_> {
    op.title("setAnalysis", "Turn analysis on or off")
        .add_form()
        .description("`again` also analyses existing submissions; it requires `analysis`.")
        .add_json_body(&SetAnalysis { analysis: true, again: false })
        .add_data(200, "The analysis status.", samples::analysis())
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) fn get_categories(op: Op<'_>) -> Op<'_> {
    op.title("getCategories", "Get categories").add_form().add_data(
        200,
        "The categories.",
        samples::categories(),
    )
}

/// `PUT /account/forms/{form_id}/categories`.
pub(crate) fn set_categories(op: Op<'_>) -> Op<'_> {
    op.title("setCategories", "Update categories")
        .add_form()
        .description("Apply to submissions that are analysed from now on. Names must be unique.")
        .add_json_body(&samples::new_categories())
        .add_data(200, "The categories.", samples::categories())
}

/// `DELETE /account/forms/{form_id}/categories`.
pub(crate) fn reset_categories(op: Op<'_>) -> Op<'_> {
    op.title("resetCategories", "Restore default categories").add_form().add_data(
        200,
        "The categories.",
        samples::categories(),
    )
}

/// `GET /account/submissions/{id}/insight`.
pub(crate) fn get_insight(op: Op<'_>) -> Op<'_> {
    op.title("getInsight", "Get an insight")
        .add_path_parameter::<SubmissionId>("id", SUBMISSION)
        .add_data(200, "The insight and its correction.", samples::insight_detail())
}

/// `PUT /account/submissions/{id}/insight`.
pub(crate) fn correct_insight(op: Op<'_>) -> Op<'_> {
    op.title("correctInsight", "Correct an insight")
        .add_path_parameter::<SubmissionId>("id", SUBMISSION)
        .description("Omitted members retain the result of the analysis. At least one is required.")
        .add_json_body(&samples::correction())
        .add_data(200, "The insight and its correction.", samples::insight_detail())
}

/// `DELETE /account/submissions/{id}/insight`.
pub(crate) fn reset_insight(op: Op<'_>) -> Op<'_> {
    op.title("resetInsight", "Remove a correction")
        .add_path_parameter::<SubmissionId>("id", SUBMISSION)
        .add_data(200, "The insight without correction.", samples::insight_detail())
}
