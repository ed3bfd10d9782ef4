//! The inbox (additive): the submissions of all forms of an environment that the signed-in user has
//! access to.
//!
//! Each form is read at an instant of its own, one after the other, so that one request does not
//! occupy all readers of the store. A form that is deleted meanwhile is skipped.

use super::filter::prepare_filter;
use super::page::parse_cursor;
use super::submissions::page_response;
use crate::Service;
use crate::audit::RequestMember;
use crate::cursor::CursorScope;
use crate::error::Result;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::{Extension, Json};
use chrono_tz::Tz;
use contract::form::FORMS_MAX;
use contract::summary::{CountedFields, Counts, Summary};
use contract::{AccountId, Data, FormAccess, FormId, InboxQuery, InboxSummaryQuery, Pagination};
use store::{Owner, Page, SummaryRequest};

/// `GET /account/inbox`: lists the submissions, newest first. The total is the sum of the forms'
/// exact totals. A page of large submissions ends early.
pub(crate) async fn list_inbox(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    member: RequestMember,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let InboxQuery { environment, mut filter, limit, cursor } =
        InboxQuery::parse(&query.unwrap_or_default())?;
    prepare_filter(&service, &account, &member, &mut filter).await?;
    let listing = CursorScope { form: None, environment, filter: &filter };
    let cursors = service.cursors().for_inbox(&account);
    let after = parse_cursor(cursor.as_deref(), |cursor| cursors.decode(listing, cursor))?;
    let owner = Owner { account_id: account, environment };
    let rows_max = usize::from(limit);
    let mut merged = Page::default();
    for form in list_forms(&service, &owner, &access).await? {
        let page = service.store().list_page(&owner, &form, &filter, after.as_ref(), rows_max);
        if let Some(page) = page.await? {
            merged = merged.merge(page, rows_max);
        }
    }
    let Page { rows, has_more, total } = merged;
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|last| cursors.encode(listing, &last.position));
    page_response(&rows, &Pagination { total, limit, has_more, next_cursor })
}

/// `GET /account/inbox/summary`: counts the values of the properties that all forms have. `times`,
/// `median_seconds_to_done` and `fields` are empty.
pub(crate) async fn summarize_inbox(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    member: RequestMember,
    RawQuery(query): RawQuery,
) -> Result<Json<Data<Summary>>> {
    let InboxSummaryQuery { environment, mut filter } =
        InboxSummaryQuery::parse(&query.unwrap_or_default())?;
    prepare_filter(&service, &account, &member, &mut filter).await?;
    let owner = Owner { account_id: account, environment };
    let mut counts = Counts::new(CountedFields::default());
    for form in list_forms(&service, &owner, &access).await? {
        let filter = filter.clone();
        let request = SummaryRequest { form, filter, zone: Tz::UTC, field: None };
        if let Some(summary) = service.store().summarize(request).await? {
            counts.add_summary(&summary);
        }
    }
    Ok(Json(Data { data: counts.summary(None, None) }))
}

/// Lists the forms of an environment that the user has access to.
async fn list_forms(
    service: &Service,
    owner: &Owner,
    access: &FormAccess,
) -> Result<impl Iterator<Item = FormId>> {
    let Owner { account_id, environment } = owner;
    let store = service.store();
    let page = store
        .list_forms_page(account_id, Some(*environment), access.named(), None, FORMS_MAX)
        .await?;
    Ok(page.forms.into_iter().map(|form| form.id))
}
