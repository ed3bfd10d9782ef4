//! Charts for eyes, keyboard and screen readers: each has an equivalent table. They draw given
//! numbers and texts and calculate no statistics.

pub mod bars;
pub mod columns;
pub mod legend;
pub mod readout;
pub mod saved_focus;

use leptos::prelude::*;

use super::{
    button::{Button, ButtonSize, ButtonVariant},
    unique_id,
};
use crate::i18n;
use readout::Readout;

/// Table equivalent of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartTable {
    /// Column headers; the first column names the rows.
    pub heads: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// Returns the current version of the item in `items` that matches `first` by `is`. If the item is
/// missing, returns its last version, initially `first`.
pub fn track_item<T: Clone + PartialEq + Send + Sync + 'static>(
    items: Signal<Vec<T>>,
    first: T,
    is: impl Fn(&T, &T) -> bool + Send + Sync + 'static,
) -> Memo<T> {
    Memo::new(move |before: Option<&T>| {
        let now = items.with(|items| items.iter().find(|item| is(item, &first)).cloned());
        now.or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
    })
}

/// Chart with a title and a button that shows it as a table. The selected display remains when the
/// data changes.
#[component]
pub fn Plot(
    /// Title.
    #[prop(into)]
    title: Signal<String>,
    /// Note on how to read the chart; may be empty.
    #[prop(into, optional)]
    note: Signal<String>,
    /// Whether it takes the full width.
    #[prop(optional)]
    wide: bool,
    /// Table equivalent.
    #[prop(into)]
    table: Signal<ChartTable>,
    /// Readout of the chart.
    readout: Readout,
    /// Chart.
    children: ChildrenFn,
) -> impl IntoView {
    let as_table = RwSignal::new(false);
    let id = unique_id("plot");
    let own_id = id.clone();
    let texts = i18n::plots();
    let toggle = move |_| {
        readout.set_hovered(None);
        as_table.update(|is_table| *is_table = !*is_table);
    };
    let label = move || if as_table.get() { texts.show_plot } else { texts.show_table };
    view! {
        <section class="plot" aria-labelledby=id data-wide=wide.then_some("true")>
            <header class="plot-header">
                <h2 class="plot-title" id=own_id tabindex="-1">
                    {title}
                </h2>
                <Button
                    variant=ButtonVariant::Ghost
                    size=ButtonSize::Small
                    on_click=toggle
                >
                    {label}
                    <span class="visually-hidden">": "{title}</span>
                </Button>
                <p class="plot-readout" aria-hidden="true">
                    {move || readout.text()}
                </p>
            </header>
            {move || {
                let plot = (!as_table.get()).then(|| children());
                plot.unwrap_or_else(|| table_view(table).into_any())
            }}
            {move || {
                let note = note.get();
                (!note.is_empty()).then(|| view! { <p class="plot-note">{note}</p> })
            }}
        </section>
    }
}

fn table_view(grid: Signal<ChartTable>) -> impl IntoView {
    let head = |text: String| view! { <th scope="col">{text}</th> };
    let row = |cells: Vec<String>| {
        let mut cells = cells.into_iter();
        let name = cells.next();
        view! {
            <tr>
                <th scope="row">{name}</th>
                {cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}
            </tr>
        }
    };
    let heads = move || grid.get().heads.into_iter().map(head).collect_view();
    let rows = move || grid.get().rows.into_iter().map(row).collect_view();
    view! {
        <div class="plot-table" tabindex="0">
            <table>
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
