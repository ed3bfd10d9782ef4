//! Lazy views of the shell: menus that are invisible at first, loaded after the first view.

use leptos::prelude::*;

use super::menus::{AccountItems, AppearanceItems};
use crate::{layout::Owner, lazy_views, state::theme::Appearance};

lazy_views! {
    /// The items of the appearance menu.
    pub(super) fn appearance(appearance: Appearance) in tools
        => view! { <AppearanceItems appearance /> };
    /// The items of the account menu.
    pub(super) fn account(owner: Owner) in tools => view! { <AccountItems owner /> };
}
