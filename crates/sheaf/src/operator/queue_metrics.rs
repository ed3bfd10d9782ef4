//! Metrics of the queues of webhooks and e-mail, and of the workers that send them.

use contract::Timestamp;
use notify::Counters;
use prometheus::{Counter, IntCounter, IntCounterVec, IntGauge, Opts, Registry};
use std::time::Duration;
use store::QueueStats;

use super::{register, to_i64};

/// Name and description of a metric.
type MetricText = (&'static str, &'static str);

/// The metrics of a queue.
pub(super) struct QueueTexts {
    pending: MetricText,
    oldest_s: MetricText,
    attempts: MetricText,
    /// Values of the label `outcome`: of attempts that succeeded, are retried, and failed.
    outcomes: [&'static str; 3],
    duration_s: MetricText,
    count: MetricText,
}

/// The metrics of webhooks.
pub(super) const WEBHOOKS: QueueTexts = QueueTexts {
    pending: (
        "sheaf_outbox_pending",
        "Pending deliveries of enabled webhooks, including those that wait for a retry.",
    ),
    oldest_s: (
        "sheaf_outbox_oldest_seconds",
        "Age of the oldest pending delivery of an enabled webhook; 0 without one.",
    ),
    attempts: (
        "sheaf_webhook_attempts_total",
        "Attempts to send a delivery: delivered, retried later, or failed for good.",
    ),
    outcomes: ["delivered", "retried", "failed"],
    duration_s: (
        "sheaf_webhook_attempt_seconds_sum",
        "Total duration of all attempts to send a delivery.",
    ),
    count: ("sheaf_webhook_attempt_seconds_count", "Number of all attempts to send a delivery."),
};

/// The metrics of e-mail.
pub(super) const MAIL: QueueTexts = QueueTexts {
    pending: (
        "sheaf_mail_pending",
        "Pending e-mails, including those that wait for a digest or a retry.",
    ),
    oldest_s: (
        "sheaf_mail_oldest_seconds",
        "Age of the oldest pending e-mail; 0 without one. Digests wait for up to a day.",
    ),
    attempts: (
        "sheaf_mail_sent_total",
        "Attempts to send an e-mail: sent, retried later, or refused by the mail server.",
    ),
    outcomes: ["sent", "retried", "refused"],
    duration_s: (
        "sheaf_mail_send_seconds_sum",
        "Total duration of all attempts to send an e-mail.",
    ),
    count: ("sheaf_mail_send_seconds_count", "Number of all attempts to send an e-mail."),
};

/// Metrics of a queue, registered.
pub(super) struct QueueMetrics {
    pending: IntGauge,
    oldest_s: IntGauge,
    attempts: IntCounterVec,
    outcomes: [&'static str; 3],
    duration_s: Counter,
    count: IntCounter,
}

impl QueueMetrics {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// Two metrics with the same name.
    pub(super) fn new(registry: &Registry, texts: &QueueTexts) -> prometheus::Result<Self> {
        let QueueTexts { pending, oldest_s, attempts, outcomes, duration_s, count } = *texts;
        let attempts = IntCounterVec::new(Opts::new(attempts.0, attempts.1), &["outcome"])?;
        Ok(Self {
            pending: register(registry, IntGauge::new(pending.0, pending.1)?)?,
            oldest_s: register(registry, IntGauge::new(oldest_s.0, oldest_s.1)?)?,
            attempts: register(registry, attempts)?,
            outcomes,
            duration_s: register(registry, Counter::new(duration_s.0, duration_s.1)?)?,
            count: register(registry, IntCounter::new(count.0, count.1)?)?,
        })
    }

    /// Updates the metrics of the queue.
    pub(super) fn set_pending(&self, stats: QueueStats, now: Timestamp) {
        self.pending.set(to_i64(stats.pending));
        let age_s = stats.oldest.map(|oldest| now.seconds() - oldest.seconds());
        self.oldest_s.set(age_s.unwrap_or(0).max(0));
    }

    /// Updates the metrics of attempts.
    pub(super) fn set_attempts(&self, counters: &Counters) {
        let counts = [counters.succeeded(), counters.retried(), counters.failed()];
        for (outcome, count) in self.outcomes.into_iter().zip(counts) {
            let counter = self.attempts.with_label_values(&[outcome]);
            counter.inc_by(count.saturating_sub(counter.get()));
        }
        let total: u64 = counts.into_iter().sum();
        self.count.inc_by(total.saturating_sub(self.count.get()));
        let duration = Duration::from_millis(counters.duration_ms());
        self.duration_s.inc_by((duration.as_secs_f64() - self.duration_s.get()).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_delivery_has_age() {
        let metrics = QueueMetrics::new(&Registry::new(), &WEBHOOKS).unwrap();
        let now = Timestamp::parse("2026-03-01T09:30:00Z").unwrap();
        let oldest = Timestamp::parse("2026-03-01T08:29:59Z").unwrap();
        metrics.set_pending(QueueStats { pending: 3, oldest: Some(oldest) }, now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (3, 3601));
        // The clock of another instance can be ahead.
        metrics.set_pending(QueueStats { pending: 1, oldest: Some(now) }, oldest);
        assert_eq!(metrics.oldest_s.get(), 0);
        metrics.set_pending(QueueStats::default(), now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (0, 0));
    }
}
