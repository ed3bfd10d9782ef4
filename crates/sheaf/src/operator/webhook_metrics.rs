//! Metrics of the outbox, and of the worker that sends webhooks.

use contract::Timestamp;
use notify::Counters;
use prometheus::{Counter, IntCounter, IntCounterVec, IntGauge, Opts, Registry};
use store::outbox::OutboxStats;

use super::to_i64;

/// Metrics of webhooks.
pub(super) struct WebhookMetrics {
    pending: IntGauge,
    oldest_s: IntGauge,
    attempts: IntCounterVec,
    duration_s: Counter,
    count: IntCounter,
}

impl WebhookMetrics {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// Two metrics with the same name.
    pub(super) fn new(registry: &Registry) -> prometheus::Result<Self> {
        let pending = IntGauge::new(
            "sheaf_outbox_pending",
            "Pending deliveries of enabled webhooks, including those that wait for a retry.",
        )?;
        let oldest_s = IntGauge::new(
            "sheaf_outbox_oldest_seconds",
            "Age of the oldest pending delivery of an enabled webhook; 0 without one.",
        )?;
        let attempts = Opts::new(
            "sheaf_webhook_attempts_total",
            "Attempts to send a delivery: delivered, retried later, or failed for good.",
        );
        let attempts = IntCounterVec::new(attempts, &["outcome"])?;
        let duration_s = Counter::new(
            "sheaf_webhook_attempt_seconds_sum",
            "Total duration of all attempts to send a delivery.",
        )?;
        let count = IntCounter::new(
            "sheaf_webhook_attempt_seconds_count",
            "Number of all attempts to send a delivery.",
        )?;
        registry.register(Box::new(pending.clone()))?;
        registry.register(Box::new(oldest_s.clone()))?;
        registry.register(Box::new(attempts.clone()))?;
        registry.register(Box::new(duration_s.clone()))?;
        registry.register(Box::new(count.clone()))?;
        Ok(Self { pending, oldest_s, attempts, duration_s, count })
    }

    /// Updates the metrics of the outbox.
    pub(super) fn set_outbox(&self, stats: OutboxStats, now: Timestamp) {
        self.pending.set(to_i64(stats.pending));
        let age_s = stats.oldest.map(|oldest| now.seconds() - oldest.seconds());
        self.oldest_s.set(age_s.unwrap_or(0).max(0));
    }

    /// Updates the metrics of attempts.
    pub(super) fn set_attempts(&self, counters: &Counters) {
        let mut total = 0;
        for (outcome, count) in [
            ("delivered", counters.delivered()),
            ("retried", counters.retried()),
            ("failed", counters.failed()),
        ] {
            let counter = self.attempts.with_label_values(&[outcome]);
            counter.inc_by(count.saturating_sub(counter.get()));
            total += count;
        }
        self.count.inc_by(total.saturating_sub(self.count.get()));
        let duration = std::time::Duration::from_millis(counters.duration_ms());
        self.duration_s.inc_by((duration.as_secs_f64() - self.duration_s.get()).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_delivery_has_age() {
        let metrics = WebhookMetrics::new(&Registry::new()).unwrap();
        let now = Timestamp::parse("2026-03-01T09:30:00Z").unwrap();
        let oldest = Timestamp::parse("2026-03-01T08:29:59Z").unwrap();
        metrics.set_outbox(OutboxStats { pending: 3, oldest: Some(oldest) }, now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (3, 3601));
        // The clock of another instance can be ahead.
        metrics.set_outbox(OutboxStats { pending: 1, oldest: Some(now) }, oldest);
        assert_eq!(metrics.oldest_s.get(), 0);
        metrics.set_outbox(OutboxStats::default(), now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (0, 0));
    }
}
