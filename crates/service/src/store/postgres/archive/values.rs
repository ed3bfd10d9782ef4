//! How the values of an archive stand in columns, and how they go over the wire. No SQL here.

use super::super::super::Result;
use super::super::super::archive::{self, Kind, Section, Value};
use super::super::super::row::{damaged, database};
use super::super::text;
use bytes::BytesMut;
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// Returns the type of a column.
pub(super) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::INT8,
        Kind::Bool => Type::BOOL,
        Kind::Plain | Kind::Text => Type::TEXT,
        Kind::Bytes | Kind::TextInBytes => Type::BYTEA,
    }
}

/// Returns a value as a column stores it.
pub(super) fn stored(kind: Kind, value: Value) -> Value {
    match (kind, value) {
        (Kind::Text, Value::Text(text)) => Value::Text(text::kept(&text).into_owned()),
        (Kind::TextInBytes, Value::Text(text)) => Value::Bytes(text.into_bytes()),
        (_, value) => value,
    }
}

/// Returns the values of a row as an archive has them.
pub(super) fn read(section: &Section, row: &Row) -> Result<Vec<Value>> {
    let columns = section.columns.iter().enumerate();
    let value = |(place, column): (usize, &&'static archive::Column)| {
        Ok(match (column.kind, row.try_get(place).map_err(database)?) {
            (Kind::Text, Value::Text(kept)) => Value::Text(text::read(kept)),
            (Kind::TextInBytes, Value::Bytes(bytes)) => {
                Value::Text(String::from_utf8(bytes).map_err(damaged)?)
            }
            (_, value) => value,
        })
    };
    columns.map(value).collect()
}

type Mistyped = Box<dyn Error + Sync + Send>;

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Mistyped> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(is) => is.to_sql(kind, out),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::BOOL, Type::INT8, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Mistyped> {
        Ok(match *kind {
            Type::BOOL => Self::Bool(FromSql::from_sql(kind, raw)?),
            Type::INT8 => Self::Int(FromSql::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(FromSql::from_sql(kind, raw)?),
            _ => Self::Text(FromSql::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Mistyped> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        <Self as ToSql>::accepts(kind)
    }
}
