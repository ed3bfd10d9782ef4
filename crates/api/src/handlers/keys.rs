//! Owner's routes for API keys: list, create, revoke (specification, sections 3, 5.5 and 5.6).
//!
//! The response of [`create_key`] is the only one that contains a secret.

use super::body;
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::{AccountId, ApiKey, CreatedKey, Data, KeyId, NewKey};
use http::StatusCode;
use store::keys;

/// Expected request body of [`create_key`], for error messages. The other members are optional.
const NEW_KEY_BODY: &str = r#"{"name": "…", "mode": "live" or "test"}"#;

/// `GET /account/keys`: lists keys, newest first, including revoked and expired ones.
pub(crate) async fn list_keys(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
) -> Result<Json<Data<Vec<ApiKey>>>> {
    Ok(Json(Data { data: service.store().list_keys(&account).await? }))
}

/// `POST /account/keys`: creates a key. Its secret cannot be read again.
pub(crate) async fn create_key(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    request: Request,
) -> Result<(StatusCode, Json<CreatedKey>)> {
    let new: NewKey = body::read_json(request, NEW_KEY_BODY).await?;
    let store = service.store().as_ref();
    let (key, secret) = keys::create_key(store, &account, new, service.now()).await?;
    let event = actor.account_event(&service, &account, Action::KeyCreated);
    let event = keys::describe_created(event, &key);
    service.with_audit(event).insert_key(&account, key.clone(), secret.hash()).await?;
    let created = CreatedKey { data: key, secret: secret.expose().to_owned() };
    Ok((StatusCode::CREATED, Json(created)))
}

/// `DELETE /account/keys/{key_id}`: revokes a key permanently, from the next request on.
pub(crate) async fn revoke_key(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(id): Id<KeyId>,
) -> Result<StatusCode> {
    let event = actor.account_event(&service, &account, Action::KeyRevoked).with_object("key", &id);
    let was_active = service.with_audit(event).revoke_key(&account, &id, service.now()).await?;
    if was_active { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("active key")) }
}
