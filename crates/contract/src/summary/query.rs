//! Query parameters of a summary: the list's filter and order, a time zone, and a field.

use crate::query::{
    QueryError, QueryWriter, check_ranges, invalid_parameter, parse_filter_parameter, parse_pairs,
    shorten_value,
};
use crate::{Field, FieldId, Filter, Sort};

/// Maximum length of a time zone's name, in bytes.
const ZONE_BYTES_MAX: usize = 64;

/// Query of a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryQuery {
    /// Filter of the submissions, as in the list (specification, section 4.1).
    pub filter: Filter,
    /// IANA name of the time zone for counting by day; `None` is UTC.
    pub time_zone: Option<String>,
    /// Order of the list, without effect on the counts.
    pub sort: Option<Sort>,
    /// The only field to count, of any type; `None` for the first rating, choice and boolean
    /// fields.
    pub field: Option<FieldId>,
}

impl SummaryQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or invalid (specification, section 4.1).
    /// The name of the time zone is not looked up here.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut read = Self::default();
        for (name, value) in parse_pairs(query)? {
            match name.as_str() {
                "sort" | "field" if value.is_empty() => {}
                "sort" => read.sort = Sort::parse(&value)?,
                // Chromium reports `Etc/Unknown` if it cannot determine the time zone; it counts as
                // UTC.
                "time_zone" if value.is_empty() || value == "Etc/Unknown" => {}
                "time_zone" if value.len() <= ZONE_BYTES_MAX => read.time_zone = Some(value),
                "time_zone" => return Err(Self::unknown_time_zone(&value)),
                "field" => {
                    let field = value.parse().map_err(|_| Self::unknown_field(&value))?;
                    read.field = Some(field);
                }
                _ => parse_filter_parameter(&mut read.filter, &name, &value)?,
            }
        }
        check_ranges(&read.filter)?;
        Ok(read)
    }

    /// Returns the error for an unknown time zone.
    pub fn unknown_time_zone(name: &str) -> QueryError {
        let name = shorten_value(name);
        invalid_parameter(
            "time_zone",
            format!("must be an IANA time zone such as `Europe/Berlin`, but is `{name}`"),
        )
    }

    /// Checks that the form has the field.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_field(&self, fields: &[Field]) -> Result<(), QueryError> {
        match &self.field {
            Some(id) if fields.iter().all(|field| field.id != *id) => {
                Err(Self::unknown_field(id.as_str()))
            }
            _ => Ok(()),
        }
    }

    fn unknown_field(id: &str) -> QueryError {
        let id = shorten_value(id);
        invalid_parameter("field", format!("must be the id of a field of this form, but is `{id}`"))
    }

    /// Returns the query string without `?`.
    pub fn to_query_string(&self) -> String {
        let mut out = QueryWriter::default();
        out.push_filter(&self.filter);
        if let Some(sort) = &self.sort {
            out.push_pair("sort", &sort.to_string());
        }
        if let Some(zone) = &self.time_zone {
            out.push_pair("time_zone", zone);
        }
        if let Some(field) = &self.field {
            out.push_pair("field", field.as_str());
        }
        out.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_round_trips() {
        let text = "date_from=2026-01-01T00:00:00Z&search=a%20b&sort=-fld_1\
            &time_zone=Europe%2FBerlin&field=fld_2";
        let query = SummaryQuery::parse(text).unwrap();
        assert_eq!(query.time_zone.as_deref(), Some("Europe/Berlin"));
        assert_eq!(query.to_query_string(), text);
        assert_eq!(query.field.as_ref().map(FieldId::as_str), Some("fld_2"));
        for unknown in ["time_zone=", "time_zone=Etc%2FUnknown", "field="] {
            assert_eq!(SummaryQuery::parse(unknown).unwrap(), SummaryQuery::default());
        }
    }

    #[test]
    fn unknown_parameters_are_rejected() {
        let rejected_parameter = |query: &str| SummaryQuery::parse(query).unwrap_err().parameter;
        assert_eq!(rejected_parameter("limit=5"), "limit");
        assert_eq!(rejected_parameter("cursor=x"), "cursor");
        let problem = SummaryQuery::parse("sort=x").unwrap_err().message;
        assert!(problem.starts_with("`sort` must be"), "{problem}");
        assert_eq!(rejected_parameter("search=a&search=b"), "search");
        assert_eq!(rejected_parameter("date_from=2026-02-01&date_to=2026-01-01"), "date_from");
        assert_eq!(rejected_parameter(&format!("time_zone={}", "x".repeat(65))), "time_zone");
        assert_eq!(rejected_parameter("field=frm_1"), "field");
    }
}
