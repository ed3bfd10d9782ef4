//! Checks that every class is both styled and used, and that rows avoid a slow selector.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Sources, code, has_extension};

/// Checks that every class in the code has a rule.
pub(super) fn used_classes_exist(sources: &Sources) -> Vec<Finding> {
    let styled = styled_classes(sources);
    let mut findings = Vec::new();
    for (path, source) in sources.iter().filter(|(path, _)| is_view(path)) {
        let attribute = code::regex(r" class:([\w-]+)");
        let attributes = attribute.captures_iter(&source.code).filter_map(|found| found.get(1));
        let mut used: Vec<_> = attributes
            .map(|class| (code::line_of(&source.code, class.start()), class.as_str()))
            .collect();
        for literal in code::quoted_literals(code::without_tests(&source.text)) {
            if literal.before.ends_with(" class=") || literal.before.ends_with(" class=(") {
                used.extend(literal.text.split_whitespace().map(|class| (literal.line, class)));
            }
        }
        for (line, class) in used.into_iter().filter(|(_, class)| !styled.contains_key(*class)) {
            let message = format!("no rule in style/ for the class `{class}`");
            findings.push(Finding::new(path, line, message));
        }
    }
    findings
}

/// Checks that every class with a rule is used: in a string, an attribute `class:` or the page.
pub(super) fn styled_classes_are_used(sources: &Sources) -> Vec<Finding> {
    let word = code::regex(r"[\w-]+");
    let attribute = code::regex(r"class:([\w-]+)");
    let mut words = BTreeSet::new();
    let mut add =
        |text: &str| words.extend(word.find_iter(text).map(|word| word.as_str().to_owned()));
    for (path, source) in sources.iter().filter(|(path, _)| is_view(path) || *path == "index.html")
    {
        if path == "index.html" {
            add(&source.text);
        }
        let literals = code::quoted_literals(code::without_tests(&source.text));
        for literal in literals {
            add(literal.text);
        }
        for found in attribute.captures_iter(&source.code) {
            add(&found[1]);
        }
    }
    let unused = styled_classes(sources).into_iter().filter(|(class, _)| !words.contains(class));
    let finding = |(class, (path, line)): (String, (String, usize))| {
        Finding::new(&path, line, format!("no code in src/ uses the class `{class}`: remove it"))
    };
    unused.map(finding).collect()
}

fn is_view(path: &str) -> bool {
    path.starts_with("src/") && has_extension(path, "rs")
}

/// Returns every class with a rule, and the location of its first rule.
fn styled_classes(sources: &Sources) -> BTreeMap<String, (String, usize)> {
    let class = code::regex(r"\.([A-Za-z_][\w-]*)");
    let mut found = BTreeMap::new();
    for (path, source) in sources.iter().filter(|(path, _)| has_extension(path, "css")) {
        for (at, line) in source.code.lines().enumerate() {
            for class in class.captures_iter(line) {
                found.entry(class[1].to_owned()).or_insert_with(|| (path.clone(), at + 1));
            }
        }
    }
    found
}

/// Checks that rows of the list do not use `:empty`. With each text that is written, a browser
/// would recompute their style, and that of elements that match them with `:has`.
pub(super) fn rows_do_not_use_empty_selector(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    let styles = sources.iter().filter(|(path, _)| has_extension(path, "css"));
    for (path, source) in styles {
        // The selectors of the enclosing blocks, from the outermost.
        let mut around: Vec<String> = Vec::new();
        for (at, line) in source.code.lines().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

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
}
