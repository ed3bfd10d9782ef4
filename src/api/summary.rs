//! Summaries of submissions, on a server with the capability `summaries`.

use contract::summary::{Distributions, Summary, SummaryQuery};
use contract::{Data, Filter, FormId, InboxSummaryQuery};
use web_sys::AbortSignal;

use super::{ApiError, request::get};
use crate::routes;

/// Returns a summary of the matching submissions of a form.
pub async fn get_summary(
    form: &FormId,
    query: &SummaryQuery,
    signal: Option<&AbortSignal>,
) -> Result<Summary, ApiError> {
    Ok(get::<Data<Summary>>(&routes::account_summary(form, query), signal).await?.body.data)
}

/// Returns the values that occur in the matching submissions of all forms.
pub async fn get_inbox_summary(
    query: &InboxSummaryQuery,
    signal: Option<&AbortSignal>,
) -> Result<Summary, ApiError> {
    Ok(get::<Data<Summary>>(&routes::account_inbox_summary(query), signal).await?.body.data)
}

/// Returns the distributions of the answers of the matching submissions of a form.
pub async fn get_distributions(
    form: &FormId,
    filter: &Filter,
    signal: Option<&AbortSignal>,
) -> Result<Distributions, ApiError> {
    let url = routes::account_distributions(form, filter);
    Ok(get::<Data<Distributions>>(&url, signal).await?.body.data)
}
