//! The languages of the interface. `public/first.js` knows the same ones.

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

    /// Returns the language of a tag like `de-AT`, if it is one of ours.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let (code, _) = tag.split_once('-').unwrap_or((tag, ""));
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = include_str!("../../public/first.js");

    #[test]
    fn the_script_before_the_first_paint_knows_the_same_names() {
        let codes = Language::ALL.map(|language| format!("\"{}\"", language.code()));
        assert!(SCRIPT.contains(&format!("const languages = [{}];", codes.join(", "))));
        assert!(SCRIPT.contains(&format!("localStorage.getItem(\"{LANGUAGE_KEY}\")")));
    }

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
