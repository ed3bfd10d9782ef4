//! Finds the matches of a filter with criteria for answers.
//!
//! One statement reads all candidates in one snapshot, in constant memory. A batch of them is
//! compared while the next one is read.

use super::list::PageRequest;
use crate::answers::{required_terms, retain_matches};
use crate::errors::database_error;
use crate::forms;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::submission_range::SubmissionRange;
use crate::transaction::Conn;
use contract::trash::MOVE_MAX;
use contract::{Filter, FormId};
use futures_util::future::try_join;
use futures_util::stream::Fuse;
use futures_util::{StreamExt as _, TryStreamExt as _};
use std::pin::{Pin, pin};
use store::columns::stored_submission;
use store::pages::PageBuilder;
use store::{ListPage, Result};
use tokio_postgres::{GenericClient, Row, RowStream};

/// Rows that are compared together.
const BATCH_ROWS: usize = 1024;

/// Lists a page of matches and counts all matches; `None` if the owner has no such form.
pub(super) async fn list_matches(
    conn: &Conn,
    request: &PageRequest<'_>,
) -> Result<Option<ListPage>> {
    if forms::find_owner(conn, request.form).await?.as_ref() != Some(request.owner) {
        return Ok(None);
    }
    let after = request.after.map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let mut page = PageBuilder::new(request.rows_max);
    let mut total = 0;
    for_each_match(&***conn, request.form, request.filter, |row| {
        total += 1;
        let key = (read_column(row, 0)?, read_column(row, 1)?);
        if !page.is_full() && after.is_none_or(|after| key < after) {
            page.push(stored_submission(key.0, key.1.to_owned(), read_column(row, 2)?)?);
        }
        Ok(())
    })
    .await?;
    Ok(Some(ListPage { rows: page.into_rows(), total }))
}

/// Returns the instants and ids of the newest matches, at most [`MOVE_MAX`], and the number of all
/// matches.
pub(super) async fn find_keys(
    client: &impl GenericClient,
    form: &FormId,
    filter: &Filter,
) -> Result<(Vec<i64>, Vec<String>, u64)> {
    let (mut instants, mut ids) = (Vec::new(), Vec::new());
    let mut total = 0;
    for_each_match(client, form, filter, |row| {
        total += 1;
        if total <= MOVE_MAX {
            instants.push(read_column(row, 0)?);
            ids.push(read_column(row, 1)?);
        }
        Ok(())
    })
    .await?;
    Ok((instants, ids, total))
}

/// Calls `on_row` with the instant, the id, the JSON and the triage of each match, newest first.
pub(super) async fn for_each_match(
    client: &impl GenericClient,
    form: &FormId,
    filter: &Filter,
    mut on_row: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut params = QueryParams::default();
    let mut rows = SubmissionRange::new(form, filter).rows_condition(None, &mut params);
    let search = filter.search.as_ref().map(Term::from_search);
    let searched = search.iter().map(|term| term.scan_condition(&mut params)).collect::<Vec<_>>();
    let terms = required_terms(&filter.fields);
    let indexed = terms.iter().filter(|term| term.has_trigram());
    let indexed = indexed.map(|term| term.index_condition(&mut params));
    for condition in searched.into_iter().chain(indexed) {
        rows = format!("{rows} AND {condition}");
    }
    let sql = format!(
        "SELECT s.submitted_at, s.id, s.json, s.triage FROM submissions AS s WHERE {rows} \
         ORDER BY s.submitted_at DESC, s.id DESC"
    );
    let stream = client.query_typed_raw(&sql, params.as_typed()).await.map_err(database_error)?;
    // The driver's stream fails if it is read after its end.
    let mut stream = pin!(stream.fuse());
    let mut batch = read_batch(stream.as_mut()).await?;
    while !batch.is_empty() {
        let compared = retain_matches(&filter.fields, batch);
        let (matches, next) = try_join(compared, read_batch(stream.as_mut())).await?;
        matches.iter().try_for_each(&mut on_row)?;
        batch = next;
    }
    Ok(())
}

async fn read_batch(stream: Pin<&mut Fuse<RowStream>>) -> Result<Vec<Row>> {
    stream.take(BATCH_ROWS).try_collect().await.map_err(database_error)
}
