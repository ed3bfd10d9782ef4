//! UTM panel: three fields with suggestions, applied together.

use contract::{Filter, FormId};
use leptos::{ev, prelude::*};

use super::name;
use crate::{
    components::value_suggestions::{Held, Offers},
    domain::filter::Part,
    i18n,
    ui::{
        button::{Button, ButtonVariant},
        field::PickField,
        popover::close_around,
        react,
    },
};

/// Parts that are edited as drafts and applied together.
const UTM: [Part; 3] = [Part::UtmSource, Part::UtmMedium, Part::UtmCampaign];

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
    held: Option<Held>,
) -> impl IntoView {
    let texts = i18n::utm();
    let offers = Offers::new(filter, form, held);
    let listing = RwSignal::new(String::new());
    let drafts = UTM.map(|part| {
        let draft = RwSignal::new(String::new());
        react(move || draft.set(filter.with(|one| part.text(one).to_owned())));
        draft
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let mut next = filter.get_untracked();
        for (part, draft) in UTM.iter().zip(drafts) {
            part.set_text(&mut next, draft.get_untracked().trim());
        }
        on_change.run(next);
        close_around(&event);
    };
    let field = |(part, draft): (Part, RwSignal<String>)| {
        let example = match part {
            Part::UtmSource => "google",
            Part::UtmMedium => "cpc",
            _ => texts.campaign_example,
        };
        view! {
            <PickField
                label=name(part)
                placeholder=example
                value=draft
                on_input=move |text| draft.set(text)
                length_max=200
                picks=offers.of(part)
                listing
                on_retry=move |()| offers.ask()
            />
        }
    };
    view! {
        <form class="form" on:submit=submit on:focusin=move |_| offers.ask()>
            {UTM.into_iter().zip(drafts).map(field).collect_view()}
            <p class="field-hint">{texts.hint}</p>
            <Button variant=ButtonVariant::Primary submit=true>
                {texts.apply}
            </Button>
        </form>
    }
}
