//! Changes to the fields of a form: new fields, other names, another order.
//!
//! An id and an answer key never change: exports refer to ids, and submissions contain keys. This
//! module stores nothing.

use contract::form::{
    FIELDS_BYTES_MAX, FIELDS_MAX, FORM_NAME_CHARS_MAX, fields_bytes, validate_field_name,
};
use contract::{Field, FieldEdit, FieldId, Form, FormId, NewField, Timestamp};
use std::collections::{HashMap, HashSet};

/// Creates fields with ids and answer keys. A key is the field's name, followed by the id if the
/// form already has that key.
pub fn create_fields(
    new: impl IntoIterator<Item = NewField>,
    existing: &[Field],
    mut generate_id: impl FnMut() -> FieldId,
) -> Vec<Field> {
    let mut keys = AnswerKeys::of_fields(existing);
    new.into_iter().map(|new| keys.create_field(new, generate_id())).collect()
}

/// Answer keys in use by a form.
struct AnswerKeys(HashSet<String>);

impl AnswerKeys {
    fn of_fields(fields: &[Field]) -> Self {
        Self(fields.iter().map(|field| field.key.clone()).collect())
    }

    /// Creates a field with an unused key.
    fn create_field(&mut self, NewField { name, kind }: NewField, id: FieldId) -> Field {
        let key = if self.0.contains(&name) { format!("{name} ({id})") } else { name.clone() };
        self.0.insert(key.clone());
        Field { id, key, name, kind, hidden: false }
    }
}

/// Returns a copy of a form with new ids, the same answer keys, and no submissions.
pub fn copy_form(
    source: &Form,
    name: Option<String>,
    id: FormId,
    created_at: Timestamp,
    mut generate_id: impl FnMut() -> FieldId,
) -> Form {
    let copied = |field: &Field| Field { id: generate_id(), ..field.clone() };
    Form {
        id,
        name: name.unwrap_or_else(|| default_copy_name(&source.name)),
        environment: source.environment,
        analysis: source.analysis,
        fields: source.fields.iter().map(copied).collect(),
        created_at,
        submission_count: 0,
        last_submission_at: None,
        trash_days: source.trash_days,
    }
}

/// Returns the default name of a copy.
fn default_copy_name(name: &str) -> String {
    const SUFFIX: &str = " (copy)";
    let prefix: String = name.chars().take(FORM_NAME_CHARS_MAX - SUFFIX.len()).collect();
    format!("{}{SUFFIX}", prefix.trim_end())
}

/// Validates the fields of a new form, and trims their names.
///
/// # Errors
/// Returns a message if there are too many fields or a name is invalid.
pub fn validate_fields(mut new: Vec<NewField>) -> Result<Vec<NewField>, String> {
    check_field_count(new.len())?;
    for field in &mut new {
        field.name = validate_field_name(&field.name)?;
    }
    Ok(new)
}

/// Applies an owner's edits to the fields of a form: new names, types and order, hidden, added and
/// deleted fields. The edits must name every field of the form.
///
/// # Errors
/// Returns a message if a field is missing, repeated or unknown, a name is invalid, or there are
/// too many fields.
pub fn apply_edits(
    fields: &[Field],
    edits: Vec<FieldEdit>,
    mut generate_id: impl FnMut() -> FieldId,
) -> Result<Vec<Field>, String> {
    let mut remaining: HashMap<&FieldId, &Field> = fields.iter().map(|it| (&it.id, it)).collect();
    let mut keys = AnswerKeys::of_fields(fields);
    let mut edited = Vec::with_capacity(edits.len());
    for FieldEdit { id, name, kind, hidden, delete } in edits {
        if delete {
            let id = id.ok_or("a field to `delete` needs its `id`; omit new fields instead")?;
            take_field(&mut remaining, fields, &id)?;
            continue;
        }
        let mut field = if let Some(id) = id {
            take_field(&mut remaining, fields, &id)?
        } else {
            let name = name.as_deref().ok_or("a new field needs a `name`; give it one")?;
            let name = validate_field_name(name)?;
            keys.create_field(NewField { name, kind: kind.unwrap_or_default() }, generate_id())
        };
        // Names from an import or a page may contain line breaks. An unchanged name is accepted.
        if let Some(name) = name.filter(|name| *name != field.name) {
            field.name = validate_field_name(&name)?;
        }
        field.kind = kind.unwrap_or(field.kind);
        field.hidden = hidden.unwrap_or(field.hidden);
        edited.push(field);
    }
    if let Some(missing) = fields.iter().find(|field| remaining.contains_key(&field.id)) {
        return Err(format!(
            "`{}` is missing; list every field of the form, with `delete` for those to delete",
            missing.id
        ));
    }
    // A form that exceeds a limit already may be edited, but may not grow.
    if edited.len() > fields.len() {
        check_field_count(edited.len())?;
    }
    if fields_bytes(&edited) > fields_bytes(fields) {
        check_total_bytes(&edited)?;
    }
    Ok(edited)
}

/// Checks the total length of all names and keys of a form.
///
/// # Errors
/// Returns a message if there are too many bytes.
pub fn check_total_bytes<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<(), String> {
    let bytes = fields_bytes(fields);
    if bytes > FIELDS_BYTES_MAX {
        return Err(format!(
            "the names and keys of a form's fields have at most {FIELDS_BYTES_MAX} bytes together, \
             but would have {bytes}; choose shorter names or fewer fields"
        ));
    }
    Ok(())
}

fn take_field(
    remaining: &mut HashMap<&FieldId, &Field>,
    fields: &[Field],
    id: &FieldId,
) -> Result<Field, String> {
    remaining.remove(id).cloned().ok_or_else(|| {
        if fields.iter().any(|field| field.id == *id) {
            format!("`{id}` is repeated; list every field once")
        } else {
            format!("`{id}` is not a field of this form; omit `id` to add a field")
        }
    })
}

fn check_field_count(count: usize) -> Result<(), String> {
    if count > FIELDS_MAX {
        return Err(format!("a form has at most {FIELDS_MAX} fields, but would have {count}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::FieldType;
    use insta::assert_snapshot;

    fn id_generator() -> impl FnMut() -> FieldId {
        let mut count = 0;
        move || {
            count += 1;
            format!("fld_{count}").parse().unwrap()
        }
    }

    fn new_field(name: &str) -> NewField {
        NewField { name: name.to_owned(), kind: FieldType::Text }
    }

    fn parse_edits(json: &str) -> Vec<FieldEdit> {
        serde_json::from_str(json).unwrap()
    }

    fn render_fields(fields: &[Field]) -> String {
        let render = |it: &Field| {
            let hidden = if it.hidden { " hidden" } else { "" };
            format!("{} {}: {} ({}){hidden}", it.id, it.key, it.name, it.kind)
        };
        fields.iter().map(render).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn repeated_name_gets_unique_key() {
        let mut generate_id = id_generator();
        let made = create_fields(["A", "B", "A"].map(new_field), &[], &mut generate_id);
        let keys: Vec<_> = made.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["A", "B", "A (fld_3)"]);
        let more = create_fields([new_field("B")], &made, &mut generate_id);
        assert_eq!((more[0].name.as_str(), more[0].key.as_str()), ("B", "B (fld_4)"));
    }

    #[test]
    fn edit_changes_names_types_and_order_only() {
        let mut generate_id = id_generator();
        let fields = create_fields(["A", "B", "C"].map(new_field), &[], &mut generate_id);
        let wanted = r#"[{"id":"fld_3"},{"name":"B","type":"rating"},{"id":"fld_1","name":" Z "},
            {"id":"fld_2","type":"email"}]"#;
        assert_snapshot!(render_fields(&apply_edits(&fields, parse_edits(wanted), &mut generate_id).unwrap()), @r"
        fld_3 C: C (text)
        fld_4 B (fld_4): B (rating)
        fld_1 A: Z (text)
        fld_2 B: B (email)
        ");
    }

    #[test]
    fn existing_line_break_in_name_is_accepted() {
        let fields = create_fields([new_field("A"), new_field("B\nC")], &[], id_generator());
        let wanted = r#"[{"id":"fld_2","name":"B\nC"},{"id":"fld_1","name":"D"}]"#;
        assert_eq!(
            apply_edits(&fields, parse_edits(wanted), id_generator()).unwrap()[0].name,
            "B\nC"
        );
        let wanted = r#"[{"id":"fld_2"},{"id":"fld_1","name":"D\nE"}]"#;
        assert!(
            apply_edits(&fields, parse_edits(wanted), id_generator())
                .unwrap_err()
                .contains("on one line")
        );
    }

    #[test]
    fn fields_above_the_limit_can_be_deleted() {
        let name = |n: usize| new_field(&n.to_string());
        let fields = create_fields((0..=FIELDS_MAX).map(name), &[], id_generator());
        let edit = |field: &Field| format!(r#"{{"id":"{}","delete":true}}"#, field.id);
        let mut edits: Vec<String> = fields.iter().map(edit).collect();
        let wanted = parse_edits(&format!("[{}]", edits.join(",")));
        assert_eq!(apply_edits(&fields, wanted, id_generator()), Ok(Vec::new()));
        edits.fill(r#"{"name":"new"}"#.to_owned());
        let grown =
            apply_edits(&[], parse_edits(&format!("[{}]", edits.join(","))), id_generator());
        assert!(grown.unwrap_err().contains("at most 2000 fields"));
    }

    #[test]
    fn oversized_form_may_not_grow() {
        let long = |n: usize| new_field(&format!("{n:01000}"));
        let fields = create_fields((0..200).map(long), &[], id_generator());
        let edit_to = |name: &str| {
            let edits = fields.iter().map(|field| FieldEdit {
                id: Some(field.id.clone()),
                name: (field.id.as_str() == "fld_1").then(|| name.to_owned()),
                ..FieldEdit::default()
            });
            apply_edits(&fields, edits.collect(), id_generator())
        };
        assert!(edit_to("shorter").is_ok());
        let mut more: Vec<_> = fields
            .iter()
            .map(|field| FieldEdit { id: Some(field.id.clone()), ..FieldEdit::default() })
            .collect();
        more.push(FieldEdit { name: Some("one more".to_owned()), ..FieldEdit::default() });
        assert!(apply_edits(&fields, more, id_generator()).unwrap_err().contains("shorter names"));
    }

    #[test]
    fn edit_hides_shows_and_deletes_fields() {
        let mut generate_id = id_generator();
        let fields = create_fields(["A", "B", "C"].map(new_field), &[], &mut generate_id);
        let wanted = r#"[{"id":"fld_2","hidden":true},{"id":"fld_1","delete":true},
            {"id":"fld_3"},{"name":"A","hidden":true}]"#;
        let edited = apply_edits(&fields, parse_edits(wanted), &mut generate_id).unwrap();
        assert_snapshot!(render_fields(&edited), @r"
        fld_2 B: B (text) hidden
        fld_3 C: C (text)
        fld_4 A (fld_4): A (text) hidden
        ");
        let wanted = r#"[{"id":"fld_2","hidden":false},{"id":"fld_3"},
            {"id":"fld_4","delete":true,"name":"ignored"}]"#;
        let edited = apply_edits(&edited, parse_edits(wanted), &mut generate_id).unwrap();
        assert_snapshot!(render_fields(&edited), @r"
        fld_2 B: B (text)
        fld_3 C: C (text)
        ");
        // A new field of the same name gets the free key, and with it the existing answers.
        let second = apply_edits(
            &edited,
            parse_edits(r#"[{"id":"fld_2"},{"id":"fld_3"},{"name":"A"}]"#),
            generate_id,
        );
        assert_eq!(second.unwrap()[2].key, "A");
    }

    #[test]
    fn invalid_edits_return_messages() {
        let fields = create_fields(["A", "B"].map(new_field), &[], id_generator());
        let check = |json: &str, message: &str| {
            let wrong = apply_edits(&fields, parse_edits(json), id_generator()).unwrap_err();
            assert!(wrong.contains(message), "{wrong}");
        };
        check(r#"[{"id":"fld_1"}]"#, "`fld_2` is missing");
        check(r#"[{"id":"fld_1"},{"id":"fld_1"},{"id":"fld_2"}]"#, "`fld_1` is repeated");
        check(r#"[{"id":"fld_9"},{"id":"fld_1"},{"id":"fld_2"}]"#, "`fld_9` is not a field");
        check(r#"[{"id":"fld_1"},{"id":"fld_2"},{}]"#, "needs a `name`");
        check(r#"[{"id":"fld_1"},{"id":"fld_2"},{"delete":true}]"#, "needs its `id`");
        check(r#"[{"id":"fld_1","delete":true}]"#, "`fld_2` is missing");
        check(r#"[{"id":"fld_1","delete":true},{"id":"fld_1"},{"id":"fld_2"}]"#, "is repeated");
        check(r#"[{"id":"fld_1","name":" "},{"id":"fld_2"}]"#, "at least one character");
        let edits = vec![FieldEdit { name: Some("x".into()), ..FieldEdit::default() }; 2001];
        assert!(apply_edits(&[], edits, id_generator()).unwrap_err().contains("2001"));
        let long =
            |n: usize| FieldEdit { name: Some(format!("{n:01000}")), ..FieldEdit::default() };
        assert!(apply_edits(&[], (0..131).map(long).collect(), id_generator()).is_ok());
        let wrong = apply_edits(&[], (0..132).map(long).collect(), id_generator()).unwrap_err();
        assert!(wrong.contains("262144 bytes") && wrong.contains("264000"), "{wrong}");
        assert!(
            validate_fields(vec![new_field("x"); 2001]).is_err()
                && validate_fields(vec![new_field("a\nb")]).is_err()
        );
        assert_eq!(validate_fields(vec![new_field(" x ")]), Ok(vec![new_field("x")]));
    }
}
