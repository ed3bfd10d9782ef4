//! The fields of a form as their owner changes them: new ones, other names, another order.
//!
//! An id and an answer key never change: submissions name the one in exports and hold the other.
//! Nothing is stored here.

use contract::form::{
    FIELDS_BYTES_MAX, FIELDS_MAX, FORM_NAME_CHARS_MAX, checked_field_name, fields_bytes,
};
use contract::{Field, FieldEdit, FieldId, Form, FormId, NewField, Timestamp};
use std::collections::{HashMap, HashSet};

/// Gives new fields their ids and answer keys. A key is the field's name, told apart by the id
/// where another field of the form has it already.
pub fn create(
    new: impl IntoIterator<Item = NewField>,
    taken: &[Field],
    mut mint_id: impl FnMut() -> FieldId,
) -> Vec<Field> {
    let mut keys = Keys::of(taken);
    new.into_iter().map(|new| keys.give(new, mint_id())).collect()
}

/// The answer keys that are taken in a form.
struct Keys(HashSet<String>);

impl Keys {
    fn of(fields: &[Field]) -> Self {
        Self(fields.iter().map(|field| field.key.clone()).collect())
    }

    /// Gives a new field its key.
    fn give(&mut self, NewField { name, kind }: NewField, id: FieldId) -> Field {
        let key = if self.0.contains(&name) { format!("{name} ({id})") } else { name.clone() };
        self.0.insert(key.clone());
        Field { id, key, name, kind, hidden: false }
    }
}

/// Returns a copy of a form: new ids, the same answer keys, and no submissions.
pub fn copy(
    source: &Form,
    name: Option<String>,
    id: FormId,
    created_at: Timestamp,
    mut mint_id: impl FnMut() -> FieldId,
) -> Form {
    let copied = |field: &Field| Field { id: mint_id(), ..field.clone() };
    Form {
        id,
        name: name.unwrap_or_else(|| copied_name(&source.name)),
        environment: source.environment,
        analysis: source.analysis,
        fields: source.fields.iter().map(copied).collect(),
        created_at,
        submission_count: 0,
        last_submission_at: None,
        trash_days: source.trash_days,
    }
}

/// The name of a copy that was given none.
fn copied_name(name: &str) -> String {
    const SUFFIX: &str = " (copy)";
    let kept: String = name.chars().take(FORM_NAME_CHARS_MAX - SUFFIX.len()).collect();
    format!("{}{SUFFIX}", kept.trim_end())
}

/// Checks the fields of a form that is to be created, and takes the spaces around their names away.
///
/// # Errors
/// Too many, or a name that cannot be: in words.
pub fn checked(mut new: Vec<NewField>) -> Result<Vec<NewField>, String> {
    check_count(new.len())?;
    for field in &mut new {
        field.name = checked_field_name(&field.name)?;
    }
    Ok(new)
}

/// Returns a form's fields as its owner wants them: those that it has, renamed, hidden and in
/// another order, new ones among them, and without those that are deleted.
///
/// # Errors
/// One that is missing, stands twice or is not the form's, a name that cannot be, or too many: in
/// words.
pub fn edit(
    fields: &[Field],
    edits: Vec<FieldEdit>,
    mut mint_id: impl FnMut() -> FieldId,
) -> Result<Vec<Field>, String> {
    check_count(edits.len())?;
    let mut left: HashMap<&FieldId, &Field> = fields.iter().map(|it| (&it.id, it)).collect();
    let mut keys = Keys::of(fields);
    let mut edited = Vec::with_capacity(edits.len());
    for FieldEdit { id, name, kind, hidden, delete } in edits {
        if delete {
            let id =
                id.ok_or("a field to `delete` needs its `id`; leave new fields out instead")?;
            take(&mut left, fields, &id)?;
            continue;
        }
        let mut field = if let Some(id) = id {
            take(&mut left, fields, &id)?
        } else {
            let name = name.as_deref().ok_or("a new field needs a `name`; give it one")?;
            let name = checked_field_name(name)?;
            keys.give(NewField { name, kind: kind.unwrap_or_default() }, mint_id())
        };
        // The name that an import or a page gave a field may have line breaks. It may stay.
        if let Some(name) = name.filter(|name| *name != field.name) {
            field.name = checked_field_name(&name)?;
        }
        field.kind = kind.unwrap_or(field.kind);
        field.hidden = hidden.unwrap_or(field.hidden);
        edited.push(field);
    }
    if let Some(missing) = fields.iter().find(|field| left.contains_key(&field.id)) {
        return Err(format!(
            "`{}` is missing; name every field of the form, and those to delete with `delete`",
            missing.id
        ));
    }
    // A form of before this limit may still be edited, but for longer names.
    if fields_bytes(&edited) > fields_bytes(fields) {
        check_bytes(&edited)?;
    }
    Ok(edited)
}

/// Checks the length of all names and keys of a form together.
///
/// # Errors
/// Too many bytes: in words.
pub fn check_bytes<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<(), String> {
    let bytes = fields_bytes(fields);
    if bytes > FIELDS_BYTES_MAX {
        return Err(format!(
            "the names and keys of a form's fields have at most {FIELDS_BYTES_MAX} bytes together, \
             but would have {bytes}; choose shorter names or fewer fields"
        ));
    }
    Ok(())
}

fn take(
    left: &mut HashMap<&FieldId, &Field>,
    fields: &[Field],
    id: &FieldId,
) -> Result<Field, String> {
    left.remove(id).cloned().ok_or_else(|| {
        if fields.iter().any(|field| field.id == *id) {
            format!("`{id}` stands twice; name every field once")
        } else {
            format!("`{id}` is no field of this form; leave `id` out for a new one")
        }
    })
}

fn check_count(count: usize) -> Result<(), String> {
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

    fn minting() -> impl FnMut() -> FieldId {
        let mut count = 0;
        move || {
            count += 1;
            format!("fld_{count}").parse().unwrap()
        }
    }

    fn new(name: &str) -> NewField {
        NewField { name: name.to_owned(), kind: FieldType::Text }
    }

    fn edits(json: &str) -> Vec<FieldEdit> {
        serde_json::from_str(json).unwrap()
    }

    fn shown(fields: &[Field]) -> String {
        let one = |it: &Field| {
            let hidden = if it.hidden { " hidden" } else { "" };
            format!("{} {}: {} ({}){hidden}", it.id, it.key, it.name, it.kind)
        };
        fields.iter().map(one).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_name_that_is_taken_gets_a_key_of_its_own() {
        let mut mint = minting();
        let made = create(["A", "B", "A"].map(new), &[], &mut mint);
        let keys: Vec<_> = made.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["A", "B", "A (fld_3)"]);
        let more = create([new("B")], &made, &mut mint);
        assert_eq!((more[0].name.as_str(), more[0].key.as_str()), ("B", "B (fld_4)"));
    }

    #[test]
    fn ids_and_keys_stay_while_names_kinds_and_order_change() {
        let mut mint = minting();
        let fields = create(["A", "B", "C"].map(new), &[], &mut mint);
        let wanted = r#"[{"id":"fld_3"},{"name":"B","type":"rating"},{"id":"fld_1","name":" Z "},
            {"id":"fld_2","type":"email"}]"#;
        assert_snapshot!(shown(&edit(&fields, edits(wanted), &mut mint).unwrap()), @r"
        fld_3 C: C (text)
        fld_4 B (fld_4): B (rating)
        fld_1 A: Z (text)
        fld_2 B: B (email)
        ");
    }

    #[test]
    fn name_with_a_line_break_may_stay_but_not_come() {
        let fields = create([new("A"), new("B\nC")], &[], minting());
        let wanted = r#"[{"id":"fld_2","name":"B\nC"},{"id":"fld_1","name":"D"}]"#;
        assert_eq!(edit(&fields, edits(wanted), minting()).unwrap()[0].name, "B\nC");
        let wanted = r#"[{"id":"fld_2"},{"id":"fld_1","name":"D\nE"}]"#;
        assert!(edit(&fields, edits(wanted), minting()).unwrap_err().contains("on one line"));
    }

    #[test]
    fn a_form_of_before_the_limit_may_be_edited_but_not_grow() {
        let long = |n: usize| new(&format!("{n:01000}"));
        let fields = create((0..200).map(long), &[], minting());
        let edit_to = |name: &str| {
            let edits = fields.iter().map(|field| FieldEdit {
                id: Some(field.id.clone()),
                name: (field.id.as_str() == "fld_1").then(|| name.to_owned()),
                ..FieldEdit::default()
            });
            edit(&fields, edits.collect(), minting())
        };
        assert!(edit_to("shorter").is_ok());
        let mut more: Vec<_> = fields
            .iter()
            .map(|field| FieldEdit { id: Some(field.id.clone()), ..FieldEdit::default() })
            .collect();
        more.push(FieldEdit { name: Some("one more".to_owned()), ..FieldEdit::default() });
        assert!(edit(&fields, more, minting()).unwrap_err().contains("shorter names"));
    }

    #[test]
    fn a_field_is_hidden_shown_and_deleted() {
        let mut mint = minting();
        let fields = create(["A", "B", "C"].map(new), &[], &mut mint);
        let wanted = r#"[{"id":"fld_2","hidden":true},{"id":"fld_1","delete":true},
            {"id":"fld_3"},{"name":"A","hidden":true}]"#;
        let edited = edit(&fields, edits(wanted), &mut mint).unwrap();
        assert_snapshot!(shown(&edited), @r"
        fld_2 B: B (text) hidden
        fld_3 C: C (text)
        fld_4 A (fld_4): A (text) hidden
        ");
        let wanted = r#"[{"id":"fld_2","hidden":false},{"id":"fld_3"},
            {"id":"fld_4","delete":true,"name":"ignored"}]"#;
        let edited = edit(&edited, edits(wanted), &mut mint).unwrap();
        assert_snapshot!(shown(&edited), @r"
        fld_2 B: B (text)
        fld_3 C: C (text)
        ");
        // A new one of the same name gets the key, and with it the answers.
        let again = edit(&edited, edits(r#"[{"id":"fld_2"},{"id":"fld_3"},{"name":"A"}]"#), mint);
        assert_eq!(again.unwrap()[2].key, "A");
    }

    #[test]
    fn what_cannot_be_is_told() {
        let fields = create(["A", "B"].map(new), &[], minting());
        let check = |json: &str, says: &str| {
            let wrong = edit(&fields, edits(json), minting()).unwrap_err();
            assert!(wrong.contains(says), "{wrong}");
        };
        check(r#"[{"id":"fld_1"}]"#, "`fld_2` is missing");
        check(r#"[{"id":"fld_1"},{"id":"fld_1"},{"id":"fld_2"}]"#, "`fld_1` stands twice");
        check(r#"[{"id":"fld_9"},{"id":"fld_1"},{"id":"fld_2"}]"#, "`fld_9` is no field");
        check(r#"[{"id":"fld_1"},{"id":"fld_2"},{}]"#, "needs a `name`");
        check(r#"[{"id":"fld_1"},{"id":"fld_2"},{"delete":true}]"#, "needs its `id`");
        check(r#"[{"id":"fld_1","delete":true}]"#, "`fld_2` is missing");
        check(r#"[{"id":"fld_1","delete":true},{"id":"fld_1"},{"id":"fld_2"}]"#, "stands twice");
        check(r#"[{"id":"fld_1","name":" "},{"id":"fld_2"}]"#, "at least one character");
        let many = vec![FieldEdit { name: Some("x".into()), ..FieldEdit::default() }; 2001];
        assert!(edit(&[], many, minting()).unwrap_err().contains("2001"));
        let long =
            |n: usize| FieldEdit { name: Some(format!("{n:01000}")), ..FieldEdit::default() };
        assert!(edit(&[], (0..131).map(long).collect(), minting()).is_ok());
        let wrong = edit(&[], (0..132).map(long).collect(), minting()).unwrap_err();
        assert!(wrong.contains("262144 bytes") && wrong.contains("264000"), "{wrong}");
        assert!(checked(vec![new("x"); 2001]).is_err() && checked(vec![new("a\nb")]).is_err());
        assert_eq!(checked(vec![new(" x ")]), Ok(vec![new("x")]));
    }
}
