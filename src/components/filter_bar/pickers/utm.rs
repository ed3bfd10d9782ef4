//! Picker of a UTM value: a field with suggestions.

use leptos::{ev, prelude::*};

use crate::{
    components::{
        filter_bar::{panel::FilterPanelContext, part_name},
        occurring_values::OccurringValues,
    },
    domain::filter::{FilterPart, FilterProperty},
    i18n,
    ui::{
        button::{Button, ButtonVariant},
        field::PickField,
        popover::close_containing_popover,
        run_effect,
    },
};

/// Maximum length of a value, in characters.
const VALUE_CHARS_MAX: u32 = 200;

/// Returns the fields of the picker. A suggestion is applied when it is selected, a typed value
/// when the form is submitted.
pub(crate) fn picker(
    context: FilterPanelContext,
    values: OccurringValues,
    part: FilterPart,
) -> impl IntoView {
    let FilterPanelContext { filter, on_change, .. } = context;
    let texts = i18n::utm();
    values.load(Some(&FilterProperty::Part(part)));
    let draft = RwSignal::new(String::new());
    run_effect(move || draft.set(filter.with(|filter| part.text(filter).to_owned())));
    let apply = move || {
        let before = filter.get_untracked();
        let mut next = before.clone();
        part.set_text(&mut next, draft.get_untracked().trim());
        if next != before {
            on_change.run(next);
        }
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        apply();
        close_containing_popover(&event);
    };
    let example = match part {
        FilterPart::UtmSource => "google",
        FilterPart::UtmMedium => "cpc",
        _ => texts.campaign_example,
    };
    view! {
        <form class="form" on:submit=submit>
            <PickField
                label=part_name(part)
                placeholder=example
                value=draft
                on_input=move |text| draft.set(text)
                on_choose=move |()| apply()
                length_max=VALUE_CHARS_MAX
                picks=values.suggestions(FilterProperty::Part(part))
                listing=RwSignal::new(String::new())
                on_retry=move |()| values.retry(&FilterProperty::Part(part))
                starts_open=true
            />
            <p class="field-hint">{texts.hint}</p>
            <Button variant=ButtonVariant::Primary submit=true>
                {texts.apply}
            </Button>
        </form>
    }
}
