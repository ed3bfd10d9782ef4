//! Output of the commands. Only this module writes to standard output.
//!
//! It prints no log lines, and prints a secret only if the secret is the result of the command.

use serde::Serialize;
use std::io::{self, Write as _};

use crate::error::{Error, Result};

/// Prints one line.
///
/// # Errors
/// Standard output is closed or full.
pub(crate) fn print_line(text: impl std::fmt::Display) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(stdout_error)
}

/// Prints bytes that include their line ends.
///
/// # Errors
/// As [`print_line()`].
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(stdout_error)
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// As [`print_line()`].
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print_line(serde_json::to_string(value).map_err(io::Error::from).map_err(stdout_error)?)
}

/// Prints a list as one line of JSON, or as a table with a row for each item.
///
/// # Errors
/// As [`print_line()`].
pub(crate) fn print_list<T: Serialize, const N: usize>(
    items: &[T],
    json: bool,
    columns: [&str; N],
    row: impl Fn(&T) -> [String; N],
) -> Result<()> {
    if json {
        return print_json(&items);
    }
    print_table(columns, &items.iter().map(row).collect::<Vec<_>>())
}

/// Prints a table with a header. Each column is as wide as its widest cell.
///
/// # Errors
/// As [`print_line()`].
pub(crate) fn print_table<const N: usize>(columns: [&str; N], rows: &[[String; N]]) -> Result<()> {
    print_line(format_table(columns, rows))
}

fn format_table<const N: usize>(columns: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = columns.map(display_width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = display_width(&replace_control_chars(cell)).max(*width);
        }
    }
    let columns = columns.map(str::to_owned);
    let lines = std::iter::once(&columns).chain(rows).map(|row| {
        let padded = row.iter().zip(widths).map(|(cell, wide)| {
            let cell = replace_control_chars(cell);
            let gap = " ".repeat(wide - display_width(&cell));
            cell + &gap
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn display_width(text: &str) -> usize {
    text.chars().count()
}

/// Replaces control characters, which could move the cursor of a terminal, and directional marks,
/// which could reorder the text after them.
pub(crate) fn replace_control_chars(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_directional_mark(c) { ' ' } else { c }).collect()
}

fn is_directional_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn stdout_error(source: io::Error) -> Error {
    Error::io("cannot write to standard output")(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_fit_widest_cell() {
        let rows =
            [["a".to_owned(), "1".to_owned()], ["größer\u{1b}[2J".to_owned(), String::new()]];
        assert_eq!(
            format_table(["ID", "COUNT"], &rows),
            "ID          COUNT\na           1\ngrößer [2J"
        );
        assert_eq!(format_table(["ID"], &[]), "ID");
        let rows = [["a\u{202e}b\u{2069}c".to_owned()]];
        assert_eq!(format_table(["ID"], &rows), "ID\na b c");
    }
}
