//! Descriptions of the routes for saved views (additive).

use super::describe::{Describe, Op};
use super::samples;
use crate::handlers::views::OWNER_SHARES;
use contract::view::{NewView, VIEWS_MAX, ViewChange};
use contract::{View, ViewId};
use serde_json::json;
use store::StoreError;
use store::views::ViewError;

const VIEW: &str = "Id of the view.";
const NAME_TAKEN: &str = "a view `Open complaints` exists already; choose another name";

/// `GET /account/forms/{form_id}/views`.
pub(crate) fn list_views(op: Op<'_>) -> Op<'_> {
    op.title("listViews", "List saved views")
        .description("The shared views, then the private ones of the signed-in member, by name.")
        .add_form()
        .add_data(200, "The views.", vec![view()])
}

/// `POST /account/forms/{form_id}/views`.
pub(crate) fn create_view(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "A form has at most {VIEWS_MAX} shared views, and as many private ones of each member. \
         Readers create private views. `columns` is in the format of the dashboard.",
    );
    op.title("createView", "Create a saved view")
        .description(&about)
        .add_form()
        .add_json_body(&new_view())
        .add_data(201, "The view.", view())
        .add_errors_with_status(&[
            (403, OWNER_SHARES),
            (409, NAME_TAKEN),
            (409, &StoreError::TooManyViews.to_string()),
        ])
}

/// `PATCH /account/forms/{form_id}/views/{view_id}`.
pub(crate) fn update_view(op: Op<'_>) -> Op<'_> {
    describe_view_operation(op, "updateView", "Update a saved view")
        .description(
            "Absent members are not changed. A new `query` also replaces `dates`. Readers change \
             their private views. While notifications use a view, it must stay shared and without \
             `read`.",
        )
        .add_json_body(&change())
        .add_data(200, "The view.", view())
        .add_errors_with_status(&[(403, OWNER_SHARES), (409, NAME_TAKEN)])
}

/// `DELETE /account/forms/{form_id}/views/{view_id}`.
pub(crate) fn delete_view(op: Op<'_>) -> Op<'_> {
    describe_view_operation(op, "deleteView", "Delete a saved view")
        .description("Readers delete their private views. This cannot be undone.")
        .add_empty_response(204, "The view is deleted.")
        .add_errors_with_status(&[(403, OWNER_SHARES), (409, &ViewError::InUse(2).to_string())])
}

fn describe_view_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.title(id, summary).add_form().add_path_parameter::<ViewId>("view_id", VIEW)
}

/// Example: a shared view.
fn view() -> View {
    samples::parse_sample(&json!({
        "id": samples::sample_id::<ViewId>("view_"), "name": "Open complaints",
        "query": "sentiment=negative&status=open", "dates": "30d", "columns": "", "shared": true,
        "is_default": false, "created_at": samples::sample_time(),
    }))
}

/// Example: a view to create.
fn new_view() -> NewView {
    samples::parse_sample(&json!({
        "name": "Open complaints", "query": "sentiment=negative&status=open", "dates": "30d",
        "shared": true,
    }))
}

/// Example: a change.
fn change() -> ViewChange {
    samples::parse_sample(&json!({"name": "Open complaints", "is_default": false}))
}
