//! How much of the day's analysis an account has used.

use contract::insight::{InsightUsage, Spent};
use leptos::prelude::*;

use super::{Asked, ask};
use crate::{
    api,
    page::{Failure, number},
    shared::calendar::millis_of,
    stores::session::SessionStore,
    ui::{skeleton::SkeletonLines, time::RelativeTime},
};

/// The section.
#[component]
pub fn Usage(
    /// What a session that is over is told to.
    session: SessionStore,
) -> impl IntoView {
    let usage = RwSignal::new(Asked::Loading);
    let load = move || ask(usage, session, api::insight_usage());
    load();
    let body = move || match usage.get() {
        Asked::Loading => view! { <SkeletonLines label="Loading the usage" /> }.into_any(),
        Asked::Failed(error) => {
            let retry = move |()| {
                usage.set(Asked::Loading);
                load();
            };
            view! { <Failure error what="The usage" on_retry=retry /> }.into_any()
        }
        Asked::Loaded(usage) => view! { <Figures usage /> }.into_any(),
    };
    view! {
        <section>
            <h2 class="section-title">"Your account today"</h2>
            <p class="section-text">
                "The plan says how many submissions are analysed a day. What is above that waits for "
                "the next day, and nothing is lost."
            </p>
            {body}
        </section>
    }
}

#[component]
fn Figures(usage: InsightUsage) -> impl IntoView {
    let at_ms = millis_of(usage.resets_at);
    let row = |name: &'static str, spent: Spent| {
        view! {
            <tr role="row">
                <td role="cell">{name}</td>
                <td role="cell" data-align="end" data-label="Used">{number(spent.used)}</td>
                <td role="cell" data-align="end" data-label="Limit">{number(spent.limit)}</td>
                <td role="cell" data-align="end" data-label="Waiting">{number(spent.pending)}</td>
            </tr>
        }
    };
    view! {
        <div class="form" data-wide="true">
            <div class="table-frame" tabindex="0" role="region" aria-label="Usage of today">
                <table class="table" role="table">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">"Environment"</th>
                            <th role="columnheader" scope="col" data-align="end">
                                "Analysed today"
                            </th>
                            <th role="columnheader" scope="col" data-align="end">
                                "Limit of the day"
                            </th>
                            <th role="columnheader" scope="col" data-align="end">
                                "Waiting"
                            </th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">
                        {row("Live", usage.live)} {row("Test", usage.test)}
                    </tbody>
                </table>
            </div>
            <p class="field-hint">"The next day begins " <RelativeTime at_ms /> " (UTC)."</p>
        </div>
    }
}
