//! Progress bar.

use leptos::prelude::*;

/// Bar that fills from 0 to 1, or moves back and forth while the progress is unknown.
#[component]
pub fn ProgressBar(
    /// Name of the operation.
    #[prop(into)]
    label: Signal<String>,
    /// Progress from 0 to 1; `None` if unknown.
    #[prop(into)]
    value: Signal<Option<f64>>,
) -> impl IntoView {
    let fraction = move || value.get().map(|fraction| fraction.clamp(0.0, 1.0));
    view! {
        <div
            class="progress"
            role="progressbar"
            aria-label=label
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || fraction().map(|fraction| format!("{:.0}", fraction * 100.0))
        >
            <div
                class="progress-fill"
                style:transform=move || fraction().map(|fraction| format!("scaleX({fraction:.4})"))
            ></div>
        </div>
    }
}
