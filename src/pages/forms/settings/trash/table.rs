//! The table of the submissions in the trash.

use contract::trash::TrashedSubmission;
use leptos::prelude::*;

use super::{TrashState, row::TrashRow};
use crate::{
    components::listing::Listing,
    i18n,
    ui::button::{Button, ButtonVariant},
};

/// The table, and the button that empties the trash.
#[component]
pub fn TrashTable(
    /// The state of the tab.
    store: TrashState,
) -> impl IntoView {
    let texts = i18n::form_trash();
    let total = move || store.pages.total.get().unwrap_or_default();
    // The cursor of the rows belongs to their search.
    let is_searched = move || {
        store.search.with(|search| store.searched.with(|searched| search.trim() == *searched))
    };
    let more = move || {
        (store.pages.has_more() && is_searched()).then(|| {
            view! {
                <Button busy=store.pages.busy on_click=move |_| store.load_page(false)>
                    {texts.more}
                </Button>
            }
        })
    };
    // With a search, `total` counts only matches, but the button deletes everything. After the
    // search is cleared, it does so until the next answer.
    let is_whole = move || {
        store.search.with(|search| search.trim().is_empty())
            && store.searched.with(String::is_empty)
    };
    let can_empty = move || store.session.is_owner() && is_whole();
    let empty = move |_| store.ask_to_empty(untrack(total));
    let row = move |trashed: TrashedSubmission| view! { <TrashRow trashed store /> };
    let heads = vec![texts.answers, texts.submitted, texts.deleted_at];
    view! {
        <div class="form" data-wide="true">
            <div class="form-acts">
                <span class="page-count" role="status">
                    {move || (texts.count)(total())}
                </span>
                <Show when=can_empty>
                    <Button variant=ButtonVariant::Danger on_click=empty>
                        {texts.empty}
                    </Button>
                </Show>
            </div>
            <Listing label=texts.label heads>
                <For
                    each=move || store.pages.rows.get()
                    key=|row| row.submission.id.clone()
                    children=row
                />
            </Listing>
            {more}
        </div>
    }
}
