//! The filter of the audit log: a kind of entry, and the first and last day.

use chrono::NaiveDate;
use leptos::prelude::*;

use super::ActivityLog;
use crate::{
    domain::{
        activity::{ActivityFilter, ActivityKind},
        time::{parse_day, write_day},
    },
    i18n,
    ui::field::{Choice, FieldKind, SelectField, TextField},
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
        let look = log.filter.get_untracked();
        log.on_filter.run(ActivityFilter { kind: ActivityKind::from_name(&name), ..look });
    };
    let text = |day: Option<NaiveDate>| day.map(write_day).unwrap_or_default();
    let first = Signal::derive(move || text(log.filter.get().days.0));
    let last = Signal::derive(move || text(log.filter.get().days.1));
    // A date input has an empty value while the date is incomplete, the same as when it is cleared.
    let set_first = move |typed: String| {
        let day = parse_day(&typed);
        if day.is_some() || typed.is_empty() {
            let ActivityFilter { kind, days: (_, last) } = log.filter.get_untracked();
            let last = last.filter(|last| day.is_none_or(|day| day <= *last));
            log.on_filter.run(ActivityFilter { kind, days: (day, last) });
        }
    };
    let set_last = move |typed: String| {
        let day = parse_day(&typed);
        if day.is_some() || typed.is_empty() {
            let ActivityFilter { kind, days: (first, _) } = log.filter.get_untracked();
            let first = first.filter(|first| day.is_none_or(|day| *first <= day));
            log.on_filter.run(ActivityFilter { kind, days: (first, day) });
        }
    };
    let dates = i18n::dates();
    view! {
        <div class="looking" role="group" aria-label=texts.look>
            <SelectField label=texts.kind value=kind choices=kinds on_change=choose />
            <TextField label=dates.first_day kind=FieldKind::Date value=first on_input=set_first />
            <TextField label=dates.last_day kind=FieldKind::Date value=last on_input=set_last />
        </div>
    }
}
