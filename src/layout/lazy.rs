//! Lazy views of the shell, loaded after the first view: menus that are invisible at first, and the
//! requests for the numbers of unread submissions.

use leptos::prelude::*;

use super::{
    menus::{AccountItems, AppearanceItems},
    unread,
};
use crate::{layout::Owner, lazy_views, state::theme::Appearance};

lazy_views! {
    /// The items of the appearance menu.
    pub(super) fn appearance(appearance: Appearance) in tools
        => view! { <AppearanceItems appearance /> };
    /// Keeps the numbers of unread submissions up to date. Renders nothing.
    pub(super) fn follow_unread() in row_marks => unread::follow_unread();
    /// The items of the account menu.
    pub(super) fn account(owner: Owner) in tools => view! { <AccountItems owner /> };
}
