//! A submission as plain text for the clipboard: the title, each answer, then the metadata.

use super::{Line, Shown, flag, links::Part};

/// A label and its value.
pub type Fact = (&'static str, Option<String>);

/// Placeholder for a missing value.
const MISSING: &str = "—";

/// Returns a submission as plain text.
pub fn plain(title: &str, lines: &[Line], facts: &[Fact]) -> String {
    let mut text = format!("{title}\n");
    for Line { name, shown } in lines {
        let answer = answer(shown, "\n");
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
pub fn answer(shown: &Shown, between: &str) -> Option<String> {
    Some(match shown {
        Shown::Missing => return None,
        Shown::Text(parts) => whole(parts),
        Shown::Flag(yes) => flag(*yes).to_owned(),
        Shown::Items(items) => {
            items.iter().map(|item| whole(item)).collect::<Vec<_>>().join(between)
        }
        Shown::Rating(rating) => rating.text.clone(),
    })
}

fn whole(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_lists_answers_then_facts() {
        let line = |name: &str, shown| Line { name: name.to_owned(), shown };
        let part = |text: &str| Part { text: text.to_owned(), href: None };
        let text = |text: &str| Shown::Text(vec![part(text)]);
        let lines = [
            line("Name", text("Ann")),
            line("Notes", text("one\n\ntwo\n")),
            line("Tags", Shown::Items(vec![vec![part("x")], vec![part("y"), part("z")]])),
            line("Agreed", Shown::Flag(true)),
            line("Phone", Shown::Missing),
        ];
        let facts = [("Country", Some("Germany".to_owned())), ("Browser", None)];
        insta::assert_snapshot!(plain("Ann", &lines, &facts), @r"
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
