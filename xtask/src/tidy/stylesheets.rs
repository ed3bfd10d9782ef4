//! Rules for the style sheets: colours are defined in one file, and every class is both styled and
//! used.

use std::collections::BTreeMap;

use super::{Finding, Sources, code, has_extension};

/// The only file that may contain colour values.
const TOKENS: &str = "style/tokens.css";

/// Checks that colour values are only in the tokens.
pub(super) fn colours_are_tokens(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in stylesheets(sources).filter(|(path, _)| *path != TOKENS) {
        for (at, line) in without_comments(text).lines().enumerate() {
            if has_colour(line) {
                let message = format!("raw colour: define it in {TOKENS} and use the variable");
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
}

fn has_colour(line: &str) -> bool {
    let functions = ["oklch(", "oklab(", "rgb(", "rgba(", "hsl(", "hsla(", "lab(", "lch("];
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let hex = line.match_indices('#').any(|(at, _)| {
        let digits: String = line[at + 1..].chars().take_while(|&c| is_word(c)).collect();
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|b| b.is_ascii_hexdigit())
    });
    hex || functions
        .iter()
        .any(|name| line.match_indices(name).any(|(at, _)| !line[..at].ends_with(is_word)))
}

/// Checks that rows of the list do not use `:empty`. With each text that is written, a browser
/// would recompute their style, and that of elements that match them with `:has`.
pub(super) fn rows_do_not_use_empty_selector(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in stylesheets(sources) {
        // The selectors of the enclosing blocks, from the outermost.
        let mut around: Vec<String> = Vec::new();
        for (at, line) in without_comments(text).lines().enumerate() {
            let selector = line.trim().trim_end_matches(['{', ',']).trim();
            let of_row =
                selector.contains(".grid-") || around.iter().any(|one| one.contains(".grid-"));
            if of_row && selector.contains(":empty") {
                let message = "`:empty` in a row of the list: use `[data-missing]`".to_owned();
                findings.push(Finding::new(path, at + 1, message));
            }
            if line.contains('{') {
                around.push(selector.to_owned());
            }
            if line.contains('}') {
                around.pop();
            }
        }
    }
    findings
}

/// Checks that every class in the code has a rule.
pub(super) fn used_classes_exist(sources: &Sources) -> Vec<Finding> {
    let styled = styled_classes(sources);
    if styled.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (path, text) in view_files(sources) {
        let text = code::code_and_strings(code::without_tests(text));
        for (at, line) in text.lines().enumerate() {
            for class in used_classes(line).into_iter().filter(|class| !styled.contains_key(*class))
            {
                let message = format!("no rule in style/ for the class `{class}`");
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
}

/// Checks that every class with a rule is used.
pub(super) fn styled_classes_are_used(sources: &Sources) -> Vec<Finding> {
    let mut words_in_views = String::new();
    for (_, text) in view_files(sources) {
        let text = code::without_tests(text);
        words_in_views.push_str(&code::strings_only(text));
        words_in_views
            .extend(text.split("class:").skip(1).map(|rest| format!(" {}", identifier(rest))));
    }
    words_in_views.extend(sources.get("index.html").map(|page| page.replace(['=', '>'], " ")));
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let words: std::collections::BTreeSet<_> = words_in_views.split(|c| !is_part(c)).collect();
    let unused =
        styled_classes(sources).into_iter().filter(|(class, _)| !words.contains(class.as_str()));
    let finding = |(class, (path, line)): (String, (String, usize))| {
        Finding::new(&path, line, format!("no code in src/ uses the class `{class}`: remove it"))
    };
    unused.map(finding).collect()
}

fn stylesheets(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    let files = sources.iter().filter(|(path, _)| has_extension(path, "css"));
    files.map(|(path, text)| (path.as_str(), text.as_str()))
}

fn view_files(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    super::rust_files(sources).filter(|(path, _)| path.starts_with("src/"))
}

/// Returns the classes that a line of a view names literally.
fn used_classes(line: &str) -> Vec<&str> {
    let mut classes = Vec::new();
    for opening in [" class=\"", " class=(\""] {
        for rest in split_after(line, opening) {
            let list = rest.split('"').next().unwrap_or_default();
            classes.extend(list.split_whitespace());
        }
    }
    classes.extend(split_after(line, " class:").map(identifier));
    classes
}

fn split_after<'a>(line: &'a str, opening: &'a str) -> impl Iterator<Item = &'a str> {
    line.split(opening).skip(1)
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Returns every class with a rule, and the location of its first rule.
fn styled_classes(sources: &Sources) -> BTreeMap<String, (String, usize)> {
    let mut found = BTreeMap::new();
    for (path, text) in stylesheets(sources) {
        for (at, line) in without_comments(text).lines().enumerate() {
            for rest in line.split('.').skip(1) {
                let class = identifier(rest);
                if class.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    found.entry(class.to_owned()).or_insert_with(|| (path.to_owned(), at + 1));
                }
            }
        }
    }
    found
}

/// Removes comments and strings from a style sheet. Line breaks stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_comment = false;
    let mut in_string = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\n' => out.push('\n'),
            '*' if in_comment => in_comment = characters.next_if_eq(&'/').is_none(),
            _ if in_comment => {}
            '"' => in_string = !in_string,
            _ if in_string => {}
            '/' if characters.next_if_eq(&'*').is_some() => in_comment = true,
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[test]
    fn raw_colour_outside_tokens_is_found() {
        let check = |path: &str, text: &str, found: usize| {
            let findings = colours_are_tokens(&sources_of(&[(path, text)]));
            assert_eq!(findings.len(), found, "{path}: {text}");
        };
        check("style/tokens.css", "--ink: oklch(.2 .01 260);", 0);
        check("style/base.css", "color: oklch(.2 .01 260);", 1);
        check("style/base.css", "color: #fff;", 1);
        check("style/base.css", "color: var(--ink); /* not #fff */", 0);
        check("style/base.css", "color: color-mix(in oklch, var(--a), var(--b));", 0);
    }

    #[test]
    fn empty_selector_in_row_is_found() {
        let check = |text: &str, found: usize| {
            let findings = rows_do_not_use_empty_selector(&sources_of(&[("style/data.css", text)]));
            assert_eq!(findings.len(), found, "{text}");
        };
        check(".grid-cell {\n  &:empty::before {\n  }\n}", 1);
        check("@container grid {\n  .grid-row:has(> :empty) > b {\n  }\n}", 1);
        check(".grid-cell {\n  &[data-missing] {\n  }\n}\n.note {\n  &:empty {\n  }\n}", 0);
        check("/* .grid-cell:empty { */\n.grid-cell {\n}", 0);
    }

    #[test]
    fn class_without_rule_is_found() {
        let check = |view: &str, found: usize| {
            let css = ".badge { .icon { width: 1.5rem } } .row:hover { top: .5em }";
            let files = [("style/data.css", css), ("src/ui/badge.rs", view)];
            assert_eq!(used_classes_exist(&sources_of(&files)).len(), found, "{view}");
        };
        check("<p class=\"badge row\"/>", 0);
        check("<p class=\"badge raw\"/>", 1);
        check("<p class:icon=on/>", 0);
        check("<p class:icons=on/>", 1);
        check("<p class=(\"rows\", on)/>", 1);
        check("// <p class=\"none\"/>", 0);
    }

    #[test]
    fn unused_rule_is_found() {
        let check = |css: &str, found: usize| {
            let view = "view! { <p class=\"badge\" class:open=on/> }\nlet kind = \"wide thin\";";
            let files = [("style/data.css", css), ("src/ui/badge.rs", view)];
            assert_eq!(styled_classes_are_used(&sources_of(&files)).len(), found, "{css}");
        };
        check(".badge.open { } .thin { }", 0);
        check(".badge { } .badges { }", 1);
        check("/* .gone */ .badge { content: \".x\" }", 0);
    }
}
