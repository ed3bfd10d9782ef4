//! Descriptions of the routes for saved views (additive).

use super::describe::{Describe, Op};
use super::samples;
use crate::handlers::views::OWNER_SHARES;
use contract::view::{NewView, VIEWS_MAX, ViewChange};
use contract::{Data, ErrorCode, FormId, View, ViewId};
use serde_json::{Value, json};
use store::StoreError;
use store::views::ViewError;

const FORM: &str = "Id of the form.";
const VIEW: &str = "Id of the view.";
const NAME_TAKEN: (u16, ErrorCode, &str) =
    (409, ErrorCode::Validation, "a view `Open complaints` exists already; choose another name");
const OWNER_ONLY: (u16, ErrorCode, &str) = (403, ErrorCode::Forbidden, OWNER_SHARES);

/// `GET /account/forms/{form_id}/views`.
pub(crate) fn list_views(op: Op<'_>) -> Op<'_> {
    op.id("listViews")
        .summary("List saved views")
        .description("The shared views, then the private ones of the signed-in member, by name.")
        .add_path_parameter::<FormId>("form_id", FORM)
        .add_json_response(200, "The views.", &Data { data: vec![view()] })
}

/// `POST /account/forms/{form_id}/views`.
pub(crate) fn create_view(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "A form has at most {VIEWS_MAX} shared views, and as many private ones of each member. \
         Readers create private views. `columns` is in the format of the dashboard.",
    );
    op.id("createView")
        .summary("Create a saved view")
        .description(&about)
        .add_path_parameter::<FormId>("form_id", FORM)
        .add_json_body(&new_view())
        .add_json_response(201, "The view.", &Data { data: view() })
        .add_errors_with_status(&[
            OWNER_ONLY,
            NAME_TAKEN,
            (409, ErrorCode::Validation, &StoreError::TooManyViews.to_string()),
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
        .add_json_response(200, "The view.", &Data { data: view() })
        .add_errors_with_status(&[OWNER_ONLY, NAME_TAKEN])
}

/// `DELETE /account/forms/{form_id}/views/{view_id}`.
pub(crate) fn delete_view(op: Op<'_>) -> Op<'_> {
    describe_view_operation(op, "deleteView", "Delete a saved view")
        .description("Readers delete their private views. This cannot be undone.")
        .add_response(204, "The view is deleted.", &Value::Null)
        .add_errors_with_status(&[
            OWNER_ONLY,
            (409, ErrorCode::Validation, &ViewError::InUse(2).to_string()),
        ])
}

fn describe_view_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.id(id)
        .summary(summary)
        .add_path_parameter::<FormId>("form_id", FORM)
        .add_path_parameter::<ViewId>("view_id", VIEW)
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
