//! Routes for the preferences of the signed-in member (additive).

use super::body;
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::people::Preferences;
use contract::{AccountId, Data};

/// Expected request body, for error messages.
const PREFERENCES_BODY: &str = r#"{"mention_emails": true or false}"#;

/// `GET /account/preferences`: returns the preferences of the signed-in member.
pub(crate) async fn get_preferences(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
) -> Result<Json<Data<Preferences>>> {
    let found = service.store().find_preferences(&actor.person(&account)?).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("member"))? }))
}

/// `PUT /account/preferences`: replaces the preferences of the signed-in member.
pub(crate) async fn set_preferences(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    request: Request,
) -> Result<Json<Data<Preferences>>> {
    let person = actor.person(&account)?;
    let preferences: Preferences = body::read_json(request, PREFERENCES_BODY).await?;
    let event = actor
        .account_event(&service, &account, Action::PreferencesSet)
        .with_object("person", &person)
        .with_value("mention_emails", preferences.mention_emails);
    let store = service.with_audit(event);
    if !store.set_preferences(&person, preferences.clone()).await? {
        return Err(Error::not_found("member"));
    }
    Ok(Json(Data { data: preferences }))
}
