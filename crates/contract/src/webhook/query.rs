//! Query parameters of a webhook's log, parsed as strictly as those of lists.

use super::{DELIVERIES_DEFAULT, DeliveryState};
use crate::DeliveryId;
use crate::query::{QueryError, invalid_parameter, parse_limit, parse_pairs, shorten_value};

/// Query of `GET /account/forms/{form_id}/webhooks/{webhook_id}/deliveries`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveriesQuery {
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Page size, 1 to 100.
    pub limit: u16,
    /// `next` of the previous page, unchanged.
    pub before: Option<DeliveryId>,
}

impl DeliveriesQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For the first parameter that is unknown, repeated or malformed.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut read = Self { state: None, limit: DELIVERIES_DEFAULT, before: None };
        for (name, value) in parse_pairs(query)? {
            match name.as_str() {
                "limit" | "before" | "state" if value.is_empty() => {}
                "limit" => read.limit = parse_limit(&value)?,
                "before" => read.before = Some(parse_before(&value)?),
                "state" => read.state = Some(parse_state(&value)?),
                _ => {
                    let problem = "is not a parameter of this endpoint; use only `limit`, \
                                   `before` and `state`";
                    return Err(invalid_parameter(&shorten_value(&name), problem));
                }
            }
        }
        Ok(read)
    }
}

fn parse_before(value: &str) -> Result<DeliveryId, QueryError> {
    value.parse().map_err(|_| {
        let value = shorten_value(value);
        let problem = format!("must be `next` of the previous page, but is `{value}`");
        invalid_parameter("before", problem)
    })
}

fn parse_state(value: &str) -> Result<DeliveryState, QueryError> {
    value.parse().map_err(|_| {
        let value = shorten_value(value);
        let problem = format!("must be `pending`, `delivered` or `failed`, but is `{value}`");
        invalid_parameter("state", problem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_parsed_and_empty_ones_ignored() {
        let query = DeliveriesQuery::parse("limit=100&before=dlv_7_ab&state=failed").unwrap();
        let before = Some("dlv_7_ab".parse().unwrap());
        let expect = DeliveriesQuery { state: Some(DeliveryState::Failed), limit: 100, before };
        assert_eq!(query, expect);
        let usual = DeliveriesQuery { state: None, limit: DELIVERIES_DEFAULT, before: None };
        for text in ["", "limit=&before=&state="] {
            assert_eq!(DeliveriesQuery::parse(text).unwrap(), usual);
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let check = |text: &str, name: &str, part: &str| {
            let error = DeliveriesQuery::parse(text).unwrap_err();
            assert!(error.parameter == name && error.message.contains(part), "{error}");
        };
        check("limit=0", "limit", "from 1 to 100");
        check("limit=101", "limit", "from 1 to 100");
        check("before=sub_1", "before", "`next` of the previous page, but is `sub_1`");
        check("state=done", "state", "`pending`, `delivered` or `failed`, but is `done`");
        check("cursor=x", "cursor", "is not a parameter of this endpoint");
        check("limit=1&limit=2", "limit", "more than once");
    }
}
