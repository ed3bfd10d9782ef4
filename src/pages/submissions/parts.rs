//! What of this page is not needed to see the list: fetched when it is wanted, or ahead of that
//! once the list is there. Nothing is shown here.

use leptos::prelude::*;

use super::{card::Card, desk::Desk, export::ExportDialog};
use crate::parts;

parts! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The dialog of the export.
    pub fn export(desk: Desk, open: RwSignal<bool>) in export
        => view! { <ExportDialog desk open /> };
}
