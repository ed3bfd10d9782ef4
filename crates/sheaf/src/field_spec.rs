//! Field specifications on the command line: `NAME` or `NAME:TYPE`.

use contract::form::is_reserved_key;
pub(crate) use contract::form::{FIELD_NAME_BYTES_MAX as NAME_BYTES_MAX, FIELDS_MAX};
use contract::{Field, FieldId, FieldType, NewField};
use std::str::FromStr;

/// A field to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    /// Display name.
    pub(crate) name: String,
    /// Type of its answers.
    pub(crate) kind: FieldType,
}

impl FromStr for FieldSpec {
    type Err = String;

    /// Splits at the last `:` only if a type follows, so that a name can contain colons.
    fn from_str(text: &str) -> Result<Self, String> {
        let typed = text.rsplit_once(':').and_then(|(name, kind)| Some((name, kind.parse().ok()?)));
        let (name, kind) = typed.unwrap_or((text, FieldType::default()));
        let name = name.trim().to_owned();
        check_name(&name)?;
        Ok(Self { name, kind })
    }
}

/// Checks the name of a field.
///
/// # Errors
/// A name that is empty, too long, or reserved by the JSON library.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a field needs a name; give it as `NAME` or `NAME:TYPE`".to_owned());
    }
    if is_reserved_key(name) {
        return Err(format!("`{name:.100}` cannot be a field's name; rename it"));
    }
    if name.len() > NAME_BYTES_MAX {
        let count = name.len();
        return Err(format!("a field's name has at most {NAME_BYTES_MAX} bytes, but has {count}"));
    }
    Ok(())
}

/// Creates fields with ids and answer keys, as [`api::fields::create`] does.
pub(crate) fn create_fields(
    specs: impl IntoIterator<Item = FieldSpec>,
    taken: &[Field],
    generate_id: impl FnMut() -> FieldId,
) -> Vec<Field> {
    let specs = specs.into_iter().map(|FieldSpec { name, kind }| NewField { name, kind });
    api::fields::create_fields(specs, taken, generate_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, kind: FieldType) {
        assert_eq!(text.parse(), Ok(FieldSpec { name: name.to_owned(), kind }), "{text}");
    }

    #[test]
    fn field_type_follows_last_colon() {
        check("Name", "Name", FieldType::Text);
        check("Score:rating", "Score", FieldType::Rating);
        check("Time: from:date", "Time: from", FieldType::Date);
        check("Ratio 1:2", "Ratio 1:2", FieldType::Text);
        check("a:Rating", "a:Rating", FieldType::Text);
        check(" Name :long_text", "Name", FieldType::LongText);
        assert!(":text".parse::<FieldSpec>().is_err());
        assert!("".parse::<FieldSpec>().is_err());
        assert!("x".repeat(1001).parse::<FieldSpec>().unwrap_err().contains("1001"));
    }
}
