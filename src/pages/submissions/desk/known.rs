//! What the page comes to know by the rows of its list: where the open card stands.

use contract::SubmissionId;
use leptos::prelude::*;

use crate::pages::submissions::list::List;

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
