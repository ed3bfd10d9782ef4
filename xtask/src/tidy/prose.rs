//! Measures the prose of comments and Markdown: how often it uses words that hide the subject of a
//! sentence, and how many sentences open with one. `docs/STYLE.md` has the rules.

use super::{Finding, Sources, has_extension, rust_files};

/// Words that a plain sentence does not need.
const WORDS: &[&str] = &[
    "anew", "whoever", "whatever", "whomever", "beside", "nobody", "none", "shall", "whom",
    "whose", "thereof", "likewise", "hence", "lest", "whereof",
];

/// Pairs of words that replace a subject: a word of the first list followed by one of the second.
const PAIRS: &[(&str, &str)] = &[
    ("by of in at to from for with on", "which"),
    ("is are was were be", "told said asked heard let held kept taken led shown"),
    (
        "what",
        "is was are were has have had comes came goes stands waits follows needs may can must",
    ),
    ("who", "comes came is was may asks has goes looks sends"),
    ("that", "of"),
    ("by", "itself"),
    ("stand stands", "in for at on behind there alone"),
];

/// First words that postpone the subject of a sentence.
const OPENERS: &[&str] = &[
    "what", "who", "whoever", "whatever", "whose", "whom", "of", "none", "nobody", "nothing",
    "that",
];

/// Upper bounds: markers per 10,000 words, and openers per 10,000 sentences. Only lower them.
const COMMENTS_MAX: Rates = Rates { markers: 6, openers: 2 };
const MARKDOWN_MAX: Rates = Rates { markers: 4, openers: 2 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rates {
    markers: usize,
    openers: usize,
}

#[derive(Default)]
struct ProseCounts {
    words: usize,
    markers: usize,
    sentences: usize,
    openers: usize,
}

/// Returns what is measured, its rates and its bounds.
fn measure(sources: &Sources) -> [(&'static str, Rates, Rates); 2] {
    [
        ("comments", rates(comments(sources)), COMMENTS_MAX),
        ("Markdown", rates(markdown(sources)), MARKDOWN_MAX),
    ]
}

/// Reports comments or Markdown with rates above the bounds.
pub(super) fn prose_stays_plain(sources: &Sources) -> Vec<Finding> {
    let exceeds =
        |found: Rates, max: Rates| found.markers > max.markers || found.openers > max.openers;
    let measured = measure(sources).into_iter().filter(|(_, found, max)| exceeds(*found, *max));
    let report = |(name, found, max): (&str, Rates, Rates)| {
        let message = format!(
            "{name} have {} markers per 10,000 words and {} openers per 10,000 sentences; the \
             bounds are {} and {}",
            found.markers, found.openers, max.markers, max.openers
        );
        Finding::new("docs/STYLE.md", 0, message)
    };
    measured.map(report).collect()
}

/// The figures as one line, for the output of `tidy`.
pub(super) fn summary(sources: &Sources) -> String {
    let line = |(name, found, _): (&str, Rates, Rates)| {
        format!("{name} {} and {}", found.markers, found.openers)
    };
    format!(
        "prose markers per 10,000 words and openers per 10,000 sentences: {}",
        measure(sources).map(line).join("; ")
    )
}

fn comments(sources: &Sources) -> Vec<String> {
    let comment = |line: &str| {
        let text = line.trim_start().strip_prefix("//")?;
        Some(text.trim_start_matches(['/', '!']).trim().to_owned())
    };
    rust_files(sources).flat_map(|(_, text)| paragraphs(text.lines().map(comment))).collect()
}

fn markdown(sources: &Sources) -> Vec<String> {
    let files = sources.iter().filter(|(path, _)| has_extension(path, "md"));
    files
        .flat_map(|(_, text)| paragraphs(text.lines().map(|l| Some(l.trim().to_owned()))))
        .collect()
}

/// Joins consecutive lines of prose; an empty line or a line of something else ends a paragraph.
fn paragraphs(lines: impl Iterator<Item = Option<String>>) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in lines {
        match line.filter(|line| !line.is_empty()) {
            Some(line) => {
                let last = all.last_mut().expect("the list starts with one paragraph");
                last.push(' ');
                last.push_str(&line);
            }
            None => all.push(String::new()),
        }
    }
    all.retain(|paragraph| !paragraph.is_empty());
    all
}

fn rates(paragraphs: Vec<String>) -> Rates {
    let mut counts = ProseCounts::default();
    for paragraph in paragraphs {
        count(&without_code(&paragraph), &mut counts);
    }
    let rate = |n: usize, of: usize| 10_000 * n / of.max(1);
    Rates {
        markers: rate(counts.markers, counts.words),
        openers: rate(counts.openers, counts.sentences),
    }
}

/// Replaces spans in backticks by one word.
fn without_code(text: &str) -> String {
    text.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "X" }).collect()
}

fn count(paragraph: &str, counts: &mut ProseCounts) {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    counts.words += words.len();
    let plain: Vec<String> = words
        .iter()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    counts.markers += plain.iter().filter(|word| WORDS.contains(&word.as_str())).count();
    let has = |list: &str, word: &str| list.split(' ').any(|item| item == word);
    let is_pair = |pair: &[String]| PAIRS.iter().any(|(a, b)| has(a, &pair[0]) && has(b, &pair[1]));
    counts.markers += plain.windows(2).filter(|pair| is_pair(pair)).count();
    let mut start = 0;
    for end in 0..words.len() {
        if words[end].ends_with(['.', '!', '?']) || end + 1 == words.len() {
            if end - start >= 3 {
                counts.sentences += 1;
                counts.openers += usize::from(OPENERS.contains(&plain[start].as_str()));
            }
            start = end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates_of(text: &str) -> Rates {
        rates(paragraphs(text.lines().map(|line| Some(line.to_owned()))))
    }

    #[test]
    fn markers_and_openers_are_counted() {
        let plain = rates_of("The server reads one page. It returns the rows.");
        assert_eq!(plain, Rates { markers: 0, openers: 0 });
        let mannered =
            rates_of("What is told nobody\nhears again. It is the key by which we look.");
        assert_eq!(mannered, Rates { markers: 10_000 * 4 / 14, openers: 5_000 });
    }

    #[test]
    fn mannered_comments_are_reported() {
        let mannered = "//! What is told nobody hears again.\n";
        let findings = prose_stays_plain(&crate::tidy::sources_of(&[("src/a.rs", mannered)]));
        assert_eq!(findings.len(), 1, "{findings:?}");
        let plain = "//! Returns the page after the cursor.\n";
        assert!(prose_stays_plain(&crate::tidy::sources_of(&[("src/a.rs", plain)])).is_empty());
    }

    #[test]
    fn code_spans_are_ignored() {
        assert_eq!(rates_of("It reads `nobody of which` once.").markers, 0);
    }
}
