//! Lists the matches of a filter with criteria for answers by the answers in memory.

use super::list::PageRequest;
use crate::answer_cache::{AnswerCache, CachedDays, DayState, DayVersion, KeyPage, MatchKeys};
use crate::answer_cache::{list_days, read_days, select, state_of};
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
use store::columns::parse_position;
use store::{ListPage, Result};
use tokio::task::spawn_blocking;

/// Keys that are read at once. Nearly every page needs fewer.
const KEYS_AT_ONCE: usize = 1000;

/// Result of a list by the answers in memory.
pub(crate) enum CachedList {
    /// The page; `None` if the owner has no such form.
    Found(Option<ListPage>),
    /// The cache lacks these columns of too many rows to read them at once.
    NotCached(Vec<ColumnKey>),
    /// The answers cannot be cached, so the list needs a scan.
    NeedsScan,
}

/// Lists a page of matches and counts all matches, in the snapshot of a transaction. The filter has
/// no search.
pub(crate) async fn list_cached(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
) -> Result<CachedList> {
    let PageRequest { form, filter, .. } = *request;
    let Some(columns) = ColumnKey::of(&filter.fields) else { return Ok(CachedList::NeedsScan) };
    if forms::find_owner(tx, form).await?.as_ref() != Some(request.owner) {
        return Ok(CachedList::Found(None));
    }
    let form_days = list_days(tx, form).await?;
    cache.remove_empty_days(&form_days);
    let mut listed = form_days.versions.clone();
    let day_of = |at: Timestamp| at.micros().div_euclid(DAY_US);
    listed.retain(|version| {
        filter.date_from.is_none_or(|from| day_of(from) <= version.day)
            && filter.date_to.is_none_or(|to| version.day <= day_of(to))
    });
    let new_rows_max = cache.new_rows_max();
    let Some(days) = cache.find_days(&form_days, &columns) else {
        return Ok(CachedList::NeedsScan);
    };
    let is_unread = |it: &&DayVersion| state_of(&days, it, &columns) == DayState::Unread;
    let unread = listed.iter().filter(is_unread).map(|version| version.rows);
    if unread.sum::<u64>() > new_rows_max as u64 {
        return Ok(CachedList::NotCached(columns));
    }
    drop(days);
    let wanted = (&*listed, &*columns);
    let Some(days) = read_days(tx, cache, &form_days, wanted, new_rows_max).await? else {
        return Ok(CachedList::NotCached(columns));
    };
    let keys = find_keys(tx, cache, request, (&days, listed)).await?;
    Ok(CachedList::Found(read_page(tx, cache, request, &keys).await?))
}

/// Finds the keys of the page.
async fn find_keys(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    (days, listed): (&CachedDays, Vec<DayVersion>),
) -> Result<MatchKeys> {
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
) -> Result<MatchKeys> {
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
    Ok(page.finish())
}

/// Reads the rows of a page.
async fn read_page(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    keys: &MatchKeys,
) -> Result<Option<ListPage>> {
    let (instants, ids) = find_ids(tx, cache, request, keys).await?;
    let mut params = QueryParams::default();
    let total = params.push_number(i64::try_from(keys.total).unwrap_or(i64::MAX));
    let form = params.push_text(request.form.as_str());
    let instants = params.push_numbers(instants);
    let ids = params.push_texts(ids.iter().map(String::as_str));
    let page = format!(
        "SELECT s.submitted_at, s.id, s.json \
         FROM unnest({instants}, {ids}) AS n (submitted_at, id) JOIN submissions AS s \
         ON s.form_id = {form} AND s.submitted_at = n.submitted_at AND s.id = n.id"
    );
    let sql = request.page_statement("", &total, &page, &mut params);
    request.run(&**tx, &sql, &params).await
}

/// Finds the instants and ids of the rows of a page, newest first.
async fn find_ids(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    request: &PageRequest<'_>,
    keys: &MatchKeys,
) -> Result<(Vec<i64>, Vec<String>)> {
    let (mut instants, mut ids) = (Vec::new(), Vec::new());
    let mut after = request.after.cloned();
    loop {
        let mut params = QueryParams::default();
        let form = params.push_text(request.form.as_str());
        let all_instants = params.push_numbers(keys.instants.clone());
        let is_after = SubmissionRange::after_condition(after.as_ref(), &mut params);
        let max = params.push_rows(KEYS_AT_ONCE);
        let sql = format!(
            "SELECT s.submitted_at, s.id FROM submissions AS s \
             WHERE s.form_id = {form} AND s.submitted_at = ANY({all_instants}){is_after} \
             ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}"
        );
        let rows = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
        for row in &rows {
            let (at, id): (i64, &str) = (read_column(row, 0)?, read_column(row, 1)?);
            if keys.keys.contains(&cache.key_of(at, id)) {
                instants.push(at);
                ids.push(id.to_owned());
            }
            if ids.len() == request.rows_max {
                return Ok((instants, ids));
            }
        }
        // Many submissions that do not match may have the instant of one that does.
        let Some(last) = rows.last().filter(|_| rows.len() == KEYS_AT_ONCE) else {
            return Ok((instants, ids));
        };
        after = Some(parse_position(read_column(last, 0)?, read_column(last, 1)?)?);
    }
}
