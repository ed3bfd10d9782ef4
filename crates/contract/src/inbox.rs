//! Queries of the inbox: the submissions of all forms of an environment (not in the specification).
//!
//! The filter is that of a list without criteria for the answers to fields, because a field belongs
//! to one form. The inbox is always newest first.

use crate::page::LIMIT_DEFAULT;
use crate::query::{
    QueryError, QueryWriter, check_ranges, invalid_parameter, parse_environment,
    parse_filter_parameter, parse_limit, parse_pairs, require_environment, shorten_value,
};
use crate::{Environment, FieldId, Filter};

/// Query of `GET /account/inbox`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxQuery {
    /// Environment of the forms.
    pub environment: Environment,
    /// Filter of the submissions, without criteria for fields.
    pub filter: Filter,
    /// Page size, 1 to 100.
    pub limit: u16,
    /// `next_cursor` of the previous page, unchanged.
    pub cursor: Option<String>,
}

impl InboxQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or invalid, and if `environment` is
    /// missing. `sort` and criteria for fields are errors, even if empty.
    ///
    /// ```
    /// # use contract::{Environment, InboxQuery};
    /// let query = InboxQuery::parse("environment=live&limit=50").unwrap();
    /// assert_eq!((query.environment, query.limit), (Environment::Live, 50));
    /// assert_eq!(InboxQuery::parse("limit=50").unwrap_err().parameter, "environment");
    /// ```
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let (mut limit, mut cursor) = (LIMIT_DEFAULT, None);
        let InboxSummaryQuery { environment, filter } = parse_scope(query, |name, value| {
            match name {
                "limit" | "cursor" if value.is_empty() => {}
                "limit" => limit = parse_limit(value)?,
                "cursor" => cursor = Some(value.to_owned()),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Self { environment, filter, limit, cursor })
    }

    /// Returns the query string without `?`. Defaults are omitted.
    pub fn to_query_string(&self) -> String {
        let mut out = write_scope(self.environment, &self.filter);
        if self.limit != LIMIT_DEFAULT {
            out.push_pair("limit", &self.limit.to_string());
        }
        if let Some(cursor) = &self.cursor {
            out.push_pair("cursor", cursor);
        }
        out.0
    }
}

/// Query of `GET /account/inbox/summary`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxSummaryQuery {
    /// Environment of the forms.
    pub environment: Environment,
    /// Filter of the submissions, without criteria for fields.
    pub filter: Filter,
}

impl InboxSummaryQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// As [`InboxQuery::parse`]. `limit` and `cursor` are unknown here.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        parse_scope(query, |_, _| Ok(false))
    }

    /// Returns the query string without `?`.
    pub fn to_query_string(&self) -> String {
        write_scope(self.environment, &self.filter).0
    }
}

/// Parses the environment and the filter. `parse_other` returns whether it knows a parameter.
fn parse_scope(
    query: &str,
    mut parse_other: impl FnMut(&str, &str) -> Result<bool, QueryError>,
) -> Result<InboxSummaryQuery, QueryError> {
    let (mut environment, mut filter) = (None, Filter::default());
    for (name, value) in parse_pairs(query)? {
        if name == "environment" {
            environment = parse_environment(&value)?;
        } else if name == "sort" {
            let problem = "is not a parameter of the inbox, which is newest first; leave it out";
            return Err(invalid_parameter(&name, problem));
        } else if name.starts_with(FieldId::PREFIX) {
            let problem = "is a field of one form, which the inbox cannot filter by; leave it out, \
                           or list the submissions of the form";
            return Err(invalid_parameter(&shorten_value(&name), problem));
        } else if !parse_other(&name, &value)? {
            parse_filter_parameter(&mut filter, &name, &value)?;
        }
    }
    check_ranges(&filter)?;
    Ok(InboxSummaryQuery { environment: require_environment(environment)?, filter })
}

fn write_scope(environment: Environment, filter: &Filter) -> QueryWriter {
    let mut out = QueryWriter::default();
    out.push_pair("environment", environment.as_str());
    out.push_filter(filter);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_round_trip() {
        for text in [
            "environment=live",
            "environment=test&search=a%20b&read=false&status=open&limit=50&cursor=AQAG",
            "environment=live&date_from=2026-01-01T00:00:00Z&score_max=0.5&tag=none,a%5C,b",
        ] {
            let query = InboxQuery::parse(text).unwrap();
            assert_eq!(query.to_query_string(), text);
            let scope = InboxSummaryQuery { environment: query.environment, filter: query.filter };
            assert_eq!(InboxSummaryQuery::parse(&scope.to_query_string()), Ok(scope));
        }
        let empty = InboxQuery::parse("cursor=&limit=&search=&environment=live").unwrap();
        assert_eq!((empty.filter, empty.limit, empty.cursor), (Filter::default(), 20, None));
    }

    #[test]
    fn filter_is_that_of_the_list() {
        let text = "date_to=2026-02-01&utm_medium=cpc&seconds_min=10&sentiment=none&starred=true";
        let list = crate::ListQuery::parse(text).unwrap();
        let inbox = InboxQuery::parse(&format!("{text}&environment=test")).unwrap();
        assert_eq!((inbox.environment, inbox.filter), (Environment::Test, list.filter));
    }

    #[test]
    fn other_parameters_are_rejected() {
        for (bad, problem) in [
            ("", "`environment` is missing; give `live` or `test`"),
            ("environment=", "`environment` is missing; give `live` or `test`"),
            ("environment=all", "`environment` must be `live` or `test`, but is `all`"),
            ("environment=live&environment=test", "`environment` is given more than once"),
            ("environment=live&sort=", "`sort` is not a parameter of the inbox"),
            ("environment=live&fld_a=filled", "`fld_a` is a field of one form"),
            ("environment=live&fld_a=", "`fld_a` is a field of one form"),
            ("environment=live&time_zone=UTC", "`time_zone` is not a parameter of this endpoint"),
            ("environment=live&score_min=2&score_max=1", "`score_min` (`2`) must not be greater"),
        ] {
            let message = InboxQuery::parse(bad).unwrap_err().message;
            assert!(message.starts_with(problem), "{message}");
            assert_eq!(InboxSummaryQuery::parse(bad).unwrap_err().message, message);
        }
        let rejected = |query: &str| InboxQuery::parse(query).unwrap_err().parameter;
        assert_eq!(rejected("environment=live&limit=101"), "limit");
        for parameter in ["limit", "cursor"] {
            let query = format!("environment=live&{parameter}=5");
            assert_eq!(InboxSummaryQuery::parse(&query).unwrap_err().parameter, parameter);
        }
        let long = InboxQuery::parse(&format!("fld_{}=1", "n".repeat(5000))).unwrap_err();
        assert!(long.message.len() < 250, "{}", long.message);
    }
}
