//! JSON values from untrusted input.
//!
//! `serde_json::Value` gives two private member names a special meaning: it parses the text under
//! one of them as JSON again, to any depth. [`Untrusted`] treats that name like any other, so the
//! depth of a value is limited by the parser, to 128.

use serde::de::{self, Deserialize, Deserializer, Error, MapAccess, SeqAccess};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Member name that `serde_json` uses to pass on a number with its text.
const NUMBER: &str = "$serde_json::private::Number";

/// JSON value from untrusted input.
#[derive(Debug, Clone, PartialEq)]
pub struct Untrusted(pub Value);

/// Deserializes an object. The last of several members with the same name wins.
///
/// # Errors
/// If the input is not an object, or is nested deeper than the parser allows.
pub fn deserialize_object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    match Untrusted::deserialize(deserializer)?.0 {
        Value::Object(members) => Ok(members),
        _ => Err(D::Error::custom("expected an object")),
    }
}

impl<'de> Deserialize<'de> for Untrusted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> de::Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Value, E> {
        Ok(Value::Bool(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Value, E> {
        let number =
            Number::from_i128(number).ok_or_else(|| E::custom("the number is too large"))?;
        Ok(Value::Number(number))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Value, E> {
        let number =
            Number::from_u128(number).ok_or_else(|| E::custom("the number is too large"))?;
        Ok(Value::Number(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Untrusted(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == NUMBER && object.is_empty() {
                let number = members.next_value::<String>()?.parse::<Number>();
                return number.map(Value::Number).map_err(A::Error::custom);
            }
            let Untrusted(value) = members.next_value()?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> serde_json::Result<Value> {
        serde_json::from_str::<Untrusted>(text).map(|value| value.0)
    }

    fn values() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i128>().prop_map(|number| Value::Number(Number::from_i128(number).unwrap())),
            any::<u128>().prop_map(|number| Value::Number(Number::from_u128(number).unwrap())),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number,
            ".{0,8}".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let member = (".{0,4}", inner.clone());
            let object = proptest::collection::vec(member, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect()));
            prop_oneof![proptest::collection::vec(inner, 0..4).prop_map(Value::Array), object]
        })
    }

    proptest! {
        #[test]
        fn values_equal_those_of_serde_json(value in values()) {
            let text = value.to_string();
            let expected: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(read(&text).unwrap(), expected.clone());
            prop_assert_eq!(serde_json::from_value::<Untrusted>(expected.clone()).unwrap().0, expected);
        }
    }

    #[test]
    fn numbers_keep_their_text() {
        let long = "[1.50,123456789012345678901234567890,-0]";
        assert_eq!(read(long).unwrap().to_string(), long);
    }

    #[test]
    fn text_in_an_object_is_not_read_as_json() {
        let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
        assert_eq!(read(text).unwrap()["$serde_json::private::RawValue"], "[1]");
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), serde_json::json!([1]));
        assert!(read(r#"{"$serde_json::private::Number":"[1]"}"#).is_err());
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(127)).is_ok());
        assert!(read(&nested(128)).is_err());
    }
}
