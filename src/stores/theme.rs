//! Theme and density: kept in the browser's storage, and put on the root element as
//! `data-theme` and `data-density`, which `style/tokens.css` reads. `public/first.js` does the
//! same before the first paint; the two must agree on names.

use leptos::prelude::*;

/// The storage key of the theme.
pub const THEME_KEY: &str = "sheaf-theme";
/// The storage key of the density.
pub const DENSITY_KEY: &str = "sheaf-density";

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// Every theme, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the name under which it is kept and put on the root element.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }
}

/// How much room rows and controls take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Density {
    /// Rows of 44 px.
    #[default]
    Comfortable,
    /// Rows of 36 px.
    Compact,
}

impl Density {
    /// Every density, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::Comfortable, Self::Compact];

    /// Returns the name under which it is kept and put on the root element.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comfortable => "comfortable",
            Self::Compact => "compact",
        }
    }

    fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|density| density.name() == name).unwrap_or_default()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_unknown_ones_are_the_default() {
        for theme in Theme::ALL {
            assert_eq!(Theme::parse(theme.name()), theme);
        }
        for density in Density::ALL {
            assert_eq!(Density::parse(density.name()), density);
        }
        assert_eq!(Theme::parse("solarized"), Theme::System);
        assert_eq!(Density::parse(""), Density::Comfortable);
    }
}
