//! Assigns the columns of a file to metadata and fields. The user's options take precedence, then
//! the tool that wrote the file, then the header and the cells.

use contract::{Columns, Field, FieldId, FieldType, Timestamp};
use std::cmp::min;
use std::collections::HashSet;

use super::column::{ColumnHeader, FieldTarget, MappedColumn};
use super::column_stats::ColumnStats;
use super::export_fields;
use super::header::Header;
use super::ndjson::LINE_BYTES_MAX;
use super::parsed_submission::{VALUE_BYTES_MAX, shorten};
use super::target::{ColumnTarget, Mapping, MetadataPart};
use super::time::moment::DateOrder;
use super::time::zone::Zone;
use super::time_columns::{self, ColumnEvidence};
use super::tool::Tool;
use crate::error::{Error, Result};
use crate::field_spec::{self, FieldSpec, check_name};

/// Maximum number of columns in an error.
const LISTED_MAX: usize = 20;

/// Meaning of a file's columns for a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) columns: Vec<MappedColumn>,
    /// Fields that the form does not have yet.
    pub(super) new_fields: Vec<Field>,
    pub(super) order: DateOrder,
    /// Latest accepted time of a submission.
    pub(super) end: Timestamp,
    /// Time zone of times without one; `None` if unknown, which means UTC.
    pub(super) zone: Option<Zone>,
    /// Whether ids of the file are used.
    pub(super) keeps_ids: bool,
    pub(super) tool: Tool,
    /// Whether rows may have fewer cells than the header.
    pub(super) allows_short_rows: bool,
}

impl Layout {
    /// Returns the maximum size of a cell, in bytes. Exports join the items of a list in one cell.
    pub(super) fn cell_bytes_max(&self) -> usize {
        if self.tool == Tool::Sheaf { LINE_BYTES_MAX } else { VALUE_BYTES_MAX }
    }
}

/// The user's options for columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnOptions<'a> {
    pub(super) mappings: &'a [Mapping],
    pub(super) time: Option<&'a str>,
}

/// Value of `--time` that gives all submissions the time of the import, unless a column has this
/// name.
const NOW_OPTION: &str = "now";

/// Assigns columns to metadata and to fields of the form.
///
/// # Errors
/// An option that names no column, two options for the same column, or two columns for the same
/// target.
pub(super) fn assign_columns(
    header: &Header,
    existing: &[Field],
    options: ColumnOptions<'_>,
) -> Result<Vec<MappedColumn>> {
    let mut targets: Vec<Option<ColumnTarget>> = vec![None; header.columns.len()];
    let uses_now = uses_now(header, options);
    let time = options.time.filter(|_| !uses_now).map(|head| Mapping {
        column: head.to_owned(),
        target: ColumnTarget::Part(MetadataPart::SubmittedAt),
    });
    let flags = time.iter().map(|mapping| ("--time", mapping));
    for (flag, mapping) in flags.chain(options.mappings.iter().map(|m| ("--map", m))) {
        let at = find_column(&header.columns, &mapping.column, flag)?;
        if targets[at].is_some() {
            let name = shorten(&header.columns[at].name);
            return Err(Error::invalid(format!(
                "two options name the column `{name}`; use each column once"
            )));
        }
        targets[at] = Some(mapping.target.clone());
    }
    check_distinct_targets(&targets, header)?;
    let mut mapped_parts: HashSet<MetadataPart> =
        targets.iter().flatten().filter_map(part_of).collect();
    let codes: Vec<&str> = header.columns.iter().map(|head| head.code.as_str()).collect();
    let [started, submitted] = if uses_now { [None; 2] } else { header.tool.time_columns(&codes) };
    let mut columns: Vec<MappedColumn> = Vec::with_capacity(targets.len());
    for (at, (head, target)) in header.columns.iter().zip(&targets).enumerate() {
        let usual = match Some(at) {
            at if at == submitted => Some(MetadataPart::SubmittedAt),
            at if at == started => Some(MetadataPart::StartedAt),
            _ => header.tool.metadata_part(&head.code).filter(|part| !part.is_instant()),
        };
        let part = match target {
            Some(target) => part_of(target),
            None => usual.filter(|part| mapped_parts.insert(*part)),
        };
        let is_mapped = target.is_some();
        columns.push(MappedColumn {
            header: head.clone(),
            part,
            field: None,
            option: None,
            is_mapped,
        });
    }
    match_fields(&mut columns, &targets, existing, header.tool);
    Ok(columns)
}

/// Whether the user wants the time of the import for all submissions.
pub(super) fn uses_now(header: &Header, options: ColumnOptions<'_>) -> bool {
    options.time == Some(NOW_OPTION) && !header.columns.iter().any(|head| head.name == NOW_OPTION)
}

fn part_of(target: &ColumnTarget) -> Option<MetadataPart> {
    if let ColumnTarget::Part(part) = target { Some(*part) } else { None }
}

fn check_distinct_targets(targets: &[Option<ColumnTarget>], header: &Header) -> Result<()> {
    for (at, target) in targets.iter().enumerate() {
        let Some(target) =
            target.as_ref().filter(|t| **t != ColumnTarget::Part(MetadataPart::Skip))
        else {
            continue;
        };
        let earlier = targets[..at].iter().position(|second| second.as_ref() == Some(target));
        if let Some(earlier) = earlier {
            let [first, second] = [earlier, at].map(|at| shorten(&header.columns[at].name));
            return Err(Error::invalid(format!(
                "`{first}` and `{second}` cannot have the same target; map one of them to another \
                 target"
            )));
        }
    }
    Ok(())
}

/// Finds a column by its name, its text in the first header row, `column N`, or its name with
/// different white space.
fn find_column(columns: &[ColumnHeader], name: &str, flag: &str) -> Result<usize> {
    let by_place = || {
        let number: usize = name.strip_prefix("column ")?.parse().ok()?;
        (1..=columns.len()).contains(&number).then(|| number - 1)
    };
    let by = |is_wanted: &dyn Fn(&ColumnHeader) -> bool| columns.iter().position(is_wanted);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let found = by(&|head| head.name == name)
        .or_else(|| by(&|head| head.code == name))
        .or_else(by_place)
        .or_else(|| by(&|head| words(&head.name) == words(name)));
    found.ok_or_else(|| {
        let listed = &columns[..min(columns.len(), LISTED_MAX)];
        let names: Vec<_> =
            listed.iter().map(|head| format!("`{}`", shorten(&head.name))).collect();
        let names = names.join(", ");
        let name = shorten(name);
        Error::invalid(format!("`{flag}` must name a column, such as {names}, but is `{name}`"))
    })
}

/// Matches columns to fields of the form: first those of options, which take precedence. If several
/// have the same name, they match in order.
fn match_fields(
    columns: &mut [MappedColumn],
    targets: &[Option<ColumnTarget>],
    existing: &[Field],
    tool: Tool,
) {
    let export_columns = Columns::all(existing);
    let mut free: Vec<(&Field, &str)> = existing
        .iter()
        .zip(export_columns.iter().skip(2).map(|column| column.header.as_str()))
        .collect();
    let (of_options, others): (Vec<_>, Vec<_>) =
        columns.iter_mut().zip(targets).partition(|(_, target)| target.is_some());
    for (column, target) in of_options.into_iter().chain(others) {
        if column.part.is_some() {
            continue;
        }
        let name = match target {
            Some(ColumnTarget::Field(name)) => name,
            _ => &column.header.name,
        };
        let by_key = || free.iter().position(|(field, _)| field.key == *name);
        let found = match target {
            None if tool == Tool::Sheaf => free.iter().position(|(_, head)| head == name),
            Some(_) => by_key(),
            None => None,
        };
        let found = found.or_else(|| free.iter().position(|(field, _)| field.name == *name));
        if let Some(found) = found {
            let (field, _) = free.remove(found);
            column.field = Some(FieldTarget::Known { key: field.key.clone(), kind: field.kind });
        } else if let Some(ColumnTarget::Field(name)) = target {
            column.header.option = None;
            column.header.name.clone_from(name);
        }
    }
}

/// Finds the time columns that the header does not identify, and creates fields for the remaining
/// columns, with the types of their cells.
///
/// # Errors
/// Time columns without a clear submission time, or a header that cannot be the name of a field.
pub(super) fn complete_layout(
    columns: &mut [MappedColumn],
    seen: ColumnEvidence<'_>,
    existing: &[Field],
    header: &Header,
    uses_now: bool,
    generate_id: impl FnMut() -> FieldId,
) -> Result<Vec<Field>> {
    let profiles = seen.profiles;
    skip_unnamed(columns, profiles);
    let has = |part| columns.iter().any(|column| column.part == Some(part));
    match (has(MetadataPart::StartedAt), has(MetadataPart::SubmittedAt)) {
        _ if uses_now => {}
        (false, false) => time_columns::find_time_columns(columns, seen)?,
        (false, true) if header.tool == Tool::Plain => time_columns::find_start(columns, seen),
        _ => {}
    }
    let mut specs = Vec::new();
    join_options(columns, profiles, existing, &mut specs);
    let mut unmapped = Vec::new();
    for (at, (column, profile)) in columns.iter_mut().zip(profiles).enumerate() {
        // The assignment may be a wrong guess, so the column also stays an answer and no data are
        // lost.
        let is_guess = column.part.is_some_and(MetadataPart::is_instant)
            && header.tool == Tool::Plain
            && !column.is_mapped;
        if column.field.is_none() && (column.part.is_none() || is_guess) {
            column.field = Some(FieldTarget::New(specs.len()));
            specs.push(FieldSpec { name: column.header.name.clone(), kind: profile.field_type() });
            unmapped.push(at);
        }
    }
    for (index, spec) in unmapped.iter().zip(specs.iter().skip(specs.len() - unmapped.len())) {
        check_name(&spec.name).map_err(|wrong| {
            let index = index + 1;
            let wrong = format!("{wrong}; shorten it with `--map \"column {index}=NAME\"`");
            Error::at_line(header.line, wrong)
        })?;
    }
    let fields = if header.tool == Tool::Sheaf {
        export_fields::create_export_fields(&specs, existing, generate_id)
    } else {
        field_spec::create_fields(specs, existing, generate_id)
    };
    for field in &fields {
        check_name(&field.name).map_err(|wrong| Error::at_line(header.line, wrong))?;
    }
    Ok(fields)
}

/// Skips columns without a name and without cells, which spreadsheets add at the end.
fn skip_unnamed(columns: &mut [MappedColumn], profiles: &[ColumnStats]) {
    for (column, profile) in columns.iter_mut().zip(profiles) {
        let is_free = column.part.is_none() && column.field.is_none() && !column.is_mapped;
        if column.header.is_unnamed && profile.filled == 0 && is_free {
            column.part = Some(MetadataPart::Skip);
        }
    }
}

/// Joins the columns of a question into one choices field, if they contain only their own options.
fn join_options(
    columns: &mut [MappedColumn],
    profiles: &[ColumnStats],
    existing: &[Field],
    specs: &mut Vec<FieldSpec>,
) {
    let mut start = 0;
    while start < columns.len() {
        let question = |column: &MappedColumn| {
            column.header.option.as_ref().map(|(group_question, _)| group_question.clone())
        };
        let group_question = question(&columns[start]);
        let same =
            columns[start..].iter().take_while(|column| question(column) == group_question).count();
        let end = start + same;
        if let Some(group_question) = group_question {
            let is_free = |at: &usize| {
                let column = &columns[*at];
                column.field.is_none() && column.part.is_none() && profiles[*at].is_own_option
            };
            let joined: Vec<usize> = (start..end).filter(is_free).collect();
            if joined.len() > 1 && joined.iter().any(|at| profiles[*at].filled > 0) {
                let target = choices_target(group_question, columns, existing, specs);
                for at in joined {
                    let option =
                        columns[at].header.option.as_ref().map(|(_, option)| option.clone());
                    columns[at].option = option;
                    columns[at].field = Some(target.clone());
                }
            }
        }
        start = end;
    }
}

/// Returns the field for the options of a question. Several fields of the same name match in order.
fn choices_target(
    question: String,
    columns: &[MappedColumn],
    existing: &[Field],
    specs: &mut Vec<FieldSpec>,
) -> FieldTarget {
    let is_free = |field: &&Field| {
        let mut targets = columns.iter().filter_map(|column| column.field.as_ref());
        !targets.any(|it| matches!(it, FieldTarget::Known { key, .. } if *key == field.key))
    };
    let mut same_name = existing.iter().filter(|field| field.name == question);
    if let Some(Field { key, kind, .. }) = same_name.find(is_free) {
        return FieldTarget::Known { key: key.clone(), kind: *kind };
    }
    specs.push(FieldSpec { name: question, kind: FieldType::Choices });
    FieldTarget::New(specs.len() - 1)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
