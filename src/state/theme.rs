//! Theme and density. They are stored in the browser, and set on the root element as `data-theme`
//! and `data-density`, which `style/tokens.css` reads. `public/first.js` does the same before the
//! first paint; both must use the same names.

use leptos::prelude::*;

use crate::{
    domain::theme::{Density, Theme},
    ui::storage::{read_storage, write_storage},
};

/// Storage key of the theme.
pub const THEME_KEY: &str = "sheaf-theme";
/// Storage key of the density.
pub const DENSITY_KEY: &str = "sheaf-density";

/// Theme and density; provided as context by the app.
#[derive(Clone, Copy, Debug)]
pub struct Appearance {
    theme: RwSignal<Theme>,
    density: RwSignal<Density>,
}

impl Appearance {
    /// Loads the stored settings, or the defaults.
    pub fn load() -> Self {
        Self {
            theme: RwSignal::new(Theme::parse(&read_storage(THEME_KEY))),
            density: RwSignal::new(Density::parse(&read_storage(DENSITY_KEY))),
        }
    }

    /// Returns the chosen theme.
    pub fn theme(&self) -> Signal<Theme> {
        self.theme.into()
    }

    /// Returns the chosen density.
    pub fn density(&self) -> Signal<Density> {
        self.density.into()
    }

    /// Sets, shows and stores the theme.
    pub fn set_theme(&self, theme: Theme) {
        self.theme.set(theme);
        apply_setting("data-theme", THEME_KEY, theme.name());
    }

    /// Sets, shows and stores the density.
    pub fn set_density(&self, density: Density) {
        self.density.set(density);
        apply_setting("data-density", DENSITY_KEY, density.name());
    }
}

fn apply_setting(attribute: &str, key: &str, value: &str) {
    if let Some(root) = document().document_element() {
        // Setting an attribute fails only for an invalid name, and this one is valid.
        let _ = root.set_attribute(attribute, value);
    }
    write_storage(key, value);
}
