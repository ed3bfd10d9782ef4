//! Edits of a form's fields: the request that saves them, and validation.

use contract::form::{FIELDS_MAX, validate_field_name};
use contract::{Field, FieldEdit, FieldEdits, FieldId, FieldType};

/// A field in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedField {
    /// Id of the field; `None` for a new field.
    pub id: Option<FieldId>,
    /// The name.
    pub name: String,
    /// The type.
    pub kind: FieldType,
    /// Whether the dashboard omits it from columns, filters and charts.
    pub hidden: bool,
}

/// Returns the request that turns the fields `was` into `now`: every field by its id, with its
/// changed properties. Fields missing from `now` are deleted.
pub fn field_edits(was: &[Field], now: &[EditedField]) -> FieldEdits {
    let edit = |now: &EditedField| {
        let known = now.id.as_ref().and_then(|id| was.iter().find(|field| field.id == *id));
        let name = now.name.trim();
        FieldEdit {
            id: now.id.clone(),
            name: known.is_none_or(|field| field.name.trim() != name).then(|| name.to_owned()),
            kind: known.is_none_or(|field| field.kind != now.kind).then_some(now.kind),
            hidden: (known.is_some_and(|field| field.hidden) != now.hidden).then_some(now.hidden),
            delete: false,
        }
    };
    let delete = |field: &Field| FieldEdit {
        id: Some(field.id.clone()),
        delete: true,
        ..FieldEdit::default()
    };
    FieldEdits {
        fields: now.iter().map(edit).chain(deleted_fields(was, now).map(delete)).collect(),
    }
}

/// Returns the fields of `was` that are missing from `now`.
pub fn deleted_fields<'a>(
    was: &'a [Field],
    now: &'a [EditedField],
) -> impl Iterator<Item = &'a Field> {
    was.iter().filter(|field| now.iter().all(|other| other.id.as_ref() != Some(&field.id)))
}

/// Returns whether `now` differs from `was`, including the order.
pub fn is_changed(was: &[Field], now: &[EditedField]) -> bool {
    let edits = field_edits(was, now).fields;
    let ids = edits.iter().map(|edit| edit.id.as_ref());
    let changes = |edit: &FieldEdit| {
        edit.delete || edit.name.is_some() || edit.kind.is_some() || edit.hidden.is_some()
    };
    edits.iter().any(changes) || !ids.eq(was.iter().map(|field| Some(&field.id)))
}

/// Finds the first field with an invalid name, and returns its index and the reason. Unchanged
/// names are not checked.
pub fn find_invalid_name(was: &[Field], now: &[EditedField]) -> Option<(usize, String)> {
    if now.len() > FIELDS_MAX {
        return Some((FIELDS_MAX, (crate::i18n::field_problems().too_many)(FIELDS_MAX)));
    }
    let changed = field_edits(was, now).fields.into_iter().enumerate();
    let mut names = changed.filter_map(|(at, edit)| Some((at, edit.name?)));
    let find_error = |(at, name): (usize, String)| Some((at, validate_field_name(&name).err()?));
    names.find_map(find_error)
}

/// Splits a text into trimmed, non-empty lines.
pub fn split_lines(text: &str) -> Vec<String> {
    split_trimmed(text, &['\n'])
}

/// Splits a text into trimmed, non-empty phrases, separated by line breaks or commas.
pub fn split_phrases(text: &str) -> Vec<String> {
    split_trimmed(text, &['\n', ','])
}

fn split_trimmed(text: &str, between: &[char]) -> Vec<String> {
    let pieces = text.split(between).map(str::trim).filter(|piece| !piece.is_empty());
    pieces.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(id: &str, name: &str) -> Field {
        let id = id.parse().unwrap();
        let name = name.to_owned();
        Field { id, key: "key".to_owned(), name, kind: FieldType::Text, hidden: false }
    }

    fn edited(id: &str, name: &str, kind: FieldType) -> EditedField {
        EditedField { id: id.parse().ok(), name: name.to_owned(), kind, hidden: false }
    }

    #[test]
    fn edits_list_all_fields_with_changes() {
        let was = [field("fld_1", "A"), field("fld_2", "B\nC")];
        let text = |now: &[EditedField]| serde_json::to_string(&field_edits(&was, now)).unwrap();
        let unchanged =
            [edited("fld_1", "A ", FieldType::Text), edited("fld_2", "B\nC", FieldType::Text)];
        assert_eq!(text(&unchanged), r#"{"fields":[{"id":"fld_1"},{"id":"fld_2"}]}"#);
        assert!(!is_changed(&was, &unchanged) && find_invalid_name(&was, &unchanged).is_none());
        let reversed = [unchanged[1].clone(), unchanged[0].clone()];
        assert_eq!(text(&reversed), r#"{"fields":[{"id":"fld_2"},{"id":"fld_1"}]}"#);
        assert!(is_changed(&was, &reversed));
        let more = [
            edited("fld_1", "Z", FieldType::Text),
            edited("", " New ", FieldType::Text),
            edited("fld_2", "B\nC", FieldType::Email),
        ];
        assert_eq!(
            text(&more),
            r#"{"fields":[{"id":"fld_1","name":"Z"},{"name":"New","type":"text"},{"id":"fld_2","type":"email"}]}"#
        );
    }

    #[test]
    fn fields_are_hidden_shown_and_deleted() {
        let mut was = [field("fld_1", "A"), field("fld_2", "B")];
        was[1].hidden = true;
        let text = |now: &[EditedField]| serde_json::to_string(&field_edits(&was, now)).unwrap();
        let first = edited("fld_1", "A", FieldType::Text);
        let second = EditedField { hidden: true, ..edited("fld_2", "B", FieldType::Text) };
        assert!(!is_changed(&was, &[first.clone(), second.clone()]));
        let now = [
            EditedField { hidden: true, ..first.clone() },
            EditedField { hidden: false, ..second.clone() },
        ];
        let sent = r#"{"fields":[{"id":"fld_1","hidden":true},{"id":"fld_2","hidden":false}]}"#;
        assert_eq!(text(&now), sent);
        assert!(is_changed(&was, &now));
        // The last field is deleted: the listed ids stay the same.
        let now = [first];
        assert_eq!(text(&now), r#"{"fields":[{"id":"fld_1"},{"id":"fld_2","delete":true}]}"#);
        assert!(is_changed(&was, &now));
        assert!(deleted_fields(&was, &now).map(|field| field.name.as_str()).eq(["B"]));
    }

    #[test]
    fn first_invalid_name_is_reported() {
        let was = [field("fld_1", "A")];
        let now = [edited("fld_1", "A", FieldType::Text), edited("", " ", FieldType::Text)];
        assert_eq!(find_invalid_name(&was, &now).map(|(at, _)| at), Some(1));
        let excess = vec![edited("", "x", FieldType::Text); FIELDS_MAX + 1];
        assert_eq!(find_invalid_name(&was, &excess).map(|(at, _)| at), Some(FIELDS_MAX));
    }

    #[test]
    fn lines_and_words_are_trimmed() {
        assert_eq!(split_lines(" https://a.example \n\n  b, c "), ["https://a.example", "b, c"]);
        assert_eq!(split_phrases("late, deliver* ,\ntoo late,"), ["late", "deliver*", "too late"]);
        assert!(split_phrases(" ,\n").is_empty());
    }
}
