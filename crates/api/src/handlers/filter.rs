//! Checks filters against the settings of the account, and adds the signed-in member.

use crate::Service;
use crate::audit::RequestMember;
use crate::error::{Error, Result};
use contract::filter::LabelProperty;
use contract::triage::Status;
use contract::{AccountId, Filter};

/// Checks that the account has the statuses of a filter, and sets the member of its read state.
/// Reads the store only for a status that is not built in, and for the read state.
///
/// # Errors
/// 400 with the first unknown status, or if the read state is filtered without a signed-in member.
pub(crate) async fn prepare_filter(
    service: &Service,
    account: &AccountId,
    member: &RequestMember,
    filter: &mut Filter,
) -> Result<()> {
    if filter.read.is_some() {
        filter.reader = member.find_reader(service, account).await?;
        if filter.reader.is_none() {
            let message = "`read` needs a signed-in member; leave it out, because API keys have no \
                           read state";
            return Err(Error::validation(message));
        }
    }
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
