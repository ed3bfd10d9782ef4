//! Converts values between an archive, columns and the wire format. No SQL here.

use crate::errors::database_error;
use crate::text_encoding;
use bytes::BytesMut;
use std::error::Error;
use store::Result;
use store::archive::{self, ColumnKind, Section, Value};
use store::columns::damaged_row;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// Returns the column type for a kind of value.
pub(super) fn type_of(kind: ColumnKind) -> Type {
    match kind {
        ColumnKind::Int => Type::INT8,
        ColumnKind::Bool => Type::BOOL,
        ColumnKind::PlainText | ColumnKind::Text => Type::TEXT,
        ColumnKind::Bytes | ColumnKind::TextInBytes => Type::BYTEA,
    }
}

/// Returns a value as a column stores it.
pub(super) fn to_column_value(kind: ColumnKind, value: Value) -> Value {
    match (kind, value) {
        (ColumnKind::Text, Value::Text(text)) => {
            Value::Text(text_encoding::encode(&text).into_owned())
        }
        (ColumnKind::TextInBytes, Value::Text(text)) => Value::Bytes(text.into_bytes()),
        (_, value) => value,
    }
}

/// Returns the values of a row as an archive stores them.
pub(super) fn read_row(section: &Section, row: &Row) -> Result<Vec<Value>> {
    let columns = section.columns.iter().enumerate();
    let value = |(place, column): (usize, &&'static archive::TableColumn)| {
        let ArchiveCell(value) = row.try_get(place).map_err(database_error)?;
        Ok(match (column.kind, value) {
            (ColumnKind::Text, Value::Text(encoded)) => Value::Text(text_encoding::decode(encoded)),
            (ColumnKind::TextInBytes, Value::Bytes(bytes)) => {
                Value::Text(String::from_utf8(bytes).map_err(damaged_row)?)
            }
            (_, value) => value,
        })
    };
    columns.map(value).collect()
}

type BoxedError = Box<dyn Error + Sync + Send>;

/// A value as a parameter or a column of a statement.
#[derive(Debug)]
pub(super) struct ArchiveCell(pub(super) Value);

impl ToSql for ArchiveCell {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Bool(is) => is.to_sql(kind, out),
            Value::Int(number) => number.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::BOOL, Type::INT8, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for ArchiveCell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(Self(match *kind {
            Type::BOOL => Value::Bool(FromSql::from_sql(kind, raw)?),
            Type::INT8 => Value::Int(FromSql::from_sql(kind, raw)?),
            Type::BYTEA => Value::Bytes(FromSql::from_sql(kind, raw)?),
            _ => Value::Text(FromSql::from_sql(kind, raw)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, BoxedError> {
        Ok(Self(Value::Null))
    }

    fn accepts(kind: &Type) -> bool {
        <Self as ToSql>::accepts(kind)
    }
}
