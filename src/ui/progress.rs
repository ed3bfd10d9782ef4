//! Signs that something is under way, with or without knowing how far.

use leptos::prelude::*;

/// A turning ring. `label` says what is awaited.
#[component]
pub fn Spinner(
    /// What is awaited, for assistive technology.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    view! { <span class="spinner" role="status" aria-label=label></span> }
}

/// A bar that fills from 0 to 1, or runs to and fro while the end is not known.
#[component]
pub fn ProgressBar(
    /// What is under way.
    #[prop(into)]
    label: Signal<String>,
    /// How much is done, from 0 to 1; `None` where that is not known.
    #[prop(into)]
    value: Signal<Option<f64>>,
) -> impl IntoView {
    let share = move || value.get().map(|share| share.clamp(0.0, 1.0));
    view! {
        <div
            class="progress"
            role="progressbar"
            aria-label=label
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || share().map(|share| format!("{:.0}", share * 100.0))
        >
            <div
                class="progress-fill"
                style:transform=move || share().map(|share| format!("scaleX({share:.4})"))
            ></div>
        </div>
    }
}
