//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{
    card::Card, columns::ColumnsChoice, desk::Desk, export::ExportDialog, list::List, rail::Months,
    select::bar::SelectionBar, table::NoneYet,
};
use crate::parts;
use contract::Form;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open selected=desk.selected_ids() /> };
    /// What can be done with a selection; with the tray, since most selections end there.
    pub fn selection(desk: Desk) in tray
        => view! { <SelectionBar desk on_export=move |()| desk.exporting.set(true) /> };
    /// What the panel of the columns holds.
    pub fn columns(desk: Desk) in tools => view! { <ColumnsChoice desk /> };
    /// What the date rail holds.
    pub fn months(list: List) in tools => view! { <Months list /> };
    /// What stands for a list without a single submission.
    pub fn none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}
