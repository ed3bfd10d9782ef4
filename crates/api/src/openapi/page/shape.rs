//! A schema in words: its type, its limits, and links to the schemas that it names.

use super::markup::{inline, paragraphs};
use crate::html::escape;
use serde_json::Value;
use std::fmt::Write as _;

/// Returns what a value of a schema may be.
pub(super) fn words(schema: &Value) -> String {
    if let Some(name) = referred(schema) {
        let name = escape(name);
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[several].as_array() {
            return joined(choices.iter().map(words));
        }
    }
    let mut said = match (&schema["enum"], &schema["const"], &schema["type"]) {
        (Value::Array(values), ..) => joined(values.iter().map(code)),
        (_, Value::Null, Value::Array(types)) => {
            joined(types.iter().map(|it| plain_type(schema, it)))
        }
        (_, Value::Null, kind) => plain_type(schema, kind),
        (_, value, _) => code(value),
    };
    said.push_str(&limits(schema));
    said
}

/// Returns the name of the schema that a reference leads to.
pub(super) fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" or ")
}

fn code(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("<code>{}</code>", escape(&text))
}

fn plain_type(schema: &Value, kind: &Value) -> String {
    match kind.as_str() {
        Some("array") => format!("list of {}", words(&schema["items"])),
        Some("object") => match schema["properties"].as_object() {
            Some(members) => {
                let member = |(name, it): (&String, &Value)| {
                    format!("<code>{}</code> {}", escape(name), words(it))
                };
                format!("object of {}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
            None => "object".to_owned(),
        },
        Some("string") => match schema["format"].as_str() {
            Some("date-time") => "date-time".to_owned(),
            Some("date") => "date".to_owned(),
            _ => "text".to_owned(),
        },
        Some("integer") => "whole number".to_owned(),
        Some(name) => name.to_owned(),
        None => match schema["format"].as_str() {
            Some(format) => escape(format),
            None => "anything".to_owned(),
        },
    }
}

fn limits(schema: &Value) -> String {
    let mut said = String::new();
    // Writing to a string cannot fail.
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(min), Some(max)) => {
            let _ = write!(said, ", {min} to {max}");
        }
        (Some(min), None) => {
            let _ = write!(said, ", at least {min}");
        }
        _ => {}
    }
    match (schema.get("minLength"), schema.get("maxLength")) {
        (Some(min), Some(max)) => {
            let _ = write!(said, ", {min} to {max} characters");
        }
        (None, Some(max)) => {
            let _ = write!(said, ", at most {max} characters");
        }
        _ => {}
    }
    if let Some(default) = schema.get("default") {
        let _ = write!(said, ", {} unless given", code(default));
    }
    said
}

/// Returns a schema's members, or what else it is.
pub(super) fn definition(schema: &Value) -> String {
    let mut out = schema["description"].as_str().map(paragraphs).unwrap_or_default();
    let Some(members) = schema["properties"].as_object() else {
        let _ = write!(out, "<p>{}", words(schema));
        if let Some(pattern) = schema["pattern"].as_str() {
            let _ = write!(out, ", of the pattern <code>{}</code>", escape(pattern));
        }
        out.push_str("</p>");
        return out;
    };
    let required = schema["required"].as_array();
    out.push_str("<dl>");
    for (name, member) in members {
        let is_required =
            required.is_some_and(|names| names.iter().any(|it| it.as_str() == Some(name)));
        let about = member["description"].as_str().map(inline).unwrap_or_default();
        out.push_str(&term(name, &words(member), is_required, &about));
    }
    out.push_str("</dl>");
    out
}

/// Returns a line of a list: a name, what it may be, and what it means. The last two are HTML.
pub(super) fn term(name: &str, shape: &str, is_required: bool, about: &str) -> String {
    let mark = if is_required { "" } else { "<small>optional</small>" };
    let name = escape(name);
    format!("<div><dt><code>{name}</code> <span>{shape}</span>{mark}</dt><dd>{about}</dd></div>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_reads_as_a_phrase() {
        let check = |schema: &Value, said: &str| assert_eq!(words(schema), said);
        let limit = json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20});
        check(&limit, "whole number, 1 to 100, <code>20</code> unless given");
        check(&json!({"type": ["string", "null"]}), "text or null");
        check(&json!({"type": "string", "enum": ["a", "b"]}), "<code>a</code> or <code>b</code>");
        check(&json!({"type": "string", "const": "1"}), "<code>1</code>");
        check(
            &json!({"type": "array", "items": {"$ref": "#/components/schemas/Field"}}),
            "list of <a href=\"#schema-Field\">Field</a>",
        );
        check(
            &json!({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}),
            "date-time or date",
        );
    }
}
