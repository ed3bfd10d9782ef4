//! The open submission and the export dialog, which are loaded on demand.

use leptos::prelude::*;

use super::{card::Card, export::ExportDialog};
use crate::lazy_views;

lazy_views! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The export dialog.
    pub fn export(open: RwSignal<bool>) in export => view! { <ExportDialog open /> };
}
