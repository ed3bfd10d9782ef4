//! Grey shapes at the true size of what is loading, so that nothing jumps when it arrives.
//! Their style keeps them unseen for 150 ms: a quick answer never flashes them.

use leptos::prelude::*;

/// As many rows as will fill the view, at the height of a table's row.
#[component]
pub fn SkeletonRows(
    /// How many rows.
    #[prop(default = 24)]
    rows: usize,
    /// What is loading, for assistive technology.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" aria-label=label>
            {(0..rows)
                .map(|_| {
                    view! {
                        <div class="skeleton-row">
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                        </div>
                    }
                })
                .collect_view()}
        </div>
    }
}

/// Pairs of a short and a long line, as a definition list has them.
#[component]
pub fn SkeletonLines(
    /// How many pairs.
    #[prop(default = 6)]
    lines: usize,
    /// What is loading, for assistive technology.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" aria-label=label>
            {(0..lines)
                .map(|_| {
                    view! {
                        <div class="skeleton-pair">
                            <span class="skeleton-bar"></span>
                            <span class="skeleton-bar"></span>
                        </div>
                    }
                })
                .collect_view()}
        </div>
    }
}
