//! The options before an export, and the result after it.

use contract::{Filter, sort::SORTED_MATCHES_MAX, triage::TriageColumn};
use export_worker::task::{Format, InterruptedExport, TableTimeZone};
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::{job::ExportJob, outcome::result_notice, run::progress_text};
use crate::{
    components::save::can_choose_file,
    domain::export::{self, ExportScope, cost_text},
    i18n,
    pages::submissions::calendar,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize},
        field::{CheckField, Choice, RadioField},
        notice::Notice,
    },
};

/// Maximum number of rows of an XLSX sheet, without the header.
const WORKSHEET_ROWS_MAX: u64 = 1_048_575;

/// The form with the options, below the result of the previous export.
#[component]
pub fn ExportOptions(
    /// The export.
    job: ExportJob,
) -> impl IntoView {
    let texts = i18n::export();
    view! {
        {move || result_notice(job.run)}
        {move || {
            let left_off = |(export, handle)| view! { <InterruptedExport job export handle /> };
            // Only without a failed export, because resuming another would discard it.
            let is_free = job.run.state.with(|stage| stage.current_progress().is_none());
            is_free.then(|| job.run.interrupted.get().into_iter().map(left_off).collect_view())
        }}
        {move || scope_field(job)}
        {format_field(job)}
        {move || match job.options.with(|options| options.format) {
            Format::Csv => view! { {safe_field(job)} {time_zone_field(job)} }.into_any(),
            Format::Xlsx => time_zone_field(job),
            Format::Json | Format::Ndjson => ().into_any(),
        }}
        {move || columns_field(job)}
        {move || triage_field(job)}
        <Show when=can_choose_file>
            <CheckField
                label=texts.straight
                hint=texts.straight_hint
                checked=Signal::derive(move || job.options.with(|options| options.direct_to_file))
                on_change=move |direct| {
                    job.options.update(|options| options.direct_to_file = direct);
                }
            />
        </Show>
        <Show when=|| !window().is_secure_context()>
            <Notice tone=StatusTone::Info>{texts.in_memory}</Notice>
        </Show>
        {move || order_hint(job).map(|hint| view! { <p class="field-hint">{hint}</p> })}
        <p class="field-hint">{move || cost_hint(job)}</p>
    }
}

/// Returns the order of the export; `None` if the list is not sorted, or its size is unknown.
fn order_hint(job: ExportJob) -> Option<String> {
    let is_sorted = job.list.sort.with(Option::is_some);
    let texts = i18n::export();
    (is_sorted && job.expected_count().is_some()).then(|| match job.exported_sort() {
        Some(_) => texts.in_list_order.to_owned(),
        None => (texts.newest_first)(SORTED_MATCHES_MAX),
    })
}

/// Returns the cost of the export, and a note if it needs several sheets.
fn cost_hint(job: ExportJob) -> String {
    let cost = format!("{}.", cost_text(job.cost()));
    let is_xlsx = job.options.with(|options| options.format == Format::Xlsx);
    let rows =
        job.to_task().and_then(|task| task.expected).filter(|rows| *rows > WORKSHEET_ROWS_MAX);
    match rows.filter(|_| is_xlsx) {
        Some(rows) => {
            let worksheets = rows.div_ceil(WORKSHEET_ROWS_MAX);
            format!("{cost} {}", (i18n::export().worksheets_needed)(WORKSHEET_ROWS_MAX, worksheets))
        }
        None => cost,
    }
}

fn scope_field(job: ExportJob) -> AnyView {
    let texts = i18n::export();
    let filter = job.list.filter.get();
    let selected = job.options.with(|options| options.selected_ids.len());
    let offered = ExportScope::available(&filter, selected);
    let total = job.list.rows.total().get();
    // One option is no choice.
    if offered.len() == 1 {
        return view! { <p>{texts.whole_form_alone}</p> }.into_any();
    }
    let choice = |scope: &ExportScope| scope_choice(*scope, &filter, total, selected);
    let choices = offered.iter().map(choice).collect();
    let choose = move |value: String| {
        let scope = offered.iter().find(|scope| scope.as_str() == value);
        job.options.update(|options| options.scope = scope.copied().unwrap_or(options.scope));
    };
    view! {
        <RadioField
            label=i18n::common().submissions
            value=Signal::derive(move || job.options.with(|now| now.scope.as_str().to_owned()))
            choices
            on_change=choose
        />
    }
    .into_any()
}

fn scope_choice(
    scope: ExportScope,
    filter: &Filter,
    total: Option<u64>,
    selected: usize,
) -> Choice {
    let texts = i18n::export();
    let label = match scope {
        ExportScope::Form => texts.whole_form.to_owned(),
        ExportScope::Dates => texts.dates.to_owned(),
        ExportScope::Selected => (texts.selected)(selected as u64),
        ExportScope::Filtered => {
            total.map_or_else(|| texts.filtered.to_owned(), texts.filtered_count)
        }
    };
    let choice = Choice::new(scope.as_str(), label);
    if scope != ExportScope::Dates {
        return choice;
    }
    let from = filter.date_from.map(|at| calendar::bound_text(at, false));
    let to = filter.date_to.map(|at| calendar::bound_text(at, true));
    choice.hint(match (from, to) {
        (Some(from), Some(to)) => (texts.from_to)(&from, &to),
        (Some(from), None) => (texts.since)(&from),
        (None, to) => (texts.until)(&to.unwrap_or_default()),
    })
}

fn format_field(job: ExportJob) -> AnyView {
    let texts = i18n::export();
    let choice =
        |format: Format, label: &str, hint: &str| Choice::new(format.as_str(), label).hint(hint);
    let choices = vec![
        choice(Format::Csv, texts.csv, texts.csv_hint),
        choice(Format::Xlsx, texts.xlsx, texts.xlsx_hint),
        choice(Format::Json, texts.json, texts.json_hint),
        choice(Format::Ndjson, texts.ndjson, texts.ndjson_hint),
    ];
    let choose = move |value: String| {
        let format = Format::ALL.into_iter().find(|format| format.as_str() == value);
        job.options.update(|options| options.format = format.unwrap_or_default());
    };
    view! {
        <RadioField
            label=texts.format
            value=Signal::derive(move || job.options.with(|now| now.format.as_str().to_owned()))
            choices
            on_change=choose
        />
    }
    .into_any()
}

fn safe_field(job: ExportJob) -> AnyView {
    view! {
        <CheckField
            label=i18n::export().safe
            hint=i18n::export().safe_hint
            checked=Signal::derive(move || job.options.with(|options| options.escape_formulas))
            on_change=move |safe| job.options.update(|options| options.escape_formulas = safe)
        />
    }
    .into_any()
}

fn time_zone_field(job: ExportJob) -> AnyView {
    view! {
        <CheckField
            label=i18n::export().my_zone
            hint=i18n::export().my_zone_hint
            checked=Signal::derive(move || {
                job.options.with(|options| options.zone == TableTimeZone::Viewer)
            })
            on_change=move |is_viewer| {
                let zone = if is_viewer { TableTimeZone::Viewer } else { TableTimeZone::Utc };
                job.options.update(|options| options.zone = zone);
            }
        />
    }
    .into_any()
}

/// Returns the collapsible choice of columns; `None` if the format or the server has no such
/// choice.
fn columns_field(job: ExportJob) -> Option<AnyView> {
    let fields = job.list.fields.get();
    let are_known = job.list.session.capabilities().form_fields;
    let is_table = job.options.with(|options| options.format.is_table());
    if !job.options.with(|options| options.has_columns(are_known)) {
        return None;
    }
    let columns = export::export_columns(&fields, !is_table);
    let total = columns.len();
    let summary = {
        let columns = columns.clone();
        move || {
            let excluded = job.options.with(|options| {
                columns.iter().filter(|(path, _)| options.excluded_columns.contains(path)).count()
            });
            let texts = i18n::export();
            if excluded == 0 {
                (texts.all_columns)(total)
            } else {
                (texts.some_columns)(total - excluded, total)
            }
        }
    };
    let column = |(path, label): (String, String)| {
        let column_path = path.clone();
        view! {
            <CheckField
                label
                checked=Signal::derive(move || {
                    job.options.with(|options| !options.excluded_columns.contains(&column_path))
                })
                on_change=move |included: bool| {
                    job.options.update(|options| {
                        options.excluded_columns.retain(|other| *other != path);
                        if !included {
                            options.excluded_columns.push(path.clone());
                        }
                    });
                }
            />
        }
    };
    let view = view! {
        <details class="field">
            <summary class="field-label">{summary}</summary>
            <div class="choices">{columns.into_iter().map(column).collect_view()}</div>
            {(!are_known).then(|| {
                view! { <p class="field-hint">{i18n::export().later_columns}</p> }
            })}
        </details>
    };
    Some(view.into_any())
}

/// Returns the choice of the columns of the triage; `None` if the server has no triage.
fn triage_field(job: ExportJob) -> Option<AnyView> {
    if !job.list.session.capabilities().triage {
        return None;
    }
    let texts = i18n::triage();
    let choice = move |column: TriageColumn| {
        let label = match column {
            TriageColumn::Status => texts.status,
            TriageColumn::Tags => texts.tags,
            TriageColumn::Assignee => texts.assignee,
            TriageColumn::Starred => texts.starred,
            TriageColumn::NotesCount => i18n::export().notes_count,
        };
        view! {
            <CheckField
                label
                checked=Signal::derive(move || {
                    job.options.with(|options| options.triage.contains(column))
                })
                on_change=move |included| {
                    job.options.update(|options| options.triage.set(column, included));
                }
            />
        }
    };
    let view = view! {
        <fieldset class="field" data-group="triage">
            <legend class="field-label">{texts.title}</legend>
            <div class="choices">{TriageColumn::ALL.map(choice).into_iter().collect_view()}</div>
        </fieldset>
    };
    Some(view.into_any())
}

/// An export that was interrupted by a reload, with buttons to resume or discard it.
#[component]
fn InterruptedExport(job: ExportJob, export: InterruptedExport, handle: JsValue) -> impl IntoView {
    let texts = i18n::export();
    let text = (texts.broken_off)(&export.name, &progress_text(&export.progress));
    let id = export.id.clone();
    let resume = move |_| job.run.resume_interrupted(export.clone(), handle.clone());
    let discard = move |_| job.run.discard_interrupted(&id);
    view! {
        <Notice tone=StatusTone::Info>
            {text}
            <Button size=ButtonSize::Small on_click=resume>{i18n::common().resume}</Button>
            " "
            <Button size=ButtonSize::Small on_click=discard>{texts.discard}</Button>
        </Notice>
    }
}
