//! The routes of the specification, which every server implements, and the inbox.

use contract::{
    Environment, FormId, InboxQuery, ListQuery, Page, RateLimit, Submission, SubmissionId,
};
use web_sys::AbortSignal;

use super::{
    ApiError, ApiResponse,
    request::{get, get_data, remove},
};
use crate::routes;

/// Lists a page of a form's submissions (Specification, section 4.1).
pub async fn list_submissions(
    environment: Environment,
    form: &FormId,
    query: &ListQuery,
    signal: Option<&AbortSignal>,
) -> Result<ApiResponse<Page<Submission>>, ApiError> {
    get(&routes::api_list(environment, form, query), signal).await
}

/// Lists a page of the submissions of all forms, on a server with the capability `inbox`.
pub async fn list_inbox(
    query: &InboxQuery,
    signal: Option<&AbortSignal>,
) -> Result<ApiResponse<Page<Submission>>, ApiError> {
    get(&routes::account_inbox(query), signal).await
}

/// Returns one submission (Specification, section 4.2).
pub async fn get_submission(
    environment: Environment,
    id: &SubmissionId,
    signal: Option<&AbortSignal>,
) -> Result<Submission, ApiError> {
    get_data(&routes::api_submission(environment, id), signal).await
}

/// Deletes one submission permanently (Specification, section 4.3).
pub async fn delete_submission(
    environment: Environment,
    id: &SubmissionId,
) -> Result<ApiResponse<()>, ApiError> {
    let response = remove(&routes::api_submission(environment, id)).await?;
    let headers = response.headers();
    Ok(ApiResponse { body: (), rate: RateLimit::from_headers(|name| headers.get(name)) })
}
