//! The open submission, the board, the tabs of the inbox, the export dialog and a rare banner: code
//! that is loaded on demand.

use leptos::prelude::*;

use super::{
    board::SubmissionBoard, card::Card, export::ExportDialog, inbox_tabs::InboxTabs,
    list_state::ListState,
};
use crate::{components::webhook_notice::ListWebhookNotice, lazy_views};

lazy_views! {
    /// The card of a submission.
    pub fn card() in card => view! { <Card /> };
    /// The tabs of the inbox.
    pub fn inbox_tabs(list: ListState) in row_marks => view! { <InboxTabs list /> };
    /// The board.
    pub fn board() in board => view! { <SubmissionBoard /> };
    /// The export dialog.
    pub fn export() in export => view! { <ExportDialog /> };
    /// The banner about disabled webhooks.
    pub fn webhook_notice(list: ListState) in tools => view! {
        <ListWebhookNotice
            form=Signal::derive(move || list.form_in_environment())
            ready=Signal::derive(move || list.rows.total().get().is_some())
        />
    };
}
