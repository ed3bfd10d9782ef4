//! How what owners do about analysis is described (additive).

use super::describe::{Describe, Op};
use super::samples;
use contract::{Data, ErrorCode, FormId, SubmissionId};

const FORM: &str = "The form.";
const SUBMISSION: &str = "The submission.";

/// `GET /account/insight`.
pub(crate) fn get_insight_usage(op: Op<'_>) -> Op<'_> {
    op.id("getInsightUsage")
        .summary("Get what analysis spent today")
        .description(
            "Submissions that may be analysed in a day (UTC), that were today, and that wait.",
        )
        .answer(200, "What is spent.", &Data { data: samples::insight_usage() })
        .errors(&[ErrorCode::NotFound])
}

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) fn get_analysis(op: Op<'_>) -> Op<'_> {
    of_form(op, "getAnalysis", "Say whether a form is analysed").answer(
        200,
        "Whether it is.",
        &Data { data: samples::analysis() },
    )
}

/// `PUT /account/forms/{form_id}/analysis`.
pub(crate) fn set_analysis(op: Op<'_>) -> Op<'_> {
    of_form(op, "setAnalysis", "Turn a form's analysis on or off")
        .description("`again` analyses those too that were; it needs `analysis` to be true.")
        .body(&samples::set_analysis())
        .answer(200, "Whether it is.", &Data { data: samples::analysis() })
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) fn get_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "getCategories", "Get a form's categories").answer(
        200,
        "Its categories.",
        &Data { data: samples::categories() },
    )
}

/// `PUT /account/forms/{form_id}/categories`.
pub(crate) fn set_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "setCategories", "Set a form's categories")
        .description("For submissions that are analysed from now on. No name may stand twice.")
        .body(&samples::new_categories())
        .answer(200, "Its categories.", &Data { data: samples::categories() })
}

/// `DELETE /account/forms/{form_id}/categories`.
pub(crate) fn reset_categories(op: Op<'_>) -> Op<'_> {
    of_form(op, "resetCategories", "Give a form the usual categories again").answer(
        200,
        "Its categories.",
        &Data { data: samples::categories() },
    )
}

/// `GET /account/submissions/{id}/insight`.
pub(crate) fn get_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "getInsight", "Get where an insight is from").answer(
        200,
        "Found and corrected.",
        &Data { data: samples::insight_detail() },
    )
}

/// `PUT /account/submissions/{id}/insight`.
pub(crate) fn correct_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "correctInsight", "Correct an insight")
        .description("What is left out stays as the analysis found it. At least one must be named.")
        .body(&samples::correction())
        .answer(200, "Found and corrected.", &Data { data: samples::insight_detail() })
}

/// `DELETE /account/submissions/{id}/insight`.
pub(crate) fn reset_insight(op: Op<'_>) -> Op<'_> {
    of_submission(op, "resetInsight", "Take a correction back").answer(
        200,
        "What was found.",
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
