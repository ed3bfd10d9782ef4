//! Metrics that are read when they are requested: of the store, the upstream and the process.

use prometheus::process_collector::ProcessCollector;
use prometheus::{IntCounter, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder};

use std::time::Duration;
use store::clock::{Clock as _, SystemClock};
use store_postgres::{PoolStatus, PostgresStore};
use store_sqlite::SqliteStore;
use tokio::time::timeout;

use super::queue_metrics::{MAIL, QueueMetrics, WEBHOOKS};
use super::readiness::Readiness;
use super::{register, to_i64};
use crate::error::Result;
use crate::stores::OpenStore;

/// Media type of [`Metrics::encode`].
pub(super) const MEDIA_TYPE: &str = prometheus::TEXT_FORMAT;

/// Timeout of a database query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(1);

/// Metrics of database connections, by purpose.
struct ConnectionMetrics {
    max: IntGaugeVec,
    open: IntGaugeVec,
    in_use: IntGaugeVec,
    waiting: IntGaugeVec,
}

impl ConnectionMetrics {
    fn new(registry: &Registry) -> prometheus::Result<Self> {
        let gauge = |name: &str, help: &str| -> prometheus::Result<IntGaugeVec> {
            register(registry, IntGaugeVec::new(Opts::new(name, help), &["for"])?)
        };
        Ok(Self {
            max: gauge(
                "sheaf_database_connections_max",
                "Maximum number of database connections.",
            )?,
            open: gauge("sheaf_database_connections_open", "Open database connections.")?,
            in_use: gauge("sheaf_database_connections_in_use", "Database connections in use.")?,
            waiting: gauge(
                "sheaf_database_calls_waiting",
                "Calls waiting for a database connection, each for at most 5 s.",
            )?,
        })
    }

    fn set_connections(&self, pool: &str, status: PoolStatus) {
        let PoolStatus { max, open, in_use, waiting } = status;
        for (gauge, status) in
            [(&self.max, max), (&self.open, open), (&self.in_use, in_use), (&self.waiting, waiting)]
        {
            gauge.with_label_values(&[pool]).set(to_i64(status));
        }
    }
}

/// Metrics, and the registry of all metrics.
pub(super) struct Metrics {
    registry: Registry,
    ready: IntGauge,
    submissions_accepted: IntCounter,
    submissions_rejected: IntCounter,
    writes_waiting: IntGauge,
    database: IntGauge,
    log: IntGauge,
    search: IntGauge,
    insights: IntGauge,
    upstream: IntGauge,
    limits_unreachable: IntGauge,
    limits_shares: IntCounter,
    limits_full: IntGauge,
    instances: IntGauge,
    connections: ConnectionMetrics,
    replica: IntGauge,
    webhooks: QueueMetrics,
    mail: QueueMetrics,
}

impl Metrics {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// Two metrics with the same name.
    pub(super) fn new(registry: &Registry) -> Result<Self> {
        let gauge = |name: &str, help: &str| -> prometheus::Result<IntGauge> {
            register(registry, IntGauge::new(name, help)?)
        };
        let counter = |name: &str, help: &str| -> prometheus::Result<IntCounter> {
            register(registry, IntCounter::new(name, help)?)
        };
        let make = || -> prometheus::Result<Self> {
            register_process(registry)?;
            Ok(Self {
                ready: gauge("sheaf_ready", "1 while the server is ready for requests, else 0.")?,
                submissions_accepted: counter(
                    "sheaf_submissions_taken_total",
                    "Accepted submissions, including spam.",
                )?,
                submissions_rejected: counter(
                    "sheaf_submissions_refused_total",
                    "Submissions rejected because the disk is full.",
                )?,
                writes_waiting: gauge(
                    "sheaf_store_writes_waiting",
                    "Writes waiting for the disk, at most 1024.",
                )?,
                database: gauge("sheaf_store_database_bytes", "Size of the database file.")?,
                log: gauge("sheaf_store_log_bytes", "Size of the write-ahead log.")?,
                search: gauge("sheaf_search_memory_bytes", "Memory used by texts for searching.")?,
                insights: gauge(
                    "sheaf_insights_waiting",
                    "Submissions waiting for analysis; PostgreSQL counts at most 100000.",
                )?,
                upstream: gauge(
                    "sheaf_upstream_left_alone",
                    "1 after five failures of the upstream in a row, until it responds; else 0.",
                )?,
                limits_unreachable: gauge(
                    "sheaf_limits_alone",
                    "1 while the database of the shared limits does not answer, else 0.",
                )?,
                limits_shares: counter(
                    "sheaf_limits_shares_total",
                    "Requests and login attempts that were checked against this instance's share \
                     of the limits.",
                )?,
                limits_full: gauge(
                    "sheaf_limits_full",
                    "Kinds of rate-limit windows that are full, so that new clients share one \
                     window.",
                )?,
                instances: gauge(
                    "sheaf_instances",
                    "Instances that share limits, including this one; 0 without shared limits.",
                )?,
                connections: ConnectionMetrics::new(registry)?,
                replica: gauge(
                    "sheaf_replica_left_alone",
                    "1 while the primary serves reads because the replica is down or behind, else \
                     0.",
                )?,
                webhooks: QueueMetrics::new(registry, &WEBHOOKS)?,
                mail: QueueMetrics::new(registry, &MAIL)?,
                registry: registry.clone(),
            })
        };
        Ok(make().map_err(|error| server::metric_error(&error))?)
    }

    /// Updates the metrics, and returns all of them in the text format of Prometheus.
    ///
    /// # Errors
    /// A metric that cannot be encoded.
    pub(super) async fn encode(&self, readiness: &Readiness) -> prometheus::Result<String> {
        self.ready.set(i64::from(readiness.problems().await.is_empty()));
        self.upstream.set(i64::from(readiness.is_upstream_failing()));
        if let Some(limits) = readiness.limits() {
            self.limits_unreachable.set(i64::from(limits.is_unavailable()));
            self.limits_shares
                .inc_by(limits.fallback_total().saturating_sub(self.limits_shares.get()));
            self.limits_full.set(to_i64(limits.full_kinds()));
            self.instances.set(to_i64(limits.instances()));
        }
        if let Some(counters) = readiness.webhooks() {
            self.webhooks.set_attempts(counters);
        }
        if let Some(counters) = readiness.mail() {
            self.mail.set_attempts(counters);
        }
        if let Some(store) = readiness.store() {
            match &store {
                OpenStore::File(store) => self.update_from_file(store).await,
                OpenStore::Database(store) => self.update_from_database(store).await,
            }
            if let Ok(Ok(stats)) = timeout(QUERY_TIMEOUT, store.store().outbox_stats()).await {
                self.webhooks.set_pending(stats, SystemClock.now());
            }
            if let Ok(Ok(stats)) = timeout(QUERY_TIMEOUT, store.store().mail_stats()).await {
                self.mail.set_pending(stats, SystemClock.now());
            }
        }
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }

    async fn update_from_file(&self, store: &SqliteStore) {
        let metrics = store.metrics();
        self.submissions_accepted
            .inc_by(metrics.submissions_taken.saturating_sub(self.submissions_accepted.get()));
        self.submissions_rejected
            .inc_by(metrics.submissions_refused.saturating_sub(self.submissions_rejected.get()));
        self.writes_waiting.set(to_i64(metrics.writes_waiting));
        self.database.set(to_i64(metrics.database_bytes));
        self.log.set(to_i64(metrics.log_bytes));
        self.search.set(to_i64(metrics.index_stats.text_bytes));
        // A database that cannot be read is reported by `sheaf_ready`.
        if let Ok(waiting) = store.count_pending_insights().await {
            self.insights.set(to_i64(waiting));
        }
    }

    async fn update_from_database(&self, store: &PostgresStore) {
        let metrics = store.metrics();
        self.submissions_accepted
            .inc_by(metrics.submissions_inserted.saturating_sub(self.submissions_accepted.get()));
        self.connections.set_connections("calls", metrics.short_pool);
        self.connections.set_connections("long", metrics.long_pool);
        if let Some(replica) = metrics.replica {
            self.connections.set_connections("replica", replica);
            self.replica.set(i64::from(metrics.is_replica_disabled));
        }
        if let Ok(Ok(waiting)) = timeout(QUERY_TIMEOUT, store.count_pending_insights()).await {
            self.insights.set(to_i64(waiting));
        }
    }
}

/// Registers the process and the version of its binary.
fn register_process(registry: &Registry) -> prometheus::Result<()> {
    registry.register(Box::new(ProcessCollector::for_self()))?;
    let build = Opts::new("sheaf_build_info", "Version of the binary.");
    let build = IntGaugeVec::new(build, &["version"])?;
    build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
    registry.register(Box::new(build))
}
