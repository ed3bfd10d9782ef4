//! The table of audit entries by day. The next page is loaded when its end scrolls into view.

use chrono::NaiveDate;
use contract::audit::{Note, Outcome};
use leptos::{html, prelude::*};

use super::Log;
use crate::{
    components::{
        calendar::{day_of, day_text, millis_of},
        names,
        page::Failure,
    },
    domain::activity::{actor, sentence},
    i18n,
    ui::{
        badge::{Badge, Tone},
        button::Button,
        icon::Glyph,
        intersection::near_view,
        time::RelativeTime,
    },
};

/// Row of the table: the heading of a day, or an audit entry.
#[derive(Clone, PartialEq)]
enum Row {
    Day(Option<NaiveDate>),
    Note(Box<Note>),
}

impl Row {
    fn key(&self) -> String {
        match self {
            Self::Day(day) => format!("{day:?}"),
            Self::Note(note) => note.place.to_string(),
        }
    }
}

/// Groups entries by day, each group below the heading of its day.
fn by_day(notes: Vec<Note>) -> Vec<Row> {
    let mut rows = Vec::with_capacity(notes.len());
    let mut day = None;
    for note in notes {
        let its = day_of(note.at);
        if day != Some(its) {
            day = Some(its);
            rows.push(Row::Day(its));
        }
        rows.push(Row::Note(Box::new(note)));
    }
    rows
}

/// The table.
#[component]
pub fn Days(
    /// The audit log.
    log: Log,
) -> impl IntoView {
    let texts = i18n::activity();
    let heads = [texts.what_head, texts.who, texts.from, texts.outcome, texts.when];
    let head = |head: &'static str| view! { <th role="columnheader" scope="col">{head}</th> };
    let row = move |row: Row| match row {
        Row::Day(day) => day_row(day).into_any(),
        Row::Note(note) => view! { <NoteRow note=*note /> }.into_any(),
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
                    <For each=move || by_day(log.pages.rows.get()) key=Row::key children=row />
                </tbody>
            </table>
        </div>
        <More log />
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
fn NoteRow(note: Note) -> impl IntoView {
    let texts = i18n::activity();
    let (what, who) = (sentence(&note), actor(&note).to_owned());
    let id = note.actor.id.clone().unwrap_or_default();
    let from = from(&note);
    let badge = match note.outcome {
        Outcome::Ok => view! { <span class="missing">{texts.ok}</span> }.into_any(),
        Outcome::Denied => {
            view! { <Badge text=texts.denied tone=Tone::Mixed icon=Glyph::Warning /> }.into_any()
        }
        Outcome::Error => {
            view! { <Badge text=texts.failed tone=Tone::Negative icon=Glyph::Warning /> }.into_any()
        }
    };
    view! {
        <tr role="row">
            <td role="cell">{what}</td>
            <td role="cell" class="activity-who" title=id>
                {who}
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
fn from(note: &Note) -> AnyView {
    let client = &note.actor.client;
    let device = client.device.as_deref().map(names::device);
    let parts = [client.browser.clone(), device, note.address.clone()];
    let told: Vec<String> = parts.into_iter().flatten().collect();
    if told.is_empty() {
        return view! { <span class="missing">"—"</span> }.into_any();
    }
    told.join(" · ").into_any()
}

/// Loads the next page when it scrolls into view, or by a button.
#[component]
fn More(log: Log) -> impl IntoView {
    let texts = i18n::activity();
    let end = NodeRef::<html::Div>::new();
    near_view(end, move || {
        let waits = untrack(|| log.pages.has_more()) && !log.pages.busy.get_untracked();
        if waits && log.pages.error.with_untracked(Option::is_none) {
            log.load();
        }
    });
    let more = move || {
        log.pages.has_more().then(|| {
            view! {
                <Button busy=log.pages.busy on_click=move |_| log.load()>
                    {texts.more}
                </Button>
            }
        })
    };
    let failed = move || {
        let error = log.pages.error.get()?;
        let retry = move |()| log.load();
        Some(view! { <Failure error what=texts.what_rest on_retry=retry /> })
    };
    view! {
        <div class="activity-more" node_ref=end>
            {failed}
            {more}
        </div>
    }
}
