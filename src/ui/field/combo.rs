//! A line of text beside which known values are offered by the browser's own list, so that it is a
//! combobox wherever there is something to choose from, and a plain field elsewhere.

use leptos::prelude::*;

use super::Ids;

/// A labelled line of text with values to choose from; any other may be typed as well.
#[component]
pub fn ComboField(
    /// The label above it.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed or chosen.
    #[prop(into)]
    on_input: Callback<String>,
    /// The values, each with the words that tell it in the list.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// An example, shown while it is empty. Never a label.
    #[prop(into)]
    placeholder: String,
    /// The most characters it takes.
    length_max: u32,
) -> impl IntoView {
    let ids = Ids::new();
    let list = ids.hint.clone();
    let list_id = list.clone();
    let option = |(value, words): (String, String)| view! { <option value=value label=words /> };
    view! {
        <div class="field">
            {ids.label(label)}
            <input
                class="input"
                id=ids.input.clone()
                type="text"
                autocomplete="off"
                placeholder=placeholder
                list=move || options.with(|it| !it.is_empty()).then(|| list.clone())
                maxlength=length_max.to_string()
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
            />
            <datalist id=list_id>
                {move || options.get().into_iter().map(option).collect_view()}
            </datalist>
        </div>
    }
}
