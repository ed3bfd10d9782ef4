//! Names of statuses and members, for the columns of the triage.

use contract::triage::{TriageColumn, TriageNames};
use export_worker::task::ExportTask;

use crate::api::{self, ApiError};

/// Loads the names that the columns of the triage need.
///
/// # Errors
/// If the request fails.
pub(super) async fn load_triage_names(task: &ExportTask) -> Result<TriageNames, ApiError> {
    let named = [TriageColumn::Status, TriageColumn::Assignee];
    let needs_names = named.into_iter().any(|column| task.triage.contains(column));
    if !task.format.is_table() || !needs_names {
        return Ok(TriageNames::default());
    }
    let account = api::get_account_triage().await?;
    let settings = account.settings();
    let members = account.members.into_iter().map(|member| (member.id, member.email));
    Ok(TriageNames::new(&settings, members))
}
