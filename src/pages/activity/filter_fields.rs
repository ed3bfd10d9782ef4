//! The filter of the audit log: a kind of entry, and the first and last day.

use chrono::NaiveDate;
use leptos::prelude::*;

use super::Log;
use crate::{
    domain::{
        activity::{Kind, Look},
        time::{parse_day, write_day},
    },
    i18n,
    ui::field::{Choice, FieldKind, SelectField, TextField},
};

/// The fields of the filter.
#[component]
pub fn Looking(
    /// The audit log to filter.
    log: Log,
) -> impl IntoView {
    let texts = i18n::activity();
    let kinds: Vec<Choice> =
        Kind::ALL.into_iter().map(|kind| Choice::new(kind.name(), kind.word())).collect();
    let kind = Signal::derive(move || log.look.get().kind.name().to_owned());
    let choose = move |name: String| {
        let look = log.look.get_untracked();
        log.on_look.run(Look { kind: Kind::of(&name), ..look });
    };
    let text = |day: Option<NaiveDate>| day.map(write_day).unwrap_or_default();
    let first = Signal::derive(move || text(log.look.get().days.0));
    let last = Signal::derive(move || text(log.look.get().days.1));
    // A date input has an empty value while the date is incomplete, the same as when it is cleared.
    let set_first = move |typed: String| {
        let day = parse_day(&typed);
        if day.is_some() || typed.is_empty() {
            let Look { kind, days: (_, last) } = log.look.get_untracked();
            let last = last.filter(|last| day.is_none_or(|day| day <= *last));
            log.on_look.run(Look { kind, days: (day, last) });
        }
    };
    let set_last = move |typed: String| {
        let day = parse_day(&typed);
        if day.is_some() || typed.is_empty() {
            let Look { kind, days: (first, _) } = log.look.get_untracked();
            let first = first.filter(|first| day.is_none_or(|day| *first <= day));
            log.on_look.run(Look { kind, days: (first, day) });
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
