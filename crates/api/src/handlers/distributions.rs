//! Owner's route for the distributions of answers (additive). It has the same filters as the list.

use super::filter::prepare_filter;
use super::own_form::find_own_form;
use crate::Service;
use crate::audit::RequestMember;
use crate::distributions::AnswerTally;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{RawQuery, State};
use axum::{Extension, Json};
use contract::summary::{DISTRIBUTED_MAX, Distributions};
use contract::{AccountId, Data, Filter, FormId, Submission};
use store::Chunk;
use tokio::task::spawn_blocking;

/// `GET /account/forms/{form_id}/distributions`.
pub(crate) async fn get_distributions(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    member: RequestMember,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Json<Data<Distributions>>> {
    let mut filter = Filter::parse(&query.unwrap_or_default())?;
    prepare_filter(&service, &account, &member, &mut filter).await?;
    let form = find_own_form(&service, &account, &id).await?;
    filter.fields.resolve(&form.fields)?;
    let mut tally = AnswerTally::for_fields(&form.fields);
    let mut chunk = Chunk::default();
    let mut position = None;
    loop {
        let after = position.as_ref();
        chunk = service.store().export_submissions(&id, &filter, after, chunk).await?;
        position = chunk.next_position().cloned();
        let all_added;
        (tally, chunk, all_added) =
            spawn_blocking(move || add_chunk(tally, chunk)).await.map_err(Error::internal)??;
        if position.is_none() || !all_added {
            return Ok(Json(Data { data: tally.finish(all_added) }));
        }
    }
}

/// Adds a chunk. Returns false with it if the maximum number of submissions does not allow all.
fn add_chunk(mut tally: AnswerTally, chunk: Chunk) -> Result<(AnswerTally, Chunk, bool)> {
    let mut rows = chunk.iter();
    while tally.submissions() < DISTRIBUTED_MAX {
        let Some(json) = rows.next() else { break };
        let submission: Submission = serde_json::from_str(json).map_err(Error::internal)?;
        tally.add(&submission);
    }
    let all_added = rows.next().is_none();
    drop(rows);
    Ok((tally, chunk, all_added))
}
