//! Fetches the keys of an incompletely loaded range, from the newer end to the older, at the pace
//! of the rate limit.

use contract::{ListQuery, Timestamp, page::LIMIT_MAX};
use export_worker::plan::refused_wait_s;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::ApiError,
    components::page::explain_error,
    domain::{list_model::SubmissionKey, selection::SELECTION_MAX},
    i18n,
    pages::submissions::{
        deletion::{pace_ms, sleep_ms},
        list::ListSource,
        list_state::ListState,
        selection::SelectionState,
    },
    state::toasts::Toasts,
    ui::run_effect,
};

/// Fetches each requested range until the current owner is disposed of.
pub fn follow_range(list: ListState, selection: SelectionState) {
    let toasts = expect_context::<Toasts>();
    run_effect(move || {
        let (Some(range), Some(source)) =
            (selection.range_fetch.get(), list.source.get_untracked())
        else {
            return;
        };
        spawn_local(async move {
            let is_current =
                || selection.range_fetch.try_get_untracked().flatten().as_ref() == Some(&range);
            let result = fetch_range(list, &source, &range, &is_current).await;
            if !is_current() {
                return;
            }
            match result {
                Ok(keys) => selection.add_range(keys),
                Err(error) => {
                    list.session.handle_error(&error);
                    let reason = explain_error(&error);
                    toasts.show_error((i18n::selection().rows_failed)(&reason));
                }
            }
            selection.range_fetch.try_set(None);
        });
    });
}

async fn fetch_range(
    list: ListState,
    source: &ListSource,
    (newer, older): &(SubmissionKey, SubmissionKey),
    is_current: &impl Fn() -> bool,
) -> Result<Vec<SubmissionKey>, ApiError> {
    let (mut filter, sort) = (source.filter.clone(), source.sort.clone());
    let is_by_time = sort.is_none();
    if is_by_time {
        filter.date_to = Timestamp::from_micros(newer.0.micros() + 1);
    }
    let mut query = ListQuery { filter, limit: LIMIT_MAX, cursor: None, sort };
    let mut keys = Vec::new();
    let mut end = 0;
    while is_current() {
        let answer = match list.rows.fetch_page(source, &query, None).await {
            Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                sleep_ms(refused_wait_s(retry_after_s) * 1000).await;
                continue;
            }
            answer => answer?,
        };
        let page = answer.body;
        let key = |row: &contract::Submission| (row.metadata.submitted_at, row.id.clone());
        // Collect the rows between the two ends, in either order: servers may order rows with the
        // same timestamp arbitrarily.
        for found in page.data.iter().map(key) {
            let is_end = found == *newer || found == *older;
            end += usize::from(is_end);
            if (is_end || end == 1) && end <= 2 {
                keys.push(found);
            }
        }
        let is_past = |row: &contract::Submission| is_by_time && key(row).0 < older.0;
        let past = end == 2 || page.data.last().is_none_or(is_past);
        let next = page.pagination.next().map(str::to_owned);
        // The same cursor twice would cause an endless loop.
        if past || next.is_none() || next == query.cursor || keys.len() >= SELECTION_MAX {
            break;
        }
        query.cursor = next;
        sleep_ms(pace_ms(list.session, answer.rate)).await;
    }
    if end < 2 && keys.len() < SELECTION_MAX {
        // An end is gone, so the rows after the other end may be outside of the range.
        keys.retain(|key| is_by_time && (older.0..=newer.0).contains(&key.0));
    }
    Ok(keys)
}
