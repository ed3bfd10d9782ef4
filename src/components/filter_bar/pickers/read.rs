//! Picker of the read state. The server does not count it.

use contract::Filter;
use leptos::prelude::*;

use crate::{
    components::filter_bar::{panel::FilterPanelContext, part_name, read_name},
    domain::filter::FilterPart,
    ui::unique_id,
};

/// Returns the fields of the picker.
pub(crate) fn picker(context: FilterPanelContext) -> impl IntoView {
    let FilterPanelContext { filter, on_change, .. } = context;
    let group = unique_id("radio");
    let item = |is_read: bool| {
        let is_chosen = move || filter.with(|filter| filter.read == Some(is_read));
        let choose = move |_| {
            on_change.run(Filter { read: Some(is_read), ..filter.get_untracked() });
        };
        view! {
            <label class="filter-item">
                <input
                    class="choice-input"
                    type="radio"
                    name=group.clone()
                    prop:checked=is_chosen
                    on:change=choose
                />
                <span class="filter-item-name">{read_name(is_read)}</span>
            </label>
        }
    };
    view! {
        <div class="filter-list" role="radiogroup" aria-label=part_name(FilterPart::Read)>
            {item(false)}
            {item(true)}
        </div>
    }
}
