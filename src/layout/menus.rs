//! The items of the top bar's menus. Loaded after the first view, because they are invisible until
//! a menu opens.

use leptos::prelude::*;

use super::Owner;
use crate::{
    domain::theme::{Density, Theme},
    i18n::{self, Language},
    state::theme::Appearance,
    ui::{
        icon::Glyph,
        menu::{MenuGroup, MenuHeading, MenuItem},
    },
};

/// Returns the icon of a theme.
pub(super) fn theme_icon(theme: Theme) -> Glyph {
    match theme {
        Theme::System => Glyph::Monitor,
        Theme::Light => Glyph::Sun,
        Theme::Dark => Glyph::Moon,
    }
}

/// Returns the name of a theme.
pub(super) fn theme_name(theme: Theme) -> &'static str {
    let texts = i18n::shell();
    match theme {
        Theme::System => texts.theme_system,
        Theme::Light => texts.theme_light,
        Theme::Dark => texts.theme_dark,
    }
}

/// Returns the name and the icon of a density.
pub(super) fn density_name_and_icon(density: Density) -> (&'static str, Glyph) {
    match density {
        Density::Comfortable => (i18n::shell().comfortable, Glyph::Form),
        Density::Compact => (i18n::shell().compact, Glyph::Menu),
    }
}

/// Menu items for theme, density and language.
#[component]
pub fn AppearanceItems(
    /// The appearance store.
    appearance: Appearance,
) -> impl IntoView {
    let texts = i18n::shell();
    let theme_item = move |theme: Theme| {
        let text = theme_name(theme);
        let checked = Signal::derive(move || Some(appearance.theme().get() == theme));
        let on_select = move |()| appearance.set_theme(theme);
        view! { <MenuItem text icon=theme_icon(theme) checked on_select /> }
    };
    let density_item = move |density: Density| {
        let (text, icon) = density_name_and_icon(density);
        let checked = Signal::derive(move || Some(appearance.density().get() == density));
        let on_select = move |()| appearance.set_density(density);
        view! { <MenuItem text icon checked on_select /> }
    };
    let chosen = Language::stored_choice();
    let language_item = move |language: Option<Language>| {
        let text = language.map_or(texts.language_browser, Language::name);
        let icon = if language.is_some() { Glyph::Globe } else { Glyph::Monitor };
        let on_select = move |()| Language::set_choice(language);
        view! { <MenuItem text icon checked=Signal::stored(Some(chosen == language)) on_select /> }
    };
    let languages = [None].into_iter().chain(Language::ALL.map(Some));
    view! {
        <MenuGroup text=texts.theme>
            {Theme::ALL.into_iter().map(theme_item).collect_view()}
        </MenuGroup>
        <MenuGroup text=texts.density>
            {Density::ALL.into_iter().map(density_item).collect_view()}
        </MenuGroup>
        <MenuGroup text=texts.language>
            {languages.map(language_item).collect_view()}
        </MenuGroup>
    }
}

/// Menu items of the account: email address and sign-out.
#[component]
pub fn AccountItems(
    /// The signed-in user.
    owner: Owner,
) -> impl IntoView {
    let Owner { email, on_sign_out } = owner;
    view! {
        <MenuHeading text=email />
        <MenuItem text=i18n::shell().sign_out icon=Glyph::SignOut on_select=on_sign_out />
    }
}
