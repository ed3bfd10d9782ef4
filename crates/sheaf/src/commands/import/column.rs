//! The columns of a file of CSV.

use super::target::Part;
use contract::FieldType;

/// How a column is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnHead {
    /// Its name.
    pub(super) name: String,
    /// What the first header row says, where several make the name.
    pub(super) code: String,
    /// The question and the option, where a question is spread over several columns.
    pub(super) option: Option<(String, String)>,
    /// Whether the file gives it no name.
    pub(super) is_unnamed: bool,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) head: ColumnHead,
    pub(super) part: Option<Part>,
    pub(super) field: Option<FieldPlace>,
    /// The option that it stands for in a field of choices.
    pub(super) option: Option<String>,
    /// Whether the person said what becomes of it.
    pub(super) is_mapped: bool,
}

/// Which field a column's cells answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldPlace {
    /// One that the form has.
    Known { key: String, kind: FieldType },
    /// One of the new ones.
    New(usize),
}
