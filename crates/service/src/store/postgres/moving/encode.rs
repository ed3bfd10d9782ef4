//! How values of a file stand in the database, and how they go over the wire. No SQL here.

use super::super::super::moving::{Kind, Value};
use super::super::super::row::{damaged, database};
use super::super::super::{Result, StoreError};
use super::super::text::{indexed, kept, searched};
use bytes::BytesMut;
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// Returns a value of a file as the database holds it.
pub(in crate::store) fn encode(kind: Kind, value: Value) -> Result<Value> {
    Ok(match (kind, value) {
        (_, Value::Null) => Value::Null,
        (Kind::Bool, Value::Int(number)) => Value::Bool(number != 0),
        (Kind::Text, Value::Text(text)) => Value::Text(kept(&text).into_owned()),
        (Kind::BytesOfText, Value::Text(text)) => Value::Bytes(text.into_bytes()),
        (Kind::Indexed, Value::Text(text)) => Value::Text(indexed(&text).into_owned()),
        (Kind::Searched, Value::Bytes(values)) => Value::Text(searched(&values).map_err(database)?),
        (Kind::Int, value @ Value::Int(_))
        | (Kind::Plain, value @ Value::Text(_))
        | (Kind::Bytes, value @ Value::Bytes(_)) => value,
        (kind, _) => return Err(odd(kind)),
    })
}

fn odd(kind: Kind) -> StoreError {
    damaged(format!("a column of `{kind:?}` holds something else"))
}

/// Returns the type of a column.
pub(super) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::INT8,
        Kind::Bool => Type::BOOL,
        Kind::Plain | Kind::Text | Kind::Indexed | Kind::Searched => Type::TEXT,
        Kind::Bytes | Kind::BytesOfText => Type::BYTEA,
    }
}

type Odd = Box<dyn Error + Sync + Send>;

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Odd> {
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
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Odd> {
        Ok(match *kind {
            Type::BOOL => Self::Bool(FromSql::from_sql(kind, raw)?),
            Type::INT8 => Self::Int(FromSql::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(FromSql::from_sql(kind, raw)?),
            _ => Self::Text(FromSql::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Odd> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        <Self as ToSql>::accepts(kind)
    }
}
