//! Routes of the API: path, handler and description.
//!
//! The routers and the `OpenAPI` document are both built from this table, so that they cannot
//! differ.

use crate::Service;
use crate::handlers::{
    audit, auto_reply, deliveries, distributions, events, export, forms, inbox, insight, intake,
    keys, notes, notifications, preferences, spam, submissions, summary, trash, triage, views,
    webhooks,
};
use crate::openapi::{self as docs, AuthScheme, complete_router, if_described};
use aide::axum::ApiRouter;
use aide::axum::routing::{delete_with, get_with, patch_with, post_with, put_with};

/// Returns the routes that need a key: those of the specification (section 4), and of forms
/// (additive).
pub(super) fn key_routes() -> ApiRouter<Service> {
    let forms = ApiRouter::new()
        .api_route(
            "/v1/forms",
            get_with(forms::list_forms_of_key, if_described(docs::list_forms_of_key)),
        )
        .api_route(
            "/v1/forms/{form_id}",
            get_with(forms::get_form_of_key, if_described(docs::get_form_of_key)),
        );
    let forms = complete_router(forms, AuthScheme::Key, docs::FORMS);
    let router = ApiRouter::new()
        .api_route(
            "/v1/forms/{form_id}/submissions",
            get_with(submissions::list_submissions, if_described(docs::list_submissions)),
        )
        .api_route(
            "/v1/forms/{form_id}/submissions/export",
            get_with(export::export_submissions, if_described(docs::export_submissions)),
        )
        .api_route(
            "/v1/submissions/{id}",
            get_with(submissions::get_submission, if_described(docs::get_submission))
                .delete_with(submissions::delete_submission, if_described(docs::delete_submission)),
        );
    complete_router(router, AuthScheme::Key, docs::SUBMISSIONS).merge(forms)
}

/// Returns the routes of the `OpenAPI` document and its page, which need no key (additive).
pub(super) fn document_routes() -> ApiRouter<Service> {
    let router = ApiRouter::new()
        .api_route(
            "/openapi.json",
            get_with(docs::show_document, if_described(docs::describe_document)),
        )
        .api_route("/docs", get_with(docs::show_page, if_described(docs::describe_page)));
    complete_router(router, AuthScheme::Anyone, docs::DOCUMENTS)
}

/// Returns the owner's routes (additive).
pub(super) fn owner_routes() -> ApiRouter<Service> {
    let router = form_routes()
        .merge(view_routes())
        .merge(inbox_routes())
        .merge(triage_routes())
        .merge(spam_and_trash_routes())
        .merge(webhook_routes())
        .merge(notification_routes())
        .merge(insight_audit_and_key_routes());
    complete_router(router, AuthScheme::Account, docs::ACCOUNT)
}

/// Returns the routes of forms and their settings.
fn form_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms",
            get_with(forms::list_forms, if_described(docs::list_forms))
                .post_with(forms::create_form, if_described(docs::create_form)),
        )
        .api_route(
            "/account/forms/{form_id}",
            get_with(forms::get_form, if_described(docs::get_form))
                .put_with(forms::rename_form, if_described(docs::rename_form)),
        )
        .api_route(
            "/account/forms/{form_id}/duplicate",
            post_with(forms::duplicate_form, if_described(docs::duplicate_form)),
        )
        .api_route(
            "/account/forms/{form_id}/delete",
            post_with(forms::delete_form, if_described(docs::delete_form)),
        )
        .api_route(
            "/account/forms/{form_id}/fields",
            put_with(forms::set_fields, if_described(docs::set_fields)),
        )
        .api_route(
            "/account/forms/{form_id}/analysis",
            get_with(insight::get_analysis, if_described(docs::get_analysis))
                .put_with(insight::set_analysis, if_described(docs::set_analysis)),
        )
        .api_route(
            "/account/forms/{form_id}/categories",
            get_with(insight::get_categories, if_described(docs::get_categories))
                .put_with(insight::set_categories, if_described(docs::set_categories))
                .delete_with(insight::reset_categories, if_described(docs::reset_categories)),
        )
        .api_route(
            "/account/forms/{form_id}/intake",
            get_with(intake::get_intake, if_described(docs::get_intake))
                .put_with(intake::update_intake, if_described(docs::put_intake)),
        )
        .api_route(
            "/account/forms/{form_id}/summary",
            get_with(summary::get_summary, if_described(docs::get_summary)),
        )
        .api_route(
            "/account/forms/{form_id}/distributions",
            get_with(distributions::get_distributions, if_described(docs::get_distributions)),
        )
}

/// Returns the routes of a form's saved views.
fn view_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms/{form_id}/views",
            get_with(views::list_views, if_described(docs::list_views))
                .post_with(views::create_view, if_described(docs::create_view)),
        )
        .api_route(
            "/account/forms/{form_id}/views/{view_id}",
            patch_with(views::update_view, if_described(docs::update_view))
                .delete_with(views::delete_view, if_described(docs::delete_view)),
        )
}

/// Returns the routes of the inbox.
fn inbox_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route("/account/inbox", get_with(inbox::list_inbox, if_described(docs::list_inbox)))
        .api_route(
            "/account/inbox/summary",
            get_with(inbox::summarize_inbox, if_described(docs::summarize_inbox)),
        )
}

/// Returns the routes of the triage of submissions.
fn triage_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/triage",
            get_with(triage::get_settings, if_described(docs::get_triage_settings))
                .put_with(triage::set_settings, if_described(docs::set_triage_settings)),
        )
        .api_route(
            "/account/forms/{form_id}/triage",
            get_with(triage::list_triage, if_described(docs::list_triage)),
        )
        .api_route(
            "/account/preferences",
            get_with(preferences::get_preferences, if_described(docs::get_preferences))
                .put_with(preferences::set_preferences, if_described(docs::set_preferences)),
        )
        .api_route(
            "/account/events",
            get_with(events::stream_events, if_described(docs::stream_events)),
        )
        .api_route(
            "/account/unread",
            get_with(triage::count_unread, if_described(docs::count_unread)),
        )
        .api_route(
            "/account/forms/{form_id}/submissions",
            patch_with(triage::update_submissions, if_described(docs::update_submissions)),
        )
        .api_route(
            "/account/forms/{form_id}/submissions/{id}",
            get_with(triage::get_detail, if_described(docs::get_triage)),
        )
        .api_route(
            "/account/forms/{form_id}/submissions/{id}/notes",
            post_with(notes::create_note, if_described(docs::create_note)),
        )
        .api_route(
            "/account/forms/{form_id}/submissions/{id}/notes/{note_id}",
            put_with(notes::edit_note, if_described(docs::edit_note))
                .delete_with(notes::delete_note, if_described(docs::delete_note)),
        )
}

/// Returns the routes of a form's spam and trash.
fn spam_and_trash_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms/{form_id}/spam",
            get_with(spam::list_spam, if_described(docs::list_spam))
                .delete_with(spam::delete_all_spam, if_described(docs::delete_all_spam))
                .post_with(trash::mark_spam, if_described(docs::mark_spam)),
        )
        .api_route(
            "/account/forms/{form_id}/spam/{id}",
            delete_with(spam::delete_spam, if_described(docs::delete_spam)),
        )
        .api_route(
            "/account/forms/{form_id}/spam/{id}/release",
            post_with(spam::release_spam, if_described(docs::release_spam)),
        )
        .api_route(
            "/account/forms/{form_id}/spam/restore",
            post_with(trash::restore_spam, if_described(docs::restore_spam)),
        )
        .api_route(
            "/account/forms/{form_id}/trash",
            get_with(trash::list_trash, if_described(docs::list_trash))
                .post_with(trash::move_to_trash, if_described(docs::move_to_trash))
                .put_with(trash::set_trash_days, if_described(docs::set_trash))
                .delete_with(trash::empty_trash, if_described(docs::empty_trash)),
        )
        .api_route(
            "/account/forms/{form_id}/trash/restore",
            post_with(trash::restore_trash, if_described(docs::restore_trash)),
        )
        .api_route(
            "/account/forms/{form_id}/trash/delete",
            post_with(trash::delete_trash, if_described(docs::delete_trash)),
        )
}

/// Returns the routes of a form's webhooks and their deliveries.
fn webhook_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms/{form_id}/webhooks",
            get_with(webhooks::list_webhooks, if_described(docs::list_webhooks))
                .post_with(webhooks::create_webhook, if_described(docs::create_webhook)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}",
            put_with(webhooks::update_webhook, if_described(docs::update_webhook))
                .delete_with(webhooks::delete_webhook, if_described(docs::delete_webhook)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}/rotate",
            post_with(webhooks::rotate_secret, if_described(docs::rotate_secret)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}/test",
            post_with(deliveries::send_test, if_described(docs::send_test)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}/deliveries",
            get_with(deliveries::list_deliveries, if_described(docs::list_deliveries)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
            post_with(deliveries::replay_delivery, if_described(docs::replay_delivery)),
        )
        .api_route(
            "/account/forms/{form_id}/webhooks/{webhook_id}/replay",
            post_with(deliveries::replay_failed, if_described(docs::replay_failed)),
        )
}

/// Returns the routes of a form's notifications and its auto-reply.
fn notification_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/forms/{form_id}/notifications",
            get_with(notifications::list_notifications, if_described(docs::list_notifications))
                .post_with(
                    notifications::create_notification,
                    if_described(docs::create_notification),
                ),
        )
        .api_route(
            "/account/forms/{form_id}/notifications/{notification_id}",
            put_with(notifications::update_notification, if_described(docs::update_notification))
                .delete_with(
                    notifications::delete_notification,
                    if_described(docs::delete_notification),
                ),
        )
        .api_route(
            "/account/forms/{form_id}/notifications/{notification_id}/confirmation",
            post_with(notifications::send_confirmation, if_described(docs::send_confirmation)),
        )
        .api_route(
            "/account/forms/{form_id}/notifications/{notification_id}/test",
            post_with(notifications::send_test, if_described(docs::send_test_mail)),
        )
        .api_route(
            "/account/forms/{form_id}/auto-reply",
            put_with(auto_reply::set_auto_reply, if_described(docs::set_auto_reply)),
        )
}

/// Returns the routes of insights, the audit log and API keys.
fn insight_audit_and_key_routes() -> ApiRouter<Service> {
    ApiRouter::new()
        .api_route(
            "/account/insight",
            get_with(insight::get_usage, if_described(docs::get_insight_usage)),
        )
        .api_route(
            "/account/submissions/{id}/insight",
            get_with(insight::get_insight, if_described(docs::get_insight))
                .put_with(insight::correct_insight, if_described(docs::correct_insight))
                .delete_with(insight::reset_insight, if_described(docs::reset_insight)),
        )
        .api_route("/account/audit", get_with(audit::list_audit, if_described(docs::list_audit)))
        .api_route(
            "/account/audit/export",
            get_with(audit::export_audit, if_described(docs::export_audit)),
        )
        .api_route(
            "/account/keys",
            get_with(keys::list_keys, if_described(docs::list_keys))
                .post_with(keys::create_key, if_described(docs::create_key)),
        )
        .api_route(
            "/account/keys/{key_id}",
            delete_with(keys::revoke_key, if_described(docs::revoke_key)),
        )
}

/// Returns all routers, in the order of the document.
pub(crate) fn all_routers() -> [ApiRouter<Service>; 5] {
    [
        key_routes(),
        crate::intake::intake_routes(),
        owner_routes(),
        crate::notification_links::link_routes(),
        document_routes(),
    ]
}
