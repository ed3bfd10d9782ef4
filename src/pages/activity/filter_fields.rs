//! The filter of the audit log: a kind of entry, and the first and last day.

use leptos::prelude::*;

use super::ActivityLog;
use crate::{
    components::day_fields::DayFields,
    domain::activity::{ActivityFilter, ActivityKind},
    i18n,
    ui::field::{Choice, SelectField},
};

/// The fields of the filter.
#[component]
pub fn FilterFields(
    /// The audit log to filter.
    log: ActivityLog,
) -> impl IntoView {
    let texts = i18n::activity();
    let kinds: Vec<Choice> =
        ActivityKind::ALL.into_iter().map(|kind| Choice::new(kind.name(), kind.label())).collect();
    let kind = Signal::derive(move || log.filter.get().kind.name().to_owned());
    let choose = move |name: String| {
        let kind = ActivityKind::from_name(&name);
        log.on_filter.run(ActivityFilter { kind, ..log.filter.get_untracked() });
    };
    let apply = Callback::new(move |days| {
        log.on_filter.run(ActivityFilter { days, ..log.filter.get_untracked() });
    });
    let days = DayFields::new(Signal::derive(move || log.filter.get().days), apply);
    view! {
        <div
            class="activity-filter"
            role="group"
            aria-label=texts.filters
            on:focusout=move |_| days.on_focusout()
        >
            <SelectField label=texts.kind value=kind choices=kinds on_change=choose />
            {days.fields()}
        </div>
    }
}
