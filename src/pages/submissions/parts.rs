//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{
    card::Card, columns::ColumnsChoice, desk::Desk, export::ExportDialog, list::List, rail::Months,
    table::NoneYet,
};
use crate::parts;
use contract::Form;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open /> };
    /// What the panel of the columns holds.
    pub fn columns(desk: Desk) in tools => view! { <ColumnsChoice desk /> };
    /// What the date rail holds.
    pub fn months(list: List) in tools => view! { <Months list /> };
    /// What stands for a list without a single submission.
    pub fn none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}
