//! Stacked column chart of ordered counts. All columns are one tab stop; arrow keys move between
//! them. A column that remains when the data changes retains its element and the focus.

mod row;

use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};

use super::{super::badge::Tone, legend::Legend, own, said::Said};
use crate::ui::calc::axis::{ceiling, share};
use row::Row;

/// Column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Key that identifies the column when the data changes.
    pub key: String,
    /// Label on the axis.
    pub label: String,
    /// Full description.
    pub text: String,
    /// Stacked parts from the bottom; `None` is the default colour.
    pub parts: Vec<(Option<Tone>, u64)>,
}

impl Column {
    fn total(&self) -> u64 {
        self.parts.iter().map(|(_, count)| count).sum()
    }
}

/// Column chart.
#[component]
pub fn Columns(
    /// Columns in order.
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// Legend; empty if there is a single fill.
    #[prop(into, optional)]
    fills: Signal<Vec<(Tone, String)>>,
    /// Formats a count.
    number: fn(u64) -> String,
    /// Receives the index of the pressed column.
    #[prop(into)]
    on_press: Callback<usize>,
    /// Readout of the chart.
    said: Said,
) -> impl IntoView {
    let top = Memo::new(move |_| {
        ceiling(columns.with(|all| all.iter().map(Column::total).max().unwrap_or_default()))
    });
    let row = Row::new(columns, said);
    let frame = row.frame;
    let lead = move |event: KeyboardEvent| row.lead(&event);
    let one = move |at: ReadSignal<usize>, column: Column| {
        let own = own(columns, column, |one, first| one.key == first.key);
        column_view(at, own, top, row, on_press)
    };
    let label = |label: String| view! { <span>{label}</span> };
    view! {
        <Legend fills />
        <div class="column-chart">
            <div class="columns-axis" aria-hidden="true">
                <span>{move || number(top.get())}</span>
                <span>{move || number(top.get() / 2)}</span>
                <span>{number(0)}</span>
            </div>
            <div
                class="columns-plot"
                role="group"
                node_ref=frame
                on:keydown=lead
                on:pointerdown=move |event| row.touched(&event)
                on:pointermove=move |event| row.moved(&event)
                on:mousedown=move |event| row.keep(&event)
            >
                <ForEnumerate
                    each=move || columns.get()
                    key=|column| column.key.clone()
                    children=one
                />
            </div>
            <div class="columns-labels" aria-hidden="true">
                {move || columns.with(|all| labels(all)).into_iter().map(label).collect_view()}
            </div>
        </div>
    }
}

fn column_view(
    at: ReadSignal<usize>,
    column: Memo<Column>,
    top: Memo<u64>,
    row: Row,
    on_press: Callback<usize>,
) -> impl IntoView {
    let says = Signal::derive(move || column.with(|column| column.text.clone()));
    let said = row.said;
    let enter = move |event: PointerEvent| {
        if event.pointer_type() != "touch" {
            said.hover(Some(says));
        }
    };
    let press = move |_| {
        if let Some(at) = row.pressed(at.get_untracked()) {
            on_press.run(at);
        }
    };
    view! {
        <button
            class="column"
            type="button"
            title=says
            tabindex=move || if row.stop.get() == at.get() { "0" } else { "-1" }
            on:focus=move |_| row.focused(column.with_untracked(|it| it.key.clone()), says)
            on:blur=move |_| said.focus(None)
            on:pointerenter=enter
            on:pointerleave=move |_| said.hover(None)
            on:click=press
        >
            <svg viewBox="0 0 10 10000" preserveAspectRatio="none" aria-hidden="true">
                {move || column.with(|column| stack(&column.parts, top.get()))}
            </svg>
        </button>
    }
}

/// Returns the axis labels: those of the first, the middle and the last column.
fn labels(columns: &[Column]) -> Vec<String> {
    let mut places = vec![0, columns.len() / 2, columns.len().saturating_sub(1)];
    places.dedup();
    places.iter().filter_map(|at| columns.get(*at)).map(|it| it.label.clone()).collect()
}

/// Draws the stacked parts of a column, in hundredths of a percent of the axis.
fn stack(parts: &[(Option<Tone>, u64)], top: u64) -> impl IntoView + use<> {
    let mut floor = 10_000;
    let part = |(tone, count): &(Option<Tone>, u64)| {
        let height = share(*count, top);
        floor -= height.min(floor);
        view! {
            <rect
                width="10"
                y=floor.to_string()
                height=height.to_string()
                data-tone=tone.map(Tone::name)
            />
        }
    };
    parts.iter().map(part).collect::<Vec<_>>()
}
