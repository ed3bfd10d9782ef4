//! Code that is forbidden in some files: the clock, the environment and the network outside of
//! their modules, HTML from strings, and raw colours.

use super::{Finding, Sources, code, is_test};

/// Forbidden code, as regular expressions. Comments, strings and tests are exempt.
struct Pattern {
    /// Paths of the files that are checked.
    files: &'static str,
    /// Paths of the files that may have such code.
    allowed: &'static str,
    code: &'static str,
    advice: &'static str,
}

/// Matches no path.
const NOWHERE: &str = "^$";

const PATTERNS: [Pattern; 7] = [
    Pattern {
        files: "^crates/contract/",
        allowed: NOWHERE,
        code: r"\b(Instant::now|std::fs|std::net|std::thread|async)\b",
        advice: "`contract` has no input, output or clock",
    },
    Pattern {
        files: r"\.rs$",
        allowed: r"^benches/|^xtask/|^crates/test-servers/|^crates/sheaf/src/config\.rs",
        code: r"\b(std::env|env::vars?(_os)?)\b",
        advice: "read the environment in `crates/sheaf/src/config.rs`",
    },
    Pattern {
        files: r"\.rs$",
        allowed: r"^crates/(store|gateway)/src/clock\.rs",
        code: r"\b(SystemTime|Utc::now)\b",
        advice: "read the time in the module `clock`",
    },
    Pattern {
        files: "^src/",
        allowed: "^src/api/",
        code: r"\bgloo_net\b",
        advice: "send requests from `src/api/`",
    },
    Pattern {
        files: "^src/domain",
        allowed: NOWHERE,
        code: r"\b(leptos|leptos_router|web_sys|js_sys)\b",
        advice: "`domain` needs no browser",
    },
    Pattern {
        files: r"\.rs$",
        allowed: NOWHERE,
        code: r"\b((set_)?inner_html|insert_adjacent_html|outer_html)\b",
        advice: "write text nodes",
    },
    Pattern {
        files: r"\.css$",
        allowed: r"/tokens\.css$",
        code: concat!(
            r"#([[:xdigit:]]{3,4}|[[:xdigit:]]{6}|[[:xdigit:]]{8})\b",
            r"|\b(oklch|oklab|rgba?|hsla?|lab|lch)\(",
        ),
        advice: "define the colour in `style/tokens.css` and use the variable",
    },
];

/// Checks that no file has code that is forbidden there.
pub(super) fn forbidden_code_is_absent(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Pattern { files, allowed, code, advice } in PATTERNS {
        let [files, allowed, pattern] = [files, allowed, code].map(code::regex);
        let checked = sources
            .iter()
            .filter(|(path, _)| files.is_match(path) && !allowed.is_match(path) && !is_test(path));
        for (path, source) in checked {
            findings.extend(pattern.find_iter(&source.code).map(|found| {
                let line = code::line_of(&source.code, found.start());
                Finding::new(path, line, format!("`{}`: {advice}", found.as_str()))
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[track_caller]
    fn check(path: &str, text: &str, found: usize) {
        let findings = forbidden_code_is_absent(&sources_of(&[(path, text)]));
        assert_eq!(findings.len(), found, "{path}: {text}: {findings:?}");
    }

    #[test]
    fn restricted_word_elsewhere_is_found() {
        check("crates/contract/src/lib.rs", "let begin = Instant::now();", 1);
        check("crates/contract/src/lib.rs", "use std::time::Duration;", 0);
        check("crates/api/src/lib.rs", "SystemTime::now()", 1);
        check("crates/store/src/clock.rs", "SystemTime::now()", 0);
        check("crates/api/src/lib.rs", "use std::env;", 1);
        check("crates/api/src/lib.rs", "my_env::variable", 0);
        check("crates/sheaf/src/config.rs", "use std::env;", 0);
        check("src/pages/forms.rs", "use gloo_net::http;", 1);
        check("src/api/request.rs", "use gloo_net::http;", 0);
        check("src/domain/list_model.rs", "use leptos::prelude::*;", 1);
        check("src/ui/badge.rs", "<p inner_html=x/>", 1);
        check("src/lib.rs", "// inner_html is not for us\nf(\"inner_html\")", 0);
        check("tests/e2e/main.rs", "std::env::var(a)", 0);
    }

    #[test]
    fn raw_colour_outside_tokens_is_found() {
        check("style/tokens.css", "--ink: oklch(.2 .01 260);", 0);
        check("style/base.css", "color: oklch(.2 .01 260);", 1);
        check("style/base.css", "color: #fff;", 1);
        check("style/base.css", "color: var(--ink); /* not #fff */", 0);
        check("style/base.css", "color: color-mix(in oklch, var(--a), var(--b));", 0);
    }
}
