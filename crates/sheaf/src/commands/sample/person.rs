//! Authors of sample submissions, and the texts that they write.

use super::random::Random;
use super::texts::{CATEGORIES, COMMON, LANGUAGES, LanguageTexts, Name};

/// Mood of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Good,
    Plain,
    Bad,
    Mixed,
}

const MOODS: [(Mood, u32); 4] =
    [(Mood::Good, 52), (Mood::Plain, 18), (Mood::Bad, 18), (Mood::Mixed, 12)];
/// Number of comments in a thousand that contain a rare word.
const RARE_PERMILLE: u32 = 15;

/// Author of a submission.
pub(super) struct SampleAuthor {
    pub(super) language: &'static LanguageTexts,
    pub(super) mood: Mood,
    given: &'static Name,
    family: &'static Name,
    /// Topics, as indexes into [`CATEGORIES`]; at most three.
    topics: Vec<usize>,
}

impl SampleAuthor {
    pub(super) fn new(rng: &mut Random) -> Self {
        let language = rng.weighted(&*LANGUAGES, |language| language.share);
        let mood = rng.weighted(&MOODS, |(_, share)| *share).0;
        let mut topics: Vec<usize> = Vec::with_capacity(3);
        for _ in 0..rng.next_in(1, 3) {
            // The lesser of two random numbers makes the first topics the most frequent.
            let throw = rng.next_below(10).min(rng.next_below(10));
            let topic = usize::try_from(throw).unwrap_or_default();
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        let given = rng.pick(&language.given);
        let family = rng.pick(&language.family);
        Self { language, mood, given, family, topics }
    }

    pub(super) fn name(&self) -> String {
        let (first, second) = if self.language.family_first {
            (&self.family.0, &self.given.0)
        } else {
            (&self.given.0, &self.family.0)
        };
        format!("{first} {second}")
    }

    pub(super) fn email(&self, rng: &mut Random) -> String {
        const HOSTS: [&str; 6] = [
            "example.com",
            "example.org",
            "mail.example.net",
            "post.example",
            "work.example",
            "xn--mller-kva.example",
        ];
        let given = &self.given.1;
        let family = &self.family.1;
        let host = rng.pick(&HOSTS);
        match rng.next_below(4) {
            0 => format!("{given}.{family}@{host}"),
            1 => format!("{family}{}@{host}", rng.next_in(1, 99)),
            2 => format!("{given}+forms@{host}"),
            _ => format!("{given}_{family}@{host}"),
        }
    }

    pub(super) fn website(&self, rng: &mut Random) -> String {
        let given = &self.given.1;
        let family = &self.family.1;
        let paths = ["", "/about", "/shop?ref=1&lang=en", "/a%20b", "/#contact"];
        format!("https://{given}-{family}.example{}", rng.pick(&paths))
    }

    pub(super) fn categories(&self) -> Vec<String> {
        self.topics.iter().map(|topic| CATEGORIES[*topic].to_owned()).collect()
    }

    /// Returns one sentence.
    pub(super) fn random_sentence(&self, rng: &mut Random) -> String {
        let mut text = String::new();
        self.push_sentence(rng, &mut text);
        text
    }

    /// Returns a comment of one sentence to one page.
    pub(super) fn random_comment(&self, rng: &mut Random) -> String {
        let sentences = match rng.next_below(100) {
            0..75 => rng.next_in(1, 3),
            75..97 => rng.next_in(4, 8),
            _ => rng.next_in(12, 30),
        };
        let mut text = String::with_capacity(64 * usize::try_from(sentences).unwrap_or(1));
        for sentence in 0..sentences {
            if sentence > 0 {
                let paragraph = sentences > 3 && rng.chance_permille(150);
                text.push_str(if paragraph { "\n\n" } else { &self.language.gap });
            }
            self.push_sentence(rng, &mut text);
        }
        if rng.chance_permille(RARE_PERMILLE) {
            // With the least of three random numbers, the last word occurs once in a million
            // comments.
            let throw = rng.next_below(24).min(rng.next_below(24)).min(rng.next_below(24));
            text.push_str(" (");
            text.push_str(&COMMON.rare[usize::try_from(throw).unwrap_or_default()]);
            text.push(')');
        }
        if rng.chance_permille(250) {
            text.push_str(if rng.chance_permille(300) { "\n" } else { &self.language.gap });
            text.push_str(rng.pick(&self.language.closings).as_str());
        }
        text
    }

    fn push_sentence(&self, rng: &mut Random, text: &mut String) {
        let LanguageTexts { good, plain, bad, things, .. } = self.language;
        let (first, second) = match self.mood {
            Mood::Good => (good, plain),
            Mood::Plain => (plain, plain),
            Mood::Bad => (bad, plain),
            Mood::Mixed => (good, bad),
        };
        let likely = if self.mood == Mood::Mixed { 500 } else { 800 };
        let list = if rng.chance_permille(likely) { first } else { second };
        let sentence = rng.pick(list);
        let thing = &things[*rng.pick(&self.topics)];
        let (before, after) = sentence.split_once("{}").unwrap_or((sentence, ""));
        for part in [before, thing, after] {
            text.push_str(part);
        }
    }
}
