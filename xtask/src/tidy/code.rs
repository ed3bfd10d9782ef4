//! Separates code from comments, strings and tests. It is a lexer of a few lines, not a parser.

/// Returns the part of a file before its unit tests.
pub(super) fn without_tests(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]\nmod ").or_else(|| text.find("#[cfg(all(test"));
    tests.map_or(text, |at| &text[..at])
}

/// Kinds of text that a mask keeps. The rest is replaced by blanks; line breaks stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Code,
    Text,
    Comment,
}

/// Returns only the code, without comments and string contents.
pub(super) fn code_only(text: &str) -> String {
    mask_tokens(text, |part| part == TokenKind::Code)
}

/// Returns the code and its strings, without comments.
pub(super) fn code_and_strings(text: &str) -> String {
    mask_tokens(text, |part| part != TokenKind::Comment)
}

/// Returns only the contents of strings.
pub(super) fn strings_only(text: &str) -> String {
    mask_tokens(text, |part| part == TokenKind::Text)
}

/// A quoted string: its line, the text before it on the line, and its contents.
pub(super) struct Literal<'a> {
    pub(super) line: usize,
    pub(super) before: &'a str,
    pub(super) text: &'a str,
}

/// Returns the quoted strings in their order, without raw strings and those in comments.
pub(super) fn quoted_literals(text: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (part, length) = next_token(&text[at..], ends_with_word(&text[..at]));
        if part == TokenKind::Text && text[at..].starts_with('"') {
            let begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let inner = text[at + 1..at + length].trim_end_matches('"');
            let line = text[..at].matches('\n').count() + 1;
            found.push(Literal { line, before: &text[begin..at], text: inner });
        }
        at += length;
    }
    found
}

fn mask_tokens(text: &str, keep: impl Fn(TokenKind) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (part, length) = next_token(rest, text.len() > rest.len() && ends_with_word(&out));
        let (piece, after) = rest.split_at(length);
        if keep(part) {
            out.push_str(piece);
        } else {
            out.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
        rest = after;
    }
    out
}

fn ends_with_word(text: &str) -> bool {
    text.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Returns the kind and length of the first token of `rest`.
fn next_token(rest: &str, in_word: bool) -> (TokenKind, usize) {
    let until = |close: &str, from: usize| {
        rest[from..].find(close).map_or(rest.len(), |at| from + at + close.len())
    };
    if rest.starts_with("//") {
        return (TokenKind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (TokenKind::Comment, until("*/", 2));
    }
    if rest.starts_with('"') {
        return (TokenKind::Text, quoted_length(rest));
    }
    if !in_word && (rest.starts_with("r\"") || rest.starts_with("r#")) {
        let hashes = rest[1..].bytes().take_while(|&byte| byte == b'#').count();
        if rest[1 + hashes..].starts_with('"') {
            return (TokenKind::Text, until(&format!("\"{}", "#".repeat(hashes)), hashes + 2));
        }
    }
    if let Some(length) = character_length(rest) {
        return (TokenKind::Text, length);
    }
    (TokenKind::Code, rest.chars().next().map_or(0, char::len_utf8))
}

/// Returns the length of the string at the start of `rest`, with its quotes.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Returns the length of the character literal at the start of `rest`. A lifetime is no literal.
fn character_length(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    if let Some(escape) = inner.strip_prefix('\\') {
        return escape.get(1..).and_then(|tail| tail.find('\'')).map(|at| at + 4);
    }
    let length = inner.chars().next()?.len_utf8();
    inner[length..].starts_with('\'').then_some(length + 2)
}

/// Returns the numbers of the lines that contain `word` as a whole word, from 1.
pub(super) fn lines_with(text: &str, word: &str) -> Vec<usize> {
    let found = text.lines().enumerate().filter(|(_, line)| has_word(line, word));
    found.map(|(at, _)| at + 1).collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let goes_on = word.ends_with(is_part) && line[at + word.len()..].starts_with(is_part);
        !goes_on && !line[..at].ends_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_masked() {
        let check = |text: &str, expected: &str| assert_eq!(code_only(text), expected, "{text}");
        check("a // b\nc", "a     \nc");
        check("a /* b\n */ c", "a     \n    c");
        check(r#"f("a\"b", 'c', '\n', 'x: &'a str)"#, "f(      ,    ,     , 'x: &'a str)");
        check("r#\"a\"b\"# c", "         c");
        check("'\"' d '\\'' e", "    d      e");
        assert_eq!(strings_only("f(\"a\") // b"), "  \"a\"      ");
        assert_eq!(code_and_strings("f(\"a\") // b"), "f(\"a\")     ");
    }

    #[test]
    fn only_whole_words_are_found() {
        assert_eq!(lines_with("a todo!()\nmytodo!()\n", "todo!"), [1]);
        assert_eq!(lines_with("std::envy\nstd::env::var", "std::env"), [2]);
    }

    #[test]
    fn unit_tests_are_removed() {
        assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {}\n"), "a\n");
        assert_eq!(without_tests("a\n"), "a\n");
    }
}
