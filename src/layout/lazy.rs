//! What of the shell is not seen at first: fetched once the first view is done with. Nothing is
//! shown here.

use leptos::prelude::*;

use super::menus::{AccountItems, AppearanceItems};
use crate::{layout::Owner, lazy_views, state::theme::Appearance};

lazy_views! {
    /// What the menu of theme and density holds.
    pub(super) fn appearance(appearance: Appearance) in tools
        => view! { <AppearanceItems appearance /> };
    /// What the menu of the account holds.
    pub(super) fn account(owner: Owner) in tools => view! { <AccountItems owner /> };
}
