//! What a reader sees where only the account's owner can do something.

use leptos::prelude::*;

use crate::{
    api::Capabilities,
    components::page::plain_page,
    i18n,
    state::session::SessionStore,
    ui::{empty::Empty, icon::Glyph},
};

/// Says that it is for the owner.
pub fn for_owner() -> AnyView {
    let texts = i18n::people();
    view! { <Empty icon=Glyph::Account title=texts.for_owner text=texts.for_owner_text /> }
        .into_any()
}

/// A page for the owner of the account, on a server with a capability. Readers see that it is for
/// the owner. On a server without the capability everybody sees what `elsewhere` returns.
pub fn owners_page(
    title: &'static str,
    has: fn(Capabilities) -> bool,
    elsewhere: impl Fn() -> AnyView + Send + 'static,
    page: impl Fn(SessionStore) -> AnyView + Send + 'static,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let has = Memo::new(move |_| has(session.capabilities()));
    let may_change = Memo::new(move |_| session.may_change());
    move || match (has.get(), may_change.get()) {
        (true, true) => page(session),
        (true, false) => plain_page(title, for_owner()),
        (false, _) => plain_page(title, elsewhere()),
    }
}
