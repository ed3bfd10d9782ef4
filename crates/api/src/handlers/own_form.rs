//! Requests about one form of the account.

use crate::Service;
use crate::audit::{RequestActor, with_form_part};
use crate::error::{Error, Result};
use crate::router::Id;
use aide::OperationInput;
use axum::Extension;
use axum::extract::FromRequestParts;
use contract::audit::{Action, AuditEvent};
use contract::{AccountId, Form, FormId, PersonId};
use http::request::Parts;

/// Request about the form in the path. If the account does not own it, the response is 404.
pub(crate) struct OwnForm {
    pub(crate) service: Service,
    pub(crate) account: AccountId,
    pub(crate) actor: RequestActor,
    pub(crate) form: Form,
}

impl OperationInput for OwnForm {}

impl FromRequestParts<Service> for OwnForm {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self> {
        let account = Extension::<AccountId>::from_request_parts(parts, service).await;
        let Extension(account) = account.map_err(Error::internal)?;
        let Ok(actor) = RequestActor::from_request_parts(parts, service).await;
        let Id(id) = Id::<FormId>::from_request_parts(parts, service).await?;
        let form = find_own_form(service, &account, &id).await?;
        Ok(Self { service: service.clone(), account, actor, form })
    }
}

impl OwnForm {
    /// Returns the signed-in member.
    ///
    /// # Errors
    /// 401 if the request has no member of the account.
    pub(crate) fn person(&self) -> Result<PersonId> {
        self.actor.person(&self.account)
    }

    /// Returns the event of an action on the form.
    pub(crate) fn event(&self, action: Action) -> AuditEvent {
        self.actor.account_event(&self.service, &self.account, action).with_form(&self.form)
    }

    /// Returns the event of an action on a part of the form, such as a webhook.
    pub(crate) fn part_event(
        &self,
        action: Action,
        kind: &'static str,
        id: &impl ToString,
    ) -> AuditEvent {
        let event = self.actor.account_event(&self.service, &self.account, action);
        with_form_part(event, &self.form, kind, id)
    }
}

/// Returns a form of an account, or the 404 error.
pub(crate) async fn find_own_form(
    service: &Service,
    account: &AccountId,
    id: &FormId,
) -> Result<Form> {
    let found = service.store().find_form(id).await?;
    let own = found.filter(|record| record.account_id == *account);
    Ok(own.ok_or_else(|| Error::not_found("form"))?.form)
}
