//! Columns of a CSV file.

use super::target::MetadataPart;
use contract::FieldType;

/// Header of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnHeader {
    /// Name of the column, from all header rows.
    pub(super) name: String,
    /// Text of the first header row.
    pub(super) code: String,
    /// Question and option, if a question has several columns.
    pub(super) option: Option<(String, String)>,
    /// Whether the file gives the column no name.
    pub(super) is_unnamed: bool,
}

/// A column and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MappedColumn {
    pub(super) header: ColumnHeader,
    pub(super) part: Option<MetadataPart>,
    pub(super) field: Option<FieldTarget>,
    /// Option of a choices field that the column represents.
    pub(super) option: Option<String>,
    /// Whether the user mapped the column.
    pub(super) is_mapped: bool,
}

/// Field that receives the cells of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldTarget {
    /// A field of the form.
    Known { key: String, kind: FieldType },
    /// Index of a new field.
    New(usize),
}
