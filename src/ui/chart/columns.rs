//! Counts in their order as columns that stand, each stacked of its parts, on an axis. All together
//! are one stop of the Tab key; arrows lead from one to the next.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::{
    super::{badge::Tone, focus},
    axis::{ceiling, share},
};

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// What it is called, as the axis says it.
    pub label: String,
    /// All that it says, in words.
    pub text: String,
    /// What it is stacked of, from below; no colour is the plot's own.
    pub parts: Vec<(Option<Tone>, u64)>,
}

impl Column {
    fn total(&self) -> u64 {
        self.parts.iter().map(|(_, count)| count).sum()
    }
}

/// The columns.
#[component]
pub fn Columns(
    /// In order.
    columns: Vec<Column>,
    /// Writes a count as people read it.
    number: fn(u64) -> String,
    /// Takes which was pressed.
    #[prop(into)]
    on_press: Callback<usize>,
) -> impl IntoView {
    let top = ceiling(columns.iter().map(Column::total).max().unwrap_or_default());
    let (active, frame) = (RwSignal::new(0_usize), NodeRef::<html::Div>::new());
    let last = columns.len().saturating_sub(1);
    let labels = labels(&columns);
    let lead = move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => active.get_untracked().saturating_sub(1),
            "ArrowRight" => (active.get_untracked() + 1).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        active.set(to);
        let child = frame
            .get_untracked()
            .and_then(|frame| frame.children().item(u32::try_from(to).unwrap_or_default()));
        child.iter().for_each(focus);
    };
    let one = |(at, column): (usize, Column)| {
        let parts = stack(column.parts, top);
        view! {
            <button
                class="column"
                type="button"
                title=column.text
                tabindex=move || if active.get() == at { "0" } else { "-1" }
                on:focus=move |_| active.set(at)
                on:click=move |_| on_press.run(at)
            >
                <svg viewBox="0 0 10 10000" preserveAspectRatio="none" aria-hidden="true">
                    {parts}
                </svg>
            </button>
        }
    };
    view! {
        <div class="column-chart">
            <div class="columns-axis" aria-hidden="true">
                <span>{number(top)}</span>
                <span>{number(top / 2)}</span>
                <span>{number(0)}</span>
            </div>
            <div class="columns-plot" role="group" node_ref=frame on:keydown=lead>
                {columns.into_iter().enumerate().map(one).collect_view()}
            </div>
            <div class="columns-labels" aria-hidden="true">
                {labels.into_iter().map(|label| view! { <span>{label}</span> }).collect_view()}
            </div>
        </div>
    }
}

/// Which columns the axis names: the first, the last and one in between, as far as there are such.
fn labels(columns: &[Column]) -> Vec<String> {
    let mut places = vec![0, columns.len() / 2, columns.len().saturating_sub(1)];
    places.dedup();
    places.iter().filter_map(|at| columns.get(*at)).map(|it| it.label.clone()).collect()
}

/// Draws the parts of a column one on the other, in hundredths of a percent of the axis.
fn stack(parts: Vec<(Option<Tone>, u64)>, top: u64) -> impl IntoView + use<> {
    let mut floor = 10_000;
    let part = |(tone, count): (Option<Tone>, u64)| {
        let height = share(count, top);
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
    parts.into_iter().map(part).collect::<Vec<_>>()
}
