//! What operations share: schemas of the contract's types, errors and headers, each named once.
//!
//! A type is described as it is written where it comes out and as it is read where it goes in: a
//! member that may be left out on the way in is always there on the way out.

use super::operation::Door;
use super::samples;
use contract::{ErrorBody, ErrorCode};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Where schemas stand in the document.
const PLACE: &str = "/components/schemas";
/// Where those of bodies stand until all are known: they may differ from what comes out.
const READ_PLACE: &str = "/components/read";

/// Everything that was named so far.
pub(crate) struct Schemas {
    written: SchemaGenerator,
    read: SchemaGenerator,
    responses: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = |place: &'static str| {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = place.into();
            settings.meta_schema = None;
            settings
        };
        Self {
            written: settings(PLACE).for_serialize().into_generator(),
            read: settings(READ_PLACE).for_deserialize().into_generator(),
            responses: Map::new(),
        }
    }
}

impl Schemas {
    /// Returns the schema of a type that comes out.
    pub(crate) fn written<T: JsonSchema>(&mut self) -> Value {
        self.written.subschema_for::<T>().to_value()
    }

    /// Returns the schema of a type that goes in.
    pub(crate) fn read<T: JsonSchema>(&mut self) -> Value {
        self.read.subschema_for::<T>().to_value()
    }

    /// Returns an error of a door.
    pub(super) fn error(&mut self, door: Door, code: ErrorCode) -> Value {
        let of = match door {
            Door::Key | Door::Anybody => "",
            Door::Session | Door::Gateway => "Gateway",
            Door::Sender => "Sender",
        };
        let name = format!("{of}{code:?}");
        if !self.responses.contains_key(&name) {
            let (about, example) = samples::error(door, code);
            let schema = self.written::<ErrorBody>();
            let mut answer = json!({"description": about});
            if let Some(headers) = door.headers() {
                answer["headers"] = headers;
            }
            if code == ErrorCode::RateLimitExceeded {
                if door == Door::Session {
                    answer["headers"] = rate_headers();
                }
                answer["headers"]["Retry-After"] =
                    json!({"$ref": "#/components/headers/Retry-After"});
            }
            answer["content"] = json!({"application/json": {"schema": schema, "example": example}});
            if door == Door::Sender {
                answer["content"]["text/html"] = json!({"schema": {"type": "string"}});
            }
            self.responses.insert(name.clone(), answer);
        }
        json!({"$ref": format!("#/components/responses/{name}")})
    }

    /// Returns the document's `components`, and sets the references of `paths` right: what goes in
    /// by another shape than it comes out has `Body` behind its name.
    pub(super) fn into_components(mut self, paths: &mut Value) -> Value {
        let written = self.written.take_definitions(true);
        let mut read = Value::Object(self.read.take_definitions(true));
        let all: Vec<_> = read.as_object().into_iter().flatten().map(|it| it.0.clone()).collect();
        let mut schemas: Vec<_> = written.into_iter().collect();
        let read_as = |name: &str| format!("#{READ_PLACE}/{name}");
        let differing = differing(&all, &schemas, &read);
        for name in &all {
            let suffix = if differing.contains(name) { "Body" } else { "" };
            let to = format!("#{PLACE}/{name}{suffix}");
            redirect(paths, &read_as(name), &to);
            redirect(&mut read, &read_as(name), &to);
        }
        for name in all {
            let is_known = schemas.iter().any(|(known, _)| *known == name);
            let suffix = if differing.contains(&name) { "Body" } else { "" };
            if !is_known || !suffix.is_empty() {
                schemas.push((name.clone() + suffix, read[&name].clone()));
            }
        }
        schemas.sort_by(|a, b| a.0.cmp(&b.0));
        let schemas: Map<String, Value> = schemas.into_iter().collect();
        let mut responses: Vec<_> = self.responses.into_iter().collect();
        responses.sort_by(|a, b| a.0.cmp(&b.0));
        let responses: Map<String, Value> = responses.into_iter().collect();
        json!({
            "securitySchemes": security(),
            "headers": headers(),
            "responses": responses,
            "schemas": schemas,
        })
    }
}

/// Returns the headers of an answer that was counted (§8.2).
pub(super) fn rate_headers() -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    names.iter().map(|name| ((*name).to_owned(), reference(name))).collect::<Map<_, _>>().into()
}

/// Returns the headers of an answer that pages of any origin may read.
pub(super) fn open_headers() -> Value {
    let name = "Access-Control-Allow-Origin";
    json!({name: {"$ref": format!("#/components/headers/{name}")}})
}

/// Returns which of the types that come out go in by another shape, be it of what they hold.
fn differing(all: &[String], written: &[(String, Value)], read: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    loop {
        let differs = |name: &&String| {
            let known = written.iter().find(|(known, _)| known == *name).map(|it| &it.1);
            let Some(known) = known.filter(|_| !found.contains(name)) else { return false };
            let mut own = read[name.as_str()].clone();
            for other in all {
                let suffix = if found.contains(other) { "Body" } else { "" };
                let to = format!("#{PLACE}/{other}{suffix}");
                redirect(&mut own, &format!("#{READ_PLACE}/{other}"), &to);
            }
            own != *known
        };
        match all.iter().find(differs) {
            Some(name) => found.push(name.clone()),
            None => return found,
        }
    }
}

/// Lets every reference to one place lead to another.
fn redirect(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, from, to)),
        Value::Object(members) => members.values_mut().for_each(|it| redirect(it, from, to)),
        _ => {}
    }
}

fn security() -> Value {
    json!({
        "ApiKey": {
            "type": "apiKey", "in": "header", "name": "X-API-Key",
            "description": "A key from the dashboard (Settings > API keys). It begins with \
                `svc_sk_live_` or `svc_sk_test_`, which names the environment that it opens. For \
                servers only: whoever has it can read and delete everything of its environment.",
        },
        "Session": {
            "type": "apiKey", "in": "cookie", "name": "sheaf",
            "description": "The cookie that `POST /session` sets; `__Host-Http-sheaf` over TLS.",
        },
    })
}

fn headers() -> Value {
    let whole = |about: &str, min: u64| {
        json!({
            "description": about, "required": true,
            "schema": {"type": "integer", "minimum": min},
        })
    };
    json!({
        "X-RateLimit-Limit": whole("Most requests in any 15 minutes.", 1),
        "X-RateLimit-Remaining": whole("Requests that are left now.", 0),
        "X-RateLimit-Reset": whole(
            "Unix time, in seconds, at which all of them are free again if nothing more is sent.",
            0,
        ),
        "Access-Control-Allow-Origin": {
            "description": "Pages of any origin may read this.", "required": true,
            "schema": {"type": "string", "const": "*"},
        },
        "Retry-After": whole(
            "Seconds until the next request is let in, the same as `retry_after`.",
            1,
        ),
    })
}
