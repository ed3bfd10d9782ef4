//! Query parameters of lists and exports (specification, sections 4.1 and 4.4).
//!
//! Parsing is strict: an unknown, repeated or malformed parameter is an error with its name, so
//! that a typo never lists or exports everything. An empty value counts as absent. Writing is the
//! inverse of parsing.

mod export;
mod writer;

pub use export::{ExportFormat, ExportQuery};
pub(crate) use writer::QueryWriter;
pub use writer::percent_encode;

use crate::filter::{
    FieldCriterion, LabelProperty, Labels, Number, SEARCH_CHARS_MAX, Search, SearchTooLong,
};
use crate::page::{LIMIT_DEFAULT, LIMIT_MAX};
use crate::{Environment, FieldId, Filter, Sort, Timestamp};
use percent_encoding::percent_decode_str;
use std::fmt;

/// Query of a list (specification, section 4.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Filter of the submissions.
    pub filter: Filter,
    /// Page size, 1 to 100.
    pub limit: u16,
    /// `next_cursor` of the previous page, unchanged.
    pub cursor: Option<String>,
    /// Order; `None` for newest first (not in the specification).
    pub sort: Option<Sort>,
}

/// Error: a query parameter is invalid (specification, section 4.1, rule 5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// Name of the parameter.
    pub parameter: String,
    /// Complete message, with the problem and how to fix it.
    pub message: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}

/// Maximum length of a value repeated in an error, in characters.
const ECHO_CHARS_MAX: usize = 60;

pub(crate) fn invalid_parameter(parameter: &str, problem: impl fmt::Display) -> QueryError {
    QueryError { parameter: parameter.to_owned(), message: format!("`{parameter}` {problem}") }
}

pub(crate) fn shorten_value(value: &str) -> String {
    match value.char_indices().nth(ECHO_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

impl Filter {
    /// Parses a query string without `?` that has only parameters of a filter.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or invalid. `limit` and `cursor` are
    /// unknown here.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut filter = Self::default();
        for (name, value) in parse_pairs(query)? {
            parse_filter_parameter(&mut filter, &name, &value)?;
        }
        check_ranges(&filter)?;
        Ok(filter)
    }
}

impl Default for ListQuery {
    fn default() -> Self {
        Self { filter: Filter::default(), limit: LIMIT_DEFAULT, cursor: None, sort: None }
    }
}

impl ListQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or invalid (specification, section 4.1).
    ///
    /// ```
    /// # use contract::ListQuery;
    /// let query = ListQuery::parse("limit=50&search=caf%C3%A9").unwrap();
    /// assert_eq!(query.limit, 50);
    /// assert_eq!(ListQuery::parse("utm_src=x").unwrap_err().parameter, "utm_src");
    /// ```
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        Self::parse_with(query, LIMIT_DEFAULT)
    }

    /// Parses a query string as [`ListQuery::parse`], with another default page size.
    ///
    /// # Errors
    /// As [`ListQuery::parse`].
    pub fn parse_with(query: &str, limit: u16) -> Result<Self, QueryError> {
        let mut read = Self { limit, ..Self::default() };
        for (name, value) in parse_pairs(query)? {
            match name.as_str() {
                "limit" | "cursor" | "sort" if value.is_empty() => {}
                "limit" => read.limit = parse_limit(&value)?,
                "cursor" => read.cursor = Some(value),
                "sort" => read.sort = Sort::parse(&value)?,
                _ => parse_filter_parameter(&mut read.filter, &name, &value)?,
            }
        }
        check_ranges(&read.filter)?;
        Ok(read)
    }

    /// Returns the query string without `?`. Defaults are omitted.
    pub fn to_query_string(&self) -> String {
        let mut out = QueryWriter::default();
        out.push_filter(&self.filter);
        if self.limit != LIMIT_DEFAULT {
            out.push_pair("limit", &self.limit.to_string());
        }
        if let Some(sort) = &self.sort {
            out.push_pair("sort", &sort.to_string());
        }
        if let Some(cursor) = &self.cursor {
            out.push_pair("cursor", cursor);
        }
        out.0
    }
}

/// Splits and decodes a query string. Invalid UTF-8 is an error, and so are repeated names, except
/// those of fields.
pub(crate) fn parse_pairs(query: &str) -> Result<Vec<(String, String)>, QueryError> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let name = percent_decode(name)
            .ok_or_else(|| invalid_parameter(&shorten_value(name), "is not UTF-8 text"))?;
        let value = percent_decode(value)
            .ok_or_else(|| invalid_parameter(&shorten_value(&name), "is not UTF-8 text"))?;
        let is_field = name.starts_with(FieldId::PREFIX);
        if !is_field && pairs.iter().any(|(existing, _)| *existing == name) {
            return Err(invalid_parameter(
                &shorten_value(&name),
                "is given more than once; give it once",
            ));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

fn percent_decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

pub(crate) fn parse_filter_parameter(
    filter: &mut Filter,
    name: &str,
    value: &str,
) -> Result<(), QueryError> {
    let exact = || (!value.is_empty()).then(|| value.to_owned());
    match name {
        "date_from" | "date_to" if value.is_empty() => {}
        "date_from" => filter.date_from = Some(parse_bound(name, value)?),
        "date_to" => filter.date_to = Some(parse_bound(name, value)?),
        "search" => filter.search = parse_search(value)?,
        "utm_source" => filter.utm_source = exact(),
        "utm_medium" => filter.utm_medium = exact(),
        "utm_campaign" => filter.utm_campaign = exact(),
        "score_min" => filter.score.min = parse_number(name, value)?,
        "score_max" => filter.score.max = parse_number(name, value)?,
        "seconds_min" => filter.seconds.min = parse_number(name, value)?,
        "seconds_max" => filter.seconds.max = parse_number(name, value)?,
        "read" => filter.read = parse_read(name, value)?,
        _ => {
            if let Some(property) = LabelProperty::from_name(name) {
                let labels = Labels::parse(value)
                    .and_then(|labels| labels.check(property).map(|()| labels))
                    .map_err(|problem| invalid_parameter(name, problem))?;
                filter.labels.set(property, labels);
                return Ok(());
            }
            if name.starts_with(FieldId::PREFIX) {
                return parse_field(filter, name, value);
            }
            let problem = "is not a parameter of this endpoint; check its spelling or leave it out";
            return Err(invalid_parameter(&shorten_value(name), problem));
        }
    }
    Ok(())
}

fn parse_field(filter: &mut Filter, name: &str, value: &str) -> Result<(), QueryError> {
    let invalid = |problem: String| invalid_parameter(&shorten_value(name), problem);
    let field: FieldId =
        name.parse().map_err(|problem| invalid(format!("names no field, because {problem}")))?;
    if value.is_empty() {
        return Ok(());
    }
    let criterion = FieldCriterion::parse(field, value);
    criterion.and_then(|criterion| filter.fields.add(criterion)).map_err(invalid)
}

pub(crate) fn parse_limit(value: &str) -> Result<u16, QueryError> {
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    value.parse().ok().filter(|limit| digits && (1..=LIMIT_MAX).contains(limit)).ok_or_else(|| {
        let value = shorten_value(value);
        invalid_parameter(
            "limit",
            format!("must be a whole number from 1 to {LIMIT_MAX}, but is `{value}`"),
        )
    })
}

/// Parses the parameter `environment`; `None` if it is empty.
pub(crate) fn parse_environment(value: &str) -> Result<Option<Environment>, QueryError> {
    let known = Environment::ALL.into_iter().find(|known| known.as_str() == value);
    if known.is_none() && !value.is_empty() {
        let problem = format!("must be `live` or `test`, but is `{}`", shorten_value(value));
        return Err(invalid_parameter("environment", problem));
    }
    Ok(known)
}

/// Returns the parameter `environment`, or an error if it is missing.
pub(crate) fn require_environment(
    environment: Option<Environment>,
) -> Result<Environment, QueryError> {
    environment.ok_or_else(|| invalid_parameter("environment", "is missing; give `live` or `test`"))
}

fn parse_bound(name: &str, value: &str) -> Result<Timestamp, QueryError> {
    Timestamp::parse_bound(value).map_err(|problem| {
        let plus_was_lost =
            value.contains(' ') && Timestamp::parse(&value.replace(' ', "+")).is_ok();
        let hint = if plus_was_lost { "; write the `+` of an offset as `%2B`" } else { "" };
        invalid_parameter(name, format!("{problem}, but is `{}`{hint}", shorten_value(value)))
    })
}

fn parse_number(name: &str, value: &str) -> Result<Option<Number>, QueryError> {
    if value.is_empty() {
        return Ok(None);
    }
    Number::parse(value).map(Some).ok_or_else(|| {
        let problem = format!("must be a number such as `0.5`, but is `{}`", shorten_value(value));
        invalid_parameter(name, problem)
    })
}

/// Checks that no range of a filter ends before it starts.
pub(crate) fn check_ranges(filter: &Filter) -> Result<(), QueryError> {
    if let (Some(from), Some(to)) = (filter.date_from, filter.date_to)
        && from > to
    {
        let problem = format!("(`{from}`) must not be after `date_to` (`{to}`)");
        return Err(invalid_parameter("date_from", problem));
    }
    for (name, range) in [("score", filter.score), ("seconds", filter.seconds)] {
        if let (Some(min), Some(max)) = (range.min, range.max)
            && min.value() > max.value()
        {
            let problem = format!("(`{min}`) must not be greater than `{name}_max` (`{max}`)");
            return Err(invalid_parameter(&format!("{name}_min"), problem));
        }
    }
    Ok(())
}

fn parse_search(value: &str) -> Result<Option<Search>, QueryError> {
    Search::new(value).map_err(|SearchTooLong { chars }| {
        let problem = format!("must have at most {SEARCH_CHARS_MAX} characters, but has {chars}");
        invalid_parameter("search", problem)
    })
}

fn parse_bool(name: &str, value: &str) -> Result<bool, QueryError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(invalid_parameter(
            name,
            format!("must be `true` or `false`, but is `{}`", shorten_value(value)),
        )),
    }
}

/// Parses the read state; `None` if both states are accepted.
fn parse_read(name: &str, value: &str) -> Result<Option<bool>, QueryError> {
    let parts = value.split(',').filter(|part| !part.is_empty());
    let mut states = parts.map(|part| parse_bool(name, part)).collect::<Result<Vec<_>, _>>()?;
    states.sort_unstable();
    states.dedup();
    Ok(if let [read] = *states { Some(read) } else { None })
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
