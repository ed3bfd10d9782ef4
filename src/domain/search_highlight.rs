//! Splits answers into highlighted and plain pieces of text. Matches follow the rules of the
//! search: exact, and within one value. Rendering is done elsewhere.

use std::ops::Range;

use contract::filter::Search;
use contract::submission::{answer_text, for_each_leaf};
use contract::{Field, Submission};
use serde_json::Value;

/// Maximum number of matches highlighted in one answer.
const MATCHES_MAX: usize = 200;
/// Maximum characters of an answer shown on one line; no column shows more.
const LINE_CHARS_MAX: usize = 160;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HighlightPiece {
    /// The text.
    pub text: String,
    /// Whether it is part of a match.
    pub is_match: bool,
}

/// Splits each segment of a text into pieces. A match may begin in one segment and end in another.
pub fn highlight_segments(segments: &[&str], search: &Search) -> Vec<Vec<HighlightPiece>> {
    let text = segments.concat();
    let ranges = search.find_matches(&text, MATCHES_MAX);
    let mut end = 0;
    let split_segment = |segment: &&str| {
        let mut pieces = Vec::new();
        let mut at = end;
        end += segment.len();
        for range in &ranges {
            let from = range.start.clamp(at, end);
            let to = range.end.clamp(at, end);
            push_piece(&mut pieces, &text[at..from], false);
            push_piece(&mut pieces, &text[from..to], true);
            at = to;
        }
        push_piece(&mut pieces, &text[at..end], false);
        pieces
    };
    segments.iter().map(split_segment).collect()
}

/// Returns an answer on one line in pieces, shortened so that the first match is within `room`
/// characters; empty if the answer does not match.
pub fn highlight_line(value: &Value, search: &Search, room: usize) -> Vec<HighlightPiece> {
    let (text, ranges) = match_ranges(value, search);
    let Some(first) = ranges.first() else { return Vec::new() };
    let from = line_start(&text[..first.start], room);
    let mut pieces = Vec::new();
    if from > 0 {
        push_piece(&mut pieces, "…", false);
    }
    // A run of white space becomes one blank, highlighted only if matches touch it on both sides.
    let mut chars = 0;
    let mut blank = None::<bool>;
    for (at, c) in text[from..].char_indices().take(LINE_CHARS_MAX * 4) {
        let found = ranges.iter().any(|range| range.contains(&(at + from)));
        if chars == LINE_CHARS_MAX {
            push_piece(&mut pieces, "…", false);
            break;
        }
        if c.is_whitespace() {
            blank = (chars > 0).then(|| found && blank.unwrap_or(true));
            continue;
        }
        if let Some(blank) = blank.take() {
            push_piece(&mut pieces, " ", blank && found);
        }
        push_piece(&mut pieces, c.encode_utf8(&mut [0; 4]), found);
        chars += 1;
    }
    pieces
}

/// Returns the first matching answer with a key that is not in `shown`: its name and its line. The
/// fields of the form come first, in their order.
pub fn find_hidden_match(
    submission: &Submission,
    fields: &[&Field],
    shown: &[&str],
    search: &Search,
    room: usize,
) -> Option<(String, Vec<HighlightPiece>)> {
    let answers = &submission.answers.0;
    let known = fields.iter().map(|field| (field.key.as_str(), field.name.as_str()));
    let other_keys = answers.keys().filter(|key| fields.iter().all(|field| field.key != **key));
    known
        .chain(other_keys.map(|key| (key.as_str(), key.as_str())))
        .filter(|(key, _)| !shown.contains(key))
        .find_map(|(key, name)| {
            let pieces = highlight_line(answers.get(key)?, search, room);
            (!pieces.is_empty()).then(|| (name.to_owned(), pieces))
        })
}

/// Returns the text of an answer, as `progress_text` formats it, and the ranges of the matches in
/// its values. An object is represented by its first matching value.
fn match_ranges(value: &Value, search: &Search) -> (String, Vec<Range<usize>>) {
    match value {
        Value::Array(items) => {
            let mut text = String::new();
            let mut matches = Vec::new();
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str("; ");
                }
                let (part, ranges) = match_ranges(item, search);
                matches.extend(
                    ranges.iter().map(|range| range.start + text.len()..range.end + text.len()),
                );
                text.push_str(&part);
            }
            matches.truncate(MATCHES_MAX);
            (text, matches)
        }
        Value::Object(_) => {
            let mut first = None;
            for_each_leaf(value, &mut |leaf| {
                let ranges = search.find_matches(&leaf, MATCHES_MAX);
                if first.is_none() && !ranges.is_empty() {
                    first = Some((leaf.into_owned(), ranges));
                }
            });
            first.unwrap_or_else(|| (answer_text(value).into_owned(), Vec::new()))
        }
        value => {
            let text = answer_text(value).into_owned();
            let ranges = search.find_matches(&text, MATCHES_MAX);
            (text, ranges)
        }
    }
}

/// Returns the byte offset where a line starts, so that the text after `before` is within `room`
/// characters: 0 if that fits, else a word boundary shortly before it.
fn line_start(before: &str, room: usize) -> usize {
    let chars = before.chars().count();
    if chars <= room {
        return 0;
    }
    let context_start = before.char_indices().rev().nth(room / 2).map_or(0, |(at, _)| at);
    before[context_start..]
        .find(char::is_whitespace)
        .map_or(context_start, |blank| context_start + blank)
}

fn push_piece(pieces: &mut Vec<HighlightPiece>, text: &str, found: bool) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.is_match == found => last.text.push_str(text),
        _ => pieces.push(HighlightPiece { text: text.to_owned(), is_match: found }),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Metadata, Timestamp};
    use proptest::prelude::*;
    use serde_json::json;

    fn search(text: &str) -> Search {
        Search::new(text).unwrap().unwrap()
    }

    fn write_pieces(pieces: &[HighlightPiece]) -> String {
        let format_piece = |piece: &HighlightPiece| {
            if piece.is_match { format!("[{}]", piece.text) } else { piece.text.clone() }
        };
        pieces.iter().map(format_piece).collect()
    }

    #[track_caller]
    fn check(value: &Value, term: &str, room: usize, text: &str) {
        assert_eq!(write_pieces(&highlight_line(value, &search(term), room)), text);
    }

    #[test]
    fn line_highlights_values_not_separators() {
        check(&json!("A needle,\n  a Needle"), "needle", 60, "A [needle], a [Needle]");
        check(&json!("one\n\n two three"), "one\n\n two", 60, "[one two] three");
        check(&json!(["needle", "hay; needle"]), "needle", 60, "[needle]; hay; [needle]");
        check(&json!(["one", "two"]), "one; two", 60, "");
        check(&json!(["one", "two"]), "; ", 60, "");
        check(&json!(1.25), "1.2", 60, "[1.2]5");
        check(&json!(true), "TRU", 60, "[tru]e");
        check(&json!({ "street": "Straße" }), "strasse", 60, "[Straße]");
        check(&json!({ "street": "x" }), "street", 60, "");
        check(&Value::Null, "null", 60, "");
    }

    #[test]
    fn first_match_is_never_cut_off() {
        let long_text = json!(format!("{} the needle {}", "hay ".repeat(50), "more ".repeat(50)));
        let found = write_pieces(&highlight_line(&long_text, &search("needle"), 20));
        assert!(found.starts_with("…hay the [needle] more"), "{found}");
        assert!(found.ends_with("…"));
        check(&json!(format!("{}needle", "x".repeat(99))), "needle", 4, "…xxx[needle]");
    }

    fn submission(answers: &Value) -> Submission {
        Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_value(answers.clone()).unwrap(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        }
    }

    #[test]
    fn match_outside_of_columns_is_named() {
        let field = |key: &str, name: &str| Field {
            id: format!("fld_{key}").parse().unwrap(),
            key: key.to_owned(),
            name: name.to_owned(),
            kind: contract::FieldType::Text,
            hidden: false,
        };
        let fields = [field("a", "Name"), field("b", "Notes")];
        let fields: Vec<&Field> = fields.iter().collect();
        let row = submission(&json!({ "z": "needle", "b": "the needle", "a": "needle" }));
        let check = |shown: &[&str], text: &str| {
            let found = find_hidden_match(&row, &fields, shown, &search("needle"), 20);
            let found = found.map(|(name, pieces)| format!("{name}: {}", write_pieces(&pieces)));
            assert_eq!(found.unwrap_or_default(), text);
        };
        check(&[], "Name: [needle]");
        check(&["a"], "Notes: the [needle]");
        check(&["a", "b"], "z: [needle]");
        check(&["a", "b", "z"], "");
    }

    proptest! {
        #[test]
        fn row_is_highlighted_iff_filter_matches(
            one in "[aAß\\n;x ]{0,40}", two in "[aAß\\n;x ]{0,40}", wanted in "[aß;x]{1,2}",
            room in 1usize..30,
        ) {
            let row = submission(&json!({ "l": [one, two], "t": two }));
            let found = find_hidden_match(&row, &[], &[], &search(&wanted), room);
            prop_assert_eq!(found.is_some(), search(&wanted).matches(&row.answers));
            if let Some((_, pieces)) = found {
                prop_assert!(pieces.iter().any(|piece| piece.is_match), "{:?}", pieces);
            }
        }

        #[test]
        fn pieces_concatenate_to_original_text(
            one in "[aAßẞ b]{0,20}", two in "[aAßẞ b]{0,20}", wanted in "[aß]{1,2}",
        ) {
            let pieces = highlight_segments(&[&one, &two], &search(&wanted));
            let full_text = |pieces: &[HighlightPiece]| -> String {
                pieces.iter().map(|piece| piece.text.as_str()).collect()
            };
            prop_assert_eq!([full_text(&pieces[0]), full_text(&pieces[1])], [&one[..], &two[..]]);
            for pieces in &pieces {
                prop_assert!(pieces.windows(2).all(|two| two[0].is_match != two[1].is_match));
            }
            // Both segments highlight exactly the matches in the concatenated text.
            let at = |pieces: &[HighlightPiece]| -> Vec<bool> {
                pieces.iter().flat_map(|piece| piece.text.bytes().map(|_| piece.is_match)).collect()
            };
            let ranges = search(&wanted).find_matches(&format!("{one}{two}"), MATCHES_MAX);
            let marked: Vec<bool> =
                (0..one.len() + two.len())
                    .map(|at| ranges.iter().any(|range| range.contains(&at)))
                    .collect();
            prop_assert_eq!([at(&pieces[0]), at(&pieces[1])].concat(), marked);
        }
    }
}
