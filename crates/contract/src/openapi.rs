//! JSON schemas of types with handwritten serialisation: identifiers, timestamps and answers.
//!
//! Other types derive their schemas. This module needs the feature `openapi`, so the browser does
//! not load it. It only describes the JSON format and does not define it.

use crate::id::OPAQUE_CHARS_MAX;
use crate::insight::{Categories, Category};
use crate::summary::Day;
use crate::webhook::WebhookEvent;
use crate::{
    AccountId, Answers, BatchId, DeliveryId, ErrorCode, FieldId, FormId, KeyId, NoteId,
    NotificationId, PersonId, SessionId, SubmissionId, Timestamp, ViewId, WebhookId,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Returns the pattern of identifiers with a prefix.
fn id_pattern(prefix: &str) -> String {
    format!("^{prefix}[A-Za-z0-9_-]{{1,{OPAQUE_CHARS_MAX}}}$")
}

macro_rules! id_schema {
    ($name:ident, $noun:literal, $example:literal) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": concat!("Identifier of ", $noun, "."),
                    "type": "string",
                    "pattern": id_pattern($name::PREFIX),
                    "examples": [$example],
                })
            }
        }
    };
}

id_schema!(FormId, "a form", "frm_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(SubmissionId, "a submission", "sub_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(FieldId, "a field of a form", "fld_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(KeyId, "an API key", "key_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(AccountId, "an account", "acc_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(BatchId, "a move of submissions", "bat_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(PersonId, "a member of an account", "psn_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(WebhookId, "a webhook", "whk_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(NotificationId, "a notification", "ntf_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(NoteId, "a note about a submission", "nte_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(ViewId, "a saved view of a form", "view_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f");
id_schema!(DeliveryId, "a delivery to a webhook", "dlv_12_8d9e0f6ad0a1b27c");
id_schema!(SessionId, "a session", "ses_Zm9yX2V4YW1wbGUx");

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Instant in UTC, ISO 8601. Fractions have three or six decimals.",
            "type": "string",
            "format": "date-time",
            "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?Z$",
            "examples": ["2026-03-01T09:30:00Z"],
        })
    }
}

impl JsonSchema for Day {
    fn schema_name() -> Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Calendar day.",
            "type": "string",
            "format": "date",
            "pattern": r"^\d{4}-\d\d-\d\d$",
            "examples": ["2026-03-01"],
        })
    }
}

impl JsonSchema for Answers {
    fn schema_name() -> Cow<'static, str> {
        "Answers".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let scalar_types = ["string", "number", "boolean", "null"];
        json_schema!({
            "description": "Answers by answer key. Numbers keep their original digits.",
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    {"type": scalar_types},
                    {"type": "array", "items": {"type": scalar_types}},
                ],
            },
        })
    }
}

impl JsonSchema for ErrorCode {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Machine-readable code of an error.",
            "type": "string",
            "enum": Self::ALL.map(Self::as_str),
        })
    }
}

impl JsonSchema for Categories {
    fn schema_name() -> Cow<'static, str> {
        "Categories".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Categories, in the owner's order. Names are unique.",
            "type": "array",
            "maxItems": crate::insight::CATEGORIES_MAX,
            "items": schemas.subschema_for::<Category>(),
        })
    }
}

/// Returns the schema of the events that a webhook chooses, which never include a test.
pub(crate) fn chosen_events(_: &mut SchemaGenerator) -> Schema {
    let events = WebhookEvent::CHOICES.map(WebhookEvent::as_str);
    json_schema!({
        "type": "array",
        "minItems": 1,
        "maxItems": events.len(),
        "items": {"type": "string", "enum": events},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, NewKey, Page, SignIn, Submission};

    /// Returns the schema of a type, for output or for input.
    fn schema_of<T: JsonSchema>(settings: schemars::generate::SchemaSettings) -> serde_json::Value {
        settings.into_generator().into_root_schema_for::<T>().to_value()
    }

    #[test]
    fn members_always_written_are_required() {
        let written = || schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let page = schema_of::<Page<Submission>>(written());
        assert_eq!(page["title"], "SubmissionPage");
        let required = |name: &str| page["$defs"][name]["required"].as_array().unwrap().len();
        assert_eq!(required("Metadata"), 8);
        assert_eq!(required("Insight"), 4);
        assert_eq!(required("Submission"), 5);
        assert_eq!(required("Pagination"), 4);
        let metadata = &page["$defs"]["Metadata"]["properties"];
        assert_eq!(metadata["device"]["type"], serde_json::json!(["string", "null"]));
        let schema = schema_of::<Data<Submission>>(written());
        assert_eq!(schema["properties"]["data"]["$ref"], "#/$defs/Submission");
    }

    #[test]
    fn body_schemas_are_strict() {
        let read = || schemars::generate::SchemaSettings::draft2020_12().for_deserialize();
        let key = schema_of::<NewKey>(read());
        assert_eq!(key["additionalProperties"], false);
        assert_eq!(key["properties"]["name"]["maxLength"], crate::key::KEY_NAME_CHARS_MAX);
        assert!(key["properties"]["mode"].is_object());
        assert_eq!(schema_of::<SignIn>(read())["anyOf"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn id_example_matches_parser() {
        let schema = schema_of::<SubmissionId>(schemars::generate::SchemaSettings::draft2020_12());
        assert_eq!(schema["pattern"], "^sub_[A-Za-z0-9_-]{1,64}$");
        assert!(schema["examples"][0].as_str().unwrap().parse::<SubmissionId>().is_ok());
    }
}
