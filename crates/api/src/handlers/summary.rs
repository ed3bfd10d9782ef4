//! Owner's route for the summary of a form's submissions (additive).
//!
//! It has the same filters as the list. The store does the counting.

use super::filter::prepare_filter;
use super::own_form::find_own_form;
use crate::Service;
use crate::audit::RequestMember;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{RawQuery, State};
use axum::{Extension, Json};
use chrono_tz::Tz;
use contract::summary::{Summary, SummaryQuery};
use contract::{AccountId, Data, FormId};
use store::SummaryRequest;

/// `GET /account/forms/{form_id}/summary`.
pub(crate) async fn get_summary(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    member: RequestMember,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Json<Data<Summary>>> {
    let mut query = SummaryQuery::parse(&query.unwrap_or_default())?;
    let zone = match &query.time_zone {
        None => Tz::UTC,
        Some(name) => name.parse().map_err(|_| SummaryQuery::unknown_time_zone(name))?,
    };
    prepare_filter(&service, &account, &member, &mut query.filter).await?;
    let form = find_own_form(&service, &account, &id).await?;
    query.check_field(&form.fields)?;
    let SummaryQuery { mut filter, mut sort, field, .. } = query;
    filter.fields.resolve(&form.fields)?;
    // The counts do not depend on the order, but it must be one that the list has.
    if let Some(sort) = &mut sort {
        sort.resolve(&form.fields)?;
    }
    let found = service.store().summarize(SummaryRequest { form: id, filter, zone, field }).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("form"))? }))
}
