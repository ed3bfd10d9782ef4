//! The deliveries of a webhook: merges loaded pages, and prepares attempts and bodies for display.

use contract::untrusted::Untrusted;
use contract::webhook::{Attempt, Deliveries, Delivery, DeliveryState, status_error};
use contract::{DeliveryId, Timestamp};

use crate::i18n;

/// Returns the status of an attempt's response, or that there was no response.
pub fn attempt_result(attempt: &Attempt) -> String {
    let no_response = || i18n::form_webhooks().no_response.to_owned();
    attempt.status.map_or_else(no_response, |status| status.to_string())
}

/// Returns the error of an attempt, unless it only repeats the status of the response.
pub fn attempt_error(attempt: &Attempt) -> Option<&str> {
    let repeated = attempt.status.map(status_error);
    attempt.error.as_deref().filter(|error| repeated.as_deref() != Some(error))
}

/// Adds the next page to the loaded deliveries. Deliveries that are already loaded are updated.
pub fn append_page(mut known: Vec<Delivery>, page: Deliveries) -> Deliveries {
    for delivery in page.data {
        match known.iter_mut().find(|row| row.id == delivery.id) {
            Some(row) => *row = delivery,
            None => known.push(delivery),
        }
    }
    Deliveries { data: known, next: page.next }
}

/// Puts the newly loaded first page before the older ones of the loaded deliveries. `next` is the
/// cursor after the loaded ones. If the page does not reach them, only the page is kept, because
/// between them may be others.
pub fn refresh_page(
    known: Vec<Delivery>,
    next: Option<DeliveryId>,
    page: Deliveries,
) -> Deliveries {
    let last = page.data.last().filter(|_| page.next.is_some());
    let end = last.and_then(|last| known.iter().position(|row| row.id == last.id));
    let Some(end) = end.filter(|end| end + 1 < known.len()) else { return page };
    let is_new = |row: &Delivery| page.data.iter().all(|delivery| delivery.id != row.id);
    let older: Vec<_> = known.into_iter().skip(end + 1).filter(is_new).collect();
    Deliveries { data: [page.data, older].concat(), next }
}

/// A delivery that the dashboard polls until its next attempt has a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedDelivery {
    /// Its ID.
    pub id: DeliveryId,
    /// Cursor of a page of all deliveries that starts at or before it; `None` is the first page.
    pub before: Option<DeliveryId>,
    /// Time of its latest attempt so far.
    last_attempt_at: Option<Timestamp>,
}

impl WatchedDelivery {
    /// Watches a delivery from now on. `listed` are the rows of the log, newest first.
    pub fn new(delivery: &Delivery, listed: &[Delivery]) -> Self {
        let index = listed.iter().position(|row| row.id == delivery.id);
        let newer = index.and_then(|index| listed.get(index.checked_sub(1)?));
        Self {
            id: delivery.id.clone(),
            before: newer.map(|newer| newer.id.clone()),
            last_attempt_at: last_attempt_at(delivery),
        }
    }

    /// Returns whether the attempt is finished, given the newest version of the delivery. After a
    /// failure, the delivery may wait for another attempt.
    pub fn is_finished(&self, newest: &Delivery) -> bool {
        newest.state != DeliveryState::Pending || last_attempt_at(newest) != self.last_attempt_at
    }
}

fn last_attempt_at(delivery: &Delivery) -> Option<Timestamp> {
    delivery.attempts.last().map(|attempt| attempt.at)
}

/// Returns whether any of these deliveries waits for an attempt.
pub fn has_pending(log: &[Delivery]) -> bool {
    log.iter().any(|delivery| delivery.state == DeliveryState::Pending)
}

/// Returns the reason why the latest attempt failed.
pub fn failure_text(delivery: &Delivery) -> String {
    let error =
        |attempt: &Attempt| attempt.error.clone().unwrap_or_else(|| attempt_result(attempt));
    delivery.attempts.last().map_or_else(|| i18n::form_webhooks().no_response.to_owned(), error)
}

/// Returns a request body for display: JSON with indentation, other text unchanged.
pub fn indent_json(body: &str) -> String {
    let json = serde_json::from_str(body);
    let indented = json.and_then(|Untrusted(json)| serde_json::to_string_pretty(&json));
    indented.unwrap_or_else(|_| body.to_owned())
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::webhook::WebhookEvent;

    fn delivery(id: &str, state: DeliveryState) -> Delivery {
        Delivery {
            id: id.parse().unwrap(),
            event: WebhookEvent::Test,
            submission_id: None,
            created_at: Timestamp::MIN,
            state,
            next_attempt_at: None,
            request_body: None,
            attempts: Vec::new(),
        }
    }

    fn failed_attempt(seconds: i64, error: Option<&str>) -> Attempt {
        Attempt {
            at: Timestamp::from_millis(seconds * 1_000).unwrap(),
            duration_ms: 1,
            status: Some(500),
            error: error.map(str::to_owned),
            response: None,
        }
    }

    #[test]
    fn delivery_is_watched_until_next_attempt() {
        let mut delivery = delivery("dlv_1_a", DeliveryState::Pending);
        delivery.attempts.push(failed_attempt(1, None));
        let watched = WatchedDelivery::new(&delivery, &[]);
        assert!(!watched.is_finished(&delivery));
        delivery.attempts.push(failed_attempt(2, None));
        assert!(watched.is_finished(&delivery), "another attempt will follow");
        delivery.attempts.clear();
        for state in [DeliveryState::Delivered, DeliveryState::Failed] {
            delivery.state = state;
            assert!(watched.is_finished(&delivery));
        }
    }

    #[test]
    fn watched_delivery_is_listed_after_next_newer_one() {
        let rows = log(&[6, 5, 4], None).data;
        let before = |index: usize, listed: &[Delivery]| {
            WatchedDelivery::new(&rows[index], listed).before.map(|id| id.to_string())
        };
        assert_eq!(before(0, &rows), None);
        assert_eq!(before(2, &rows).as_deref(), Some("dlv_5_a"));
        assert_eq!(before(2, &rows[..2]), None, "not listed");
    }

    #[test]
    fn any_pending_delivery_is_awaited() {
        let failed = delivery("dlv_2_b", DeliveryState::Failed);
        assert!(!has_pending(std::slice::from_ref(&failed)));
        assert!(has_pending(&[failed, delivery("dlv_1_a", DeliveryState::Pending)]));
    }

    #[test]
    fn failure_names_error_or_status() {
        let mut delivery = delivery("dlv_1_a", DeliveryState::Failed);
        assert_eq!(failure_text(&delivery), "No response");
        delivery.attempts.push(failed_attempt(1, None));
        assert_eq!(failure_text(&delivery), "500");
        delivery.attempts.push(failed_attempt(2, Some("timed out")));
        assert_eq!(failure_text(&delivery), "timed out");
    }

    fn log(ids: &[u32], next: Option<u32>) -> Deliveries {
        let row = |number: &u32| delivery(&format!("dlv_{number}_a"), DeliveryState::Failed);
        let next = next.map(|number| format!("dlv_{number}_a").parse().unwrap());
        Deliveries { data: ids.iter().map(row).collect(), next }
    }

    #[test]
    fn refresh_keeps_older_deliveries() {
        let known = || log(&[6, 5, 4, 3], Some(3));
        let refresh = |known: Deliveries, page| refresh_page(known.data, known.next, page);
        let overlapping = refresh(known(), log(&[7, 6, 4], Some(4)));
        assert_eq!(overlapping, log(&[7, 6, 4, 3], Some(3)), "5 is gone");
        let complete = refresh(known(), log(&[7, 4], None));
        assert_eq!(complete, log(&[7, 4], None), "3 is gone");
        let distant = refresh(known(), log(&[9, 8], Some(8)));
        assert_eq!(distant, log(&[9, 8], Some(8)), "7 would be missing");
        let mut changed = log(&[6, 5], Some(5));
        changed.data[1].state = DeliveryState::Delivered;
        assert_eq!(refresh(known(), changed).data[1].state, DeliveryState::Delivered);
    }

    #[test]
    fn next_page_repeats_no_delivery() {
        let mut page = log(&[4, 3], Some(3));
        page.data[0].state = DeliveryState::Delivered;
        let deliveries = append_page(log(&[5, 4], Some(4)).data, page);
        let ids: Vec<_> = deliveries.data.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["dlv_5_a", "dlv_4_a", "dlv_3_a"]);
        assert_eq!(deliveries.data[1].state, DeliveryState::Delivered);
        assert_eq!(deliveries.next.unwrap().as_str(), "dlv_3_a");
    }

    #[test]
    fn error_that_repeats_status_is_omitted() {
        let error = |status, error: &str| {
            let attempt = Attempt {
                at: Timestamp::MIN,
                duration_ms: 1,
                status,
                error: Some(error.to_owned()),
                response: None,
            };
            attempt_error(&attempt).map(str::to_owned)
        };
        assert_eq!(error(Some(500), "the receiver responded with 500"), None);
        let redirect = "the receiver responded with 301, but redirects are not followed";
        assert_eq!(error(Some(301), redirect).as_deref(), Some(redirect));
        assert_eq!(error(None, "timed out").as_deref(), Some("timed out"));
    }

    #[test]
    fn json_body_is_indented() {
        let number = "12345678901234567890.10";
        assert_eq!(
            indent_json(&format!("{{\"b\":{number}}}")),
            format!("{{\n  \"b\": {number}\n}}")
        );
        assert_eq!(indent_json("New submission: {"), "New submission: {");
    }
}
