//! What a reader sees where only the account's owner can do something.

use leptos::prelude::*;

use crate::{
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

/// A page that only the owner of an account of ours has; to all others it says why it is empty: to
/// readers that it is the owner's, and where the account is another server's what `elsewhere` says.
pub fn owners_page(
    title: &'static str,
    elsewhere: impl Fn() -> AnyView + Send + 'static,
    managed: impl Fn(SessionStore) -> AnyView + Send + 'static,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let is_managed = Memo::new(move |_| session.is_managed());
    let may_change = Memo::new(move |_| session.may_change());
    move || match (is_managed.get(), may_change.get()) {
        (true, true) => managed(session),
        (true, false) => plain_page(title, for_owner()),
        (false, _) => plain_page(title, elsewhere()),
    }
}
