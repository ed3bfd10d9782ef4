//! `--dry-run`: prints the meaning of each column, and every problem. Imports nothing.

use contract::Field;

use super::File;
use super::check::Checked;
use super::column::{Column, FieldPlace};
use super::layout::Layout;
use super::profile::{DISTINCT_MAX, Profile};
use super::progress::grouped;
use super::target::Part;
use crate::error::{Error, Result};
use crate::output;

/// Maximum length of a name or an example in the table, in characters.
const SHOWN_CHARS_MAX: usize = 40;

/// Maximum number of skipped columns to name.
const LEFT_OUT_MAX: usize = 20;

/// Prints the result that an import would have.
///
/// # Errors
/// Problems in the file, after all of them are printed.
pub(super) fn show(file: &File, known: &[Field]) -> Result<()> {
    if is_all_wrong(&file.checked) {
        output::line("No submission can be imported. The problems are listed below.")?;
    }
    file.kind.as_ref().map_or(Ok(()), output::line)?;
    match &file.plan {
        Some(plan) => columns(&plan.layout, &plan.profiles, known)?,
        None => answers(&file.fields, known)?,
    }
    let notes: Vec<String> = file.plan.iter().filter_map(|plan| left_out(&plan.layout)).collect();
    let notes: Vec<String> = file.notes.iter().cloned().chain(notes).collect();
    summary(&file.checked, &notes)
}

fn is_all_wrong(checked: &Checked) -> bool {
    checked.count == 0 && checked.problem_count > 0
}

fn columns(layout: &Layout, profiles: &[Profile], known: &[Field]) -> Result<()> {
    output::line("")?;
    let row = |(column, profile): (&Column, &Profile)| {
        let distinct = profile.distinct().map_or_else(
            || format!("over {}", grouped(DISTINCT_MAX as u64)),
            |count| count.to_string(),
        );
        let (becomes, kind) = becomes(column, layout, known);
        let (filled, example) = (grouped(profile.filled), short(&profile.example));
        [ends(&column.head.name), becomes, kind, filled, distinct, example]
    };
    let rows: Vec<[String; 6]> = layout.columns.iter().zip(profiles).map(row).collect();
    output::table(["COLUMN", "BECOMES", "TYPE", "FILLED", "DISTINCT", "EXAMPLE"], &rows)
}

fn answers(new: &[Field], known: &[Field]) -> Result<()> {
    let row = |field: &Field, becomes: &str| {
        [short(&field.key), becomes.to_owned(), field.kind.to_string()]
    };
    let known = known.iter().map(|field| row(field, "field"));
    let rows: Vec<[String; 3]> = known.chain(new.iter().map(|f| row(f, "new field"))).collect();
    output::table(["ANSWER", "BECOMES", "TYPE"], &rows)
}

/// Returns the target of a column, and its type.
fn becomes(column: &Column, layout: &Layout, known: &[Field]) -> (String, String) {
    let field = column.field.as_ref().map(|place| match place {
        FieldPlace::New(at) => {
            let field = &layout.new_fields[*at];
            let named = field.name == column.head.name;
            let name = if named { String::new() } else { format!(" `{}`", short(&field.name)) };
            (format!("new field{name}"), field.kind.to_string())
        }
        FieldPlace::Known { key, kind } => {
            let name = known.iter().find(|field| field.key == *key).map(|field| &field.name);
            (format!("field `{}`", short(name.unwrap_or(key))), kind.to_string())
        }
    });
    match (column.part, field) {
        (Some(part), None) if part != Part::Skip => (part.to_string(), kind_of(part).to_owned()),
        (Some(part), Some((field, kind))) => (format!("{part}, {field}"), kind),
        (None, Some(field)) => field,
        (_, None) => ("nothing".to_owned(), "—".to_owned()),
    }
}

fn kind_of(part: Part) -> &'static str {
    match part {
        Part::SubmittedAt | Part::StartedAt => "instant",
        Part::CompletionTime => "seconds",
        Part::SentimentScore => "number",
        Part::Id => "id",
        _ => "text",
    }
}

/// Names the columns that are skipped.
fn left_out(layout: &Layout) -> Option<String> {
    let is_left_out = |column: &&Column| column.part == Some(Part::Skip) && column.field.is_none();
    let names = layout.columns.iter().filter(is_left_out);
    let names: Vec<String> = names.map(|column| format!("`{}`", ends(&column.head.name))).collect();
    let more = match names.len().saturating_sub(LEFT_OUT_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = names.iter().take(LEFT_OUT_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("note: skipped columns: {first}{more}"))
}

fn summary(checked: &Checked, notes: &[String]) -> Result<()> {
    output::line("")?;
    let count = match checked.count {
        1 => "1 submission".to_owned(),
        count => format!("{} submissions", grouped(count)),
    };
    match checked.range {
        _ if is_all_wrong(checked) => {}
        Some((first, last)) => output::line(format!("{count} from {first} to {last}"))?,
        None => output::line(format!(
            "{count} without submission times: all get the time of the import"
        ))?,
    }
    notes.iter().try_for_each(output::line)?;
    for problem in &checked.problems {
        output::line(format!("problem: {problem}"))?;
    }
    let left_out = checked.problem_count - checked.problems.len() as u64;
    if left_out > 0 {
        output::line(format!("and {} more problems", grouped(left_out)))?;
    }
    output::line("Nothing was written.")?;
    match checked.problem_count {
        0 => Ok(()),
        1 => Err(Error::refused("the file has a problem; correct it, then import it")),
        count => Err(Error::refused(format!(
            "the file has {count} problems; correct them, then import it"
        ))),
    }
}

/// Shortens a text in the middle, because headers of one question differ at their ends.
fn ends(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_CHARS_MAX {
        return text.to_owned();
    }
    let half = SHOWN_CHARS_MAX / 2;
    let begin = text.chars().take(half);
    begin.chain(['…']).chain(text.chars().skip(count - half + 1)).collect()
}

fn short(text: &str) -> String {
    let mut start: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
