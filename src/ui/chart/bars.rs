//! Horizontal bar chart of named values, scaled to the longest bar. A bar with an action is a
//! button. A bar that remains when the data changes retains its element and the focus.

use leptos::{ev::PointerEvent, prelude::*};

use super::{super::badge::StatusTone, readout::Readout, track_item};
use crate::ui::calc::axis::share_in_basis_points;

/// Bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    /// Key that identifies the bar when the data changes.
    pub key: String,
    /// Name of the value.
    pub label: String,
    /// Count, which determines the length.
    pub count: u64,
    /// Formatted count.
    pub text: String,
    /// Colour.
    pub tone: Option<StatusTone>,
    /// Description of the action; empty if there is no action.
    pub act: String,
}

/// Bar chart.
#[component]
pub fn Bars(
    /// Bars in order.
    #[prop(into)]
    bars: Signal<Vec<Bar>>,
    /// Receives the index of the pressed bar.
    #[prop(into)]
    on_press: Callback<usize>,
    /// Readout of the chart.
    readout: Readout,
) -> impl IntoView {
    let max = Memo::new(move |_| {
        bars.with(|bars| bars.iter().map(|bar| bar.count).max().unwrap_or_default())
    });
    let row = move |at: ReadSignal<usize>, bar: Bar| {
        let is_filter = !bar.act.is_empty();
        let data = track_item(bars, bar, |current, first| current.key == first.key);
        let inside = bar_content(data, max);
        let description =
            Signal::derive(move || data.with(|bar| format!("{}: {}", bar.label, bar.text)));
        let enter = move |_| readout.set_hovered(Some(description));
        // Lifting a finger also fires this event, but the readout must remain.
        let leave = move |event: PointerEvent| {
            if event.pointer_type() != "touch" {
                readout.set_hovered(None);
            }
        };
        if is_filter {
            let press_label = move || data.with(|bar| bar.act.clone());
            let press = move |_| on_press.run(at.get_untracked());
            view! {
                <li on:pointerenter=enter on:pointerleave=leave>
                    <button
                        class="bar"
                        type="button"
                        title=press_label
                        on:click=press
                        on:focus=move |_| readout.set_focused(Some(description))
                        on:blur=move |_| readout.set_focused(None)
                    >
                        {inside}
                    </button>
                </li>
            }
            .into_any()
        } else {
            view! {
                <li on:pointerenter=enter on:pointerleave=leave>
                    <div class="bar">{inside}</div>
                </li>
            }
            .into_any()
        }
    };
    view! {
        <ul class="bars">
            <ForEnumerate each=move || bars.get() key=|bar| bar.key.clone() children=row />
        </ul>
    }
}

fn bar_content(bar: Memo<Bar>, max: Memo<u64>) -> impl IntoView {
    let label = move || bar.with(|bar| bar.label.clone());
    // A count above 0 is visible, however small.
    let width = move || {
        let count = bar.with(|bar| bar.count);
        share_in_basis_points(count, max.get()).max(u64::from(count > 0) * 60).to_string()
    };
    view! {
        <span class="bar-label" title=label>
            {label}
        </span>
        <svg
            class="bar-plot"
            viewBox="0 0 10000 1"
            preserveAspectRatio="none"
            aria-hidden="true"
            data-tone=move || bar.with(|bar| bar.tone.map(StatusTone::name))
        >
            <rect width=width height="1" />
        </svg>
        <span class="bar-count">{move || bar.with(|bar| bar.text.clone())}</span>
    }
}
