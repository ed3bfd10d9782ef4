//! A field as it is named on the command line: `NAME` or `NAME:TYPE`.

use contract::{Field, FieldId, FieldType};
use std::collections::HashSet;
use std::str::FromStr;

/// Longest name of a field, which is also its answer key, in bytes. Real surveys have heads of 300.
pub(crate) const NAME_BYTES_MAX: usize = 1000;
/// How many fields a form may have.
pub(crate) const FIELDS_MAX: usize = 2000;

/// A field to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    /// What it is called.
    pub(crate) name: String,
    /// What kind of answer it takes.
    pub(crate) kind: FieldType,
}

impl FromStr for FieldSpec {
    type Err = String;

    /// Splits at the last `:`, but only where a type follows, so that a name may hold colons.
    fn from_str(text: &str) -> Result<Self, String> {
        let typed = text.rsplit_once(':').and_then(|(name, kind)| Some((name, kind.parse().ok()?)));
        let (name, kind) = typed.unwrap_or((text, FieldType::default()));
        let name = name.trim().to_owned();
        check_name(&name)?;
        Ok(Self { name, kind })
    }
}

/// Checks a field's name.
///
/// # Errors
/// A name that is empty or too long.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a field needs a name; give it as `NAME` or `NAME:TYPE`".to_owned());
    }
    if name.len() > NAME_BYTES_MAX {
        let count = name.len();
        return Err(format!("a field's name has at most {NAME_BYTES_MAX} bytes, but has {count}"));
    }
    Ok(())
}

/// Gives new fields their ids and answer keys. A key is the field's name, told apart by the id
/// where another field of the form has it already.
pub(crate) fn fields(
    specs: impl IntoIterator<Item = FieldSpec>,
    taken: &[Field],
    mut mint_id: impl FnMut() -> FieldId,
) -> Vec<Field> {
    let mut keys: HashSet<String> = taken.iter().map(|field| field.key.clone()).collect();
    let field = |FieldSpec { name, kind }: FieldSpec| {
        let id = mint_id();
        let key = if keys.contains(&name) { format!("{name} ({id})") } else { name.clone() };
        keys.insert(key.clone());
        Field { id, key, name, kind }
    };
    specs.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, kind: FieldType) {
        assert_eq!(text.parse(), Ok(FieldSpec { name: name.to_owned(), kind }), "{text}");
    }

    #[test]
    fn a_type_stands_behind_the_last_colon() {
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

    #[test]
    fn a_name_that_is_taken_gets_a_key_of_its_own() {
        let mut count = 0;
        let mut mint = || {
            count += 1;
            format!("fld_{count}").parse().unwrap()
        };
        let specs = ["A", "B", "A"].map(|name| name.parse().unwrap());
        let made = fields(specs, &[], &mut mint);
        let keys: Vec<_> = made.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["A", "B", "A (fld_3)"]);
        let more = fields(["B".parse().unwrap()], &made, &mut mint);
        assert_eq!((more[0].name.as_str(), more[0].key.as_str()), ("B", "B (fld_4)"));
    }
}
