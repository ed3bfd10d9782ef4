//! How what owners do about analysis is described (additive).

use super::operation::{Door, Operation};
use super::owner::{ACCOUNT, BODY_ERRORS};
use super::samples;
use super::schemas::Schemas;
use contract::{Data, ErrorCode, FormId, SubmissionId};

const FORM: &str = "The form.";
const SUBMISSION: &str = "The submission.";

/// `GET /account/insight`.
pub(crate) fn get_insight_usage(schemas: &mut Schemas) -> Operation {
    Operation::new(Door::Session, ACCOUNT, "getInsightUsage", "Get what analysis spent today")
        .about("Submissions that may be analysed in a day (UTC), that were today, and that wait.")
        .answer(schemas, 200, "What is spent.", &Data { data: samples::insight_usage() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) fn get_analysis(schemas: &mut Schemas) -> Operation {
    of_form(schemas, "getAnalysis", "Say whether a form is analysed")
        .answer(schemas, 200, "Whether it is.", &Data { data: samples::analysis() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `PUT /account/forms/{form_id}/analysis`.
pub(crate) fn set_analysis(schemas: &mut Schemas) -> Operation {
    of_form(schemas, "setAnalysis", "Turn a form's analysis on or off")
        .about("`again` analyses those too that were; it needs `analysis` to be true.")
        .body(schemas, &samples::set_analysis())
        .answer(schemas, 200, "Whether it is.", &Data { data: samples::analysis() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) fn get_categories(schemas: &mut Schemas) -> Operation {
    of_form(schemas, "getCategories", "Get a form's categories")
        .answer(schemas, 200, "Its categories.", &Data { data: samples::categories() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `PUT /account/forms/{form_id}/categories`.
pub(crate) fn set_categories(schemas: &mut Schemas) -> Operation {
    of_form(schemas, "setCategories", "Set a form's categories")
        .about("For submissions that are analysed from now on. No name may stand twice.")
        .body(schemas, &samples::new_categories())
        .answer(schemas, 200, "Its categories.", &Data { data: samples::categories() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `DELETE /account/forms/{form_id}/categories`.
pub(crate) fn reset_categories(schemas: &mut Schemas) -> Operation {
    of_form(schemas, "resetCategories", "Give a form the usual categories again")
        .answer(schemas, 200, "Its categories.", &Data { data: samples::categories() })
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}

/// `GET /account/submissions/{id}/insight`.
pub(crate) fn get_insight(schemas: &mut Schemas) -> Operation {
    of_submission(schemas, "getInsight", "Get where an insight is from")
        .answer(schemas, 200, "Found and corrected.", &Data { data: samples::insight_detail() })
        .errors(schemas, &[ErrorCode::NotFound])
}

/// `PUT /account/submissions/{id}/insight`.
pub(crate) fn correct_insight(schemas: &mut Schemas) -> Operation {
    of_submission(schemas, "correctInsight", "Correct an insight")
        .about("What is left out stays as the analysis found it. At least one must be named.")
        .body(schemas, &samples::correction())
        .answer(schemas, 200, "Found and corrected.", &Data { data: samples::insight_detail() })
        .errors(schemas, &[ErrorCode::NotFound])
        .finer(schemas, &BODY_ERRORS)
        .writes(schemas)
}

/// `DELETE /account/submissions/{id}/insight`.
pub(crate) fn reset_insight(schemas: &mut Schemas) -> Operation {
    of_submission(schemas, "resetInsight", "Take a correction back")
        .answer(schemas, 200, "What was found.", &Data { data: samples::insight_detail() })
        .errors(schemas, &[ErrorCode::NotFound])
        .writes(schemas)
}

fn of_form(schemas: &mut Schemas, id: &str, summary: &str) -> Operation {
    Operation::new(Door::Session, ACCOUNT, id, summary).path::<FormId>(schemas, "form_id", FORM)
}

fn of_submission(schemas: &mut Schemas, id: &str, summary: &str) -> Operation {
    let operation = Operation::new(Door::Session, ACCOUNT, id, summary);
    operation.path::<SubmissionId>(schemas, "id", SUBMISSION)
}
