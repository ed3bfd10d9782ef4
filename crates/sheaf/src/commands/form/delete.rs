//! `sheaf form delete`: deletes a form with all its data.

use contract::FormId;
use contract::audit::Action;
use store::Store;

use crate::error::Result;
use crate::{confirm, noted, output, stores};

/// Deletes a form, or finishes an interrupted deletion.
///
/// # Errors
/// An unknown form, or a deletion that is not confirmed.
pub(super) async fn run(store: &dyn Store, id: &FormId, yes: bool) -> Result<()> {
    let finished = store.finish_deletions().await?;
    let record = match stores::form(store, id).await {
        Ok(record) => record,
        Err(_) if finished > 0 => return output::line("finished an earlier deletion"),
        Err(error) => return Err(error),
    };
    let form = &record.form;
    if !yes {
        let (name, count) = (&form.name, form.submission_count);
        let what = format!("This permanently deletes the form {name} with {count} submissions.");
        confirm::typed(&what, name)?;
    }
    let act = noted::form(Action::FormDeleted, &record).with("submissions", form.submission_count);
    if !store.noting(act).delete_form(id).await? {
        return Err(stores::no_form(id));
    }
    store.finish_deletions().await?;
    output::line(format!("{id} is deleted"))
}
