//! Names, places and sentences for sample submissions in several languages, from `data/samples`.

use serde::Deserialize;
use std::sync::LazyLock;

/// A name as written, and in the letters of an email address.
pub(super) type Name = (String, String);

/// Topics of comments, as insight categories. Each language has a word for each.
pub(super) const CATEGORIES: [&str; 10] = [
    "delivery",
    "checkout",
    "support",
    "pricing",
    "app",
    "website",
    "product",
    "newsletter",
    "billing",
    "documentation",
];

/// Texts of one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageTexts {
    /// ISO 639-1 code.
    pub(super) code: String,
    /// Share of the submissions, relative to the sum of all shares.
    pub(super) share: u32,
    /// Countries of its speakers, with their shares.
    pub(super) countries: Vec<(String, u32)>,
    pub(super) cities: Vec<String>,
    pub(super) given: Vec<Name>,
    pub(super) family: Vec<Name>,
    pub(super) companies: Vec<String>,
    /// Words for [`CATEGORIES`], in the same order.
    pub(super) things: [String; CATEGORIES.len()],
    /// Sentences; `{}` is replaced by the topic.
    pub(super) good: Vec<String>,
    pub(super) plain: Vec<String>,
    pub(super) bad: Vec<String>,
    pub(super) closings: Vec<String>,
    /// Separator between sentences.
    pub(super) gap: String,
    /// Whether the family name precedes the given name.
    pub(super) family_first: bool,
    pub(super) dialling: String,
}

/// Texts for all languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommonTexts {
    /// Rare words in descending frequency, for trying the search.
    pub(super) rare: [String; 24],
    /// Answers that break careless programs: formulas, quotes, line breaks, markup, odd spaces.
    pub(super) odd: Vec<String>,
}

/// All languages, the most frequent first.
pub(super) static LANGUAGES: LazyLock<[LanguageTexts; 8]> = LazyLock::new(|| {
    [
        include_str!("../../../data/samples/en.json"),
        include_str!("../../../data/samples/de.json"),
        include_str!("../../../data/samples/es.json"),
        include_str!("../../../data/samples/fr.json"),
        include_str!("../../../data/samples/pt.json"),
        include_str!("../../../data/samples/ja.json"),
        include_str!("../../../data/samples/hi.json"),
        include_str!("../../../data/samples/ar.json"),
    ]
    .map(|json| serde_json::from_str(json).expect("a file of `data/samples` has all texts"))
});

/// Texts of no particular language.
pub(super) static COMMON: LazyLock<CommonTexts> = LazyLock::new(|| {
    let json = include_str!("../../../data/samples/any.json");
    serde_json::from_str(json).expect("`data/samples/any.json` has all texts")
});
