//! What a reader sees where only the account's owner can do something.

use leptos::prelude::*;

use crate::{
    texts,
    ui::{empty::Empty, icon::Glyph},
};

/// Says that it is for the owner.
pub fn for_owner() -> AnyView {
    let texts = texts::people();
    view! { <Empty icon=Glyph::Account title=texts.for_owner text=texts.for_owner_text /> }
        .into_any()
}
