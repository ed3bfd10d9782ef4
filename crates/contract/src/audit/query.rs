//! Query parameters of the audit log, parsed as strictly as those of lists.

use super::{Action, AuditOutcome};
use crate::named_enum::named_enum;
use crate::page::LIMIT_DEFAULT;
use crate::query::{
    QueryError, QueryWriter, check_ranges, invalid_parameter, parse_filter_parameter, parse_limit,
    parse_pairs, shorten_value,
};
use crate::{Filter, Timestamp};

/// Maximum length of an object's identifier, in characters.
const OBJECT_CHARS_MAX: usize = 80;

/// Filter of audit entries. An entry must match every criterion that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// At or after this instant.
    pub date_from: Option<Timestamp>,
    /// Before this instant.
    pub date_to: Option<Timestamp>,
    /// An action, such as `key.created`, or a kind of object, such as `key`.
    pub action: Option<String>,
    /// Result of the action.
    pub outcome: Option<AuditOutcome>,
    /// Identifier of the object.
    pub object: Option<String>,
}

named_enum! {
    /// Format of an export of the audit log.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum AuditFormat {
        /// One JSON object per line.
        #[default]
        Ndjson = "ndjson",
        /// Comma-separated values.
        Csv = "csv",
    }
}

impl AuditFormat {
    /// Returns the media type of the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

/// Query of the audit log or of its export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// Filter of the entries.
    pub filter: AuditFilter,
    /// Page size, 1 to 100.
    pub limit: u16,
    /// `next_cursor` of the previous page, unchanged.
    pub cursor: Option<String>,
    /// Format of the export.
    pub format: AuditFormat,
}

impl Default for AuditQuery {
    fn default() -> Self {
        let filter = AuditFilter::default();
        let format = AuditFormat::default();
        Self { filter, limit: LIMIT_DEFAULT, cursor: None, format }
    }
}

impl AuditQuery {
    /// Parses the query of a page.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or malformed.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        Self::parse_query(query, false)
    }

    /// Parses the query of an export.
    ///
    /// # Errors
    /// As [`AuditQuery::parse`].
    pub fn parse_export(query: &str) -> Result<Self, QueryError> {
        Self::parse_query(query, true)
    }

    fn parse_query(query: &str, is_export: bool) -> Result<Self, QueryError> {
        let mut read = Self::default();
        let mut bounds = Filter::default();
        for (name, value) in parse_pairs(query)? {
            match name.as_str() {
                "limit" | "cursor" if !is_export && value.is_empty() => {}
                "format" if is_export && value.is_empty() => {}
                "limit" if !is_export => read.limit = parse_limit(&value)?,
                "cursor" if !is_export => read.cursor = Some(value),
                "format" if is_export => read.format = parse_audit_format(&value)?,
                "action" => read.filter.action = parse_action(value)?,
                "outcome" => read.filter.outcome = parse_outcome(&value)?,
                "object" => read.filter.object = parse_object(value)?,
                "date_from" | "date_to" => parse_filter_parameter(&mut bounds, &name, &value)?,
                _ => return Err(unknown_parameter(&name)),
            }
        }
        check_ranges(&bounds)?;
        (read.filter.date_from, read.filter.date_to) = (bounds.date_from, bounds.date_to);
        Ok(read)
    }

    /// Returns the query string without `?`. Defaults are omitted.
    pub fn to_query_string(&self) -> String {
        let mut out = QueryWriter::default();
        if self.format != AuditFormat::default() {
            out.push_pair("format", self.format.as_str());
        }
        let AuditFilter { date_from, date_to, action, outcome, object } = &self.filter;
        for (name, value) in [
            ("date_from", date_from.map(|at| at.to_string())),
            ("date_to", date_to.map(|at| at.to_string())),
            ("action", action.clone()),
            ("outcome", outcome.map(|outcome| outcome.as_str().to_owned())),
            ("object", object.clone()),
            ("limit", (self.limit != LIMIT_DEFAULT).then(|| self.limit.to_string())),
            ("cursor", self.cursor.clone()),
        ] {
            if let Some(value) = value {
                out.push_pair(name, &value);
            }
        }
        out.0
    }
}

fn unknown_parameter(name: &str) -> QueryError {
    let problem = "is not a parameter of this endpoint; check its spelling or leave it out";
    invalid_parameter(&shorten_value(name), problem)
}

fn parse_audit_format(value: &str) -> Result<AuditFormat, QueryError> {
    match value {
        "ndjson" => Ok(AuditFormat::Ndjson),
        "csv" => Ok(AuditFormat::Csv),
        _ => Err(invalid_parameter(
            "format",
            format!("must be `ndjson` or `csv`, but is `{}`", shorten_value(value)),
        )),
    }
}

fn parse_action(value: String) -> Result<Option<String>, QueryError> {
    let is_known = |action: &&Action| action.as_str() == value || action.object_kind() == value;
    if value.is_empty() {
        return Ok(None);
    }
    if Action::ALL.iter().any(|action| is_known(&action)) {
        return Ok(Some(value));
    }
    let problem = format!(
        "must be an action such as `key.created`, or a kind of them such as `key`, but is `{}`",
        shorten_value(&value)
    );
    Err(invalid_parameter("action", problem))
}

fn parse_outcome(value: &str) -> Result<Option<AuditOutcome>, QueryError> {
    let known = AuditOutcome::ALL.into_iter().find(|outcome| outcome.as_str() == value);
    if value.is_empty() || known.is_some() {
        return Ok(known);
    }
    let problem = format!("must be `ok`, `denied` or `error`, but is `{}`", shorten_value(value));
    Err(invalid_parameter("outcome", problem))
}

fn parse_object(value: String) -> Result<Option<String>, QueryError> {
    let is_id_text =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_id_text && value.len() <= OBJECT_CHARS_MAX {
        return Ok(Some(value).filter(|value| !value.is_empty()));
    }
    Err(invalid_parameter(
        "object",
        format!("must be an id such as `frm_…`, but is `{}`", shorten_value(&value)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_round_trips() {
        let text = "date_from=2026-01-01T00:00:00Z&date_to=2026-02-01T00:00:00Z&action=key.created\
                   &outcome=denied&object=key_1&limit=50&cursor=abc";
        let query = AuditQuery::parse(text).unwrap();
        assert_eq!(query.to_query_string(), text);
        assert_eq!(AuditQuery::parse("").unwrap(), AuditQuery::default());
        let empty = "limit=&cursor=&date_from=&date_to=";
        assert_eq!(AuditQuery::parse(empty).unwrap(), AuditQuery::default());
        assert_eq!(AuditQuery::parse_export("format=").unwrap(), AuditQuery::default());
        assert_eq!(AuditQuery::parse_export("limit=").unwrap_err().parameter, "limit");
        let export = AuditQuery::parse_export("format=csv&action=key").unwrap();
        assert_eq!(
            (export.format, export.to_query_string().as_str()),
            (AuditFormat::Csv, "format=csv&action=key")
        );
    }

    #[test]
    fn invalid_parameter_is_rejected_by_name() {
        let check = |query: &str, parameter: &str| {
            assert_eq!(AuditQuery::parse(query).unwrap_err().parameter, parameter, "{query}");
        };
        check("action=keys", "action");
        check("outcome=fine", "outcome");
        check("object=a'b", "object");
        check("search=x", "search");
        check("utm_source=x", "utm_source");
        check("format=csv", "format");
        check("limit=101", "limit");
        check("limit=1&limit=2", "limit");
        check("date_from=2026-02-01&date_to=2026-01-01", "date_from");
        assert_eq!(AuditQuery::parse_export("cursor=x").unwrap_err().parameter, "cursor");
        assert!(AuditQuery::parse("action=&outcome=&object=").unwrap() == AuditQuery::default());
    }
}
