//! Names of statuses and members, for the columns of the triage in a CSV file.

use crate::Service;
use crate::error::Result;
use crate::middleware::auth::Caller;
use contract::triage::{TriageColumn, TriageNames, TriageSettings};
use contract::{ExportFormat, ExportQuery};

/// Finds the names that an export needs. Members have no names, so their email addresses are used.
pub(super) async fn find_triage_names(
    service: &Service,
    caller: &Caller,
    query: &ExportQuery,
) -> Result<TriageNames> {
    let needs = |column| query.format == ExportFormat::Csv && query.triage.contains(column);
    let account = &caller.account.id;
    let settings = if needs(TriageColumn::Status) {
        service.store().find_triage_settings(account).await?
    } else {
        TriageSettings::default()
    };
    let people = if needs(TriageColumn::Assignee) {
        service.store().list_people(account).await?
    } else {
        Vec::new()
    };
    let members = people.into_iter().map(|known| (known.person.id, known.person.email));
    Ok(TriageNames::new(&settings, members))
}
