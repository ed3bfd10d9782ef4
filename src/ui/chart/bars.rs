//! Named values as bars that lie, the longest as long as there is room. One that leads somewhere is
//! a button.

use leptos::prelude::*;

use super::{super::badge::Tone, axis::share};

/// A bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    /// What is counted.
    pub label: String,
    /// How long it is, beside the others.
    pub count: u64,
    /// The count as people read it.
    pub text: String,
    /// Its colour.
    pub tone: Option<Tone>,
    /// What a press does, in words; empty where it does nothing.
    pub act: String,
}

/// The bars.
#[component]
pub fn Bars(
    /// In order.
    bars: Vec<Bar>,
    /// Takes which was pressed.
    #[prop(into)]
    on_press: Callback<usize>,
) -> impl IntoView {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
    let row = |(at, bar): (usize, Bar)| {
        let Bar { label, count, text, tone, act } = bar;
        // What there is of is seen, however little it is.
        let width = share(count, most).max(u64::from(count > 0) * 60);
        let inside = view! {
            <span class="bar-label" title=label.clone()>
                {label.clone()}
            </span>
            <svg
                class="bar-plot"
                viewBox="0 0 10000 1"
                preserveAspectRatio="none"
                aria-hidden="true"
                data-tone=tone.map(Tone::name)
            >
                <rect width=width.to_string() height="1" />
            </svg>
            <span class="bar-count">{text}</span>
        };
        if act.is_empty() {
            view! {
                <li>
                    <div class="bar">{inside}</div>
                </li>
            }
            .into_any()
        } else {
            view! {
                <li>
                    <button class="bar" type="button" title=act on:click=move |_| on_press.run(at)>
                        {inside}
                    </button>
                </li>
            }
            .into_any()
        }
    };
    view! { <ul class="bars">{bars.into_iter().enumerate().map(row).collect_view()}</ul> }
}
