//! Forms and their fields: what the owner defined, by which answers are ordered and named.

use crate::{Environment, FieldId, FormId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A form, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Form {
    /// Its identifier.
    pub id: FormId,
    /// What its owner calls it.
    pub name: String,
    /// The environment that it belongs to, and its submissions with it.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Whether its submissions are analysed.
    pub analysis: bool,
    /// Its fields, in the order in which they are shown and exported.
    pub fields: Vec<Field>,
    /// When it was created.
    pub created_at: Timestamp,
    /// How many submissions it has.
    pub submission_count: u64,
    /// When its newest submission came, where it has one.
    pub last_submission_at: Option<Timestamp>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Field {
    /// Its identifier.
    pub id: FieldId,
    /// The key of its answers. Unique in its form; stays when the field is renamed.
    pub key: String,
    /// What its owner calls it, and the head of its export column.
    pub name: String,
    /// What kind of answer it takes.
    #[serde(rename = "type")]
    pub kind: FieldType,
}

/// What kind of answer a field takes. It guides how an answer is shown, not what is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// One line of text.
    #[default]
    Text,
    /// Text of several lines.
    LongText,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// One of several options.
    Choice,
    /// Any of several options.
    Choices,
    /// A score on a short scale.
    Rating,
    /// A mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// A calendar date.
    Date,
}

impl FieldType {
    /// Every kind there is, in the order in which they are offered.
    pub const ALL: [Self; 11] = [
        Self::Text,
        Self::LongText,
        Self::Number,
        Self::Boolean,
        Self::Choice,
        Self::Choices,
        Self::Rating,
        Self::Email,
        Self::Phone,
        Self::Url,
        Self::Date,
    ];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::LongText => "long_text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::Rating => "rating",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Url => "url",
            Self::Date => "date",
        }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FieldType {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join("`, `");
            format!("a field's type is one of `{names}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_name_everywhere() {
        for kind in FieldType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("Text".parse::<FieldType>().unwrap_err().contains("`Text`"));
    }
}
