//! Views for functions that only the owner of the account can use.

use leptos::prelude::*;

use crate::{
    api::Capabilities,
    components::page::plain_page,
    i18n,
    state::session::SessionStore,
    ui::{empty::Empty, icon::Glyph},
};

/// Returns the note that a function is for the owner only.
pub fn owner_only_note() -> AnyView {
    let texts = i18n::people();
    view! { <Empty icon=Glyph::Account title=texts.for_owner text=texts.for_owner_text /> }
        .into_any()
}

/// Returns a page for the owner of the account, on servers with the capability `has`. Other members
/// see a note that it is for the owner. Without the capability everyone sees the result of
/// `elsewhere`.
pub fn owner_page(
    title: &'static str,
    has: fn(Capabilities) -> bool,
    elsewhere: impl Fn() -> AnyView + Send + 'static,
    page: impl Fn(SessionStore) -> AnyView + Send + 'static,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let has = Memo::new(move |_| has(session.capabilities()));
    let may_change = Memo::new(move |_| session.is_owner());
    move || match (has.get(), may_change.get()) {
        (true, true) => page(session),
        (true, false) => plain_page(title, owner_only_note()),
        (false, _) => plain_page(title, elsewhere()),
    }
}
