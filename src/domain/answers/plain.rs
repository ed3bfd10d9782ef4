//! A submission as plain text for the clipboard: the title, each answer, then the metadata.

use super::{AnswerView, CardRow, links::TextSegment, yes_no_text};

/// A label and its value.
pub type LabeledValue = (&'static str, Option<String>);

/// Placeholder for a missing value.
const MISSING: &str = "—";

/// Returns a submission as plain text.
pub fn submission_text(title: &str, lines: &[CardRow], facts: &[LabeledValue]) -> String {
    let mut text = format!("{title}\n");
    for CardRow { name, answer: shown, .. } in lines {
        let answer = answer_text(shown, "\n");
        let answer = answer.as_deref().map_or(MISSING, str::trim_end);
        text = text + "\n" + name + "\n" + answer + "\n";
    }
    text.push('\n');
    for (name, value) in facts {
        text = text + name + ": " + value.as_deref().unwrap_or(MISSING) + "\n";
    }
    text
}

/// Returns an answer as plain text, with `between` between several values; `None` if it is
/// missing.
pub fn answer_text(shown: &AnswerView, between: &str) -> Option<String> {
    Some(match shown {
        AnswerView::Missing => return None,
        AnswerView::Text(parts) => concat_segments(parts),
        AnswerView::Flag(yes) => yes_no_text(*yes).to_owned(),
        AnswerView::Items(items) => {
            items.iter().map(|item| concat_segments(item)).collect::<Vec<_>>().join(between)
        }
        AnswerView::Rating(rating) => rating.text.clone(),
    })
}

fn concat_segments(parts: &[TextSegment]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_lists_answers_then_facts() {
        let line =
            |name: &str, answer| CardRow { name: name.to_owned(), answer, choice_field: None };
        let part = |text: &str| TextSegment { text: text.to_owned(), href: None };
        let text = |text: &str| AnswerView::Text(vec![part(text)]);
        let lines = [
            line("Name", text("Ann")),
            line("Notes", text("one\n\ntwo\n")),
            line("Tags", AnswerView::Items(vec![vec![part("x")], vec![part("y"), part("z")]])),
            line("Agreed", AnswerView::Flag(true)),
            line("Phone", AnswerView::Missing),
        ];
        let facts = [("Country", Some("Germany".to_owned())), ("Browser", None)];
        insta::assert_snapshot!(submission_text("Ann", &lines, &facts), @r"
        Ann

        Name
        Ann

        Notes
        one

        two

        Tags
        x
        yz

        Agreed
        Yes

        Phone
        —

        Country: Germany
        Browser: —
        ");
    }
}
