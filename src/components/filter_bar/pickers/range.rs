//! Picker of a range of numbers: a field for the minimum and one for the maximum.

use std::time::Duration;

use contract::filter::{Number, NumberRange};
use leptos::prelude::*;

use crate::{
    components::filter_bar::panel::FilterPanelContext,
    domain::filter::FilterPart,
    i18n::{self, normalise_decimal, write_decimal},
    ui::{
        debounce::Debounce,
        field::{FieldKind, TextField},
        run_effect,
    },
};

/// Pause after which a typed number is applied. It is likely to be complete then.
const TYPING_PAUSE: Duration = Duration::from_millis(400);
/// Maximum length of a typed number, in characters.
const NUMBER_CHARS_MAX: u32 = 20;

/// Typed bounds of a range, before they become part of the filter. Cheap to copy.
#[derive(Clone, Copy)]
struct TypedRange {
    context: FilterPanelContext,
    part: FilterPart,
    /// Minimum and maximum, as typed.
    texts: [RwSignal<String>; 2],
    errors: [RwSignal<Option<String>>; 2],
}

impl TypedRange {
    /// Shows the range of the filter. A text that means the same number stays as it was typed.
    fn follow_filter(self) {
        run_effect(move || {
            let range = self.context.filter.with(|filter| self.part.range(filter));
            let range = range.unwrap_or_default();
            for (text, bound) in self.texts.into_iter().zip([range.min, range.max]) {
                if text.with_untracked(|text| parse_number(text)) != Ok(bound) {
                    text.set(bound.map(write_number).unwrap_or_default());
                }
            }
            for error in self.errors {
                error.set(None);
            }
        });
    }

    /// Applies the typed range, or shows an error.
    fn apply(self) {
        let Some(texts) = self.texts[0].try_get_untracked().zip(self.texts[1].try_get_untracked())
        else {
            return;
        };
        let bounds = [parse_number(&texts.0), parse_number(&texts.1)];
        let wording = i18n::filter_panel();
        for (error, bound) in self.errors.into_iter().zip(bounds) {
            error.set(bound.is_err().then(|| wording.not_a_number.to_owned()));
        }
        let [Ok(min), Ok(max)] = bounds else { return };
        if min.zip(max).is_some_and(|(min, max)| min.value() > max.value()) {
            self.errors[1].set(Some(wording.not_in_order.to_owned()));
            return;
        }
        let before = self.context.filter.get_untracked();
        let mut filter = before.clone();
        self.part.set_range(&mut filter, NumberRange { min, max });
        if filter != before {
            self.context.on_change.run(filter);
        }
    }
}

/// Parses a typed number; `None` if the text is blank.
fn parse_number(text: &str) -> Result<Option<Number>, ()> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    Number::parse(&normalise_decimal(text)).map(Some).ok_or(())
}

fn write_number(number: Number) -> String {
    write_decimal(&number.to_string())
}

/// Returns the fields of the picker.
pub(crate) fn picker(context: FilterPanelContext, part: FilterPart) -> impl IntoView {
    let typed = TypedRange {
        context,
        part,
        texts: [RwSignal::default(), RwSignal::default()],
        errors: [RwSignal::default(), RwSignal::default()],
    };
    typed.follow_filter();
    let debounce = Debounce::new(TYPING_PAUSE);
    let texts = i18n::filter_panel();
    let field = |(index, label): (usize, &'static str)| {
        let on_input = move |text: String| {
            typed.texts[index].set(text);
            debounce.schedule(move || typed.apply());
        };
        view! {
            <TextField
                label
                value=typed.texts[index]
                on_input
                kind=FieldKind::Decimal
                error=typed.errors[index]
                length_max=NUMBER_CHARS_MAX
                autocomplete="off"
            />
        }
    };
    let hint = if part == FilterPart::Seconds { texts.in_seconds } else { texts.score_hint };
    view! {
        <div
            class="filter-range"
            // Enter and leaving a field apply it at once.
            on:change=move |_| typed.apply()
        >
            {[texts.minimum, texts.maximum].into_iter().enumerate().map(field).collect_view()}
            <p class="field-hint">{hint}</p>
        </div>
    }
}
