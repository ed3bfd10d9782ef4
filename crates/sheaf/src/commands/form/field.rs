//! `sheaf form field`: one field of a form, hidden, shown or deleted.

use contract::audit::Action;
use contract::{FieldId, FormId};
use store::Store;

use crate::args::FieldAct;
use crate::error::{Error, Result};
use crate::{noted, output, stores};

/// Changes one field.
///
/// # Errors
/// No such form or field, or fields that have changed meanwhile.
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
        return Err(Error::refused(format!("`{field}` is no field of this form; see `form show`")));
    };
    let done = match act {
        FieldAct::Hide => {
            fields[place].hidden = true;
            "hidden; its answers and its column in exports stay"
        }
        FieldAct::Show => {
            fields[place].hidden = false;
            "shown"
        }
        FieldAct::Delete => {
            fields.remove(place);
            "deleted; its answers stay with the submissions"
        }
    };
    let note = noted::form(Action::FieldsSet, &record).with("fields", fields.len());
    let note = if act == FieldAct::Delete { note.with("deleted", 1) } else { note };
    if !store.noting(note).replace_fields(id, was, fields).await? {
        return Err(Error::refused("the fields of this form have changed meanwhile; try again"));
    }
    output::line(done)
}
