//! Plots that can be read, heard and pressed: every one has a table behind it. They draw numbers
//! and words that they are told, and count nothing themselves.

pub mod axis;
pub mod bars;
pub mod columns;

use leptos::prelude::*;

use super::{
    button::{Button, ButtonSize, ButtonVariant},
    unique_id,
};
use crate::texts;

/// What a table shows behind a plot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The heads of its columns; the first one names the rows.
    pub heads: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// A titled plot, and the button that shows it as a table.
#[component]
pub fn Plot(
    /// What is plotted.
    #[prop(into)]
    title: String,
    /// What must be known to read it; empty for nothing.
    #[prop(into, optional)]
    note: String,
    /// Whether it takes the whole width.
    #[prop(optional)]
    wide: bool,
    /// The same as a table.
    table: Grid,
    /// The plot.
    children: ChildrenFn,
) -> impl IntoView {
    let (as_table, id) = (RwSignal::new(false), unique_id("plot"));
    let own_id = id.clone();
    let table = StoredValue::new(table);
    let name = title.clone();
    let texts = texts::plots();
    let label = move || if as_table.get() { texts.show_plot } else { texts.show_table };
    view! {
        <section class="plot" aria-labelledby=id.clone() data-wide=wide.then_some("true")>
            <header class="plot-header">
                <h2 class="plot-title" id=own_id>
                    {title}
                </h2>
                <Button
                    variant=ButtonVariant::Ghost
                    size=ButtonSize::Small
                    on_click=move |_| as_table.update(|it| *it = !*it)
                >
                    {label}
                    <span class="visually-hidden">": "{name}</span>
                </Button>
            </header>
            {move || {
                let plot = (!as_table.get()).then(|| children());
                plot.unwrap_or_else(|| table.with_value(grid_view).into_any())
            }}
            {(!note.is_empty()).then(|| view! { <p class="plot-note">{note}</p> })}
        </section>
    }
}

fn grid_view(grid: &Grid) -> impl IntoView + use<> {
    let head = |text: &String| view! { <th scope="col">{text.clone()}</th> };
    let row = |cells: &Vec<String>| {
        let mut cells = cells.iter().cloned();
        let name = cells.next();
        view! {
            <tr>
                <th scope="row">{name}</th>
                {cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}
            </tr>
        }
    };
    view! {
        <div class="plot-table" tabindex="0">
            <table>
                <thead>
                    <tr>{grid.heads.iter().map(head).collect_view()}</tr>
                </thead>
                <tbody>{grid.rows.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
