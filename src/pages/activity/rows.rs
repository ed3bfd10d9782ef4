//! The table of audit entries by day. The next page is loaded when its end scrolls into view.

use chrono::NaiveDate;
use contract::audit::{AuditEntry, AuditOutcome};
use leptos::{html, prelude::*};

use super::ActivityLog;
use crate::{
    components::{
        calendar::{day_of, day_text, millis_of},
        names,
        page::Failure,
    },
    domain::activity::{actor_name, describe_entry},
    i18n,
    ui::{
        badge::{Badge, StatusTone},
        button::Button,
        icon::Glyph,
        intersection::on_near_view,
        time::RelativeTime,
    },
};

/// Row of the table: the heading of a day, or an audit entry.
#[derive(Clone, PartialEq)]
enum ActivityRow {
    Day(Option<NaiveDate>),
    Entry(Box<AuditEntry>),
}

impl ActivityRow {
    fn key(&self) -> String {
        match self {
            Self::Day(day) => format!("{day:?}"),
            Self::Entry(note) => note.place.to_string(),
        }
    }
}

/// Groups entries by day, each group below the heading of its day.
fn group_by_day(notes: Vec<AuditEntry>) -> Vec<ActivityRow> {
    let mut rows = Vec::with_capacity(notes.len());
    let mut day = None;
    for note in notes {
        let entry_day = day_of(note.at);
        if day != Some(entry_day) {
            day = Some(entry_day);
            rows.push(ActivityRow::Day(entry_day));
        }
        rows.push(ActivityRow::Entry(Box::new(note)));
    }
    rows
}

/// The table.
#[component]
pub fn EntryTable(
    /// The audit log.
    log: ActivityLog,
) -> impl IntoView {
    let texts = i18n::activity();
    let heads = [texts.what_head, texts.who, texts.from, texts.outcome, texts.when];
    let head = |head: &'static str| view! { <th role="columnheader" scope="col">{head}</th> };
    let row = move |row: ActivityRow| match row {
        ActivityRow::Day(day) => day_row(day).into_any(),
        ActivityRow::Entry(note) => view! { <EntryRow note=*note /> }.into_any(),
    };
    view! {
        <div class="table-frame" tabindex="0" role="region" aria-label=texts.title>
            // Explicit roles: in narrow layouts CSS displays rows as cards, which removes the
            // implicit table roles.
            <table class="table" role="table" aria-busy=move || log.pages.busy.get().to_string()>
                <thead role="rowgroup">
                    <tr role="row">{heads.map(head).into_iter().collect_view()}</tr>
                </thead>
                <tbody role="rowgroup">
                    <For
                        each=move || group_by_day(log.pages.rows.get())
                        key=ActivityRow::key
                        children=row
                    />
                </tbody>
            </table>
        </div>
        <LoadMore log />
    }
}

fn day_row(day: Option<NaiveDate>) -> impl IntoView {
    let text = day.and_then(day_text).unwrap_or_default();
    view! {
        <tr role="row" class="activity-day">
            <th role="rowheader" scope="rowgroup" colspan="5">
                {text}
            </th>
        </tr>
    }
}

#[component]
fn EntryRow(note: AuditEntry) -> impl IntoView {
    let texts = i18n::activity();
    let sentence = describe_entry(&note);
    let actor = actor_name(&note).to_owned();
    let id = note.actor.id.clone().unwrap_or_default();
    let from = client_view(&note);
    let badge = match note.outcome {
        AuditOutcome::Ok => view! { <span class="missing">{texts.ok}</span> }.into_any(),
        AuditOutcome::Denied => {
            view! { <Badge text=texts.denied tone=StatusTone::Mixed icon=Glyph::Warning /> }
                .into_any()
        }
        AuditOutcome::Error => {
            view! { <Badge text=texts.failed tone=StatusTone::Negative icon=Glyph::Warning /> }
                .into_any()
        }
    };
    view! {
        <tr role="row">
            <td role="cell">{sentence}</td>
            <td role="cell" class="activity-who" title=id>
                {actor}
            </td>
            <td role="cell">{from}</td>
            <td role="cell">{badge}</td>
            <td role="cell">
                <RelativeTime at_ms=millis_of(note.at) />
            </td>
        </tr>
    }
}

/// Returns browser, device and address of an entry, as far as they are known.
fn client_view(note: &AuditEntry) -> AnyView {
    let client = &note.actor.client;
    let device = client.device.as_deref().map(names::device_name);
    let parts = [client.browser.clone(), device, note.address.clone()];
    let known_parts: Vec<String> = parts.into_iter().flatten().collect();
    if known_parts.is_empty() {
        return view! { <span class="missing">"—"</span> }.into_any();
    }
    known_parts.join(" · ").into_any()
}

/// Loads the next page when it scrolls into view, or by a button.
#[component]
fn LoadMore(log: ActivityLog) -> impl IntoView {
    let texts = i18n::activity();
    let end = NodeRef::<html::Div>::new();
    on_near_view(end, move || {
        let can_load = untrack(|| log.pages.has_more()) && !log.pages.busy.get_untracked();
        if can_load && log.pages.error.with_untracked(Option::is_none) {
            log.load_next();
        }
    });
    let more = move || {
        log.pages.has_more().then(|| {
            view! {
                <Button busy=log.pages.busy on_click=move |_| log.load_next()>
                    {texts.more}
                </Button>
            }
        })
    };
    let failed = move || {
        let error = log.pages.error.get()?;
        let retry = move |()| log.load_next();
        Some(view! { <Failure error object=texts.what_rest on_retry=retry /> })
    };
    view! {
        <div class="activity-more" node_ref=end>
            {failed}
            {more}
        </div>
    }
}
