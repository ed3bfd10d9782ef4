//! What sample submissions are written with: names, places and sentences of several languages, the
//! files of `data/samples`.

use serde::Deserialize;
use std::sync::LazyLock;

/// A name as it is written, and in the letters of a mail address.
pub(super) type Name = (String, String);

/// What a comment can be about, as a category of insight. Each language has a word for each.
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

/// One language with its share of the submissions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    /// ISO 639-1.
    pub(super) code: String,
    /// Its share, against the sum of all.
    pub(super) share: u32,
    /// Where its speakers write from, with shares.
    pub(super) countries: Vec<(String, u32)>,
    pub(super) cities: Vec<String>,
    pub(super) given: Vec<Name>,
    pub(super) family: Vec<Name>,
    pub(super) companies: Vec<String>,
    /// The words for [`CATEGORIES`], in the same order.
    pub(super) things: [String; CATEGORIES.len()],
    /// Sentences. `{}` is the thing that they are about.
    pub(super) good: Vec<String>,
    pub(super) plain: Vec<String>,
    pub(super) bad: Vec<String>,
    pub(super) closings: Vec<String>,
    /// What stands between two sentences.
    pub(super) gap: String,
    /// Whether the family name comes first.
    pub(super) family_first: bool,
    pub(super) dialling: String,
}

/// What people of any language write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Common {
    /// Words that occur seldom, the first the least seldom, for those who try the search.
    pub(super) rare: [String; 24],
    /// Answers that break careless readers: formulas, quotes, line breaks, markup, odd spaces.
    pub(super) odd: Vec<String>,
}

/// All languages, the most frequent first.
pub(super) static LANGUAGES: LazyLock<[Language; 8]> = LazyLock::new(|| {
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

/// The texts that belong to no language.
pub(super) static COMMON: LazyLock<Common> = LazyLock::new(|| {
    let json = include_str!("../../../data/samples/any.json");
    serde_json::from_str(json).expect("`data/samples/any.json` has all texts")
});
