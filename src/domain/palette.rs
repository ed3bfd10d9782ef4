//! Search of the command palette: a pure function with a stable order of results.

/// Quality of a match; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// The title starts with the query.
    Prefix,
    /// Each word of the query starts a word of the title.
    Words,
    /// The title contains the letters of the query, in order.
    Letters,
}

/// Returns the indexes of the matching titles, best match first; equal matches keep their order.
/// An empty query matches every title.
pub fn find_titles<'a>(typed: &str, titles: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let typed = typed.trim().to_lowercase();
    let rank = |(at, title)| Some((match_quality(&typed, title)?, at));
    let mut found: Vec<(MatchQuality, usize)> = titles.enumerate().filter_map(rank).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, at)| at).collect()
}

/// Returns how well a title matches `typed`, which must be in lower case.
fn match_quality(typed: &str, title: &str) -> Option<MatchQuality> {
    let title = title.to_lowercase();
    if title.starts_with(typed) {
        return Some(MatchQuality::Prefix);
    }
    let mark = |c: char| !c.is_alphanumeric();
    let begins_one = |word: &str| title.split(mark).any(|of| of.starts_with(word));
    if typed.split(mark).all(begins_one) {
        return Some(MatchQuality::Words);
    }
    let mut letters = title.chars();
    let in_order = |letter: char| letters.any(|next_letter| next_letter == letter);
    typed.chars().filter(|c| !c.is_whitespace()).all(in_order).then_some(MatchQuality::Letters)
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    const TITLES: [&str; 6] = [
        "Customer feedback",
        "Feedback: insights",
        "API keys",
        "Dark theme",
        "Sign out",
        "Übersicht der Wünsche",
    ];

    #[track_caller]
    fn check(typed: &str, found: &[&str]) {
        let at = find_titles(typed, TITLES.into_iter());
        assert_eq!(at.into_iter().map(|at| TITLES[at]).collect::<Vec<_>>(), found, "{typed}");
    }

    #[test]
    fn best_match_first_with_stable_order() {
        check("", &TITLES);
        check("  ", &TITLES);
        check("feed", &["Feedback: insights", "Customer feedback"]);
        check("FEED ins", &["Feedback: insights"]);
        check("ins feed", &["Feedback: insights"]);
        check("dkth", &["Dark theme"]);
        check("s o", &["Sign out", "Customer feedback"]);
        check("über", &["Übersicht der Wünsche"]);
        check("zzz", &[]);
    }

    proptest::proptest! {
        #[test]
        fn results_are_unique_and_title_finds_itself(at in 0_usize..6, typed in ".{0,12}") {
            let mut found = find_titles(&typed, TITLES.into_iter());
            let count = found.len();
            found.sort_unstable();
            found.dedup();
            proptest::prop_assert_eq!(found.len(), count);
            let found_titles = find_titles(TITLES[at], TITLES.into_iter());
            proptest::prop_assert_eq!(found_titles.first(), Some(&at));
        }
    }
}
