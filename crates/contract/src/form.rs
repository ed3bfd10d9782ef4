//! Forms and their fields. The fields define the names and the order of answers.

use crate::named_enum::named_enum;
use crate::{Environment, FieldId, FormId, Timestamp, trash};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum number of forms of an account, both environments together.
pub const FORMS_MAX: usize = 1000;
/// Maximum length of a form's name, in characters.
pub const FORM_NAME_CHARS_MAX: usize = 200;
/// Maximum number of fields of a form.
pub const FIELDS_MAX: usize = 2000;
/// Maximum total size of the names and keys of a form's fields, in bytes.
pub const FIELDS_BYTES_MAX: usize = 256 * 1024;
/// Maximum length of a field's name, in bytes. Real surveys have column names of 300 bytes.
pub const FIELD_NAME_BYTES_MAX: usize = 1000;

/// Form of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Form {
    /// Identifier of the form.
    pub id: FormId,
    /// Name of the form.
    pub name: String,
    /// Environment of the form and of its submissions.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Whether submissions are analysed.
    pub analysis: bool,
    /// Fields, in display and export order.
    pub fields: Vec<Field>,
    /// Creation time of the form.
    pub created_at: Timestamp,
    /// Number of submissions.
    pub submission_count: u64,
    /// Time of the newest submission; `null` if there is no submission.
    pub last_submission_at: Option<Timestamp>,
    /// Retention of the trash in days, 0 to 90. With 0, moving a submission to the trash deletes it
    /// permanently.
    #[serde(default = "trash_days_default")]
    pub trash_days: u8,
}

fn trash_days_default() -> u8 {
    trash::DAYS_DEFAULT
}

/// Field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Field {
    /// Identifier of the field.
    pub id: FieldId,
    /// Key of the field's answers. It is unique in the form and does not change on a rename.
    pub key: String,
    /// Name of the field, also used as the header of its export column.
    pub name: String,
    /// Type of the field's answers.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Whether the dashboard hides the field in columns and filters. A hidden field still accepts
    /// answers and is exported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// Returns the total size of the names and keys of fields, in bytes.
pub fn fields_bytes<'a>(fields: impl IntoIterator<Item = &'a Field>) -> usize {
    fields.into_iter().map(|field| field.name.len() + field.key.len()).sum()
}

/// Body of `POST /account/forms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewForm {
    /// Name of the form.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// Environment of the form.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Whether submissions are analysed.
    #[serde(default)]
    pub analysis: bool,
    /// Fields in order, at most 2,000. A form without fields adds them from its first submission.
    #[serde(default)]
    pub fields: Vec<NewField>,
}

/// Field to create. Its key is its name; if that key is taken, the field's identifier is appended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewField {
    /// Name of the field.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FIELD_NAME_BYTES_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// Type of the field's answers.
    #[serde(rename = "type", default)]
    pub kind: FieldType,
}

/// Body of `PUT /account/forms/{form_id}`, which renames the form, and of
/// `POST /account/forms/{form_id}/delete`, which requires the current name as a confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FormName {
    /// New name of the form, or its current name for a deletion.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
}

/// Body of `POST /account/forms/{form_id}/duplicate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FormCopy {
    /// Name of the copy. The default is the form's name followed by ` (copy)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FORM_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: Option<String>,
}

/// Body of `PUT /account/forms/{form_id}/fields`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FieldEdits {
    /// All fields of the form and any new ones, in the wanted order, at most 2,000. Omitting an
    /// existing field is an error; use `delete` to delete it.
    pub fields: Vec<FieldEdit>,
}

/// Changes of a field. Omitted members stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FieldEdit {
    /// Identifier of the field; absent for a new field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FieldId>,
    /// New name. Required for a new field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = FIELD_NAME_BYTES_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: Option<String>,
    /// New type. The default for a new field is `text`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldType>,
    /// Whether the dashboard hides the field in columns and filters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether to delete the field. Its answers stay in the submissions under its key, and the form
    /// does not add that key automatically again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
}

/// Returns a form's name, trimmed.
///
/// # Errors
/// A message, if the name is empty, too long or contains control characters.
pub fn validate_form_name(name: &str) -> Result<String, String> {
    validate_name(name, FORM_NAME_CHARS_MAX)
}

/// Returns a name, trimmed.
///
/// # Errors
/// If the name is empty, is longer than `chars_max`, or has a control character.
pub(crate) fn validate_name(name: &str, chars_max: usize) -> Result<String, String> {
    let name = name.trim();
    let problem = match name.chars().count() {
        0 => "is empty".to_owned(),
        length if length > chars_max => format!("has {length}"),
        _ if name.chars().any(char::is_control) => {
            "has a line break or another control character".to_owned()
        }
        _ => return Ok(name.to_owned()),
    };
    Err(format!("`name` must be 1 to {chars_max} characters on one line, but {problem}"))
}

/// Prefix of the keys that `serde_json` uses internally. A client that parses an answer under such
/// a key with `serde_json` would get another value.
const RESERVED_KEYS: &str = "$serde_json::private::";

/// Returns whether a text is reserved by `serde_json` and can be neither an answer key nor a field
/// name.
pub fn is_reserved_key(key: &str) -> bool {
    key.contains(RESERVED_KEYS)
}

/// Returns a field's name, trimmed.
///
/// # Errors
/// A message, if the name is empty, too long, reserved or contains control characters.
pub fn validate_field_name(name: &str) -> Result<String, String> {
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

named_enum! {
    /// Type of a field's answers. It controls how answers are displayed, not which are accepted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    // In the order of the dashboard's menu.
    pub enum FieldType {
        /// Single-line text.
        #[default]
        Text = "text",
        /// Multi-line text.
        LongText = "long_text",
        /// A number.
        Number = "number",
        /// Yes or no.
        Boolean = "boolean",
        /// One of several options.
        Choice = "choice",
        /// Any of several options.
        Choices = "choices",
        /// A score on a short scale.
        Rating = "rating",
        /// An email address.
        Email = "email",
        /// A telephone number.
        Phone = "phone",
        /// A web address.
        Url = "url",
        /// A calendar date.
        Date = "date",
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
            format!("a field's type must be one of `{names}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_validated() {
        assert_eq!(validate_form_name(" Café ✓ "), Ok("Café ✓".to_owned()));
        assert_eq!(validate_form_name(&"é".repeat(200)), Ok("é".repeat(200)));
        let control = "has a line break or another control character";
        for (name, reason) in [
            ("", "is empty"),
            ("  ", "is empty"),
            ("a\nb", control),
            ("a\0", control),
            (&"é".repeat(201), "has 201"),
        ] {
            let expected = format!("`name` must be 1 to 200 characters on one line, but {reason}");
            assert_eq!(validate_form_name(name), Err(expected), "{name:?}");
        }
        assert_eq!(validate_field_name(" Name\t"), Ok("Name".to_owned()));
        assert!(validate_field_name(&"é".repeat(501)).unwrap_err().contains("1002"));
        assert!(validate_field_name("$serde_json::private::Number").is_err());
        assert!(validate_field_name("a\rb").is_err() && validate_field_name(" ").is_err());
    }

    #[test]
    fn omitted_members_of_edit_are_skipped() {
        let edit: FieldEdit = serde_json::from_str(r#"{"id":"fld_1"}"#).unwrap();
        assert_eq!(serde_json::to_string(&edit).unwrap(), r#"{"id":"fld_1"}"#);
        assert!(serde_json::from_str::<FieldEdit>(r#"{"id":"fld_1","key":"x"}"#).is_err());
        let new: NewForm = serde_json::from_str(r#"{"name":"x","mode":"test"}"#).unwrap();
        assert!(new.fields.is_empty() && !new.analysis);
    }

    #[test]
    fn field_type_names_match_json() {
        for kind in FieldType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("Text".parse::<FieldType>().unwrap_err().contains("`Text`"));
    }
}
