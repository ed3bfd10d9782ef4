//! Extensions of aide's descriptions: parameters with a handwritten schema, several media types,
//! examples of bodies, and errors by code.
//!
//! The parts that all operations of a router share are in [`super::shared`].

use super::{error_samples, samples};
use aide::generate::in_context;
use aide::openapi::{Operation, ReferenceOr, Response, Responses, StatusCode};
use aide::transform::TransformOperation;
use contract::page::LIMIT_MAX;
use contract::{Data, ErrorBody, ErrorCode, FormId};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// Description of an operation that needs a new confirmation.
pub(super) const REAUTHENTICATION: &str =
    "Requires a confirmation of the password within the last five minutes.";
/// Example of the conflict of a change with a `count`.
pub(super) const COUNT_CHANGED: &str =
    "13 submissions match the filter now; check the list and confirm this count";

/// Operation that is being described.
pub(crate) type Op<'t> = TransformOperation<'t>;

/// Returns the schema of a serialized type: a reference if the type has a name.
pub(super) fn schema_of<T: JsonSchema>() -> Value {
    in_context(|context| context.schema.subschema_for::<T>()).to_value()
}

/// Returns a reference to the schema of a deserialized type.
///
/// It is a separate component with all nested types inlined. A member with a default is required in
/// a response but optional in a request, and one component cannot express both.
fn schema_of_body<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let name = format!("{}Body", T::schema_name());
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    in_context(|context| context.schema.definitions_mut().insert(name, schema.to_value()));
    reference
}

/// Describes an operation, in addition to the methods of [`TransformOperation`].
pub(crate) trait Describe: Sized {
    /// Returns the operation of the document.
    fn operation(&mut self) -> &mut Operation;

    /// Sets the id and the summary.
    fn title(mut self, id: &str, summary: &str) -> Self {
        let operation = self.operation();
        operation.operation_id = Some(id.to_owned());
        operation.summary = Some(summary.to_owned());
        self
    }

    /// Adds the form in the path.
    fn add_form(self) -> Self {
        self.add_path_parameter::<FormId>("form_id", "Id of the form.")
    }

    /// Adds a path parameter.
    fn add_path_parameter<T: JsonSchema>(self, name: &str, about: &str) -> Self {
        self.add_parameter("path", name, about, schema_of::<T>())
    }

    /// Adds an optional query parameter.
    fn add_query_parameter(self, name: &str, about: &str, schema: Value) -> Self {
        self.add_parameter("query", name, about, schema)
    }

    /// Adds a query parameter that every request must have.
    fn add_required_query_parameter(mut self, name: &str, about: &str, schema: Value) -> Self {
        self = self.add_query_parameter(name, about, schema);
        if let Some(ReferenceOr::Item(parameter)) = self.operation().parameters.last_mut() {
            parameter.parameter_data_mut().required = true;
        }
        self
    }

    /// Adds the required environment of a route that concerns all forms of one.
    fn add_environment(self) -> Self {
        let schema = json!({"type": "string", "enum": ["live", "test"]});
        self.add_required_query_parameter("environment", "The environment of the forms.", schema)
    }

    /// Adds an optional query parameter that the specification does not have.
    fn add_additive_parameter(self, name: &str, about: &str, schema: Value) -> Self {
        self.add_query_parameter(name, &format!("*Additive.* {about}"), schema)
    }

    /// Adds the pagination parameters. `limit` is the default page size.
    fn add_pagination(self, about: &str, limit: u16) -> Self {
        let cursor = json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"});
        let limit =
            json!({"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": limit});
        self.add_query_parameter("limit", about, limit).add_query_parameter(
            "cursor",
            "`next_cursor` of the page before, unchanged.",
            cursor,
        )
    }

    /// Adds a path, query or header parameter.
    fn add_parameter(mut self, location: &str, name: &str, about: &str, schema: Value) -> Self {
        let mut parameter = json!({
            "in": location, "name": name, "description": about, "required": location == "path",
            "schema": schema,
        });
        if parameter["schema"]["type"] == "array" {
            parameter["explode"] = false.into();
        }
        self.operation().parameters.push(samples::parse_sample(&parameter));
        self
    }

    /// Adds a JSON body with an example.
    fn add_json_body<T: JsonSchema + Serialize>(self, example: &T) -> Self {
        let schema = schema_of_body::<T>();
        self.add_body(&json!({"application/json": {"schema": schema, "example": example}}))
    }

    /// Adds a body with several media types.
    fn add_body(mut self, content: &Value) -> Self {
        let body = json!({"required": true, "content": content});
        self.operation().request_body = Some(samples::parse_sample(&body));
        self
    }

    /// Adds a JSON response with an example.
    fn add_json_response<T: JsonSchema + Serialize>(
        self,
        status: u16,
        about: &str,
        example: &T,
    ) -> Self {
        let schema = schema_of::<T>();
        let content = json!({"application/json": {"schema": schema, "example": example}});
        self.add_response(status, about, &content)
    }

    /// Adds a JSON response with an example of its `data`.
    fn add_data<T: JsonSchema + Serialize>(self, status: u16, about: &str, data: T) -> Self {
        self.add_json_response(status, about, &Data { data })
    }

    /// Adds a response with several media types.
    fn add_response(mut self, status: u16, about: &str, content: &Value) -> Self {
        let response = json!({"description": about, "content": content});
        let status = status_code(status);
        responses(self.operation()).responses.insert(status, samples::parse_sample(&response));
        self
    }

    /// Adds a response without a body.
    fn add_empty_response(self, status: u16, about: &str) -> Self {
        self.add_response(status, about, &json!({}))
    }

    /// Adds a header to a response that was added before.
    fn add_response_header(mut self, status: u16, name: &str, header: &Value) -> Self {
        let responses = &mut responses(self.operation()).responses;
        let response = responses.get_mut(&status_code(status)).and_then(ReferenceOr::as_item_mut);
        if let Some(Response { headers, .. }) = response {
            headers.insert(name.to_owned(), samples::parse_sample(header));
        }
        self
    }

    /// Adds errors by code, in addition to those of all operations of the router.
    fn add_errors(mut self, codes: &[ErrorCode]) -> Self {
        for code in codes {
            add_error(self.operation(), *code);
        }
        self
    }

    /// Adds errors with their messages. The description of a status has all its messages, and the
    /// example the first one.
    fn add_errors_with_status(mut self, errors: &[(u16, &str)]) -> Self {
        for (index, &(status, message)) in errors.iter().enumerate() {
            if errors[..index].iter().any(|(other, _)| *other == status) {
                continue;
            }
            let same = errors.iter().filter(|(other, _)| *other == status);
            let about: Vec<String> =
                same.map(|(_, message)| error_samples::to_sentence(message)).collect();
            let example = ErrorBody::new(code_of_status(status), message);
            self = self.add_json_response(status, &about.join(" "), &example);
        }
        self
    }

    /// Adds the 503 of a large response that must be requested again later.
    fn add_busy_reading(self) -> Self {
        self.add_busy("too many large responses are in progress; try again in a second")
    }

    /// Adds the 503 of a change that must be retried later.
    fn add_busy_writing(self) -> Self {
        self.add_busy("too many writes are in progress; try again in a second")
    }

    /// Adds a 503 with `Retry-After`.
    fn add_busy(self, message: &str) -> Self {
        let retry_after = json!({"$ref": "#/components/headers/Retry-After"});
        let answered = self.add_errors_with_status(&[(503, message)]);
        answered.add_response_header(503, "Retry-After", &retry_after)
    }
}

impl Describe for Op<'_> {
    fn operation(&mut self) -> &mut Operation {
        self.inner_mut()
    }
}

/// Adds an error by code, unless the status already has a response. The authentication scheme later
/// completes the name of the component.
pub(super) fn add_error(operation: &mut Operation, code: ErrorCode) {
    let reference = ReferenceOr::ref_(&format!("{code:?}"));
    responses(operation).responses.entry(status_code(code.status())).or_insert(reference);
}

pub(super) fn responses(operation: &mut Operation) -> &mut Responses {
    operation.responses.get_or_insert_default()
}

/// Returns the code of a status, also of one that no code has as its own.
fn code_of_status(status: u16) -> ErrorCode {
    let other = if status < 500 { ErrorCode::Validation } else { ErrorCode::Internal };
    ErrorCode::ALL.into_iter().find(|code| code.status() == status).unwrap_or(other)
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::Code(status)
}
