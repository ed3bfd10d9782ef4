//! Languages of the interface. `public/first.js` has the same list.

/// Storage key of the chosen language.
pub const LANGUAGE_KEY: &str = "sheaf-language";

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, which is always available.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// Every language, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Returns the BCP 47 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the name of the language in that language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Returns the supported language of a tag such as `de-AT`, if any.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let (code, _) = tag.split_once('-').unwrap_or((tag, ""));
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = include_str!("../../public/first.js");

    #[test]
    fn first_script_has_same_language_names() {
        let codes = Language::ALL.map(|language| format!("\"{}\"", language.code()));
        assert!(SCRIPT.contains(&format!("const languages = [{}];", codes.join(", "))));
        assert!(SCRIPT.contains(&format!("localStorage.getItem(\"{LANGUAGE_KEY}\")")));
    }

    #[test]
    fn tag_maps_to_language() {
        for (tag, language) in [
            ("en", Some(Language::English)),
            ("en-GB", Some(Language::English)),
            ("de-AT", Some(Language::German)),
            ("DE", Some(Language::German)),
            ("den", None),
            ("fr-FR", None),
            ("", None),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
    }
}
