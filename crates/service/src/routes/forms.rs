//! The owner's forms, for the dashboard (additive). Reads only.

use super::Id;
use crate::Service;
use crate::error::{Error, Result};
use axum::extract::State;
use axum::{Extension, Json};
use contract::{AccountId, Data, Form, FormId};

/// `GET /account/forms`: both environments, oldest first.
pub(super) async fn list(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
) -> Result<Json<Data<Vec<Form>>>> {
    Ok(Json(Data { data: service.store().list_forms(&account).await? }))
}

/// `GET /account/forms/{form_id}`.
pub(super) async fn get(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Form>>> {
    Ok(Json(Data { data: find_own(&service, &account, &id).await? }))
}

/// Finds a form of an account.
pub(super) async fn find_own(service: &Service, account: &AccountId, id: &FormId) -> Result<Form> {
    let found = service.store().find_form(id).await?;
    let own = found.filter(|record| record.account_id == *account);
    Ok(own.ok_or_else(|| Error::not_found("form"))?.form)
}
