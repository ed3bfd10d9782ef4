//! A submission as plain text, to be pasted elsewhere: its title, each answer, then what is known
//! beside them.

use super::{Line, Shown, flag};

/// A name, and what is known of it in words.
pub type Fact = (&'static str, Option<String>);

/// What stands for a value that is not there.
const MISSING: &str = "—";

/// Returns the text of a submission.
pub fn plain(title: &str, lines: &[Line], facts: &[Fact]) -> String {
    let mut text = format!("{title}\n");
    for Line { name, shown } in lines {
        text = text + "\n" + name + "\n" + &answer(shown) + "\n";
    }
    text.push('\n');
    for (name, value) in facts {
        text = text + name + ": " + value.as_deref().unwrap_or(MISSING) + "\n";
    }
    text
}

/// Returns an answer; of several things that were chosen, each on a line of its own.
fn answer(shown: &Shown) -> String {
    match shown {
        Shown::Missing => MISSING.to_owned(),
        Shown::Text(text) | Shown::Link { text, .. } => text.trim_end().to_owned(),
        Shown::Flag(yes) => flag(*yes).to_owned(),
        Shown::Items(items) => items.join("\n"),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_below_their_names_and_facts_beside_theirs() {
        let line = |name: &str, shown| Line { name: name.to_owned(), shown };
        let text = |text: &str| Shown::Text(text.to_owned());
        let lines = [
            line("Name", text("Ann")),
            line("Notes", text("one\n\ntwo\n")),
            line("Tags", Shown::Items(vec!["x".to_owned(), "y".to_owned()])),
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
        y

        Agreed
        Yes

        Phone
        —

        Country: Germany
        Browser: —
        ");
    }
}
