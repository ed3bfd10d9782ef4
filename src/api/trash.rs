//! Trash and spam of a form, on a server with the capabilities `trash`, `spam` and `bulk_moves`.
//! See [`move_submissions`] for the way in and [`restore_submissions`] for the way back.

use contract::trash::{
    AffectedCount, MoveRequest, MoveResult, TrashRequest, TrashSettings, TrashedSubmission,
};
use contract::{Filter, Form, FormId, ListQuery, Page};

use super::{
    ApiError,
    request::{get, post, put, read_data, remove},
};
use crate::routes;

/// Place for submissions outside of the list: destination of a move, and source of a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveTarget {
    /// The trash.
    Trash,
    /// Spam.
    Spam,
}

impl MoveTarget {
    /// Returns the path segment below the form.
    fn path_segment(self) -> &'static str {
        match self {
            Self::Trash => "trash",
            Self::Spam => "spam",
        }
    }
}

/// Moves submissions of a form out of the list: those that `request` names, or those that match
/// `filter`.
pub async fn move_submissions(
    form: &FormId,
    target: MoveTarget,
    filter: &Filter,
    request: &MoveRequest,
) -> Result<MoveResult, ApiError> {
    read_data(post(&routes::account_move(form, target.path_segment(), filter), request).await?)
        .await
}

/// Lists a page of a form's trash, newest first.
pub async fn list_trash(
    form: &FormId,
    query: &ListQuery,
) -> Result<Page<TrashedSubmission>, ApiError> {
    Ok(get(&routes::account_trash(form, query), None).await?.body)
}

/// Moves submissions from the trash or spam back to the list.
pub async fn restore_submissions(
    form: &FormId,
    from: MoveTarget,
    request: &TrashRequest,
) -> Result<AffectedCount, ApiError> {
    let part = format!("{}/restore", from.path_segment());
    read_data(post(&routes::account_form_part(form, &part), request).await?).await
}

/// Deletes submissions in the trash permanently.
pub async fn delete_trash(
    form: &FormId,
    request: &TrashRequest,
) -> Result<AffectedCount, ApiError> {
    read_data(post(&routes::account_form_part(form, "trash/delete"), request).await?).await
}

/// Deletes all submissions in the trash permanently.
pub async fn empty_trash(form: &FormId) -> Result<AffectedCount, ApiError> {
    read_data(remove(&routes::account_form_part(form, "trash")).await?).await
}

/// Sets the retention of a form's trash in days, and returns the updated form.
pub async fn set_trash_days(form: &Form, days: u8) -> Result<Form, ApiError> {
    let settings = TrashSettings { days };
    let TrashSettings { days } =
        read_data(put(&routes::account_form_part(&form.id, "trash"), &settings).await?).await?;
    Ok(Form { trash_days: days, ..form.clone() })
}
