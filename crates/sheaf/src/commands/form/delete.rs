//! `sheaf form delete`: deletes a form with all its data.

use contract::FormId;
use contract::audit::Action;
use store::Store;

use crate::error::Result;
use crate::{audit_events, confirm, output, stores};

/// Deletes a form, or finishes an interrupted deletion.
///
/// # Errors
/// An unknown form, or a deletion that is not confirmed.
pub(super) async fn run(store: &dyn Store, id: &FormId, yes: bool) -> Result<()> {
    let finished = store.finish_deletions().await?;
    let record = match stores::find_form(store, id).await {
        Ok(record) => record,
        Err(_) if finished > 0 => return output::print_line("finished an earlier deletion"),
        Err(error) => return Err(error),
    };
    let form = &record.form;
    if !yes {
        let name = &form.name;
        let count = form.submission_count;
        let effect = format!("This permanently deletes the form {name} with {count} submissions.");
        confirm::confirm_by_typing(&effect, name)?;
    }
    let event = audit_events::form_event(Action::FormDeleted, &record)
        .with_value("submissions", form.submission_count);
    if !store.with_audit(event).delete_form(id).await? {
        return Err(stores::unknown_form(id));
    }
    store.finish_deletions().await?;
    output::print_line(format!("{id} is deleted"))
}
