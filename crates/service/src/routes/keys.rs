//! The owner's API keys, for the dashboard: list, create, revoke (§3, §5.5, §5.6).
//!
//! The answer to "create" is the only one of the service that ever holds a secret.

use super::Id;
use crate::Service;
use crate::error::{Error, Result};
use crate::secret;
use axum::extract::{FromRequest, Request, State};
use axum::{Extension, Json};
use bytes::Bytes;
use contract::{AccountId, ApiKey, CreatedKey, Data, KeyId, NewKey};
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, Limited};

/// Largest body that is read, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// `GET /account/keys`: newest first, revoked ones too.
pub(super) async fn list(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
) -> Result<Json<Data<Vec<ApiKey>>>> {
    Ok(Json(Data { data: service.store().list_keys(&account).await? }))
}

/// `POST /account/keys`: the secret is given here and never again.
pub(super) async fn create(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    NewKeyBody(new): NewKeyBody,
) -> Result<(StatusCode, Json<CreatedKey>)> {
    let (key, secret) = secret::mint_key(&new.name, new.environment, service.now())
        .map_err(|error| Error::validation(error.to_string()))?;
    service.store().insert_key(&account, key.clone(), secret.hash()).await?;
    let created = CreatedKey { data: key, secret: secret.expose().to_owned() };
    Ok((StatusCode::CREATED, Json(created)))
}

/// `DELETE /account/keys/{key_id}`: final, and in force at once.
pub(super) async fn revoke(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<KeyId>,
) -> Result<StatusCode> {
    let was_active = service.store().revoke_key(&account, &id, service.now()).await?;
    if was_active { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("active key")) }
}

/// The body of "create", read strictly.
pub(super) struct NewKeyBody(NewKey);

impl<S: Send + Sync> FromRequest<S> for NewKeyBody {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        if !is_json(request.headers()) {
            let message = "the body must be JSON; send it with `Content-Type: application/json`";
            return Err(Error::validation(message));
        }
        let body = Limited::new(request.into_body(), BODY_BYTES_MAX);
        let body: Bytes =
            body.collect().await.map(http_body_util::Collected::to_bytes).map_err(|_| {
                Error::validation(format!("the body must have at most {BODY_BYTES_MAX} bytes"))
            })?;
        let wrong = |why: &dyn std::fmt::Display| {
            let wanted = r#"{"name": "…", "mode": "live" or "test"}"#;
            Error::validation(format!("the body must be `{wanted}`, but {why}"))
        };
        // A list of the same values would pass as the object that it is not.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(wrong(&"is a list"));
        }
        let new = serde_json::from_slice(&body).map_err(|error| wrong(&error))?;
        Ok(Self(new))
    }
}

/// Whether the body is declared to be JSON, and not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
        && !headers.contains_key(header::CONTENT_ENCODING)
}
