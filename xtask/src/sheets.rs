//! Takes the rules that only later parts need out of the style sheet: they become a sheet of its
//! own, which comes with the first of these parts. Which these are is told by the modules
//! themselves: a class that the first of them does not hold is on no element that it makes.
//! Changes no rule, and keeps their order in each sheet.

use std::collections::BTreeMap;

use crate::{
    finish::{Files, is_kind},
    styles::SHEET,
};

/// What the other sheet is called, before it is named by its content.
pub(crate) const LATER: &str = "later.css";

/// Blocks that hold rules.
const HOLD_RULES: [&str; 4] = ["@layer", "@media", "@supports", "@container"];

/// Moves the rules of later parts into a sheet of their own. `main` is the first module; a class
/// that no module holds is put together when it is needed, so that its rules stay.
pub(crate) fn apart(files: &mut Files, main: &str) {
    let Some(sheet) = files.get(SHEET).map(|sheet| String::from_utf8_lossy(sheet).into_owned())
    else {
        return;
    };
    let (mut first, mut later) = (String::new(), String::new());
    for (name, content) in files.iter() {
        let comes_first = name == main || is_kind(name, "html") || is_kind(name, "js");
        if comes_first || is_kind(name, "wasm") {
            let text = if comes_first { &mut first } else { &mut later };
            text.push_str(&String::from_utf8_lossy(content));
            text.push('\n');
        }
    }
    let mut known = BTreeMap::new();
    let mut comes_later = |class: &str| {
        let look = || !first.contains(class) && later.contains(class);
        *known.entry(class.to_owned()).or_insert_with(look)
    };
    let (mut stays, mut goes) = (String::new(), String::new());
    part(&sheet, &mut comes_later, &mut stays, &mut goes);
    files.insert(SHEET.to_owned(), stays.into_bytes());
    files.insert(LATER.to_owned(), goes.into_bytes());
}

/// Parts the rules of a sheet, or of a block that holds some.
fn part(
    text: &str,
    comes_later: &mut dyn FnMut(&str) -> bool,
    stays: &mut String,
    goes: &mut String,
) {
    let mut rest = text;
    while let Some(end) = rest.find([';', '{']) {
        if rest.as_bytes()[end] == b';' {
            stays.push_str(&rest[..=end]);
            rest = &rest[end + 1..];
            continue;
        }
        let (head, length) = (&rest[..end], block(&rest[end..]));
        let (body, after) = rest[end..].split_at(length);
        rest = after;
        if HOLD_RULES.iter().any(|name| head.trim_start().starts_with(name)) {
            let (mut inner_stays, mut inner_goes) = (String::new(), String::new());
            let inner = body.strip_prefix('{').unwrap_or(body);
            let inner = inner.strip_suffix('}').unwrap_or(inner);
            part(inner, comes_later, &mut inner_stays, &mut inner_goes);
            for (out, inner) in [(&mut *stays, inner_stays), (&mut *goes, inner_goes)] {
                if !inner.trim().is_empty() {
                    out.extend([head, "{", inner.trim(), "}"]);
                }
            }
        } else {
            let all = selectors(head);
            let later: Vec<_> =
                all.iter().copied().filter(|one| is_later(one, comes_later)).collect();
            if later.len() < all.len() {
                stays.extend([head, body]);
            }
            // Of those that share a rule, the later ones have it twice: it would no longer stand
            // behind the rules of theirs that it overrides.
            if !later.is_empty() {
                goes.extend([&later.join(","), body]);
            }
        }
    }
    stays.push_str(rest);
}

/// How long the block is that begins here, with its braces. A brace in a text would need more.
fn block(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The selectors of a rule: commas in brackets part none.
fn selectors(head: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in head.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(&head[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&head[start..]);
    found
}

/// Whether a selector needs a class that comes later.
fn is_later(selector: &str, comes_later: &mut dyn FnMut(&str) -> bool) -> bool {
    let plain = without_conditions(selector);
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !plain.trim_start().starts_with('@')
        && plain.split('.').skip(1).any(|rest| {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            comes_later(&rest[..end])
        })
}

/// A selector without what stands in brackets: conditions need not hold.
fn without_conditions(selector: &str) -> String {
    let mut depth = 0_u32;
    let outside = |c: &char| {
        depth += u32::from(matches!(c, '(' | '['));
        let is_outside = depth == 0;
        depth -= u32::from(matches!(c, ')' | ']')).min(depth);
        is_outside
    };
    selector.chars().filter(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(sheet: &str) -> (String, String) {
        let mut files: Files = [
            (SHEET, sheet),
            ("index.html", "<div class=shell>"),
            ("a_bg.wasm", "rowscard-list"),
            ("split_card.wasm", "drawercardrows"),
            ("chunk_5.wasm", "calendar"),
        ]
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .into();
        apart(&mut files, "a_bg.wasm");
        let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
        (text(SHEET), text(LATER))
    }

    #[test]
    fn rules_that_need_a_later_class_go_and_all_others_stay() {
        for stays in [
            ".shell{a:b}",
            ".rows{a:b}",
            "button{a:b}",
            // Held by the first module too, if in another word.
            ".card{a:b}",
            // Held by none: put together.
            ".tone-1{a:b}",
            ".rows:not(.drawer){a:b}",
            ".rows:is(.drawer,a){a:b}",
            "@keyframes drawer{0%{a:b}}",
            "@layer a,b;",
        ] {
            assert_eq!(parted(stays), (stays.to_owned(), String::new()));
        }
        for goes in [".drawer{a:b}", ".shell .drawer>b,.calendar{a:b;&:hover{c:d}}"] {
            assert_eq!(parted(goes), (String::new(), goes.to_owned()));
        }
    }

    #[test]
    fn a_rule_of_both_is_in_both_so_that_it_overrides_what_it_did() {
        let sheet = ".drawer{a:b}.rows,.shell :is(.drawer,b),.drawer:not(.a,.b){a:c}";
        let goes = ".drawer{a:b}.drawer:not(.a,.b){a:c}";
        assert_eq!(parted(sheet), (sheet.replacen(".drawer{a:b}", "", 1), goes.to_owned()));
    }

    #[test]
    fn what_is_around_a_rule_goes_with_it() {
        let sheet = "@layer a,b;@layer a{.rows{a:b}@media (c){.drawer{d:e}.rows{f:g}}}\n\
            @layer b{.calendar{h:i}}";
        let stays = "@layer a,b;@layer a{.rows{a:b}@media (c){.rows{f:g}}}";
        let goes = "@layer a{@media (c){.drawer{d:e}}}\n@layer b{.calendar{h:i}}";
        assert_eq!(parted(sheet), (stays.to_owned(), goes.to_owned()));
    }
}
