//! Counts in their order as columns that stand, each stacked of its parts, on an axis. All together
//! are one stop of the Tab key; arrows lead from one to the next. A column that stays while figures
//! change keeps its element, and the focus with it.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::{
    super::{badge::Tone, focus},
    axis::{ceiling, share},
    own,
};

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// What tells it from the others, whatever its figures are.
    pub key: String,
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
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// Writes a count as people read it.
    number: fn(u64) -> String,
    /// Takes which was pressed.
    #[prop(into)]
    on_press: Callback<usize>,
) -> impl IntoView {
    let top = Memo::new(move |_| {
        ceiling(columns.with(|all| all.iter().map(Column::total).max().unwrap_or_default()))
    });
    let (active, frame) = (RwSignal::new(String::new()), NodeRef::<html::Div>::new());
    let last = move |all: &[Column]| all.len().saturating_sub(1);
    // Where the active one went, the one that came into its place.
    let stop = Memo::new(move |before: Option<&usize>| {
        columns.with(|all| {
            let at = active.with(|active| all.iter().position(|one| one.key == *active));
            at.unwrap_or_else(|| before.copied().unwrap_or_default().min(last(all)))
        })
    });
    let lead = move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => stop.get_untracked().saturating_sub(1),
            "ArrowRight" => (stop.get_untracked() + 1).min(columns.with_untracked(|it| last(it))),
            "Home" => 0,
            "End" => columns.with_untracked(|it| last(it)),
            _ => return,
        };
        event.prevent_default();
        let child = frame
            .get_untracked()
            .and_then(|frame| frame.children().item(u32::try_from(to).unwrap_or_default()));
        child.iter().for_each(focus);
    };
    let one = move |at: ReadSignal<usize>, column: Column| {
        let key = column.key.clone();
        let own = own(columns, column, |one, first| one.key == first.key);
        view! {
            <button
                class="column"
                type="button"
                title=move || own.with(|column| column.text.clone())
                tabindex=move || if stop.get() == at.get() { "0" } else { "-1" }
                on:focus=move |_| active.set(key.clone())
                on:click=move |_| on_press.run(at.get_untracked())
            >
                <svg viewBox="0 0 10 10000" preserveAspectRatio="none" aria-hidden="true">
                    {move || own.with(|column| stack(&column.parts, top.get()))}
                </svg>
            </button>
        }
    };
    let label = |label: String| view! { <span>{label}</span> };
    view! {
        <div class="column-chart">
            <div class="columns-axis" aria-hidden="true">
                <span>{move || number(top.get())}</span>
                <span>{move || number(top.get() / 2)}</span>
                <span>{number(0)}</span>
            </div>
            <div class="columns-plot" role="group" node_ref=frame on:keydown=lead>
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

/// Which columns the axis names: the first, the last and one in between, as far as there are such.
fn labels(columns: &[Column]) -> Vec<String> {
    let mut places = vec![0, columns.len() / 2, columns.len().saturating_sub(1)];
    places.dedup();
    places.iter().filter_map(|at| columns.get(*at)).map(|it| it.label.clone()).collect()
}

/// Draws the parts of a column one on the other, in hundredths of a percent of the axis.
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
