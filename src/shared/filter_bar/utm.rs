//! The panel of UTM values: three fields that offer what occurs, applied together.

use contract::{Filter, FormId};
use leptos::{ev, prelude::*};

use crate::{
    model::filter::Part,
    shared::offers::Offers,
    ui::{
        button::{Button, ButtonVariant},
        field::PickField,
        popover::close_around,
        react,
    },
};

/// The parts that are typed letter by letter and applied as a whole.
const UTM: [(Part, &str, &str); 3] = [
    (Part::UtmSource, "Source", "google"),
    (Part::UtmMedium, "Medium", "cpc"),
    (Part::UtmCampaign, "Campaign", "spring-launch"),
];

/// The panel.
#[component]
pub fn UtmForm(
    /// The filter, whose UTM values are chosen.
    filter: Signal<Filter>,
    /// Takes the new filter.
    on_change: Callback<Filter>,
    /// The form, whose values are offered.
    form: Signal<Option<FormId>>,
) -> impl IntoView {
    let offers = Offers::new(filter, form);
    let listing = RwSignal::new(String::new());
    let drafts = UTM.map(|(part, ..)| {
        let draft = RwSignal::new(String::new());
        react(move || draft.set(filter.with(|one| part.text(one).to_owned())));
        draft
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let mut next = filter.get_untracked();
        for ((part, ..), draft) in UTM.iter().zip(drafts) {
            part.set_text(&mut next, draft.get_untracked().trim());
        }
        on_change.run(next);
        close_around(&event);
    };
    let field = |((part, label, example), draft): (
        (Part, &'static str, &'static str),
        RwSignal<String>,
    )| {
        view! {
            <PickField
                label
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
            <p class="field-hint">"Each must match letter by letter."</p>
            <Button variant=ButtonVariant::Primary submit=true>
                "Apply"
            </Button>
        </form>
    }
}
