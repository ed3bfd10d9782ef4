//! Check of filters against the settings of the account.

use crate::Service;
use crate::error::{Error, Result};
use contract::filter::LabelProperty;
use contract::triage::Status;
use contract::{AccountId, Filter};

/// Checks that the account has the statuses of a filter. Reads the settings only if the filter has
/// a status that is not built in.
///
/// # Errors
/// 400 with the first unknown status.
pub(crate) async fn check_filter(
    service: &Service,
    account: &AccountId,
    filter: &Filter,
) -> Result<()> {
    let labels = filter.labels.get(LabelProperty::Status).as_slice();
    let mut custom = labels.iter().flatten().filter(|it| !Status::BUILT_IN.contains(&it.as_str()));
    let Some(first) = custom.next() else { return Ok(()) };
    let settings = service.store().find_triage_settings(account).await?;
    match std::iter::once(first).chain(custom).find(|status| !settings.has_status(status)) {
        None => Ok(()),
        Some(unknown) => Err(unknown_status(unknown)),
    }
}

/// Returns the error of a status that the account does not have.
pub(crate) fn unknown_status(status: &str) -> Error {
    Error::validation(format!(
        "`status` has the unknown status `{status}`; use a status of the account"
    ))
}
