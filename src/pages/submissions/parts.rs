//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{card::Card, desk::Desk, export::ExportDialog, select::bar::SelectionBar};
use crate::parts;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open selected=desk.selected_ids() /> };
    /// What can be done with a selection; with the tray, since most selections end there.
    pub fn selection(desk: Desk) in tray
        => view! { <SelectionBar desk on_export=move |()| desk.exporting.set(true) /> };
}
