//! Infers new fields from answer keys that the form does not have, with their types.

use contract::FieldType;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

use crate::field_spec::{FIELDS_MAX, FieldSpec};

/// Unknown keys, in the order of their first occurrence.
pub(crate) struct InferredFields {
    known: HashSet<String>,
    indexes: HashMap<String, usize>,
    found: Vec<(String, Option<FieldType>)>,
}

impl InferredFields {
    /// Starts with the answer keys of the form.
    pub(crate) fn new(known: HashSet<String>) -> Self {
        Self { known, indexes: HashMap::new(), found: Vec::new() }
    }

    /// Processes the answers of one submission.
    ///
    /// # Errors
    /// More fields than a form can have.
    pub(crate) fn add_answers(&mut self, answers: &Map<String, Value>) -> Result<(), String> {
        for (key, value) in answers.iter().filter(|(key, _)| !self.known.contains(*key)) {
            let index = *self.indexes.entry(key.clone()).or_insert(self.found.len());
            if index == self.found.len() {
                self.found.push((key.clone(), None));
            }
            if let Some((_, guess)) = self.found.get_mut(index) {
                *guess = common_type(*guess, value_type(value));
            }
        }
        let count = self.known.len() + self.found.len();
        if count > FIELDS_MAX {
            return Err(format!("a form has at most {FIELDS_MAX} fields, but would have {count}"));
        }
        Ok(())
    }

    /// Returns the fields to create. A key without any value becomes a text field.
    pub(crate) fn specs(&self) -> Vec<FieldSpec> {
        let spec = |(name, kind): &(String, Option<FieldType>)| FieldSpec {
            name: name.clone(),
            kind: kind.unwrap_or_default(),
        };
        self.found.iter().map(spec).collect()
    }
}

/// Returns the type of a value; `None` for null.
fn value_type(value: &Value) -> Option<FieldType> {
    match value {
        Value::Null => None,
        Value::Number(_) => Some(FieldType::Number),
        Value::Bool(_) => Some(FieldType::Boolean),
        Value::String(_) | Value::Array(_) | Value::Object(_) => Some(FieldType::Text),
    }
}

fn common_type(first: Option<FieldType>, second: Option<FieldType>) -> Option<FieldType> {
    match (first, second) {
        (Some(first), Some(second)) if first != second => Some(FieldType::Text),
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inferred_type_requires_equal_value_types() {
        let mut guesses = InferredFields::new(HashSet::from(["known".to_owned()]));
        for line in [
            r#"{"n":1,"b":true,"known":1,"mixed":1,"none":null}"#,
            r#"{"late":[1],"n":null,"b":false,"mixed":true}"#,
            r#"{"n":2.5,"mixed":2}"#,
        ] {
            guesses.add_answers(&serde_json::from_str(line).unwrap()).unwrap();
        }
        let made: Vec<_> = guesses
            .specs()
            .into_iter()
            .map(|spec| format!("{}:{}", spec.name, spec.kind))
            .collect();
        assert_eq!(made, ["n:number", "b:boolean", "mixed:text", "none:text", "late:text"]);
    }

    #[test]
    fn too_many_inferred_fields_are_rejected() {
        let mut guesses = InferredFields::new(HashSet::new());
        let members = (0..FIELDS_MAX).map(|n| (n.to_string(), Value::Null)).collect();
        assert_eq!(guesses.add_answers(&members), Ok(()));
        let one_more = Map::from_iter([("x".to_owned(), Value::Null)]);
        assert!(guesses.add_answers(&one_more).unwrap_err().contains("2001"));
    }
}
