//! What the page comes to know by the rows of its list: the fields of a form whose server tells
//! none, and where the open card stands.

use contract::{Field, Form, FormId, SubmissionId};
use leptos::prelude::*;

use crate::{domain::answers, pages::submissions::list::List, state::session::SessionStore};

/// Returns the fields of a form: those that it tells, else those that answers told of. What they
/// have told once stays: a search that finds none of it must not move the columns.
pub(super) fn fields(
    form_id: Signal<Option<FormId>>,
    form: Memo<Option<Form>>,
    list: List,
    session: SessionStore,
) -> Memo<Vec<Field>> {
    let known = Memo::new(move |before: Option<&(Option<FormId>, Vec<Field>)>| {
        let id = form_id.get();
        let told = form.with(|form| form.as_ref().map(|form| form.fields.clone()));
        let told = told.filter(|fields| !fields.is_empty() || session.capabilities().form_fields);
        let fields = told.unwrap_or_else(|| {
            let before = before.filter(|(before, _)| *before == id);
            let mut fields = before.map(|(_, fields)| fields.clone()).unwrap_or_default();
            list.with_rows(|rows| {
                // Those of the form before may stand there still.
                let here = rows.filter(|row| Some(&row.form_id) == id.as_ref());
                answers::add_fields(&mut fields, here);
            });
            fields
        });
        (id, fields)
    });
    Memo::new(move |_| known.with(|(_, fields)| fields.clone()))
}

/// Returns the row of the open card. Where it was scrolled out of what is held, its last place in
/// this list counts.
pub(super) fn place(opened: Memo<Option<SubmissionId>>, list: List) -> Signal<Option<usize>> {
    type Kept = Option<(SubmissionId, u32, usize)>;
    let place = Memo::new(move |before: Option<&Kept>| -> Kept {
        let (id, begun) = (opened.get()?, list.begun());
        let kept = before.cloned().flatten();
        let kept = kept.filter(|(of, then, _)| *of == id && *then == begun);
        list.position(&id).map(|index| (id, begun, index)).or(kept)
    });
    Signal::derive(move || place.get().map(|(_, _, index)| index))
}
