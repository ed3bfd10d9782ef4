//! Measures the prose of comments and Markdown: how often it uses words that hide the subject of a
//! sentence, and how many sentences open with one. `docs/STYLE.md` has the rules.

use super::{Finding, Sources, code, has_extension, rust_files};

/// Words that a plain sentence does not need, and pairs of words that replace a subject.
const MARKERS: &str = concat!(
    r"(?i)\b(anew|whoever|whatever|whomever|beside|nobody|none|shall|whom|whose|thereof|likewise",
    r"|hence|lest|whereof|(by|of|in|at|to|from|for|with|on) which",
    r"|(is|are|was|were|be) (told|said|asked|heard|let|held|kept|taken|led|shown)",
    r"|what (is|was|are|were|has|have|had|comes|came|goes|stands|waits|follows|needs|may|can|must)",
    r"|who (comes|came|is|was|may|asks|has|goes|looks|sends)|that of|by itself",
    r"|stands? (in|for|at|on|behind|there|alone))\b",
);

/// First words that postpone the subject of a sentence.
const OPENERS: &str =
    r"(?i)^[^\w\s]*(what|who|whoever|whatever|whose|whom|of|none|nobody|nothing|that)\b";

/// Upper bounds: markers per 10,000 words, and openers per 10,000 sentences. Only lower them.
const COMMENTS_MAX: Rates = Rates { markers: 6, openers: 2 };
const MARKDOWN_MAX: Rates = Rates { markers: 4, openers: 2 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rates {
    markers: usize,
    openers: usize,
}

/// Reports comments or Markdown with rates above the bounds.
pub(super) fn prose_stays_plain(sources: &Sources) -> Vec<Finding> {
    let exceeds = |(_, found, max): &(_, Rates, Rates)| {
        found.markers > max.markers || found.openers > max.openers
    };
    let report = |(name, found, max)| {
        Finding::new("docs/STYLE.md", 0, format!("{name} have {found:?}; the bounds are {max:?}"))
    };
    measure(sources).into_iter().filter(exceeds).map(report).collect()
}

/// The figures as one line, for the output of `tidy`.
pub(super) fn summary(sources: &Sources) -> String {
    let line = |(name, Rates { markers, openers }, _)| format!("{name} {markers} and {openers}");
    format!(
        "prose markers per 10,000 words and openers per 10,000 sentences: {}",
        measure(sources).map(line).join("; ")
    )
}

/// Returns the measured texts, their rates and their bounds.
fn measure(sources: &Sources) -> [(&'static str, Rates, Rates); 2] {
    let comment = |line: &str| {
        let text = line.trim_start().strip_prefix("//").unwrap_or_default();
        text.trim_start_matches(['/', '!']).trim().to_owned() + "\n"
    };
    let comments: String =
        rust_files(sources).flat_map(|(_, source)| source.text.lines().map(comment)).collect();
    let markdown = sources.iter().filter(|(path, _)| has_extension(path, "md"));
    let markdown: Vec<&str> = markdown.map(|(_, source)| source.text.as_str()).collect();
    [
        ("comments", rates(&comments), COMMENTS_MAX),
        ("Markdown", rates(&markdown.join("\n\n")), MARKDOWN_MAX),
    ]
}

/// Counts in paragraphs, which an empty line ends. A span in backticks is one word. A sentence has
/// more than three words.
fn rates(text: &str) -> Rates {
    let [markers, openers, paragraph, code_span, sentence] =
        [MARKERS, OPENERS, r"\n\s*\n", "`[^`]*`", r"[.!?](\s|$)"].map(code::regex);
    let [mut words, mut marked, mut sentences, mut opened] = [0, 0, 0, 0];
    for paragraph in paragraph.split(text) {
        let plain = code_span.replace_all(paragraph, "X");
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        words += plain.split(' ').count();
        marked += markers.find_iter(&plain).count();
        for sentence in sentence.split(&plain).filter(|text| text.split(' ').count() > 3) {
            sentences += 1;
            opened += usize::from(openers.is_match(sentence));
        }
    }
    let rate = |n: usize, of: usize| 10_000 * n / of.max(1);
    Rates { markers: rate(marked, words), openers: rate(opened, sentences) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_openers_are_counted() {
        let plain = rates("The server reads one page. It returns the rows.");
        assert_eq!(plain, Rates { markers: 0, openers: 0 });
        let mannered = rates("What is told nobody\nhears again. It is the key by which we look.");
        assert_eq!(mannered, Rates { markers: 10_000 * 3 / 14, openers: 5_000 });
        assert_eq!(rates("It reads `nobody of which` once.").markers, 0);
    }

    #[test]
    fn mannered_comments_are_reported() {
        let check = |text, found| {
            let findings = prose_stays_plain(&crate::tidy::sources_of(&[("src/a.rs", text)]));
            assert_eq!(findings.len(), found, "{findings:?}");
        };
        check("//! What is told nobody hears again.\n", 1);
        check("//! Returns the page after the cursor.\n", 0);
    }
}
