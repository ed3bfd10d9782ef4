//! Triage in exports: the selectable columns, and the cells of a submission.

use super::change::present;
use super::{Status, Tag, Triage, TriageSettings};
use crate::columns::{Cell, CellValue};
use crate::named_enum::named_enum;
use crate::{Column, PersonId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

named_enum! {
    /// Column of the triage in an export. The variants are in column order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum TriageColumn {
        /// Status.
        Status = "status",
        /// Tags.
        Tags = "tags",
        /// Assigned member.
        Assignee = "assignee",
        /// Whether the submission is starred.
        Starred = "starred",
        /// Number of notes.
        NotesCount = "notes_count",
    }
}

/// Set of columns of the triage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TriageColumns(u8);

impl TriageColumns {
    /// Returns whether no column is selected.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns whether a column is selected.
    pub fn contains(self, column: TriageColumn) -> bool {
        self.0 & bit(column) != 0
    }

    /// Selects a column, or removes it.
    pub fn set(&mut self, column: TriageColumn, is_selected: bool) {
        self.0 = if is_selected { self.0 | bit(column) } else { self.0 & !bit(column) };
    }

    /// Iterates over the selected columns, in their order.
    pub fn iter(self) -> impl Iterator<Item = TriageColumn> {
        TriageColumn::ALL.into_iter().filter(move |column| self.contains(*column))
    }
}

fn bit(column: TriageColumn) -> u8 {
    1 << column as u8
}

impl FromIterator<TriageColumn> for TriageColumns {
    fn from_iter<T: IntoIterator<Item = TriageColumn>>(columns: T) -> Self {
        Self(columns.into_iter().fold(0, |bits, column| bits | bit(column)))
    }
}

impl fmt::Display for TriageColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(TriageColumn::as_str).collect();
        f.write_str(&names.join(","))
    }
}

/// Names of the statuses and members of an account, for the cells of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriageNames {
    statuses: BTreeMap<String, String>,
    members: BTreeMap<String, String>,
}

impl TriageNames {
    /// Returns the names of the statuses that an account defines, and of its members. A cell has
    /// the identifier of anything without a name.
    pub fn new(
        settings: &TriageSettings,
        members: impl IntoIterator<Item = (PersonId, String)>,
    ) -> Self {
        let statuses = settings.statuses.iter();
        let members = members.into_iter();
        Self {
            statuses: statuses.map(|it| (it.id.to_string(), it.name.clone())).collect(),
            members: members.map(|(id, name)| (id.to_string(), name)).collect(),
        }
    }
}

/// Returns the name of an identifier; without a name, the identifier itself.
fn name_of<'a>(names: &'a BTreeMap<String, String>, id: &'a str) -> &'a str {
    names.get(id).map_or(id, String::as_str)
}

/// Triage of an exported submission. Only the selected members are set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ExportedTriage {
    /// Status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Tags, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Tag>>,
    /// Assigned member; `null` is a submission without one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "openapi", schemars(with = "Option<PersonId>"))]
    pub assignee: Option<Option<PersonId>>,
    /// Whether the submission is starred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starred: Option<bool>,
    /// Number of notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_count: Option<u32>,
}

impl ExportedTriage {
    /// Returns the selected members of a triage.
    pub fn new(columns: TriageColumns, triage: Triage, notes_count: u32) -> Self {
        let has = |column| columns.contains(column);
        Self {
            status: has(TriageColumn::Status).then_some(triage.status),
            tags: has(TriageColumn::Tags).then_some(triage.tags),
            assignee: has(TriageColumn::Assignee).then_some(triage.assignee),
            starred: has(TriageColumn::Starred).then_some(triage.starred),
            notes_count: has(TriageColumn::NotesCount).then_some(notes_count),
        }
    }

    /// Returns the typed value of a column. A member that is not set is an empty cell.
    pub fn value<'a>(&'a self, column: TriageColumn, names: &'a TriageNames) -> CellValue<'a> {
        let text: Option<Cow<'a, str>> = match column {
            TriageColumn::Starred => return self.starred.map_or(CellValue::Empty, CellValue::Bool),
            TriageColumn::NotesCount => {
                let count = self.notes_count.map(|count| CellValue::Number(count.to_string()));
                return count.unwrap_or(CellValue::Empty);
            }
            TriageColumn::Status => {
                let status = self.status.as_ref();
                status.map(|status| name_of(&names.statuses, status.as_str()).into())
            }
            TriageColumn::Tags => self.tags.as_ref().map(|tags| {
                let tags: Vec<&str> = tags.iter().map(Tag::as_str).collect();
                tags.join("; ").into()
            }),
            TriageColumn::Assignee => {
                let person = self.assignee.as_ref().and_then(Option::as_ref);
                person.map(|person| name_of(&names.members, person.as_str()).into())
            }
        };
        text.filter(|text| !text.is_empty()).map_or(CellValue::Empty, CellValue::Text)
    }

    /// Returns the cell of a column of the triage; `cell` for any other column.
    pub fn cell_or<'a>(
        &'a self,
        column: &Column,
        cell: Cell<'a>,
        names: &'a TriageNames,
    ) -> Cell<'a> {
        column.triage_column().map_or(cell, |column| self.cell(column, names))
    }

    /// Returns the cell of a column.
    pub(crate) fn cell<'a>(&'a self, column: TriageColumn, names: &'a TriageNames) -> Cell<'a> {
        match self.value(column, names) {
            CellValue::Text(text) => Cell { text, is_text: true },
            CellValue::Number(text) => Cell { text: text.into(), is_text: false },
            CellValue::Bool(yes) => Cell { text: yes.to_string().into(), is_text: false },
            CellValue::Empty | CellValue::Instant(_) => Cell { text: "".into(), is_text: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triage() -> Triage {
        serde_json::from_str(
            r#"{"status":"waiting","starred":true,"tags":["=a","b"],"assignee":"psn_1"}"#,
        )
        .unwrap()
    }

    fn all_columns() -> TriageColumns {
        TriageColumn::ALL.into_iter().collect()
    }

    #[test]
    fn json_has_only_selected_members() {
        let json = |columns: TriageColumns, triage: Triage| {
            let exported = ExportedTriage::new(columns, triage, 3);
            let json = serde_json::to_string(&exported).unwrap();
            assert_eq!(serde_json::from_str::<ExportedTriage>(&json).unwrap(), exported);
            json
        };
        assert_eq!(
            json(all_columns(), triage()),
            concat!(
                r#"{"status":"waiting","tags":["=a","b"],"assignee":"psn_1","starred":true,"#,
                r#""notes_count":3}"#
            )
        );
        assert_eq!(
            json(all_columns(), Triage::default()),
            r#"{"status":"open","tags":[],"assignee":null,"starred":false,"notes_count":3}"#
        );
        let some = [TriageColumn::NotesCount, TriageColumn::Assignee].into_iter().collect();
        assert_eq!(json(some, Triage::default()), r#"{"assignee":null,"notes_count":3}"#);
        assert_eq!(json(TriageColumns::default(), triage()), "{}");
    }

    #[test]
    fn cells_have_names_or_identifiers() {
        let settings =
            serde_json::from_str(r#"{"statuses":[{"id":"waiting","name":"Waits"}]}"#).unwrap();
        let member = ("psn_1".parse().unwrap(), "ada@example.com".to_owned());
        let named = TriageNames::new(&settings, [member]);
        let exported = ExportedTriage::new(all_columns(), triage(), 2);
        let cells = |names: &TriageNames| {
            TriageColumn::ALL.map(|column| exported.cell(column, names).text.into_owned())
        };
        assert_eq!(cells(&named), ["Waits", "=a; b", "ada@example.com", "true", "2"]);
        assert_eq!(cells(&TriageNames::default()), ["waiting", "=a; b", "psn_1", "true", "2"]);
        let unset = ExportedTriage::default();
        for column in TriageColumn::ALL {
            assert_eq!(unset.value(column, &named), CellValue::Empty);
        }
    }

    #[test]
    fn set_keeps_column_order() {
        let mut columns: TriageColumns =
            [TriageColumn::Starred, TriageColumn::Status].into_iter().collect();
        assert_eq!(columns.to_string(), "status,starred");
        columns.set(TriageColumn::Status, false);
        columns.set(TriageColumn::NotesCount, true);
        assert_eq!(columns.to_string(), "starred,notes_count");
        assert!(!columns.is_empty() && TriageColumns::default().is_empty());
    }
}
