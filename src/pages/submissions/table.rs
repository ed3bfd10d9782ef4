//! The list as a table: when, the telling answers, the sentiment, where from. It draws what the
//! list holds, and says what is there where that is nothing.

use std::sync::Arc;

use contract::{Field, Form, FormId, Metadata, Submission};
use leptos::prelude::*;

use super::{list::List, names, sentiment::Sentiment};
use crate::{
    api::ApiError,
    model::{
        answers,
        feed::Phase,
        row::{self, Role},
    },
    page::{Failure, Wait, explain},
    ui::{
        badge::Tone,
        button::{Button, ButtonSize},
        copy::CodeBlock,
        empty::Empty,
        icon::Glyph,
        notice::Notice,
        skeleton::SkeletonRows,
        table::{Column, Slot, Table},
        time::RelativeTime,
    },
};

/// How many answers a row shows beside where its submission came from, and without that.
const ANSWERS_MAX: (usize, usize) = (3, 5);
/// How many rows tell whether the list says where submissions came from.
const ROWS_READ_MAX: usize = 100;

/// What the table is told of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layout {
    form: Option<FormId>,
    fields: Vec<(Field, Role)>,
    analysed: bool,
    /// Whether any submission has a source, and whether any has a country: columns of nothing
    /// but dashes are left out.
    origin: (bool, bool),
}

impl Layout {
    fn of(form: Option<&Form>, fields: &[Field], origin: (bool, bool)) -> Self {
        let analysed = form.is_none_or(|form| form.analysis);
        let fields_max = match origin {
            (false, false) => ANSWERS_MAX.1 - usize::from(analysed),
            _ => ANSWERS_MAX.0,
        };
        let fields = row::choose(fields, fields_max);
        Self { form: form.map(|form| form.id.clone()), fields, analysed, origin }
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("Submitted", 120).slot(Slot::Aside)];
        columns.extend(self.fields.iter().map(|(field, role)| {
            let (width_px, share, slot) = match role {
                Role::Title => (160, 2, Slot::Title),
                Role::Words => (160, 3, Slot::Text),
                Role::Spare => (160, 2, Slot::Spare),
                Role::Other => (144, 2, Slot::Extra),
            };
            Column::new(field.name.clone(), width_px).grows(share).slot(slot)
        }));
        if self.analysed {
            columns.push(Column::new("Sentiment", 116).slot(Slot::Mark));
        }
        if self.origin.0 {
            columns.push(Column::new("Source", 104));
        }
        if self.origin.1 {
            columns.push(Column::new("Country", 80));
        }
        columns
    }

    fn cells(&self, row: &Submission) -> Vec<AnyView> {
        let metadata = &row.metadata;
        let mut cells = vec![when(row)];
        cells.extend(self.fields.iter().map(|(field, _)| text(&answers::cell(row, field))));
        if self.analysed {
            let label = row.ai_insights.as_ref().and_then(|insight| insight.sentiment.clone());
            cells.push(match label {
                Some(label) => view! { <Sentiment label /> }.into_any(),
                None => text(""),
            });
        }
        if self.origin.0 {
            cells.push(text(metadata.utm_source.as_deref().unwrap_or_default()));
        }
        if self.origin.1 {
            cells.push(match metadata.ip_country.clone() {
                Some(code) => {
                    let name = names::country(&code);
                    view! { <span title=name>{code}</span> }.into_any()
                }
                None => text(""),
            });
        }
        cells
    }
}

/// Returns whether the first rows say which source they came from, and which country.
fn origin(list: List) -> (bool, bool) {
    let seen = list.with_rows(|rows| {
        rows.take(ROWS_READ_MAX).fold((false, false), |(source, country), row| {
            let Metadata { utm_source, ip_country, .. } = &row.metadata;
            (source || utm_source.is_some(), country || ip_country.is_some())
        })
    });
    seen.unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of four-digit years fit in 2^53")]
fn when(row: &Submission) -> AnyView {
    view! { <RelativeTime at_ms=row.metadata.submitted_at.millis() as f64 /> }.into_any()
}

fn text(text: &str) -> AnyView {
    if text.is_empty() {
        view! { <span class="missing">"—"</span> }.into_any()
    } else {
        text.to_owned().into_any()
    }
}

/// The list of a page, in whichever state it is.
#[component]
pub fn SubmissionTable(
    /// The list.
    list: List,
    /// The form, once known.
    #[prop(into)]
    form: Signal<Option<Form>>,
    /// The form's fields, in order.
    #[prop(into)]
    fields: Signal<Vec<Field>>,
    /// Whether the list is filtered.
    #[prop(into)]
    filtered: Signal<bool>,
    /// The row whose card is open.
    #[prop(into)]
    selected: Signal<Option<usize>>,
    /// Takes the row to open.
    #[prop(into)]
    on_open: Callback<usize>,
    /// Takes all filters off.
    #[prop(into)]
    on_clear: Callback<()>,
) -> impl IntoView {
    let state = Memo::new(move |_| {
        let error = list.error().get();
        match (list.count().get(), list.phase().get(), error) {
            (1.., _, _) => State::Rows,
            (0, Phase::Failed, Some(error)) => State::Failed(error),
            (0, Phase::Idle, _) if list.has_ended() => State::Nothing,
            (0, _, _) => State::Loading,
        }
    });
    let retry = Callback::new(move |()| list.retry());
    move || match state.get() {
        State::Rows => view! { <Rows list form fields selected on_open retry /> }.into_any(),
        State::Loading => view! { <SkeletonRows label="Loading submissions" /> }.into_any(),
        State::Failed(error) if error.status() == Some(404) => {
            let text = "It may have been deleted, or the link is mistyped.";
            view! { <Empty icon=Glyph::Form title="This form does not exist" text /> }.into_any()
        }
        State::Failed(error) => {
            view! { <Failure error what="The list" on_retry=retry /> }.into_any()
        }
        State::Nothing if filtered.get() => view! {
            <Empty
                icon=Glyph::Filter
                title="No submissions match"
                text="Search looks for the exact text, and UTM values must match letter by letter."
            >
                <Button on_click=move |_| on_clear.run(())>"Clear filters"</Button>
            </Empty>
        }
        .into_any(),
        State::Nothing => view! { <NoneYet form /> }.into_any(),
    }
}

/// What is to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Loading,
    Rows,
    Nothing,
    Failed(ApiError),
}

#[component]
fn Rows(
    list: List,
    form: Signal<Option<Form>>,
    fields: Signal<Vec<Field>>,
    selected: Signal<Option<usize>>,
    on_open: Callback<usize>,
    retry: Callback<()>,
) -> impl IntoView {
    // What a form has told once stays: a search that finds none of it must not move the columns.
    let layout = Memo::new(move |before: Option<&Layout>| {
        let form = form.get();
        let same = before.filter(|one| one.form.as_ref() == form.as_ref().map(|form| &form.id));
        let (then, now) = (same.map(|one| one.origin).unwrap_or_default(), origin(list));
        fields.with(|fields| Layout::of(form.as_ref(), fields, (then.0 || now.0, then.1 || now.1)))
    });
    let columns = Signal::derive(move || layout.with(Layout::columns));
    let row = move |index: usize| {
        let row: Option<Arc<Submission>> = untrack(|| list.row(index));
        layout.with(|layout| row.map(|row| layout.cells(&row)).unwrap_or_default())
    };
    let busy = Signal::derive(move || list.phase().get() == Phase::Loading);
    view! {
        {move || {
            // Other columns, another table: rows that are drawn keep the cells that they have.
            layout.with(|_| ());
            view! {
                <Table
                    label="Submissions"
                    columns
                    count=list.count()
                    total=list.total()
                    key=move |index| list.key(index)
                    name=move |index| untrack(|| list.row(index)).map(|row| row.id.to_string())
                    row
                    busy
                    selected
                    on_near_end=move |()| list.more()
                    on_open
                    handle=list.table
                />
            }
        }}
        {move || {
            let stale = list.is_stale();
            list.error().get().map(|error| view! { <Interrupted error stale retry /> })
        }}
    }
}

/// A later page did not come, or the first of another filter: the rows stay, and the foot of the
/// list says why.
#[component]
fn Interrupted(error: ApiError, stale: bool, retry: Callback<()>) -> impl IntoView {
    let (tone, text, act) = if let ApiError::Status { status: 429, retry_after_s, .. } = error {
        let wait = view! { <Wait retry_after_s on_end=retry /> }.into_any();
        (Tone::Info, "Too many requests for now".to_owned(), wait)
    } else {
        let press = move |_| retry.run(());
        let again = view! {
            <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=press>
                "Retry"
            </Button>
        };
        let what = if stale {
            "What you filter by could not be loaded; these are the submissions from before."
        } else {
            "More could not be loaded."
        };
        let text = format!("{what} {}", explain(&error));
        (Tone::Negative, text, again.into_any())
    };
    view! {
        <div class="list-foot">
            <Notice tone>
                <p>{text}</p>
                {act}
            </Notice>
        </div>
    }
}

/// What leads to a first submission.
const FIRST: &str = "They show here as soon as the first one arrives. Answers that you have \
                     already can be imported, where Sheaf runs.";

/// The form has no submission: how to get the first.
#[component]
fn NoneYet(form: Signal<Option<Form>>) -> impl IntoView {
    let command = move || {
        let id = form.get().map_or_else(|| "FORM".to_owned(), |form| form.id.to_string());
        format!("sheaf import --form {id} --csv answers.csv")
    };
    view! {
        <Empty
            icon=Glyph::Form
            title="No submissions yet"
            text=FIRST
        >
            <CodeBlock text=Signal::derive(command) label="Copy command" />
        </Empty>
    }
}
