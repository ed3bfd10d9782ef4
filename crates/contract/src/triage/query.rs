//! Query parameters of the triage of a form's submissions.

use crate::SubmissionId;
use crate::query::{QueryError, QueryWriter, invalid_parameter, parse_pairs, shorten_value};

/// Maximum number of submissions in a query for their triage.
pub const TRIAGE_IDS_MAX: usize = 100;

/// Query of `GET /account/forms/{form_id}/triage`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriageQuery {
    /// Identifiers of submissions, 1 to [`TRIAGE_IDS_MAX`].
    pub ids: Vec<SubmissionId>,
}

impl TriageQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For a parameter that is unknown, repeated, missing or invalid.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut ids = Vec::new();
        for (name, value) in parse_pairs(query)? {
            if name != "ids" {
                let problem = "is not a parameter of this endpoint; give only `ids`";
                return Err(invalid_parameter(&shorten_value(&name), problem));
            }
            ids = parse_ids(&value)?;
        }
        if (1..=TRIAGE_IDS_MAX).contains(&ids.len()) {
            return Ok(Self { ids });
        }
        let count = ids.len();
        let problem = format!("must have 1 to {TRIAGE_IDS_MAX} ids, but has {count}");
        Err(invalid_parameter("ids", problem))
    }

    /// Returns the query string without `?`.
    pub fn to_query_string(&self) -> String {
        let mut out = QueryWriter::default();
        let ids: Vec<&str> = self.ids.iter().map(SubmissionId::as_str).collect();
        out.push_pair("ids", &ids.join(","));
        out.0
    }
}

fn parse_ids(value: &str) -> Result<Vec<SubmissionId>, QueryError> {
    let parse = |text: &str| {
        text.parse().map_err(|problem| {
            let text = shorten_value(text);
            invalid_parameter("ids", format!("names `{text}`, but {problem}"))
        })
    };
    value.split(',').filter(|text| !text.is_empty()).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_required_and_limited() {
        let ids = |count: usize| vec!["sub_1".parse().unwrap(); count];
        let query = |count: usize| TriageQuery { ids: ids(count) }.to_query_string();
        assert_eq!(query(2), "ids=sub_1,sub_1");
        assert_eq!(TriageQuery::parse(&query(100)), Ok(TriageQuery { ids: ids(100) }));
        for (bad, problem) in [
            ("", "`ids` must have 1 to 100 ids, but has 0"),
            ("ids=", "`ids` must have 1 to 100 ids, but has 0"),
            (query(101).as_str(), "`ids` must have 1 to 100 ids, but has 101"),
            ("ids=sub_1&limit=2", "`limit` is not a parameter of this endpoint; give only `ids`"),
            ("ids=sub_1&ids=sub_2", "`ids` is given more than once; give it once"),
            ("ids=sub_1,frm_1", "`ids` names `frm_1`, but "),
        ] {
            let message = TriageQuery::parse(bad).unwrap_err().message;
            assert!(message.starts_with(problem), "{message}");
        }
    }
}
