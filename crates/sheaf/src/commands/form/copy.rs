//! `sheaf form duplicate`: copies the fields and settings of a form.

use api::fields;
use contract::FormId;
use contract::audit::Action;
use store::clock::{Clock as _, SystemClock};
use store::{FormRecord, Store};

use super::validate_name;
use crate::error::Result;
use crate::{audit_events, new_ids, output, stores};

/// Copies a form and prints the id of the copy.
///
/// # Errors
/// An unknown form, an invalid name, or an account with the maximum number of forms.
pub(super) async fn run(store: &dyn Store, id: &FormId, name: Option<&str>) -> Result<()> {
    let source = stores::find_form(store, id).await?;
    let name = name.map(|name| validate_name("--name", name)).transpose()?;
    let now = SystemClock.now();
    let form =
        fields::copy_form(&source.form, name, new_ids::new_form_id(), now, new_ids::new_field_id);
    let copy = FormRecord { account_id: source.account_id, form };
    let event = audit_events::form_event(Action::FormDuplicated, &copy)
        .with_user_text("source", &source.form.name);
    let copy_id = copy.form.id.clone();
    if !store.with_audit(event).duplicate_form(id, copy).await? {
        return Err(stores::unknown_form(id));
    }
    output::print_line(copy_id)
}
