//! The account's usage of the daily analysis limit.

use contract::insight::{InsightQuota, InsightUsage};
use leptos::prelude::*;

use crate::{
    api::{self, Remote},
    components::{
        calendar::millis_of,
        remote::{load, remote_view},
    },
    i18n::{self, number},
    state::session::SessionStore,
    ui::time::RelativeTime,
};

/// The section.
#[component]
pub fn UsageSection(
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_usage();
    let usage = RwSignal::new(Remote::Loading);
    let load = move || load(usage, session, api::get_insight_usage());
    load();
    let body = remote_view(usage, (texts.loading, texts.what), load, |usage| {
        view! { <UsageTable usage /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            {body}
        </section>
    }
}

#[component]
fn UsageTable(usage: InsightUsage) -> impl IntoView {
    let texts = i18n::form_usage();
    let common = i18n::common();
    let at_ms = millis_of(usage.resets_at);
    let (before, behind) = i18n::split_at_placeholder(texts.next_day);
    let row = |name: &'static str, spent: InsightQuota| {
        let cell = |label: &'static str, count: u64| {
            view! {
                <td role="cell" data-align="end" data-label=label>
                    {number(count)}
                </td>
            }
        };
        view! {
            <tr role="row">
                <td role="cell">{name}</td>
                {cell(texts.used, spent.used)}
                {cell(texts.limit, spent.limit)}
                {cell(texts.waiting, spent.pending)}
            </tr>
        }
    };
    view! {
        <div class="form" data-wide="true">
            <div class="table-frame" tabindex="0" role="region" aria-label=texts.label>
                <table class="table" role="table">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">{common.environment}</th>
                            <th role="columnheader" scope="col" data-align="end">
                                {texts.used_today}
                            </th>
                            <th role="columnheader" scope="col" data-align="end">
                                {texts.limit_today}
                            </th>
                            <th role="columnheader" scope="col" data-align="end">
                                {texts.waiting}
                            </th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">
                        {row(common.live, usage.live)} {row(common.test, usage.test)}
                    </tbody>
                </table>
            </div>
            <p class="field-hint">{before} <RelativeTime at_ms /> {behind}</p>
        </div>
    }
}
