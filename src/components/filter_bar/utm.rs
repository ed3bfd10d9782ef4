//! The panel of UTM values: three fields that offer what occurs, applied together.

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

/// The parts that are typed letter by letter and applied as a whole.
const UTM: [Part; 3] = [Part::UtmSource, Part::UtmMedium, Part::UtmCampaign];

/// The panel.
#[component]
pub fn UtmForm(
    /// The filter, whose UTM values are chosen.
    filter: Signal<Filter>,
    /// Takes the new filter.
    on_change: Callback<Filter>,
    /// The form, whose values are offered.
    form: Signal<Option<FormId>>,
    /// Tells the values of the rows that are held, where there is a list.
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
