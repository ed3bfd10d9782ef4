//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{
    card::Card,
    columns::ColumnsChoice,
    desk::Desk,
    export::ExportDialog,
    list::List,
    rail::Months,
    select::{Picks, bar::SelectionBar},
    table::NoneYet,
};
use crate::{acts, api::Target, parts, ui::table::Pick};
use contract::Form;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open selected=desk.selected_ids() /> };
    /// What can be done with a selection.
    pub fn selection(desk: Desk) in deletion
        => view! { <SelectionBar desk on_export=move |()| desk.exporting.set(true) /> };
    /// What the panel of the columns holds.
    pub fn columns(desk: Desk) in tools => view! { <ColumnsChoice desk /> };
    /// What the date rail holds.
    pub fn months(list: List) in tools => view! { <Months list /> };
    /// What stands for a list without a single submission.
    pub fn none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}

acts! {
    /// Deletes or marks as spam what is open, selected, or has the focus. It comes with the code
    /// that selects, so that keys act in the order in which they were pressed.
    pub fn move_meant(desk: Desk, target: Target) in tools => desk.move_meant(target);
    /// Selects, as a person does.
    pub fn pick(picks: Picks, pick: Pick) in tools => picks.pick(pick);
}
