//! Stacked column chart of ordered counts. All columns are one tab stop; arrow keys move between
//! them. A column that remains when the data changes retains its element and the focus.

mod navigation;

use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};

use super::{super::badge::StatusTone, legend::Legend, readout::Readout, track_item};
use crate::ui::calc::axis::{round_axis_end, share_in_basis_points};
use navigation::ColumnNavigation;

/// Column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartColumn {
    /// Key that identifies the column when the data changes.
    pub key: String,
    /// Label on the axis.
    pub label: String,
    /// Full description.
    pub text: String,
    /// Stacked parts from the bottom; `None` is the default colour.
    pub parts: Vec<(Option<StatusTone>, u64)>,
}

impl ChartColumn {
    fn total_count(&self) -> u64 {
        self.parts.iter().map(|(_, count)| count).sum()
    }
}

/// Column chart.
#[component]
pub fn Columns(
    /// Columns in order.
    #[prop(into)]
    columns: Signal<Vec<ChartColumn>>,
    /// Legend; empty if there is a single fill.
    #[prop(into, optional)]
    fills: Signal<Vec<(StatusTone, String)>>,
    /// Formats a count.
    number: fn(u64) -> String,
    /// Receives the index of the pressed column.
    #[prop(into)]
    on_press: Callback<usize>,
    /// Readout of the chart.
    readout: Readout,
) -> impl IntoView {
    let top = Memo::new(move |_| {
        round_axis_end(
            columns
                .with(|list| list.iter().map(ChartColumn::total_count).max().unwrap_or_default()),
        )
    });
    let row = ColumnNavigation::new(columns, readout);
    let frame = row.frame;
    let lead = move |event: KeyboardEvent| row.on_key(&event);
    let render_column = move |at: ReadSignal<usize>, column: ChartColumn| {
        let data = track_item(columns, column, |current, first| current.key == first.key);
        column_view(at, data, top, row, on_press)
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
                on:pointerdown=move |event| row.on_touch_start(&event)
                on:pointermove=move |event| row.on_touch_move(&event)
                on:mousedown=move |event| row.keep_focus(&event)
            >
                <ForEnumerate
                    each=move || columns.get()
                    key=|column| column.key.clone()
                    children=render_column
                />
            </div>
            <div class="columns-labels" aria-hidden="true">
                {move || columns.with(|all| axis_labels(all)).into_iter().map(label).collect_view()}
            </div>
        </div>
    }
}

fn column_view(
    at: ReadSignal<usize>,
    column: Memo<ChartColumn>,
    top: Memo<u64>,
    row: ColumnNavigation,
    on_press: Callback<usize>,
) -> impl IntoView {
    let description = Signal::derive(move || column.with(|column| column.text.clone()));
    let readout = row.readout;
    let enter = move |event: PointerEvent| {
        if event.pointer_type() != "touch" {
            readout.set_hovered(Some(description));
        }
    };
    let press = move |_| {
        if let Some(at) = row.pressed_column(at.get_untracked()) {
            on_press.run(at);
        }
    };
    view! {
        <button
            class="column"
            type="button"
            title=description
            tabindex=move || if row.tab_stop.get() == at.get() { "0" } else { "-1" }
            on:focus=move |_| {
                row.on_focus(column.with_untracked(|column| column.key.clone()), description);
            }
            on:blur=move |_| readout.set_focused(None)
            on:pointerenter=enter
            on:pointerleave=move |_| readout.set_hovered(None)
            on:click=press
        >
            <svg viewBox="0 0 10 10000" preserveAspectRatio="none" aria-hidden="true">
                {move || column.with(|column| stacked_rects(&column.parts, top.get()))}
            </svg>
        </button>
    }
}

/// Returns the axis labels: those of the first, the middle and the last column.
fn axis_labels(columns: &[ChartColumn]) -> Vec<String> {
    let mut indexes = vec![0, columns.len() / 2, columns.len().saturating_sub(1)];
    indexes.dedup();
    indexes.iter().filter_map(|at| columns.get(*at)).map(|column| column.label.clone()).collect()
}

/// Draws the stacked parts of a column, in hundredths of a percent of the axis.
fn stacked_rects(parts: &[(Option<StatusTone>, u64)], top: u64) -> impl IntoView + use<> {
    let mut floor = 10_000;
    let part = |(tone, count): &(Option<StatusTone>, u64)| {
        let height = share_in_basis_points(*count, top);
        floor -= height.min(floor);
        view! {
            <rect
                width="10"
                y=floor.to_string()
                height=height.to_string()
                data-tone=tone.map(StatusTone::name)
            />
        }
    };
    parts.iter().map(part).collect::<Vec<_>>()
}
