//! `sheaf form field`: hides, shows or deletes a field.

use contract::audit::Action;
use contract::{FieldId, FormId};
use store::Store;

use crate::args::FieldChange;
use crate::error::{Error, Result};
use crate::{audit_events, output, stores};

/// Changes one field.
///
/// # Errors
/// An unknown form or field, or fields that were changed concurrently.
pub(super) async fn run(
    store: &dyn Store,
    id: &FormId,
    field: &FieldId,
    event: FieldChange,
) -> Result<()> {
    let record = stores::find_form(store, id).await?;
    let was = record.form.fields.clone();
    let mut fields = was.clone();
    let Some(index) = fields.iter().position(|it| it.id == *field) else {
        return Err(Error::invalid(format!(
            "this form has no field `{field}`; see `sheaf form show`"
        )));
    };
    let done = match event {
        FieldChange::Hide => {
            fields[index].hidden = true;
            "hidden; its answers and its column in exports remain"
        }
        FieldChange::Show => {
            fields[index].hidden = false;
            "shown"
        }
        FieldChange::Delete => {
            fields.remove(index);
            "deleted; its answers remain in the submissions"
        }
    };
    let note =
        audit_events::form_event(Action::FieldsSet, &record).with_value("fields", fields.len());
    let note = if event == FieldChange::Delete { note.with_value("deleted", 1) } else { note };
    if !store.with_audit(note).replace_fields(id, was, fields).await? {
        return Err(Error::invalid("the fields of this form were changed meanwhile; try again"));
    }
    output::print_line(done)
}
