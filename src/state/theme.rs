//! Theme and density: kept in the browser's storage, and put on the root element as
//! `data-theme` and `data-density`, which `style/tokens.css` reads. `public/first.js` does the
//! same before the first paint; the two must agree on names.

use leptos::prelude::*;

use crate::domain::theme::{Density, Theme};

/// The storage key of the theme.
pub const THEME_KEY: &str = "sheaf-theme";
/// The storage key of the density.
pub const DENSITY_KEY: &str = "sheaf-density";

/// The store of both, to be provided as context by the app.
#[derive(Clone, Copy, Debug)]
pub struct Appearance {
    theme: RwSignal<Theme>,
    density: RwSignal<Density>,
}

impl Appearance {
    /// Returns what the browser's storage holds, or the defaults.
    pub fn load() -> Self {
        Self {
            theme: RwSignal::new(Theme::parse(&read(THEME_KEY))),
            density: RwSignal::new(Density::parse(&read(DENSITY_KEY))),
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

    /// Chooses a theme, shows it and keeps it.
    pub fn set_theme(&self, theme: Theme) {
        self.theme.set(theme);
        put("data-theme", THEME_KEY, theme.name());
    }

    /// Chooses a density, shows it and keeps it.
    pub fn set_density(&self, density: Density) {
        self.density.set(density);
        put("data-density", DENSITY_KEY, density.name());
    }
}

/// A browser may refuse storage: then every start has the defaults.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn read(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

fn put(attribute: &str, key: &str, value: &str) {
    if let Some(root) = document().document_element() {
        // The name is a valid attribute name, the only thing that could be refused.
        let _ = root.set_attribute(attribute, value);
    }
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}
