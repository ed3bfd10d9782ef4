//! Text fields for the first and the last day of a range. A day that is still being typed does not
//! change the range.

use leptos::{html, prelude::*};

use crate::{
    domain::time::{DayRange, parse_day, write_day},
    i18n,
    ui::field::{FieldKind, TextField},
};

/// The two fields. Cheap to copy.
#[derive(Clone, Copy)]
pub struct DayFields {
    days: Signal<DayRange>,
    apply: Callback<DayRange>,
    first: NodeRef<html::Input>,
    last: NodeRef<html::Input>,
    /// Range to apply when the fields lose the focus: a typed day excludes the other one.
    pending: StoredValue<Option<DayRange>>,
}

impl DayFields {
    /// Returns the fields of a range, owned by the current reactive owner. `apply` receives the
    /// changed range.
    pub fn new(days: impl Into<Signal<DayRange>>, apply: Callback<DayRange>) -> Self {
        Self {
            days: days.into(),
            apply,
            first: NodeRef::new(),
            last: NodeRef::new(),
            pending: StoredValue::new(None),
        }
    }

    fn first_text(self) -> String {
        self.days.get().0.map(write_day).unwrap_or_default()
    }

    fn last_text(self) -> String {
        self.days.get().1.map(write_day).unwrap_or_default()
    }

    /// The two fields. Their container must call [`Self::on_focusout`].
    pub fn fields(self) -> impl IntoView {
        let texts = i18n::dates();
        view! {
            <TextField
                label=texts.first_day
                kind=FieldKind::Date
                value=Signal::derive(move || self.first_text())
                on_input=move |typed: String| self.set_first(&typed)
                node_ref=self.first
            />
            <TextField
                label=texts.last_day
                kind=FieldKind::Date
                value=Signal::derive(move || self.last_text())
                on_input=move |typed: String| self.set_last(&typed)
                node_ref=self.last
            />
        }
    }

    fn set_first(self, typed: &str) {
        let (_, last) = self.days.get_untracked();
        let first = parse_day(typed);
        let is_complete = first.is_some() || is_cleared(self.first, typed);
        self.set_range(is_complete, (first, last), (first, None));
    }

    fn set_last(self, typed: &str) {
        let (first, _) = self.days.get_untracked();
        let last = parse_day(typed);
        let is_complete = last.is_some() || is_cleared(self.last, typed);
        self.set_range(is_complete, (first, last), (None, last));
    }

    /// Applies a range if the typed day is complete and the days are in order. If only the order is
    /// wrong, `other` is applied when the fields lose the focus: the user may still be typing, such
    /// as the first digit of month 12.
    fn set_range(self, is_complete: bool, range: DayRange, other: DayRange) {
        let is_ordered = range.0.is_none_or(|first| range.1.is_none_or(|last| first <= last));
        self.pending.set_value((is_complete && !is_ordered).then_some(other));
        if is_complete && is_ordered {
            self.apply.run(range);
        }
    }

    /// Applies a pending range. Without one, the fields show the applied days again, in place of an
    /// incomplete one.
    pub fn on_focusout(self) {
        if let Some(range) = self.pending.try_update_value(Option::take).flatten() {
            self.apply.run(range);
            return;
        }
        // The browser also reports the removal of a focused field, whose signals are gone.
        if self.pending.is_disposed() {
            return;
        }
        untrack(|| {
            for (input, text) in [(self.first, self.first_text()), (self.last, self.last_text())] {
                if let Some(input) = input.get() {
                    input.set_value(&text);
                }
            }
        });
    }
}

/// Returns whether the user cleared a field. The text of an incomplete day is empty too, but the
/// field is invalid then.
fn is_cleared(input: NodeRef<html::Input>, typed: &str) -> bool {
    let input = input.get_untracked();
    typed.is_empty() && input.is_some_and(|input| input.check_validity())
}
