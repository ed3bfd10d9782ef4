//! Texts for webhooks and their deliveries, and the part of the page's URL that selects them. No
//! requests are sent and no clock is read here.

pub mod log;

use contract::webhook::{DeliveryState, DisabledReason, Webhook, WebhookEvent, WebhookFormat};
use contract::{Timestamp, WebhookId};

use crate::i18n;

/// Maximum length of a path in [`short_url`], in characters.
const PATH_CHARS_MAX: usize = 24;

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
        .filter_map(|webhook| Some((host_of(&webhook.url), reason(webhook)?)))
        .collect();
    match disabled[..] {
        [] => None,
        [(host, DisabledReason::Gone)] => Some((texts.one_gone)(host)),
        [(host, _)] => Some((texts.one_failing)(host)),
        _ => Some((texts.many_disabled)(disabled.len())),
    }
}

/// Returns host and path of a URL. A long path is shortened, because it may be the credential of
/// the receiver, as in URLs of Slack; so may the query.
pub fn short_url(url: &str) -> String {
    let (host, rest) = split_host(url);
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches('/');
    if path.chars().count() <= PATH_CHARS_MAX {
        return format!("{host}{path}");
    }
    let start: String = path.chars().take(PATH_CHARS_MAX - 1).collect();
    format!("{host}{start}…")
}

/// Returns the host of a URL, with its port.
fn host_of(url: &str) -> &str {
    split_host(url).0
}

/// Splits a URL into its host, without a password, and the rest.
fn split_host(url: &str) -> (&str, &str) {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, rest) = url.split_at(url.find(['/', '?', '#']).unwrap_or(url.len()));
    (host.rsplit_once('@').map_or(host, |(_, host)| host), rest)
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
    fn short_url_hides_credentials() {
        for (url, short) in [
            ("https://ada:secret@a.example/@b", "a.example/@b"),
            ("https://a.example/23456789012345678901234", "a.example/23456789012345678901234"),
            ("https://a.example/234567890123456789012345", "a.example/2345678901234567890123…"),
            (
                "https://hooks.slack.com/services/T00000000/B00000000/XXXX",
                "hooks.slack.com/services/T00000000/B00…",
            ),
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
        let enabled = webhook("https://a.example/x?y", None);
        let disabled = webhook("https://b.example", Some(DisabledReason::Owner));
        let gone_receiver = webhook("https://c.example/x?token=y", Some(DisabledReason::Gone));
        let failing = webhook("https://d.example", Some(DisabledReason::Failing));
        assert_eq!(disabled_notice(&[enabled.clone(), disabled.clone()]), None);
        let text = disabled_notice(&[enabled, disabled, gone_receiver.clone()]).unwrap();
        assert!(text.contains("webhook c.example is") && text.contains("with 410"), "{text}");
        assert!(disabled_notice(std::slice::from_ref(&failing)).unwrap().contains("5 days"));
        assert!(disabled_notice(&[gone_receiver, failing]).unwrap().starts_with("2 webhooks"));
    }
}
