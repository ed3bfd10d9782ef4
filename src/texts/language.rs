//! Which language the interface speaks: the one that the viewer chose, else the first of the
//! browser's that there is. The choice is kept in the browser's storage. `public/first.js` finds
//! the same before the first paint.

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
        let preferred = || preferred().iter().find_map(|tag| Self::of_tag(tag));
        Self::chosen().or_else(preferred).unwrap_or_default()
    }

    /// Keeps what the viewer chose, `None` for what the browser says, and begins anew with it.
    pub fn choose(choice: Option<Self>) {
        // A browser may refuse storage: then there is no choice.
        if let Ok(Some(storage)) = window().local_storage() {
            let _ = match choice {
                Some(language) => storage.set_item(LANGUAGE_KEY, language.code()),
                None => storage.remove_item(LANGUAGE_KEY),
            };
        }
        // Refused only in a document that is being left.
        let _ = window().location().reload();
    }

    /// Says on the root element that the page is in this language.
    pub(super) fn mark(self) {
        if let Some(root) = document().document_element() {
            // `lang` is a valid attribute name, the only thing that could be refused.
            let _ = root.set_attribute("lang", self.code());
        }
    }

    /// Returns the language of a tag like `de-AT`, if it is one of ours.
    pub(super) fn of_tag(tag: &str) -> Option<Self> {
        let (code, _) = tag.split_once('-').unwrap_or((tag, ""));
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }
}

/// Returns the tags of the browser's languages, the one it likes best first.
pub(super) fn preferred() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
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
