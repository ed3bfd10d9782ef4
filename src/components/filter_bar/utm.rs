//! UTM panel: three fields with suggestions, applied together.

use contract::{Filter, FormId};
use leptos::{ev, prelude::*};

use super::part_name;
use crate::{
    components::value_suggestions::{LoadedUtmValues, UTM_PARTS, ValueSuggestions},
    domain::filter::FilterPart,
    i18n,
    ui::{
        button::{Button, ButtonVariant},
        field::PickField,
        popover::close_containing_popover,
        run_effect,
    },
};

/// UTM panel.
#[component]
pub fn UtmForm(
    /// Filter with the UTM values to edit.
    filter: Signal<Filter>,
    /// Receives the new filter.
    on_change: Callback<Filter>,
    /// Form, for suggestions.
    form: Signal<Option<FormId>>,
    /// Returns the values of the loaded rows, on pages with a list.
    loaded_values: Option<LoadedUtmValues>,
) -> impl IntoView {
    let texts = i18n::utm();
    let offers = ValueSuggestions::new(filter, form, loaded_values);
    let listing = RwSignal::new(String::new());
    let drafts = UTM_PARTS.map(|part| {
        let draft = RwSignal::new(String::new());
        run_effect(move || draft.set(filter.with(|one| part.text(one).to_owned())));
        draft
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let mut next = filter.get_untracked();
        for (part, draft) in UTM_PARTS.iter().zip(drafts) {
            part.set_text(&mut next, draft.get_untracked().trim());
        }
        on_change.run(next);
        close_containing_popover(&event);
    };
    let field = |(part, draft): (FilterPart, RwSignal<String>)| {
        let example = match part {
            FilterPart::UtmSource => "google",
            FilterPart::UtmMedium => "cpc",
            _ => texts.campaign_example,
        };
        view! {
            <PickField
                label=part_name(part)
                placeholder=example
                value=draft
                on_input=move |text| draft.set(text)
                length_max=200
                picks=offers.for_part(part)
                listing
                on_retry=move |()| offers.load_values()
                starts_open=part == FilterPart::UtmSource
            />
        }
    };
    // The list of the first field is open from the start.
    offers.load_values();
    view! {
        <form
            class="form"
            on:submit=submit
            // The panel stays built while it is closed. After another filter, the values are loaded
            // again as soon as the user enters it.
            on:focusin=move |_| offers.load_values()
            on:pointerenter=move |_| offers.load_values()
        >
            {UTM_PARTS.into_iter().zip(drafts).map(field).collect_view()}
            <p class="field-hint">{texts.hint}</p>
            <Button variant=ButtonVariant::Primary submit=true>
                {texts.apply}
            </Button>
        </form>
    }
}
