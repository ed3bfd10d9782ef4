//! The value of one column, the same for both databases, and its form in an archive.

use super::tables::{ColumnKind, Section, TableColumn};
use base64::Engine as _;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, Deserialize, Deserializer, Error, SeqAccess};
use serde::{Serialize, Serializer};
use std::fmt;

/// The value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes. An archive has them as a base64 text.
    Bytes(Vec<u8>),
}

impl Value {
    /// Returns the approximate memory use in bytes.
    pub(super) fn memory_size(&self) -> usize {
        match self {
            Self::Text(text) => text.len() + size_of::<Self>(),
            Self::Bytes(bytes) => bytes.len() + size_of::<Self>(),
            Self::Null | Self::Bool(_) | Self::Int(_) => size_of::<Self>(),
        }
    }

    /// Returns the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(is) => serializer.serialize_bool(*is),
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.collect_str(&Base64Display::new(bytes, &STANDARD)),
        }
    }
}

/// A value before the type of its column is known. It cannot be nested, so no input causes deep
/// recursion in the parser.
struct UntypedValue(Value);

impl<'de> Deserialize<'de> for UntypedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyScalar)
    }
}

struct AnyScalar;

impl de::Visitor<'_> for AnyScalar {
    type Value = UntypedValue;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("null, true, false, an integer or a text")
    }

    fn visit_unit<E: Error>(self) -> Result<UntypedValue, E> {
        Ok(UntypedValue(Value::Null))
    }

    fn visit_bool<E: Error>(self, is: bool) -> Result<UntypedValue, E> {
        Ok(UntypedValue(Value::Bool(is)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<UntypedValue, E> {
        Ok(UntypedValue(Value::Int(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<UntypedValue, E> {
        i64::try_from(number).map(|number| UntypedValue(Value::Int(number))).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<UntypedValue, E> {
        Ok(UntypedValue(Value::Text(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<UntypedValue, E> {
        Ok(UntypedValue(Value::Text(text)))
    }
}

impl Section {
    /// Returns the value of a column in a row.
    pub fn value<'r>(&self, row: &'r [Value], name: &str) -> &'r Value {
        let index = self.columns.iter().position(|column| column.name == name);
        index.and_then(|index| row.get(index)).unwrap_or(&Value::Null)
    }
}

/// Parses the values of a row from a line of an archive.
///
/// # Errors
/// The reason why the line is not a row of these columns.
pub(super) fn parse_row(line: &[u8], columns: &[&TableColumn]) -> Result<Vec<Value>, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let row = deserializer.deserialize_seq(RowColumns(columns));
    row.and_then(|row| deserializer.end().map(|()| row)).map_err(|error| error.to_string())
}

/// Reads exactly one value for each column.
struct RowColumns<'c>(&'c [&'c TableColumn]);

impl<'de> de::Visitor<'de> for RowColumns<'_> {
    type Value = Vec<Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a row of {} values", self.0.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Vec<Value>, A::Error> {
        let mut row = Vec::with_capacity(self.0.len());
        for column in self.0 {
            let cell =
                cells.next_element()?.ok_or_else(|| Error::invalid_length(row.len(), &self))?;
            row.push(convert_value(cell, column).map_err(Error::custom)?);
        }
        match cells.next_element::<UntypedValue>()? {
            None => Ok(row),
            Some(_) => Err(Error::invalid_length(row.len() + 1, &self)),
        }
    }
}

fn convert_value(UntypedValue(value): UntypedValue, column: &TableColumn) -> Result<Value, String> {
    match (column.kind, value) {
        (ColumnKind::Bytes, Value::Text(text)) => {
            let bytes = STANDARD.decode(text);
            bytes.map(Value::Bytes).map_err(|_| format!("`{}` is not base64", column.name))
        }
        (_, Value::Null) => Ok(Value::Null),
        (ColumnKind::Int, value @ Value::Int(_))
        | (ColumnKind::Bool, value @ Value::Bool(_))
        | (
            ColumnKind::PlainText | ColumnKind::Text | ColumnKind::TextInBytes,
            value @ Value::Text(_),
        ) => Ok(value),
        _ => Err(format!("`{}` has another type", column.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn column(kind: ColumnKind) -> TableColumn {
        TableColumn { name: "c", sqlite: "c", sqlite_target: "c", postgres: "c", kind }
    }

    const COLUMNS: &[&TableColumn] = &[
        &column(ColumnKind::Int),
        &column(ColumnKind::Bool),
        &column(ColumnKind::Text),
        &column(ColumnKind::Bytes),
        &column(ColumnKind::TextInBytes),
    ];

    #[test]
    fn row_round_trips() {
        let row = vec![
            Value::Int(i64::MIN),
            Value::Bool(true),
            Value::Text("\0 \u{7}\n\"é\"\u{2028}".to_owned()),
            Value::Bytes((0..=255).collect()),
            Value::Null,
        ];
        let line = serde_json::to_vec(&row).unwrap();
        assert!(!line.contains(&b'\n'));
        assert_eq!(parse_row(&line, COLUMNS).unwrap(), row);
    }

    #[test]
    fn invalid_rows_are_rejected() {
        let deep = "[".repeat(1 << 20);
        for line in [
            "",
            "[]",
            "{}",
            r#"[1,true,"","",1]"#,
            r#"[1,1,"","",""]"#,
            r#"[1,true,"","%",""]"#,
            r#"[1.5,true,"","",""]"#,
            r#"[9223372036854775808,true,"","",""]"#,
            r#"[1,true,["x"],"",""]"#,
            &deep,
        ] {
            assert!(parse_row(line.as_bytes(), COLUMNS).is_err(), "{line:.40}");
        }
    }
}
