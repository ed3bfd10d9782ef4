//! Themes and densities, with their names in storage.

/// Light, dark or the system's setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follow the system.
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

    /// Returns the name used in storage and on the root element.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns the theme with this name, or the default.
    pub fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }
}

/// Height of rows and controls.
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

    /// Returns the name used in storage and on the root element.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comfortable => "comfortable",
            Self::Compact => "compact",
        }
    }

    /// Returns the density with this name, or the default.
    pub fn parse(name: &str) -> Self {
        Self::ALL.into_iter().find(|density| density.name() == name).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_roundtrip_and_unknown_is_default() {
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
