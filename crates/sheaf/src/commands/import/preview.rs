//! `--dry-run`: prints the meaning of each column, and every problem. Imports nothing.

use contract::Field;

use super::CheckedFile;
use super::check::CheckResult;
use super::column::{FieldTarget, MappedColumn};
use super::column_stats::{ColumnStats, DISTINCT_MAX};
use super::layout::Layout;
use super::progress::group_thousands;
use super::target::MetadataPart;
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
pub(super) fn show(file: &CheckedFile, existing: &[Field]) -> Result<()> {
    if is_all_wrong(&file.checked) {
        output::print_line("No submission can be imported. The problems are listed below.")?;
    }
    file.kind.as_ref().map_or(Ok(()), output::print_line)?;
    match &file.plan {
        Some(plan) => print_columns(&plan.layout, &plan.profiles, existing)?,
        None => print_answers(&file.fields, existing)?,
    }
    let notes: Vec<String> =
        file.plan.iter().filter_map(|plan| skipped_note(&plan.layout)).collect();
    let notes: Vec<String> = file.notes.iter().cloned().chain(notes).collect();
    print_summary(&file.checked, &notes)
}

fn is_all_wrong(checked: &CheckResult) -> bool {
    checked.count == 0 && checked.problem_count > 0
}

fn print_columns(layout: &Layout, profiles: &[ColumnStats], existing: &[Field]) -> Result<()> {
    output::print_line("")?;
    let row = |(column, profile): (&MappedColumn, &ColumnStats)| {
        let distinct = profile.distinct_count().map_or_else(
            || format!("over {}", group_thousands(DISTINCT_MAX as u64)),
            |count| count.to_string(),
        );
        let (becomes, kind) = describe_target(column, layout, existing);
        let filled = group_thousands(profile.filled);
        let example = shorten_end(&profile.example);
        [shorten_middle(&column.header.name), becomes, kind, filled, distinct, example]
    };
    let rows: Vec<[String; 6]> = layout.columns.iter().zip(profiles).map(row).collect();
    output::print_table(["COLUMN", "BECOMES", "TYPE", "FILLED", "DISTINCT", "EXAMPLE"], &rows)
}

fn print_answers(new: &[Field], existing: &[Field]) -> Result<()> {
    let row = |field: &Field, becomes: &str| {
        [shorten_end(&field.key), becomes.to_owned(), field.kind.to_string()]
    };
    let existing = existing.iter().map(|field| row(field, "field"));
    let rows: Vec<[String; 3]> = existing.chain(new.iter().map(|f| row(f, "new field"))).collect();
    output::print_table(["ANSWER", "BECOMES", "TYPE"], &rows)
}

/// Returns the target of a column, and its type.
fn describe_target(column: &MappedColumn, layout: &Layout, existing: &[Field]) -> (String, String) {
    let field = column.field.as_ref().map(|target| match target {
        FieldTarget::New(at) => {
            let field = &layout.new_fields[*at];
            let is_same_name = field.name == column.header.name;
            let name = if is_same_name {
                String::new()
            } else {
                format!(" `{}`", shorten_end(&field.name))
            };
            (format!("new field{name}"), field.kind.to_string())
        }
        FieldTarget::Known { key, kind } => {
            let name = existing.iter().find(|field| field.key == *key).map(|field| &field.name);
            (format!("field `{}`", shorten_end(name.unwrap_or(key))), kind.to_string())
        }
    });
    match (column.part, field) {
        (Some(part), None) if part != MetadataPart::Skip => {
            (part.to_string(), kind_of(part).to_owned())
        }
        (Some(part), Some((field, kind))) => (format!("{part}, {field}"), kind),
        (None, Some(field)) => field,
        (_, None) => ("nothing".to_owned(), "—".to_owned()),
    }
}

fn kind_of(part: MetadataPart) -> &'static str {
    match part {
        MetadataPart::SubmittedAt | MetadataPart::StartedAt => "instant",
        MetadataPart::CompletionTime => "seconds",
        MetadataPart::SentimentScore => "number",
        MetadataPart::Id => "id",
        _ => "text",
    }
}

/// Names the columns that are skipped.
fn skipped_note(layout: &Layout) -> Option<String> {
    let is_left_out =
        |column: &&MappedColumn| column.part == Some(MetadataPart::Skip) && column.field.is_none();
    let names = layout.columns.iter().filter(is_left_out);
    let names: Vec<String> =
        names.map(|column| format!("`{}`", shorten_middle(&column.header.name))).collect();
    let more = match names.len().saturating_sub(LEFT_OUT_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = names.iter().take(LEFT_OUT_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("note: skipped columns: {first}{more}"))
}

fn print_summary(checked: &CheckResult, notes: &[String]) -> Result<()> {
    output::print_line("")?;
    let count = match checked.count {
        1 => "1 submission".to_owned(),
        count => format!("{} submissions", group_thousands(count)),
    };
    match checked.range {
        _ if is_all_wrong(checked) => {}
        Some((first, last)) => output::print_line(format!("{count} from {first} to {last}"))?,
        None => output::print_line(format!(
            "{count} without submission times: all get the time of the import"
        ))?,
    }
    notes.iter().try_for_each(output::print_line)?;
    for problem in &checked.problems {
        output::print_line(format!("problem: {problem}"))?;
    }
    let left_out = checked.problem_count - checked.problems.len() as u64;
    if left_out > 0 {
        output::print_line(format!("and {} more problems", group_thousands(left_out)))?;
    }
    output::print_line("Nothing was written.")?;
    match checked.problem_count {
        0 => Ok(()),
        1 => Err(Error::invalid("the file has a problem; correct it, then import it")),
        count => Err(Error::invalid(format!(
            "the file has {count} problems; correct them, then import it"
        ))),
    }
}

/// Shortens a text in the middle, because headers of one question differ at their ends.
fn shorten_middle(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_CHARS_MAX {
        return text.to_owned();
    }
    let half = SHOWN_CHARS_MAX / 2;
    let start = text.chars().take(half);
    start.chain(['…']).chain(text.chars().skip(count - half + 1)).collect()
}

fn shorten_end(text: &str) -> String {
    let mut start: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
