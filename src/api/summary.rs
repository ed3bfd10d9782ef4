//! Summaries of submissions, on a server with the capability `summaries`.

use contract::summary::{Distributions, Summary, SummaryQuery};
use contract::{Filter, FormId, InboxSummaryQuery};
use web_sys::AbortSignal;

use super::{ApiError, request::get_data};
use crate::routes;

/// Returns a summary of the matching submissions of a form.
pub async fn get_summary(
    form: &FormId,
    query: &SummaryQuery,
    signal: Option<&AbortSignal>,
) -> Result<Summary, ApiError> {
    get_data(&routes::account_summary(form, query), signal).await
}

/// Returns the values that occur in the matching submissions of all forms.
pub async fn get_inbox_summary(
    query: &InboxSummaryQuery,
    signal: Option<&AbortSignal>,
) -> Result<Summary, ApiError> {
    get_data(&routes::account_inbox_summary(query), signal).await
}

/// Returns the distributions of the answers of the matching submissions of a form.
pub async fn get_distributions(
    form: &FormId,
    filter: &Filter,
    signal: Option<&AbortSignal>,
) -> Result<Distributions, ApiError> {
    get_data(&routes::account_distributions(form, filter), signal).await
}
