//! Figures that are looked up when somebody asks: of the store, the upstream and the process.

use prometheus::process_collector::ProcessCollector;
use prometheus::{IntCounter, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder};

use super::failed;
use super::readiness::Readiness;
use crate::error::Result;

/// The media type of what [`Figures::text`] returns.
pub(super) const MEDIA_TYPE: &str = prometheus::TEXT_FORMAT;

/// What is looked up, and the registry of all that is counted.
pub(super) struct Figures {
    registry: Registry,
    ready: IntGauge,
    taken: IntCounter,
    writes_waiting: IntGauge,
    database: IntGauge,
    log: IntGauge,
    search: IntGauge,
    insights: IntGauge,
    upstream: IntGauge,
}

impl Figures {
    /// Returns them, and has a registry know them.
    ///
    /// # Errors
    /// Two metrics of one name.
    pub(super) fn new(registry: &Registry) -> Result<Self> {
        let gauge = |name: &str, help: &str| -> prometheus::Result<IntGauge> {
            let gauge = IntGauge::new(name, help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok(gauge)
        };
        let make = || -> prometheus::Result<Self> {
            let taken = IntCounter::new(
                "sheaf_submissions_taken_total",
                "Submissions that forms took in, spam among them.",
            )?;
            registry.register(Box::new(taken.clone()))?;
            registry.register(Box::new(ProcessCollector::for_self()))?;
            let build = Opts::new("sheaf_build_info", "The version of the binary.");
            let build = IntGaugeVec::new(build, &["version"])?;
            build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
            registry.register(Box::new(build))?;
            Ok(Self {
                ready: gauge("sheaf_ready", "1 while requests should be sent here, else 0.")?,
                taken,
                writes_waiting: gauge(
                    "sheaf_store_writes_waiting",
                    "Writes that wait for the disk; 1024 at most.",
                )?,
                database: gauge("sheaf_store_database_bytes", "Size of the database.")?,
                log: gauge("sheaf_store_log_bytes", "Size of the database's log (WAL).")?,
                search: gauge(
                    "sheaf_search_memory_bytes",
                    "Memory that searched texts are held in.",
                )?,
                insights: gauge(
                    "sheaf_insights_waiting",
                    "Submissions that wait for their insight.",
                )?,
                upstream: gauge(
                    "sheaf_upstream_left_alone",
                    "1 while requests to the upstream fail at once, else 0.",
                )?,
                registry: registry.clone(),
            })
        };
        make().map_err(|error| failed(&error))
    }

    /// Looks everything up, and returns all of it in the text format of Prometheus.
    ///
    /// # Errors
    /// A metric that cannot be written.
    pub(super) async fn text(&self, readiness: &Readiness) -> prometheus::Result<String> {
        self.ready.set(i64::from(readiness.troubles().await.is_empty()));
        self.upstream.set(i64::from(readiness.is_left_alone() == Some(true)));
        if let Some(store) = readiness.store() {
            let vitals = store.vitals();
            self.taken.inc_by(vitals.submissions_taken.saturating_sub(self.taken.get()));
            self.writes_waiting.set(number(vitals.writes_waiting));
            self.database.set(number(vitals.database_bytes));
            self.log.set(number(vitals.log_bytes));
            self.search.set(number(vitals.holds.text_bytes));
            // A database that cannot be read says so in `sheaf_ready`.
            if let Ok(waiting) = store.insights_waiting().await {
                self.insights.set(number(waiting));
            }
        }
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

fn number(figure: impl TryInto<i64>) -> i64 {
    figure.try_into().unwrap_or(i64::MAX)
}
