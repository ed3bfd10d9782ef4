//! `sheaf form duplicate`: copies the fields and settings of a form.

use api::fields;
use contract::FormId;
use contract::audit::Action;
use store::clock::{Clock as _, SystemClock};
use store::{FormRecord, Store};

use super::checked_name;
use crate::error::Result;
use crate::{mint, noted, output, stores};

/// Copies a form and prints the id of the copy.
///
/// # Errors
/// An unknown form, an invalid name, or an account with the maximum number of forms.
pub(super) async fn run(store: &dyn Store, id: &FormId, name: Option<&str>) -> Result<()> {
    let source = stores::form(store, id).await?;
    let name = name.map(|name| checked_name("--name", name)).transpose()?;
    let now = SystemClock.now();
    let form = fields::copy(&source.form, name, mint::form_id(), now, mint::field_id);
    let copy = FormRecord { account_id: source.account_id, form };
    let act = noted::form(Action::FormDuplicated, &copy).named("source", &source.form.name);
    let copy_id = copy.form.id.clone();
    if !store.noting(act).duplicate_form(id, copy).await? {
        return Err(stores::no_form(id));
    }
    output::line(copy_id)
}
