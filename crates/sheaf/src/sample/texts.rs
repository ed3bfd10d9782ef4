//! What sample submissions are written with: names, places and sentences of several languages.
//!
//! Own texts. A sentence holds `{}` where the thing that it is about stands.

mod arabic;
mod english;
mod french;
mod german;
mod hindi;
mod japanese;
mod portuguese;
mod spanish;

/// A name as it is written, and in the letters of a mail address.
pub(super) type Name = (&'static str, &'static str);

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
pub(super) struct Language {
    /// ISO 639-1.
    pub(super) code: &'static str,
    /// Its share, against the sum of all.
    pub(super) share: u32,
    /// Where its speakers write from, with shares.
    pub(super) countries: &'static [(&'static str, u32)],
    pub(super) cities: &'static [&'static str],
    pub(super) given: &'static [Name],
    pub(super) family: &'static [Name],
    pub(super) companies: &'static [&'static str],
    /// The words for [`CATEGORIES`], in the same order.
    pub(super) things: [&'static str; 10],
    pub(super) good: &'static [&'static str],
    pub(super) plain: &'static [&'static str],
    pub(super) bad: &'static [&'static str],
    pub(super) closings: &'static [&'static str],
    /// What stands between two sentences.
    pub(super) gap: &'static str,
    /// Whether the family name comes first.
    pub(super) family_first: bool,
    pub(super) dialling: &'static str,
}

/// All languages, the most frequent first.
pub(super) const LANGUAGES: [&Language; 8] = [
    &english::LANGUAGE,
    &german::LANGUAGE,
    &spanish::LANGUAGE,
    &french::LANGUAGE,
    &portuguese::LANGUAGE,
    &japanese::LANGUAGE,
    &hindi::LANGUAGE,
    &arabic::LANGUAGE,
];

/// Words that occur seldom, the first the least seldom, for those who try the search.
pub(super) const RARE: [&str; 24] = [
    "marzipan",
    "thunderstorm",
    "lighthouse",
    "accordion",
    "zebrafinch",
    "parallax",
    "quinoa",
    "hovercraft",
    "saffron",
    "metronome",
    "periwinkle",
    "gyroscope",
    "sourdough",
    "labyrinth",
    "obsidian",
    "kumquat",
    "tambourine",
    "zeppelin",
    "juniper",
    "axolotl",
    "dodecahedron",
    "rutabaga",
    "xylophone",
    "quokkabyte",
];

/// Answers that break careless readers: formulas, quotes, line breaks, markup, odd spaces.
pub(super) const ODD: [&str; 16] = [
    "=SUM(A1:A9)",
    "+49 30 1234567, please call after 6 pm",
    "@home most days",
    "-1, honestly",
    "\"Quoted\", with a comma",
    "first line\nsecond line\r\nthird, \"quoted\" line",
    "<b>bold</b> & <script>alert(1)</script>",
    "tab\there, semicolon; pipe | backslash \\",
    "100 % sure; 50_000 users can't be wrong",
    "Zoë’s café — naïve façade",
    "👍🏽 great 👩‍👩‍👧 family 🇩🇪",
    "  leading and trailing spaces  ",
    "'=already escaped",
    "NULL",
    "0012",
    "שלום, thanks from Haifa",
];
