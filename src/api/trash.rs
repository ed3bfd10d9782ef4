//! Trash and spam of a form, on a server with the capabilities `trash`, `spam` and `bulk_moves`.

use contract::trash::{Affected, MoveRequest, Moved, TrashRequest, TrashSettings, Trashed};
use contract::{Filter, Form, FormId, ListQuery, Page};

use super::{
    ApiError,
    request::{data, get, post, put, remove},
};
use crate::routes;

/// Destination of moved submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The trash.
    Trash,
    /// Spam.
    Spam,
}

impl Target {
    /// Returns the path segment.
    fn part(self) -> &'static str {
        match self {
            Self::Trash => "trash",
            Self::Spam => "spam",
        }
    }
}

/// Moves submissions of a form: those listed in the request, or those that match a filter.
pub async fn move_submissions(
    form: &FormId,
    target: Target,
    filter: &Filter,
    request: &MoveRequest,
) -> Result<Moved, ApiError> {
    data(post(&routes::account_move(form, target.part(), filter), request).await?).await
}

/// Lists a page of a form's trash, newest first.
pub async fn trash(form: &FormId, query: &ListQuery) -> Result<Page<Trashed>, ApiError> {
    Ok(get(&routes::account_trash(form, query), None).await?.body)
}

/// Moves submissions from the trash or spam back to the list.
pub async fn restore(
    form: &FormId,
    from: Target,
    request: &TrashRequest,
) -> Result<Affected, ApiError> {
    let part = format!("{}/restore", from.part());
    data(post(&routes::account_part(form, &part), request).await?).await
}

/// Deletes submissions in the trash permanently.
pub async fn delete_trash(form: &FormId, request: &TrashRequest) -> Result<Affected, ApiError> {
    data(post(&routes::account_part(form, "trash/delete"), request).await?).await
}

/// Deletes all submissions in the trash permanently.
pub async fn empty_trash(form: &FormId) -> Result<Affected, ApiError> {
    data(remove(&routes::account_part(form, "trash")).await?).await
}

/// Sets the retention of a form's trash in days, and returns the updated form.
pub async fn set_trash(form: &Form, days: u8) -> Result<Form, ApiError> {
    let settings = TrashSettings { days };
    let TrashSettings { days } =
        data(put(&routes::account_part(&form.id, "trash"), &settings).await?).await?;
    Ok(Form { trash_days: days, ..form.clone() })
}
