//! API keys, on a server with the capability `api_keys`.

use contract::{ApiKey, CreatedKey, KeyId, NewKey};

use super::{
    ApiError,
    request::{get_data, post, read_json, remove},
};
use crate::routes;

/// Lists the owner's API keys, newest first, including revoked ones.
pub async fn list_api_keys() -> Result<Vec<ApiKey>, ApiError> {
    get_data(routes::ACCOUNT_KEYS, None).await
}

/// Creates an API key. Only this response contains its secret.
pub async fn create_key(key: &NewKey) -> Result<CreatedKey, ApiError> {
    Ok(read_json(post(routes::ACCOUNT_KEYS, key).await?).await?.body)
}

/// Revokes an API key permanently.
pub async fn revoke_key(id: &KeyId) -> Result<(), ApiError> {
    remove(&routes::account_key(id)).await.map(|_| ())
}
