//! Saved views of a form, on a server with the capability `saved_views`.

use contract::view::{NewView, ViewChange};
use contract::{FormId, View, ViewId};

use super::{
    ApiError,
    request::{get_data, patch, post, read_data, remove},
};
use crate::routes;

/// Lists the shared views of a form, then the own private ones, each by name.
pub async fn list_views(form: &FormId) -> Result<Vec<View>, ApiError> {
    get_data(&routes::account_form_part(form, "views"), None).await
}

/// Creates a view.
pub async fn create_view(form: &FormId, new: &NewView) -> Result<View, ApiError> {
    read_data(post(&routes::account_form_part(form, "views"), new).await?).await
}

/// Changes a view.
pub async fn update_view(
    form: &FormId,
    id: &ViewId,
    change: &ViewChange,
) -> Result<View, ApiError> {
    read_data(patch(&routes::account_view(form, id), change).await?).await
}

/// Deletes a view.
pub async fn delete_view(form: &FormId, id: &ViewId) -> Result<(), ApiError> {
    remove(&routes::account_view(form, id)).await.map(|_| ())
}
