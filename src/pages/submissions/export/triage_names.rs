//! Names of statuses and members, for the columns of the triage.

use contract::triage::{TriageColumn, TriageNames, TriageSettings};
use export_worker::task::ExportTask;
use leptos::prelude::*;

use crate::{
    api::{self, ApiError},
    state::session::SessionStore,
};

/// Loads the names that the columns of the triage need. As on the server, a user who cannot list
/// the members gets their ids.
///
/// # Errors
/// If a request fails.
pub(super) async fn load_triage_names(
    task: &ExportTask,
    session: SessionStore,
) -> Result<TriageNames, ApiError> {
    let needs = |column| task.format.is_table() && task.triage.contains(column);
    let settings = if needs(TriageColumn::Status) {
        api::get_triage_settings().await?
    } else {
        TriageSettings::default()
    };
    let members = if needs(TriageColumn::Assignee) && untrack(|| session.can_edit()) {
        api::list_members().await?
    } else {
        Vec::new()
    };
    Ok(TriageNames::new(&settings, members.into_iter().map(|member| (member.id, member.email))))
}
