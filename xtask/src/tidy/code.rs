//! Separates code from comments, strings and tests, by regular expressions and not by a parser.

use std::sync::LazyLock;

use regex::Regex;

/// Comments, strings and characters of Rust. `\x22` is a quotation mark.
static RUST: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?s)//[^\n]*|/\*.*?\*/",
        r"|\bb?r(##\x22.*?\x22##|#\x22.*?\x22#|\x22[^\x22]*\x22)",
        r"|\x22(\\.|[^\x22\\])*\x22",
        r"|'(\\.[^'\n]*|[^'\\\n])'",
    ))
});
/// Comments and strings of style sheets.
static CSS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)/\*.*?\*/|\x22[^\x22]*\x22"));

/// Compiles a pattern. Its word boundaries are those of ASCII, which are much faster to find.
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("the pattern is part of the program")
}

/// Returns the part of a file before its unit tests.
pub(super) fn without_tests(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]\nmod ").or_else(|| text.find("#[cfg(all(test"));
    tests.map_or(text, |at| &text[..at])
}

/// Returns Rust code with blanks for comments and strings. Line breaks stay.
pub(super) fn rust_code(text: &str) -> String {
    mask(&RUST, without_tests(text))
}

/// Returns a style sheet with blanks for comments and strings. Line breaks stay.
pub(super) fn css_code(text: &str) -> String {
    mask(&CSS, text)
}

fn mask(tokens: &Regex, text: &str) -> String {
    let blank = |c| if c == '\n' { c } else { ' ' };
    let masked = tokens.replace_all(text, |token: &regex::Captures<'_>| {
        token[0].chars().map(blank).collect::<String>()
    });
    masked.into_owned()
}

/// A quoted string: its line, the text before it on the line, and its contents.
pub(super) struct Literal<'a> {
    pub(super) line: usize,
    pub(super) before: &'a str,
    pub(super) text: &'a str,
}

/// Returns the quoted strings outside of comments and unit tests, without raw strings.
pub(super) fn quoted_literals(text: &str) -> impl Iterator<Item = Literal<'_>> {
    let text = without_tests(text);
    let quoted = RUST.find_iter(text).filter(|token| token.as_str().starts_with('"'));
    quoted.map(|token| {
        let line_start = text[..token.start()].rfind('\n').map_or(0, |newline| newline + 1);
        Literal {
            line: line_of(text, token.start()),
            before: text[line_start..token.start()].trim_end(),
            text: text[token.start() + 1..token.end()].trim_end_matches('"'),
        }
    })
}

/// Returns the line of a position, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
