//! Which language the interface speaks: the one that the viewer chose, else the first of the
//! browser's that there is. The choice is kept in the browser's storage.

use leptos::prelude::*;

/// The storage key of the chosen language.
pub const LANGUAGE_KEY: &str = "sheaf-language";

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, which is always there.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// Every language, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Returns its code as in BCP 47.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns its name in itself, as a menu of languages has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Returns what the viewer chose, if anything.
    pub fn chosen() -> Option<Self> {
        let kept =
            window().local_storage().ok().flatten()?.get_item(LANGUAGE_KEY).ok().flatten()?;
        Self::of_tag(&kept)
    }

    /// Returns what the viewer chose, else the first of the browser's languages that there is.
    pub fn of_viewer() -> Self {
        let preferred = || {
            let tags = window().navigator().languages();
            tags.iter().filter_map(|tag| tag.as_string()).find_map(|tag| Self::of_tag(&tag))
        };
        Self::chosen().or_else(preferred).unwrap_or_default()
    }

    /// Returns the language of a tag like `de-AT`, if it is one of ours.
    fn of_tag(tag: &str) -> Option<Self> {
        let (code, _) = tag.split_once('-').unwrap_or((tag, ""));
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_leads_to_its_language() {
        for (tag, language) in [
            ("en", Some(Language::English)),
            ("en-GB", Some(Language::English)),
            ("de-AT", Some(Language::German)),
            ("DE", Some(Language::German)),
            ("den", None),
            ("fr-FR", None),
            ("", None),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
    }
}
