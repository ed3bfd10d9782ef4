//! Texts for webhooks and their deliveries, and the part of the page's URL that selects them. It
//! sends no requests and reads no clock.

use contract::untrusted::Untrusted;
use contract::webhook::{
    Attempt, Delivery, DeliveryState, DisabledReason, Webhook, WebhookEvent, WebhookFormat,
};
use contract::{DeliveryId, Timestamp, WebhookId};

use crate::i18n;

/// Webhook with its deliveries that the page shows, as written in the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookSelection {
    /// The webhook; `None` shows the list of all.
    pub webhook: Option<WebhookId>,
    /// State of the listed deliveries; `None` lists all.
    pub state: Option<DeliveryState>,
}

impl WebhookSelection {
    /// Parses the query string of a URL. Malformed parameters are ignored.
    pub fn parse_query(query: &str) -> Self {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        Self {
            webhook: value("webhook").and_then(|id| id.parse().ok()),
            state: value("state").and_then(|state| state.parse().ok()),
        }
    }

    /// Writes the query string; empty for the list of all webhooks.
    pub fn write_query(&self) -> String {
        let webhook = self.webhook.as_ref().map(|id| format!("webhook={id}"));
        let state = self.state.map(|state| format!("state={}", state.as_str()));
        [webhook, state].into_iter().flatten().collect::<Vec<_>>().join("&")
    }
}

/// Status of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookStatus {
    /// Events are sent.
    Enabled,
    /// Events are sent, and all attempts have failed since this time.
    FailingSince(Timestamp),
    /// Events are not sent.
    Disabled(DisabledReason),
}

/// Returns the status of a webhook.
pub fn status_of(webhook: &Webhook) -> WebhookStatus {
    match (webhook.disabled, webhook.failing_since) {
        (Some(disabled), _) => WebhookStatus::Disabled(disabled.reason),
        (None, Some(since)) => WebhookStatus::FailingSince(since),
        (None, None) => WebhookStatus::Enabled,
    }
}

/// Returns the label of a status. `time_text` formats the time of the first failure.
pub fn status_label(status: WebhookStatus, time_text: impl Fn(Timestamp) -> String) -> String {
    let texts = i18n::form_webhooks();
    match status {
        WebhookStatus::Enabled => texts.enabled.to_owned(),
        WebhookStatus::FailingSince(since) => (texts.failing_since)(&time_text(since)),
        WebhookStatus::Disabled(DisabledReason::Owner) => texts.disabled_by_owner.to_owned(),
        WebhookStatus::Disabled(DisabledReason::Gone) => texts.disabled_gone.to_owned(),
        WebhookStatus::Disabled(DisabledReason::Failing) => texts.disabled_failing.to_owned(),
    }
}

/// Returns a sentence about the webhooks that the server has disabled, if any.
pub fn disabled_notice(webhooks: &[Webhook]) -> Option<String> {
    let texts = i18n::form_webhooks();
    let reason = |webhook: &Webhook| {
        let reason = webhook.disabled?.reason;
        (reason != DisabledReason::Owner).then_some(reason)
    };
    let disabled: Vec<_> = webhooks
        .iter()
        .filter_map(|webhook| Some((short_url(&webhook.url), reason(webhook)?)))
        .collect();
    match disabled[..] {
        [] => None,
        [(url, DisabledReason::Gone)] => Some((texts.one_gone)(url)),
        [(url, _)] => Some((texts.one_failing)(url)),
        _ => Some((texts.many_disabled)(disabled.len())),
    }
}

/// Returns host and path of a URL. The query may contain a secret of the receiver.
pub fn short_url(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    rest[..end].trim_end_matches('/')
}

/// Returns the label of an event.
pub fn event_label(event: WebhookEvent) -> &'static str {
    let texts = i18n::form_webhooks();
    match event {
        WebhookEvent::Created => texts.event_created,
        WebhookEvent::Analyzed => texts.event_analyzed,
        WebhookEvent::Updated => texts.event_updated,
        WebhookEvent::Deleted => texts.event_deleted,
        WebhookEvent::Test => texts.event_test,
    }
}

/// Returns the labels of events, separated by commas.
pub fn event_labels(events: &[WebhookEvent]) -> String {
    events.iter().copied().map(event_label).collect::<Vec<_>>().join(", ")
}

/// Returns the label of a format.
pub fn format_label(format: WebhookFormat) -> &'static str {
    let texts = i18n::form_webhooks();
    match format {
        WebhookFormat::Json => texts.json,
        WebhookFormat::Slack => texts.slack,
        WebhookFormat::Discord => texts.discord,
        WebhookFormat::Teams => texts.teams,
        WebhookFormat::Ntfy => texts.ntfy,
    }
}

/// Returns the label of a delivery's state.
pub fn state_label(state: DeliveryState) -> &'static str {
    let texts = i18n::form_webhooks();
    match state {
        DeliveryState::Pending => texts.pending,
        DeliveryState::Delivered => texts.delivered,
        DeliveryState::Failed => texts.failed,
    }
}

/// Returns the status of an attempt's response, or that there was no response.
pub fn attempt_result(attempt: &Attempt) -> String {
    let no_response = || i18n::form_webhooks().no_response.to_owned();
    attempt.status.map_or_else(no_response, |status| status.to_string())
}

/// Returns whether the log has to be loaded again to see the result of a delivery, or of any
/// delivery if `watched` is `None`. A delivery that the log does not list counts as pending.
pub fn is_waiting(log: &[Delivery], watched: Option<&DeliveryId>) -> bool {
    let is_pending = |delivery: &Delivery| delivery.state == DeliveryState::Pending;
    match watched {
        Some(id) => log.iter().find(|delivery| delivery.id == *id).is_none_or(is_pending),
        None => log.iter().any(is_pending),
    }
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
    use contract::webhook::Disabled;

    fn webhook(url: &str, reason: Option<DisabledReason>) -> Webhook {
        Webhook {
            id: "whk_1".parse().unwrap(),
            url: url.to_owned(),
            events: vec![WebhookEvent::Created],
            format: WebhookFormat::Json,
            created_at: Timestamp::MIN,
            disabled: reason.map(|reason| Disabled { at: Timestamp::MIN, reason }),
            failing_since: None,
        }
    }

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

    #[test]
    fn selection_round_trips_through_query() {
        let check = |query: &str, written: &str| {
            assert_eq!(WebhookSelection::parse_query(query).write_query(), written, "{query}");
        };
        check("", "");
        check("webhook=whk_1", "webhook=whk_1");
        check("state=failed&webhook=whk_1&other=x", "webhook=whk_1&state=failed");
        check("webhook=key_1&state=lost", "");
    }

    #[test]
    fn short_url_hides_query() {
        for (url, short) in [
            ("https://hooks.example/a/b?token=x#y", "hooks.example/a/b"),
            ("http://127.0.0.1:9/", "127.0.0.1:9"),
            ("https://a.example?x=/", "a.example"),
        ] {
            assert_eq!(short_url(url), short);
        }
    }

    #[test]
    fn status_names_reason_or_failure() {
        let status = |webhook: &Webhook| status_label(status_of(webhook), |_| "today".to_owned());
        let mut failing = webhook("https://a.example", None);
        assert_eq!(status(&failing), "Enabled");
        failing.failing_since = Some(Timestamp::MIN);
        assert_eq!(status(&failing), "Failing since today");
        failing.disabled = Some(Disabled { at: Timestamp::MIN, reason: DisabledReason::Failing });
        assert_eq!(status(&failing), "Disabled: failed for 5 days");
        let by_owner = webhook("https://a.example", Some(DisabledReason::Owner));
        assert_eq!(status(&by_owner), "Disabled by you");
    }

    #[test]
    fn notice_ignores_webhooks_disabled_by_owner() {
        let on = webhook("https://a.example/x?y", None);
        let off = webhook("https://b.example", Some(DisabledReason::Owner));
        let gone = webhook("https://c.example/x?token=y", Some(DisabledReason::Gone));
        let failing = webhook("https://d.example", Some(DisabledReason::Failing));
        assert_eq!(disabled_notice(&[on.clone(), off.clone()]), None);
        let text = disabled_notice(&[on, off, gone.clone()]).unwrap();
        assert!(text.contains("c.example/x") && text.contains("410"), "{text}");
        assert!(disabled_notice(std::slice::from_ref(&failing)).unwrap().contains("5 days"));
        assert!(disabled_notice(&[gone, failing]).unwrap().starts_with("2 webhooks"));
    }

    #[test]
    fn delivery_is_awaited_until_finished() {
        let pending = delivery("dlv_1_a", DeliveryState::Pending);
        let failed = delivery("dlv_2_b", DeliveryState::Failed);
        let log = [pending.clone(), failed.clone()];
        assert!(is_waiting(&log, Some(&pending.id)));
        assert!(!is_waiting(&log, Some(&failed.id)));
        assert!(is_waiting(&[], Some(&failed.id)), "filtered out");
        assert!(is_waiting(&log, None));
        assert!(!is_waiting(&[failed], None));
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
