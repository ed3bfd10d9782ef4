//! The document at `/openapi.json`, made by aide, and the page at `/docs` that shows it.
//!
//! aide makes the document from the routers of `routes/table.rs`, so that it has what they have.
//! The modules here describe the operations, a module for each group of routes. The document is
//! the same for everybody.

mod audit;
mod auth_scheme;
mod describe;
mod insight;
mod intake;
mod owner;
mod people;
mod published;
mod samples;
mod session;
mod shared;
mod submissions;
mod trash;
mod viewer;

pub(crate) use audit::{export_audit, list_audit};
pub(crate) use auth_scheme::AuthScheme;
pub(crate) use insight::{
    correct_insight, get_analysis, get_categories, get_insight, get_insight_usage,
    reset_categories, reset_insight, set_analysis, set_categories,
};
pub(crate) use intake::{
    delete_all_spam, delete_spam, get_intake, list_spam, preflight, put_intake, release_spam, take,
    thank,
};
pub(crate) use owner::{
    create_form, create_key, delete_form, duplicate_form, get_form, get_summary, list_forms,
    list_keys, rename_form, revoke_key, set_fields,
};
pub(crate) use published::{describe_document, describe_page, show_document, show_page};
pub(crate) use shared::complete;
pub(crate) use submissions::{delete, export, get, list};
pub(crate) use trash::{
    delete_trash, empty_trash, list_trash, mark_spam, move_to_trash, restore_spam, restore_trash,
    set_trash,
};

use crate::Service;
use crate::router;
use aide::axum::ApiRouter;
use aide::generate;
use aide::openapi::OpenApi;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The operations of the specification.
pub(crate) const SUBMISSIONS: &str = "Submissions";
/// What anybody may send.
pub(crate) const INTAKE: &str = "Intake (additive)";
/// The owner's actions.
pub(crate) const ACCOUNT: &str = "Account (additive)";
/// Signing in and out.
const SESSION: &str = "Session (additive)";
/// The people of an account.
const PEOPLE: &str = "People (additive)";
/// The document and its page.
pub(crate) const PUBLISHED: &str = "Documents (additive)";

/// The name of the API.
const TITLE: &str = "Sheaf API";
/// What the document says of the whole.
const ABOUT: &str = "List, read, delete and export what people sent to your forms.\n\nEvery \
    request to `/v1` carries an API key in `X-API-Key`, and every answer tells where the key \
    stands in its window of 15 minutes. Every error is `{\"error\", \"message\"}`; a 429 has \
    `retry_after` besides, and a 403 of the dashboard's gateway that asks for a proof of who you \
    are has `needs`. What is tagged *additive* goes beyond the specification, and another server \
    of it may lack it.";

/// Returns the document, in `OpenAPI` 3.1.
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    // aide collects schemas in a context of the thread. A described answer is an answer: none is
    // added for what a handler returns.
    generate::reset_context();
    generate::infer_responses(false);
    generate::in_context(|context| context.schema = settings.into_generator());
    let routers =
        router::routers().into_iter().chain([session::operations(), people::operations()]);
    let router = routers.fold(ApiRouter::<Service>::new(), ApiRouter::merge);
    let mut api: OpenApi = samples::read(&preface());
    let _ = router.finish_api_with(&mut api, |mut transform| {
        let api = transform.inner_mut();
        let paths = serde_json::to_string(&api.paths).unwrap_or_default();
        api.components = Some(shared::components(&paths));
        transform
    });
    if let Some(components) = &mut api.components {
        components.schemas.sort_unstable_keys();
    }
    json!(api)
}

/// Returns the document without its paths.
fn preface() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": "1", "description": ABOUT},
        "servers": [{"url": "/", "description": "This server"}],
        "tags": [
            {
                "name": SUBMISSIONS,
                "description": "The specified API: list, get, delete, export.",
            },
            {"name": INTAKE, "description": "Submissions come in here, from anybody."},
            {
                "name": ACCOUNT,
                "description": "What a signed-in owner does in the dashboard. There where the \
                    dashboard is; a server that runs the API alone has none of it.",
            },
            {
                "name": SESSION,
                "description": "Signing in and out of the dashboard. There where the dashboard is.",
            },
            {
                "name": PEOPLE,
                "description": "Who may come into an account: its owner, and readers. There where \
                    the dashboard is.",
            },
            {"name": PUBLISHED, "description": "This document and its page."},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;

    /// Returns the paths that a router names in its debug output, without those of every router.
    fn routed(router: &Router<Service>) -> Vec<String> {
        let texts = |router: &Router<Service>| -> Vec<String> {
            format!("{router:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let always = texts(&Router::new());
        let mut paths = texts(router);
        paths.retain(|text| text.starts_with('/') && !always.contains(text));
        paths.sort();
        paths.dedup();
        paths
    }

    #[test]
    fn router_has_the_described_paths_and_no_other() {
        for router in router::routers() {
            let mut api = OpenApi::default();
            let router = router.finish_api(&mut api);
            let mut described: Vec<_> = api.paths.unwrap().paths.into_keys().collect();
            described.sort();
            assert!(!described.is_empty());
            assert_eq!(routed(&router), described);
        }
    }
}
