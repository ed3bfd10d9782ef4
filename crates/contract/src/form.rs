//! Forms and their fields: what the owner defined, by which answers are ordered and named.

use crate::{Environment, FieldId, FormId, Timestamp, trash};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most forms of an account, both environments together.
pub const FORMS_MAX: usize = 1000;
/// Longest name of a form, in characters.
pub const FORM_NAME_CHARS_MAX: usize = 200;
/// Most fields of a form.
pub const FIELDS_MAX: usize = 2000;
/// Most bytes of the names and keys of a form's fields together.
pub const FIELDS_BYTES_MAX: usize = 256 * 1024;
/// Longest name of a field, in bytes. Real surveys have heads of 300.
pub const FIELD_NAME_BYTES_MAX: usize = 1000;

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
    /// How many days its trash is kept, 0 to 90. With 0, moving a submission to the trash deletes
    /// it permanently.
    #[serde(default = "trash_days_default")]
    pub trash_days: u8,
}

fn trash_days_default() -> u8 {
    trash::DAYS_DEFAULT
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
    /// Whether the dashboard leaves it out of columns and filters. It takes answers and is exported
    /// all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// Returns how many bytes the names and keys of some fields have together.
pub fn fields_bytes<'a>(fields: impl IntoIterator<Item = &'a Field>) -> usize {
    fields.into_iter().map(|field| field.name.len() + field.key.len()).sum()
}

/// The body of `POST /account/forms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewForm {
    /// What its owner calls it.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// The environment that it shall belong to.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Whether its submissions are to be analysed.
    #[serde(default)]
    pub analysis: bool,
    /// Its fields, in order, 2,000 at most. A form without any learns them from what comes first.
    #[serde(default)]
    pub fields: Vec<NewField>,
}

/// A field to create. Its key is its name, told apart by its id where that is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewField {
    /// What its owner calls it.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FIELD_NAME_BYTES_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// What kind of answer it takes.
    #[serde(rename = "type", default)]
    pub kind: FieldType,
}

/// The body of `PUT /account/forms/{form_id}`, which renames it, and of `POST
/// /account/forms/{form_id}/delete`, which has the present name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FormName {
    /// What its owner calls it: from now on, or at present.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
}

/// The body of `POST /account/forms/{form_id}/duplicate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FormCopy {
    /// What the copy is called; without it, as the form with ` (copy)` behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: Option<String>,
}

/// The body of `PUT /account/forms/{form_id}/fields`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FieldEdits {
    /// Every field of the form, in the order wanted, and new ones among them: 2,000 at most. One
    /// that is not named is an error; one is deleted only by `delete`.
    pub fields: Vec<FieldEdit>,
}

/// A field as it shall be. What is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FieldEdit {
    /// Which one; a new field has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FieldId>,
    /// What its owner calls it from now on. A new field needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FIELD_NAME_BYTES_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: Option<String>,
    /// What kind of answer it takes from now on; a new field takes text where this is left out.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldType>,
    /// Whether the dashboard leaves it out of columns and filters from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether it is deleted. Its answers stay with the submissions, under its key, which the form
    /// does not learn again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
}

/// Returns a form's name without the spaces around it.
///
/// # Errors
/// One that is empty, too long or not on one line: in words.
pub fn checked_form_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let length = name.chars().count();
    if length == 0 || length > FORM_NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(format!("`name` must be 1 to {FORM_NAME_CHARS_MAX} characters on one line"));
    }
    Ok(name.to_owned())
}

/// How the keys begin that the library of JSON keeps for itself: whoever reads an answer under one
/// of them by the same library would read something else.
const RESERVED_KEYS: &str = "$serde_json::private::";

/// Whether a text can be neither the key of an answer nor the name of a field, since the library
/// of JSON keeps it for itself.
pub fn is_reserved_key(key: &str) -> bool {
    key.contains(RESERVED_KEYS)
}

/// Returns a field's name without the spaces around it.
///
/// # Errors
/// One that is empty, too long or not on one line: in words.
pub fn checked_field_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("a field's `name` must have at least one character, all on one line".to_owned());
    }
    if is_reserved_key(name) {
        return Err(format!("`{name:.100}` cannot be a field's `name`; take another"));
    }
    if name.len() > FIELD_NAME_BYTES_MAX {
        let count = name.len();
        return Err(format!(
            "a field's `name` must have at most {FIELD_NAME_BYTES_MAX} bytes, but has {count}"
        ));
    }
    Ok(name.to_owned())
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
    fn a_name_is_trimmed_and_something_to_read() {
        assert_eq!(checked_form_name(" Café ✓ "), Ok("Café ✓".to_owned()));
        assert_eq!(checked_form_name(&"é".repeat(200)), Ok("é".repeat(200)));
        for bad in ["", "  ", "a\nb", "a\0", &"é".repeat(201)] {
            assert!(checked_form_name(bad).unwrap_err().contains("1 to 200"), "{bad:?}");
        }
        assert_eq!(checked_field_name(" Name\t"), Ok("Name".to_owned()));
        assert!(checked_field_name(&"é".repeat(501)).unwrap_err().contains("1002"));
        assert!(checked_field_name("$serde_json::private::Number").is_err());
        assert!(checked_field_name("a\rb").is_err() && checked_field_name(" ").is_err());
    }

    #[test]
    fn what_is_left_out_of_an_edit_is_not_sent() {
        let edit: FieldEdit = serde_json::from_str(r#"{"id":"fld_1"}"#).unwrap();
        assert_eq!(serde_json::to_string(&edit).unwrap(), r#"{"id":"fld_1"}"#);
        assert!(serde_json::from_str::<FieldEdit>(r#"{"id":"fld_1","key":"x"}"#).is_err());
        let new: NewForm = serde_json::from_str(r#"{"name":"x","mode":"test"}"#).unwrap();
        assert!(new.fields.is_empty() && !new.analysis);
    }

    #[test]
    fn a_type_has_one_name_everywhere() {
        for kind in FieldType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("Text".parse::<FieldType>().unwrap_err().contains("`Text`"));
    }
}
