//! Confirmation of deletions: the user types the name of the object.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write as _};

use crate::error::{Error, Result};

/// Maximum length of an answer, in bytes.
const LINE_BYTES_MAX: u64 = 4096;

/// Asks on the terminal for `expected`, and reads a line.
///
/// # Errors
/// Standard input that is no terminal, or another text.
pub(crate) fn confirm_by_typing(statement: &str, expected: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        return Err(Error::invalid(
            "there is no terminal to ask for confirmation; use `--yes` to delete without it",
        ));
    }
    // Standard output may be a file, so the question goes to standard error.
    write!(io::stderr(), "{statement} To confirm, type `{expected}`: ").map_err(terminal_error())?;
    check_answer(&mut io::stdin().lock(), expected)
}

fn check_answer(input: &mut impl BufRead, expected: &str) -> Result<()> {
    let mut line = String::new();
    input.take(LINE_BYTES_MAX).read_line(&mut line).map_err(terminal_error())?;
    if line.trim() == expected.trim() {
        return Ok(());
    }
    Err(Error::invalid(format!("that is not `{expected}`; nothing was deleted")))
}

fn terminal_error() -> impl FnOnce(io::Error) -> Error {
    Error::io("cannot ask on the terminal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletion_requires_expected_text() {
        let check = |typed: &str| check_answer(&mut typed.as_bytes(), "a@example.com").is_ok();
        for good in ["a@example.com\n", "a@example.com", " a@example.com \r\nmore"] {
            assert!(check(good), "{good:?}");
        }
        for bad in ["", "\n", "yes\n", "b@example.com\n", "A@example.com\n", &"x".repeat(9000)] {
            assert!(!check(bad), "{bad:?}");
        }
    }
}
