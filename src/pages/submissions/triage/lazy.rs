//! The views of the triage, each in a chunk of its own.

use leptos::prelude::*;

use super::{group::TriageGroup, live, rows};
use crate::{
    lazy_views,
    pages::submissions::{list_state::ListState, triage_reload::follow_updates},
};

lazy_views! {
    /// The triage of the open submission.
    pub fn triage() in triage => view! { <TriageGroup /> };
    /// Loads the triage of the visible rows, and draws it. Reloads lists that are filtered by it.
    /// Follows the changes of other users.
    pub fn row_marks(list: ListState) in row_marks => {
        follow_updates(list);
        live::follow_events(list);
        rows::row_marks(list)
    };
}
