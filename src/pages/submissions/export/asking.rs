//! What is asked before an export, and said after it.

use contract::Filter;
use exporter::task::{Format, Left, Progress, Remark, Zone};
use leptos::prelude::*;

use super::job::{Job, Stage, submissions};
use crate::{
    model::export::{Scope, cost_text, heads},
    page::{explain, number},
    pages::submissions::{calendar, save::can_choose},
    ui::{
        badge::Tone,
        button::{Button, ButtonSize},
        field::{CheckField, Choice, RadioField},
        notice::Notice,
    },
};

/// Submissions that one sheet takes below its header.
const SHEET_ROWS_MAX: u64 = 1_048_575;

/// What makes a CSV safe.
const SAFE_HINT: &str = "Puts ' before text that a spreadsheet would run as a formula. Take it off \
                         for the exact text.";
const IN_MEMORY: &str = "At this address the browser lends no disk: it keeps the file in memory \
                         until it is whole, and a reload begins anew. Over HTTPS it would not.";

/// What is asked before, and said after.
#[component]
pub fn Asking(
    /// The export.
    job: Job,
) -> impl IntoView {
    view! {
        {move || outcome(job)}
        {move || {
            let left_off = |left| view! { <LeftOff job left /> };
            job.left.get().into_iter().map(left_off).collect_view()
        }}
        {move || scopes(job)}
        {formats(job)}
        {move || match job.wish.with(|wish| wish.format) {
            Format::Csv => view! { {safe(job)} {zones(job)} }.into_any(),
            Format::Xlsx => zones(job),
            Format::Json | Format::Ndjson => ().into_any(),
        }}
        {move || columns(job)}
        <Show when=can_choose>
            <CheckField
                label="Write straight to a file of my choice"
                hint="For large exports: nothing is kept twice"
                checked=Signal::derive(move || job.wish.with(|wish| wish.straight))
                on_change=move |straight| job.wish.update(|wish| wish.straight = straight)
            />
        </Show>
        <Show when=|| !window().is_secure_context()>
            <Notice tone=Tone::Info>{IN_MEMORY}</Notice>
        </Show>
        <p class="field-hint">{move || beforehand(job)}</p>
    }
}

/// What it costs, and where its format will differ.
fn beforehand(job: Job) -> String {
    let cost = format!("{}.", cost_text(job.cost()));
    let is_xlsx = job.wish.with(|wish| wish.format == Format::Xlsx);
    let rows = job.task().and_then(|task| task.expected).filter(|rows| *rows > SHEET_ROWS_MAX);
    match rows.filter(|_| is_xlsx) {
        Some(rows) => format!(
            "{cost} A sheet takes {} submissions, so they fill {} sheets.",
            number(SHEET_ROWS_MAX),
            rows.div_ceil(SHEET_ROWS_MAX)
        ),
        None => cost,
    }
}

fn scopes(job: Job) -> AnyView {
    let filter = job.desk.filter.get();
    let selected = job.wish.with(|wish| wish.selected.len());
    let offered = Scope::offered(&filter, selected);
    let total = job.desk.list.total().get();
    // One is no choice.
    if offered.len() == 1 {
        return view! { <p>"The whole form. To export less, filter the list first."</p> }
            .into_any();
    }
    let choice = |scope: &Scope| scope_choice(*scope, &filter, total, selected);
    let choices = offered.iter().map(choice).collect();
    let choose = move |value: String| {
        let scope = offered.iter().find(|scope| scope.as_str() == value);
        job.wish.update(|wish| wish.scope = scope.copied().unwrap_or(wish.scope));
    };
    view! {
        <RadioField
            label="Submissions"
            value=Signal::derive(move || job.wish.with(|wish| wish.scope).as_str().to_owned())
            choices
            on_change=choose
        />
    }
    .into_any()
}

fn scope_choice(scope: Scope, filter: &Filter, total: Option<u64>, selected: usize) -> Choice {
    let label = match scope {
        Scope::Form => "The whole form".to_owned(),
        Scope::Dates => "The date range".to_owned(),
        Scope::Selected => format!("The selected ({})", number(selected as u64)),
        Scope::Filtered => {
            let count = total.map(|total| format!(" ({})", number(total))).unwrap_or_default();
            format!("Exactly this filtered list{count}")
        }
    };
    let choice = Choice::new(scope.as_str(), label);
    if scope != Scope::Dates {
        return choice;
    }
    let from = filter.date_from.map(|at| calendar::bound_text(at, false));
    let to = filter.date_to.map(|at| calendar::bound_text(at, true));
    choice.hint(match (from, to) {
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("Since {from}"),
        (None, to) => format!("Until {}", to.unwrap_or_default()),
    })
}

fn formats(job: Job) -> AnyView {
    let choice =
        |format: Format, label: &str, hint: &str| Choice::new(format.as_str(), label).hint(hint);
    let choices = vec![
        choice(Format::Csv, "CSV", "For any spreadsheet: a row a submission"),
        choice(Format::Xlsx, "Excel", "A workbook in which numbers and dates are such"),
        choice(Format::Json, "JSON", "For programs: everything, as the API gives it"),
        choice(Format::Ndjson, "NDJSON", "For programs: a line a submission"),
    ];
    let choose = move |value: String| {
        let format = Format::ALL.into_iter().find(|format| format.as_str() == value);
        job.wish.update(|wish| wish.format = format.unwrap_or_default());
    };
    view! {
        <RadioField
            label="Format"
            value=Signal::derive(move || job.wish.with(|wish| wish.format).as_str().to_owned())
            choices
            on_change=choose
        />
    }
    .into_any()
}

fn safe(job: Job) -> AnyView {
    view! {
        <CheckField
            label="Safe for spreadsheets"
            hint=SAFE_HINT
            checked=Signal::derive(move || job.wish.with(|wish| wish.safe))
            on_change=move |safe| job.wish.update(|wish| wish.safe = safe)
        />
    }
    .into_any()
}

fn zones(job: Job) -> AnyView {
    view! {
        <CheckField
            label="Times in my time zone"
            hint="Else in UTC, as the API tells them"
            checked=Signal::derive(move || job.wish.with(|wish| wish.zone == Zone::Viewer))
            on_change=move |mine| {
                let zone = if mine { Zone::Viewer } else { Zone::Utc };
                job.wish.update(|wish| wish.zone = zone);
            }
        />
    }
    .into_any()
}

/// The columns, folded away. Whole submissions have the answers to choose from alone, and those
/// only where the server tells the fields.
fn columns(job: Job) -> Option<AnyView> {
    let (fields, managed) = (job.desk.fields.get(), job.desk.session.is_managed());
    let is_table = job.wish.with(|wish| wish.format.is_table());
    if !is_table && !managed {
        return None;
    }
    let heads = heads(&fields, !is_table);
    let all = heads.len();
    let summary = {
        let heads = heads.clone();
        move || {
            let out = job
                .wish
                .with(|wish| heads.iter().filter(|head| wish.left_out.contains(head)).count());
            if out == 0 {
                format!("All {all} columns")
            } else {
                format!("{} of {all} columns", all - out)
            }
        }
    };
    let column = |head: String| {
        let (own, label) = (head.clone(), head.clone());
        view! {
            <CheckField
                label
                checked=Signal::derive(move || {
                    job.wish.with(|wish| !wish.left_out.contains(&own))
                })
                on_change=move |kept: bool| {
                    job.wish.update(|wish| {
                        wish.left_out.retain(|other| *other != head);
                        if !kept {
                            wish.left_out.push(head.clone());
                        }
                    });
                }
            />
        }
    };
    let view = view! {
        <details class="field">
            <summary class="field-label">{summary}</summary>
            <div class="choices">{heads.into_iter().map(column).collect_view()}</div>
        </details>
    };
    Some(view.into_any())
}

/// An export that a reload broke off.
#[component]
fn LeftOff(job: Job, left: Left) -> impl IntoView {
    let Progress { written, total, .. } = left.progress;
    let far = match total {
        Some(total) => format!("{} of {}", number(written), number(total)),
        None => submissions(written),
    };
    let text = format!("The export to {} was broken off at {far}. ", left.name);
    let id = left.id.clone();
    let go_on = move |_| job.go_on_with(left.clone());
    let discard = move |_| job.discard_left(&id);
    view! {
        <Notice tone=Tone::Info>
            {text}
            <Button size=ButtonSize::Small on_click=go_on>"Go on with it"</Button>
            " "
            <Button size=ButtonSize::Small on_click=discard>"Discard"</Button>
        </Notice>
    }
}

/// Says what became of the last attempt.
fn outcome(job: Job) -> Option<AnyView> {
    match job.stage.get() {
        Stage::Failed(_, error) => {
            Some(view! { <Notice tone=Tone::Negative>{explain(&error)}</Notice> }.into_any())
        }
        Stage::Done(progress, remarks) => {
            let mut texts: Vec<_> = remarks.into_iter().filter_map(remark).collect();
            if progress.missing() > 0 {
                texts.insert(0, short(&progress));
            }
            let count = submissions(progress.written);
            texts.insert(0, format!("The file was saved with {count}."));
            Some(view! { <Notice tone=Tone::Mixed>{texts.join(" ")}</Notice> }.into_any())
        }
        Stage::Asking | Stage::Running(_) | Stage::Paused(_) => None,
    }
}

/// Says that a file is short.
fn short(progress: &Progress) -> String {
    let total = progress.total.unwrap_or_default();
    format!(
        "It is short: the list had {}, so {} are missing. They may have been deleted while it was \
         written; export again if that surprises you.",
        number(total),
        number(progress.missing())
    )
}

/// Says what a person must know of a file.
fn remark(remark: Remark) -> Option<String> {
    match remark {
        Remark::CellsCut(count) => Some(format!(
            "{} longer than 32,767 characters, which is all that a cell takes, and the rest was \
             cut; CSV and JSON have them whole.",
            if count == 1 {
                "1 answer is".to_owned()
            } else {
                format!("{} answers are", number(count))
            }
        )),
        Remark::Sheets(count) => Some(format!("The rows fill {count} sheets.")),
        Remark::Uncounted => None,
    }
}
