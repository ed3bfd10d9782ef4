//! Routes of the API: path, handler and description.
//!
//! The routers and the OpenAPI document are both built from this table, so that they cannot differ.

use crate::Service;
use crate::handlers::{
    audit, export, forms, insight, intake, keys, spam, submissions, summary, trash,
};
use crate::openapi::{self as docs, AuthScheme, complete};
use aide::axum::ApiRouter;
use aide::axum::routing::{delete_with, get_with, post_with, put_with};

/// Returns the routes of the specification (section 4).
pub(super) fn specified() -> ApiRouter<Service> {
    let router = ApiRouter::new()
        .api_route("/v1/forms/{form_id}/submissions", get_with(submissions::list, docs::list))
        .api_route("/v1/forms/{form_id}/submissions/export", get_with(export::export, docs::export))
        .api_route(
            "/v1/submissions/{id}",
            get_with(submissions::get, docs::get).delete_with(submissions::delete, docs::delete),
        );
    complete(router, AuthScheme::Key, docs::SUBMISSIONS)
}

/// Returns the routes of the OpenAPI document and its page, which need no key (additive).
pub(super) fn published() -> ApiRouter<Service> {
    let router = ApiRouter::new()
        .api_route("/openapi.json", get_with(docs::show_document, docs::describe_document))
        .api_route("/docs", get_with(docs::show_page, docs::describe_page));
    complete(router, AuthScheme::Anyone, docs::PUBLISHED)
}

/// Returns the owner's routes (additive).
pub(super) fn owned() -> ApiRouter<Service> {
    let router = forms().merge(unlisted()).merge(records());
    complete(router, AuthScheme::Account, docs::ACCOUNT)
}

/// Returns the routes of forms and their settings.
fn forms() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms",
            get_with(forms::list, docs::list_forms).post_with(forms::create, docs::create_form),
        )
        .api_route(
            "/account/forms/{form_id}",
            get_with(forms::get, docs::get_form).put_with(forms::rename, docs::rename_form),
        )
        .api_route(
            "/account/forms/{form_id}/duplicate",
            post_with(forms::duplicate, docs::duplicate_form),
        )
        .api_route("/account/forms/{form_id}/delete", post_with(forms::delete, docs::delete_form))
        .api_route("/account/forms/{form_id}/fields", put_with(forms::set_fields, docs::set_fields))
        .api_route(
            "/account/forms/{form_id}/analysis",
            get_with(insight::find_analysis, docs::get_analysis)
                .put_with(insight::set_analysis, docs::set_analysis),
        )
        .api_route(
            "/account/forms/{form_id}/categories",
            get_with(insight::find_categories, docs::get_categories)
                .put_with(insight::set_categories, docs::set_categories)
                .delete_with(insight::reset_categories, docs::reset_categories),
        )
        .api_route(
            "/account/forms/{form_id}/intake",
            get_with(intake::get, docs::get_intake).put_with(intake::put, docs::put_intake),
        )
        .api_route("/account/forms/{form_id}/summary", get_with(summary::get, docs::get_summary))
}

/// Returns the routes of a form's spam and trash.
fn unlisted() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms/{form_id}/spam",
            get_with(spam::list, docs::list_spam)
                .delete_with(spam::delete_all, docs::delete_all_spam)
                .post_with(trash::mark_spam, docs::mark_spam),
        )
        .api_route(
            "/account/forms/{form_id}/spam/{id}",
            delete_with(spam::delete, docs::delete_spam),
        )
        .api_route(
            "/account/forms/{form_id}/spam/{id}/release",
            post_with(spam::release, docs::release_spam),
        )
        .api_route(
            "/account/forms/{form_id}/spam/restore",
            post_with(trash::restore_spam, docs::restore_spam),
        )
        .api_route(
            "/account/forms/{form_id}/trash",
            get_with(trash::list, docs::list_trash)
                .post_with(trash::trash, docs::move_to_trash)
                .put_with(trash::set, docs::set_trash)
                .delete_with(trash::empty, docs::empty_trash),
        )
        .api_route(
            "/account/forms/{form_id}/trash/restore",
            post_with(trash::restore, docs::restore_trash),
        )
        .api_route(
            "/account/forms/{form_id}/trash/delete",
            post_with(trash::delete, docs::delete_trash),
        )
}

/// Returns the routes of insights, the audit log and API keys.
fn records() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route("/account/insight", get_with(insight::usage, docs::get_insight_usage))
        .api_route(
            "/account/submissions/{id}/insight",
            get_with(insight::find, docs::get_insight)
                .put_with(insight::correct, docs::correct_insight)
                .delete_with(insight::take_back, docs::reset_insight),
        )
        .api_route("/account/audit", get_with(audit::list, docs::list_audit))
        .api_route("/account/audit/export", get_with(audit::export, docs::export_audit))
        .api_route(
            "/account/keys",
            get_with(keys::list, docs::list_keys).post_with(keys::create, docs::create_key),
        )
        .api_route("/account/keys/{key_id}", delete_with(keys::revoke, docs::revoke_key))
}

/// Returns all routers, in the order of the document.
pub(crate) fn routers() -> [ApiRouter<Service>; 4] {
    [specified(), crate::intake::routes(), owned(), published()]
}
