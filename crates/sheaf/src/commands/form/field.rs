//! `sheaf form field`: hides, shows or deletes a field.

use contract::audit::Action;
use contract::{FieldId, FormId};
use store::Store;

use crate::args::FieldAct;
use crate::error::{Error, Result};
use crate::{noted, output, stores};

/// Changes one field.
///
/// # Errors
/// An unknown form or field, or fields that were changed concurrently.
pub(super) async fn run(
    store: &dyn Store,
    id: &FormId,
    field: &FieldId,
    act: FieldAct,
) -> Result<()> {
    let record = stores::form(store, id).await?;
    let was = record.form.fields.clone();
    let mut fields = was.clone();
    let Some(place) = fields.iter().position(|it| it.id == *field) else {
        return Err(Error::refused(format!(
            "this form has no field `{field}`; see `sheaf form show`"
        )));
    };
    let done = match act {
        FieldAct::Hide => {
            fields[place].hidden = true;
            "hidden; its answers and its column in exports remain"
        }
        FieldAct::Show => {
            fields[place].hidden = false;
            "shown"
        }
        FieldAct::Delete => {
            fields.remove(place);
            "deleted; its answers remain in the submissions"
        }
    };
    let note = noted::form(Action::FieldsSet, &record).with("fields", fields.len());
    let note = if act == FieldAct::Delete { note.with("deleted", 1) } else { note };
    if !store.noting(note).replace_fields(id, was, fields).await? {
        return Err(Error::refused("the fields of this form were changed meanwhile; try again"));
    }
    output::line(done)
}
