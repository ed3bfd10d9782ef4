//! Lists the matches of a filter with criteria for answers by the answers in memory.

use super::list::PageRequest;
use crate::answer_cache::{AnswerCache, CachedDays, DayVersion, KeyPage};
use crate::answer_cache::{is_current, list_days, read_days, select};
use crate::days::DAY_US;
use crate::errors::database_error;
use crate::forms;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::submission_range::SubmissionRange;
use contract::filter::FieldCriteria;
use contract::{Filter, Timestamp};
use deadpool_postgres::Transaction;
use futures_util::TryStreamExt as _;
use std::collections::HashMap;
use std::pin::pin;
use store::answers::ColumnKey;
use store::columns::stored_submission;
use store::pages::PageBuilder;
use store::{ListPage, Result};
use tokio::task::spawn_blocking;

/// Result of a list by the answers in memory.
pub(crate) enum CachedList {
    /// The page; `None` if the owner has no such form.
    Found(Option<ListPage>),
    /// The cache does not have these columns, and there are too many rows to read them at once.
    /// The form has this number of submissions.
    NotCached(Vec<ColumnKey>, u64),
    /// The filter needs a scan.
    Unsupported,
}

/// Lists a page of matches and counts all matches, in the snapshot of a transaction.
pub(crate) async fn list_cached(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
) -> Result<CachedList> {
    let PageRequest { form, filter, .. } = *request;
    let columns = if filter.search.is_none() { ColumnKey::of(&filter.fields) } else { None };
    let Some(columns) = columns.filter(|columns| !columns.is_empty()) else {
        return Ok(CachedList::Unsupported);
    };
    if forms::find_owner(tx, form).await?.as_ref() != Some(request.owner) {
        return Ok(CachedList::Found(None));
    }
    let mut listed = list_days(tx, form).await?;
    let rows = listed.iter().map(|version| version.rows).sum();
    let day_of = |at: Timestamp| at.micros().div_euclid(DAY_US);
    listed.retain(|version| {
        filter.date_from.is_none_or(|from| day_of(from) <= version.day)
            && filter.date_to.is_none_or(|to| version.day <= day_of(to))
    });
    let mut days = cache.find_days(form);
    let missing = listed.iter().filter(|version| !is_current(&days, version, &columns));
    let missing_rows = missing.map(|version| version.rows).sum();
    if !cache.allows_at_once(missing_rows) {
        return Ok(CachedList::NotCached(columns, rows));
    }
    if missing_rows > 0 {
        read_days(tx, cache, (form, rows), &listed, &columns).await?;
        days = cache.find_days(form);
    }
    // Another read may have replaced a day by the version of a newer or older snapshot.
    if !listed.iter().all(|version| is_current(&days, version, &columns)) {
        return Ok(CachedList::Unsupported);
    }
    let keys = find_keys(tx, cache, request, (&days, listed)).await?;
    let rows = read_rows(tx, cache, request, &keys).await?;
    Ok(CachedList::Found(Some(ListPage { rows, total: keys.total })))
}

/// Finds the keys of the page.
async fn find_keys(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    (days, listed): (&CachedDays, Vec<DayVersion>),
) -> Result<KeyPage> {
    let after = request.after.map(|after| after.submitted_at.micros());
    let page = KeyPage::new(after, request.rows_max);
    let others = Filter { fields: FieldCriteria::default(), ..request.filter.clone() };
    let only_dates = Filter {
        date_from: others.date_from,
        date_to: others.date_to,
        reader: others.reader.clone(),
        ..Filter::default()
    };
    if others != only_dates {
        return check_rows(tx, cache, request, (days, &others), page).await;
    }
    let days = listed.iter().filter_map(|version| days.get(&version.day).cloned());
    let (days, filter): (Vec<_>, _) = (days.collect(), request.filter.clone());
    spawn_blocking(move || select(&days, &filter, page)).await.map_err(database_error)
}

/// Selects the matches among the rows that match all other criteria.
async fn check_rows(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    (days, others): (&CachedDays, &Filter),
    mut page: KeyPage,
) -> Result<KeyPage> {
    let criteria = &request.filter.fields;
    let matchers: HashMap<i64, _> =
        days.iter().map(|(day, answers)| (*day, (answers, answers.matchers(criteria)))).collect();
    let mut params = QueryParams::default();
    let rows = SubmissionRange::new(request.form, others).rows_condition(None, &mut params);
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} \
         ORDER BY s.submitted_at DESC, s.id DESC"
    );
    let stream = tx.query_typed_raw(&sql, params.as_typed()).await.map_err(database_error)?;
    let mut stream = pin!(stream);
    while let Some(row) = stream.try_next().await.map_err(database_error)? {
        let at: i64 = read_column(&row, 0)?;
        let Some((answers, matchers)) = matchers.get(&at.div_euclid(DAY_US)) else { continue };
        let key = cache.key_of(at, read_column(&row, 1)?);
        if answers.find(key).is_some_and(|row| answers.matches(matchers, row)) {
            page.add(key);
        }
    }
    Ok(page)
}

/// Reads the rows of a page.
async fn read_rows(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    keys: &KeyPage,
) -> Result<Vec<store::StoredSubmission>> {
    let after = request.after.map(|after| (after.submitted_at.micros(), after.id.as_str()));
    let mut page = PageBuilder::new(request.rows_max);
    let mut params = QueryParams::default();
    let form = params.push_text(request.form.as_str());
    let instants = params.push_numbers(keys.instants());
    let sql = format!(
        "SELECT s.submitted_at, s.id, s.json FROM submissions AS s \
         WHERE s.form_id = {form} AND s.submitted_at = ANY({instants}) \
         ORDER BY s.submitted_at DESC, s.id DESC"
    );
    let stream = tx.query_typed_raw(&sql, params.as_typed()).await.map_err(database_error)?;
    let mut stream = pin!(stream);
    while !page.is_full()
        && let Some(row) = stream.try_next().await.map_err(database_error)?
    {
        let (at, id): (i64, &str) = (read_column(&row, 0)?, read_column(&row, 1)?);
        if keys.contains(cache.key_of(at, id)) && after.is_none_or(|after| (at, id) < after) {
            page.push(stored_submission(at, id.to_owned(), read_column(&row, 2)?)?);
        }
    }
    Ok(page.into_rows())
}
