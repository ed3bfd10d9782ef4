//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{
    actions::SubmissionActions,
    card::Card,
    columns::ColumnsChoice,
    export::ExportDialog,
    list::List,
    rail::Months,
    selection::{SelectionState, bar::SelectionBar},
    table::NoneYet,
};
use crate::{acts, api::Target, parts, ui::table::Pick};
use contract::Form;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(open: RwSignal<bool>) in export => view! { <ExportDialog open /> };
    /// What can be done with a selection.
    pub fn selection() in deletion => view! { <SelectionBar /> };
    /// What the panel of the columns holds.
    pub fn columns() in tools => view! { <ColumnsChoice /> };
    /// What the date rail holds.
    pub fn months(list: List) in tools => view! { <Months list /> };
    /// What stands for a list without a single submission.
    pub fn none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}

acts! {
    /// Deletes or marks as spam. It is in one chunk with the code that selects, so that keys act in
    /// the order in which they were pressed.
    pub fn move_current(actions: SubmissionActions, target: Target) in tools
        => actions.move_current(target);
    /// Applies a gesture to the selection.
    pub fn select(selection: SelectionState, pick: Pick) in tools => selection.apply(pick);
}
