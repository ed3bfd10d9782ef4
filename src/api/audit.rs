//! The audit log of a server with the capability `audit_log`, page by page or as a file. Only the
//! activity page uses it, which is loaded on demand.

use contract::Page;
use contract::audit::{AuditEntry, AuditQuery};
use gloo_net::http::Request;
use js_sys::{Array, Uint8Array};
use web_sys::{Blob, BlobPropertyBag};

use super::{
    ApiError,
    connection::connection_error,
    request::{get, request_to, send},
};
use crate::routes;

/// Lists a page of the audit log, newest first.
pub async fn list_audit_entries(query: &AuditQuery) -> Result<Page<AuditEntry>, ApiError> {
    Ok(get(&routes::account_audit(query), None).await?.body)
}

/// Downloads the audit log entries that match a query, as a file in the query's format.
pub async fn download_audit_log(query: &AuditQuery) -> Result<Blob, ApiError> {
    let response =
        send(request_to(Request::get, &routes::account_audit_export(query)), None).await?;
    let bytes = response.binary().await.map_err(|_| connection_error(None))?;
    let parts = Array::of1(&Uint8Array::from(bytes.as_slice()));
    let options = BlobPropertyBag::new();
    options.set_type(query.format.media_type());
    let file = Blob::new_with_u8_array_sequence_and_options(&parts, &options);
    file.map_err(|_| ApiError::Decode(String::new()))
}
