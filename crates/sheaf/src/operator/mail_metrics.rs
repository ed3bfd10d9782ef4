//! Metrics of pending e-mails, and of the worker that sends them.

use contract::Timestamp;
use notify::mail::MailCounters;
use prometheus::{Counter, IntCounter, IntCounterVec, IntGauge, Opts, Registry};
use store::mail::MailStats;

use super::to_i64;

/// Metrics of e-mail.
pub(super) struct MailMetrics {
    pending: IntGauge,
    oldest_s: IntGauge,
    sent: IntCounterVec,
    duration_s: Counter,
    count: IntCounter,
}

impl MailMetrics {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// Two metrics with the same name.
    pub(super) fn new(registry: &Registry) -> prometheus::Result<Self> {
        let pending = IntGauge::new(
            "sheaf_mail_pending",
            "Pending e-mails, including those that wait for a digest or a retry.",
        )?;
        let oldest_s = IntGauge::new(
            "sheaf_mail_oldest_seconds",
            "Age of the oldest pending e-mail; 0 without one. Digests wait for up to a day.",
        )?;
        let sent = Opts::new(
            "sheaf_mail_sent_total",
            "Attempts to send an e-mail: sent, retried later, or refused by the mail server.",
        );
        let sent = IntCounterVec::new(sent, &["outcome"])?;
        let duration_s = Counter::new(
            "sheaf_mail_send_seconds_sum",
            "Total duration of all attempts to send an e-mail.",
        )?;
        let count = IntCounter::new(
            "sheaf_mail_send_seconds_count",
            "Number of all attempts to send an e-mail.",
        )?;
        registry.register(Box::new(pending.clone()))?;
        registry.register(Box::new(oldest_s.clone()))?;
        registry.register(Box::new(sent.clone()))?;
        registry.register(Box::new(duration_s.clone()))?;
        registry.register(Box::new(count.clone()))?;
        Ok(Self { pending, oldest_s, sent, duration_s, count })
    }

    /// Updates the metrics of pending e-mails.
    pub(super) fn set_pending(&self, stats: MailStats, now: Timestamp) {
        self.pending.set(to_i64(stats.pending));
        let age_s = stats.oldest.map(|oldest| now.seconds() - oldest.seconds());
        self.oldest_s.set(age_s.unwrap_or(0).max(0));
    }

    /// Updates the metrics of attempts.
    pub(super) fn set_attempts(&self, counters: &MailCounters) {
        let mut total: u64 = 0;
        for (outcome, count) in [
            ("sent", counters.sent()),
            ("retried", counters.retried()),
            ("refused", counters.refused()),
        ] {
            let counter = self.sent.with_label_values(&[outcome]);
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
    fn oldest_mail_has_age() {
        let metrics = MailMetrics::new(&Registry::new()).unwrap();
        let now = Timestamp::parse("2026-03-01T09:30:00Z").unwrap();
        let oldest = Timestamp::parse("2026-03-01T08:29:59Z").unwrap();
        metrics.set_pending(MailStats { pending: 3, oldest: Some(oldest) }, now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (3, 3601));
        // The clock of another instance can be ahead.
        metrics.set_pending(MailStats { pending: 1, oldest: Some(now) }, oldest);
        assert_eq!(metrics.oldest_s.get(), 0);
        metrics.set_pending(MailStats::default(), now);
        assert_eq!((metrics.pending.get(), metrics.oldest_s.get()), (0, 0));
    }
}
