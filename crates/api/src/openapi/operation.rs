//! One operation of the document, put together word by word.
//!
//! What every operation of a kind shares (its security, its errors, its headers) is said here once.

use super::owner::ACCOUNT;
use super::samples;
use super::schemas::{Schemas, open_headers, rate_headers};
use contract::ErrorCode;
use contract::account::{CSRF_HEADER, CSRF_VALUE};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Who may ask, and with it what every answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// Whoever has an API key. Every answer tells where the key stands (§8.2).
    Key,
    /// The signed-in owner, at the gateway.
    Session,
    /// Anybody who asks as the dashboard does, at the gateway.
    Gateway,
    /// Anybody, counted by network address.
    Anybody,
    /// Anybody who sends to a form, from any page, counted by the form's own limits.
    Sender,
}

impl Door {
    /// Whether answers carry the headers of the rate limit.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Self::Key | Self::Anybody)
    }

    /// The headers of every answer.
    pub(super) fn headers(self) -> Option<Value> {
        match self {
            Self::Key | Self::Anybody => Some(rate_headers()),
            Self::Sender => Some(open_headers()),
            Self::Session | Self::Gateway => None,
        }
    }

    fn security(self) -> Value {
        match self {
            Self::Key => json!([{"ApiKey": []}]),
            Self::Session => json!([{"Session": []}]),
            Self::Gateway | Self::Anybody | Self::Sender => json!([]),
        }
    }
}

/// An operation under way.
pub(crate) struct Operation {
    door: Door,
    value: Map<String, Value>,
    parameters: Vec<Value>,
    responses: Map<String, Value>,
}

impl Operation {
    /// Begins an operation of a tag, with its id and what it does in a line.
    pub(crate) fn new(door: Door, tag: &str, id: &str, summary: &str) -> Self {
        let mut value = Map::new();
        value.insert("tags".into(), json!([tag]));
        value.insert("operationId".into(), id.into());
        value.insert("summary".into(), summary.into());
        let operation = Self { door, value, parameters: Vec::new(), responses: Map::new() };
        if matches!(door, Door::Session | Door::Gateway) {
            let about = "Tells requests of the dashboard from forged ones; another site cannot \
                add it.";
            let schema = json!({"type": "string", "const": CSRF_VALUE});
            operation.parameter("header", CSRF_HEADER, true, about, schema)
        } else {
            operation
        }
    }

    /// Says more, in Markdown.
    pub(crate) fn about(mut self, text: &str) -> Self {
        self.value.insert("description".into(), text.into());
        self
    }

    /// Adds a part of the path.
    pub(crate) fn path<T: JsonSchema>(
        self,
        schemas: &mut Schemas,
        name: &str,
        about: &str,
    ) -> Self {
        let schema = schemas.written::<T>();
        self.parameter("path", name, true, about, schema)
    }

    /// Adds a part of the path that is not looked at.
    pub(crate) fn path_text(self, name: &str, about: &str) -> Self {
        self.parameter("path", name, true, about, json!({"type": "string"}))
    }

    /// Adds an optional parameter of the query.
    pub(crate) fn query(self, name: &str, about: &str, schema: Value) -> Self {
        self.parameter("query", name, false, about, schema)
    }

    /// Adds a parameter that is additive to the specification.
    pub(crate) fn additive(self, name: &str, about: &str, schema: Value) -> Self {
        self.query(name, &format!("*Additive.* {about}"), schema)
    }

    /// Adds a query parameter that lists values with commas between them.
    pub(crate) fn listed<T: JsonSchema>(
        mut self,
        schemas: &mut Schemas,
        name: &str,
        about: &str,
    ) -> Self {
        let items = schemas.written::<T>();
        self.parameters.push(json!({
            "name": name, "in": "query", "description": about, "style": "form", "explode": false,
            "schema": {"type": "array", "items": items, "minItems": 1, "uniqueItems": true},
        }));
        self
    }

    /// Adds an optional header of the request.
    pub(crate) fn header(self, name: &str, about: &str, schema: Value) -> Self {
        self.parameter("header", name, false, about, schema)
    }

    fn parameter(
        mut self,
        place: &str,
        name: &str,
        is_required: bool,
        about: &str,
        schema: Value,
    ) -> Self {
        let mut parameter = json!({"name": name, "in": place, "description": about});
        if is_required {
            parameter["required"] = true.into();
        }
        parameter["schema"] = schema;
        self.parameters.push(parameter);
        self
    }

    /// Adds a JSON body, with an example of it.
    pub(crate) fn body<T: JsonSchema + Serialize>(
        self,
        schemas: &mut Schemas,
        example: &T,
    ) -> Self {
        let schema = schemas.read::<T>();
        let content = json!({"application/json": {"schema": schema, "example": example}});
        self.bodies(&content)
    }

    /// Adds a body of one of several media types.
    pub(crate) fn bodies(mut self, content: &Value) -> Self {
        self.value.insert("requestBody".into(), json!({"required": true, "content": content}));
        self
    }

    /// Adds the answer of a JSON type, with an example of it.
    pub(crate) fn answer<T: JsonSchema + Serialize>(
        self,
        schemas: &mut Schemas,
        status: u16,
        about: &str,
        example: &T,
    ) -> Self {
        let schema = schemas.written::<T>();
        let content = json!({"application/json": {"schema": schema, "example": example}});
        self.answers(status, about, &content)
    }

    /// Adds an answer of one of several media types; `null` is no body.
    pub(crate) fn answers(mut self, status: u16, about: &str, content: &Value) -> Self {
        let mut answer = json!({"description": about});
        if let Some(headers) = self.door.headers() {
            answer["headers"] = headers;
        }
        if !content.is_null() {
            answer["content"] = content.clone();
        }
        self.responses.insert(status.to_string(), answer);
        self
    }

    /// Adds a header to an answer that is there.
    pub(crate) fn answer_header(mut self, status: u16, name: &str, header: Value) -> Self {
        let answer = &mut self.responses[&status.to_string()];
        answer["headers"][name] = header;
        self
    }

    /// Adds errors by their codes, beside those that the door itself gives.
    pub(crate) fn errors(mut self, schemas: &mut Schemas, codes: &[ErrorCode]) -> Self {
        use ErrorCode::{Forbidden, Internal, RateLimitExceeded, Unauthorized, Validation};
        let of_door: &[ErrorCode] = match self.door {
            Door::Key => &[Validation, Unauthorized, Forbidden, RateLimitExceeded, Internal],
            Door::Session => &[Validation, Unauthorized, Forbidden, Internal],
            Door::Gateway => &[Forbidden, Internal],
            Door::Anybody => &[Validation, RateLimitExceeded, Internal],
            Door::Sender => &[Validation, Internal],
        };
        // What the account's router answers is counted by the person, the gateway's own is not.
        let is_counted = self.door == Door::Session && self.value["tags"][0] == ACCOUNT;
        let of_account: &[ErrorCode] = if is_counted { &[RateLimitExceeded] } else { &[] };
        for code in of_door.iter().chain(of_account).chain(codes) {
            let reference = schemas.error(self.door, *code);
            self.responses.insert(code.status().to_string(), reference);
        }
        self
    }

    /// Adds errors whose status is finer than their code: the gateway's own.
    pub(crate) fn finer(
        mut self,
        schemas: &mut Schemas,
        errors: &[(u16, ErrorCode, &str)],
    ) -> Self {
        for &(status, code, message) in errors {
            let (about, schema) =
                (samples::sentence(message), schemas.written::<contract::ErrorBody>());
            let example = contract::ErrorBody::new(code, message);
            let content = json!({"application/json": {"schema": schema, "example": example}});
            self = self.answers(status, &about, &content);
        }
        self
    }

    /// Says that its answer may be large, and so may have to be asked for again a little later.
    pub(crate) fn sends(self, schemas: &mut Schemas) -> Self {
        let busy = "too many large answers are being sent at this moment; try again in a second";
        self.later(schemas, busy)
    }

    /// Says that it writes, and so may have to be tried again a little later.
    pub(crate) fn writes(self, schemas: &mut Schemas) -> Self {
        let busy = "too much is being written at this moment; try again in a second";
        self.later(schemas, busy)
    }

    fn later(self, schemas: &mut Schemas, why: &str) -> Self {
        let retry_after = json!({"$ref": "#/components/headers/Retry-After"});
        let operation = self.finer(schemas, &[(503, ErrorCode::Internal, why)]);
        operation.answer_header(503, "Retry-After", retry_after)
    }

    /// Returns the operation as it stands in the document.
    pub(super) fn into_value(self) -> Value {
        let Self { door, mut value, parameters, responses } = self;
        value.insert("security".into(), door.security());
        if !parameters.is_empty() {
            value.insert("parameters".into(), parameters.into());
        }
        // The body stands between what is asked and what is answered.
        if let Some(body) = value.shift_remove("requestBody") {
            value.insert("requestBody".into(), body);
        }
        let mut answers: Vec<_> = responses.into_iter().collect();
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        value.insert("responses".into(), Value::Object(answers.into_iter().collect()));
        Value::Object(value)
    }
}
