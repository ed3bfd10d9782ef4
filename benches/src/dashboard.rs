//! `bench dashboard`: the built dashboard in a real browser, compared with a React page of the same
//! list.
//!
//! Both pages are served by one reverse proxy from one server, and take turns. A figure is the
//! median of the rounds, with the minimum and the maximum.

mod browser;
mod export;
mod first_view;
mod frame_trace;
mod interaction;
mod proxy;
mod scroll;

use crate::args::Dashboard;
use crate::bench::start_server;
use crate::data::{self, BenchData, EMAIL};
use crate::load::median;
use crate::process::Program;
use crate::results::{DASHBOARD, DASHBOARD_SCENARIOS, FigureRow, Run};
use crate::{Result, idle_cost, page, print_line};
use browser::Browser;
use std::fs;
use std::net::SocketAddr;

/// One of the two pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Sheaf,
    React,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Sheaf, Self::React];
}

/// State that the scenarios share.
pub(crate) struct DashboardBench {
    browser: Browser,
    front: SocketAddr,
    server: Program,
    data: BenchData,
    rounds: usize,
    notes: bool,
}

/// Values of one figure, one per round.
#[derive(Debug, Default)]
struct Figures(Vec<f64>);

impl Figures {
    fn add(&mut self, figure: f64) {
        self.0.push(figure);
    }

    fn median(&self) -> f64 {
        median(&self.0)
    }

    /// Returns the median of the ratios to `theirs` of each round, because the speed of a machine
    /// differs more between rounds than within one. Values of `theirs` below one count as one.
    fn ratio(&self, theirs: &Self) -> f64 {
        let rounds = self.0.iter().zip(&theirs.0);
        median(&rounds.map(|(ours, theirs)| ours / theirs.max(1.0)).collect::<Vec<_>>())
    }

    fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Formats the median with its unit, and the range.
    fn format(&self, unit: &str, digits: usize) -> String {
        let middle = self.median();
        let max = self.max();
        let least = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        if self.0.len() < 2 || (max - least).abs() < f64::EPSILON {
            return format!("{middle:.digits$}{unit}");
        }
        format!("{middle:.digits$}{unit} ({least:.digits$} to {max:.digits$})")
    }
}

/// Runs the scenarios, prints and stores their figures, and writes the page.
pub(crate) async fn run(args: &Dashboard) -> Result {
    let data = BenchData::ensure_with_few_forms(&args.data).await?;
    let server = start_server(&args.data.sheaf, &data, &[]).await?;
    let front = proxy::start_proxy(server.address, &args.react).await?;
    let browser = Browser::start(&args.chromedriver).await?;
    let rounds = args.rounds.max(1);
    let bench = DashboardBench { browser, front, server, data, rounds, notes: args.notes };
    bench.sign_in(args).await?;
    let mut results = Run {
        rows: args.data.rows,
        file_bytes: fs::metadata(bench.data.database_path())?.len(),
        machine: idle_cost::describe_machine(),
        other_load: args.other_load.clone(),
        search_memory_mib: bench.data.search_memory_mib(),
        measured: Vec::new(),
    };
    for scenario in DASHBOARD_SCENARIOS {
        let is_wanted = |name: &String| scenario.starts_with(name.as_str());
        if args.only.is_empty() || args.only.iter().any(is_wanted) {
            print_line(format!("\n{scenario}, load {}", load_average()));
            let rows = bench.run_scenario(scenario).await;
            results.add(scenario, rows.map_err(|error| format!("{scenario}: {error}"))?);
        }
    }
    bench.browser.quit().await?;
    bench.server.stop().await?;
    results.store(&args.page.results, DASHBOARD, &DASHBOARD_SCENARIOS)?;
    page::write_page(&args.page.results, &args.page.page)
}

/// Returns the load average of the last minute.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

impl DashboardBench {
    async fn run_scenario(&self, name: &str) -> Result<Vec<FigureRow>> {
        match name {
            "first view" => first_view::measure(self).await,
            "scrolling" => scroll::measure(self).await,
            "acts" => interaction::measure(self).await,
            _ => export::measure(self).await,
        }
    }

    /// Signs the browser in by a link, because the owner has no password.
    async fn sign_in(&self, args: &Dashboard) -> Result {
        let url = format!("http://{}", self.front);
        let arguments = ["account", "sign-in-link", "--account", EMAIL, "--url", &url];
        let link = data::run_sheaf(&args.data.sheaf, &self.data.folder, &arguments).await?;
        self.browser.open(link.trim()).await?;
        self.browser.wait_for("the dashboard", "document.querySelector('nav') !== null").await?;
        Ok(())
    }

    /// Returns the URL of a page's list.
    fn url(&self, side: Side) -> String {
        let front = self.front;
        let form = &self.data.large;
        match side {
            Side::Sheaf => format!("http://{front}/live/forms/{form}"),
            Side::React => format!("http://{front}/react-list/?form={form}"),
        }
    }

    /// Opens a page, and waits until its rows are interactive.
    async fn open(&self, side: Side) -> Result {
        self.browser.open(&self.url(side)).await?;
        self.browser.wait_for("rows that answer", "window.probe?.ready ?? false").await?;
        Ok(())
    }

    /// Returns the number of submissions that a search finds.
    async fn count_matches(&self, search: &str) -> Result<u64> {
        let path = self.data.list_path(&format!("limit=1&search={search}"));
        let body = crate::client::fetch_ok(self.server.address, &path, &self.data.key).await?;
        let answer: serde_json::Value = serde_json::from_slice(&body)?;
        answer["pagination"]["total"].as_u64().ok_or_else(|| "the response has no total".into())
    }

    /// Prints details behind a figure, if `--notes` is given.
    fn print_note(&self, side: Side, label: &str, text: &str) {
        if self.notes {
            print_line(format!("  {side:?}, {label}: {text}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_median_and_range() {
        let check = |figures: &[f64], expected: &str| {
            assert_eq!(Figures(figures.to_vec()).format("ms", 1), expected);
        };
        check(&[3.0, 1.0, 2.0], "2.0 ms (1.0 to 3.0)");
        check(&[2.0, 2.0], "2.0 ms");
        check(&[4.25], "4.2 ms");
    }

    #[test]
    fn ratio_is_median_of_round_ratios() {
        let check = |ours: &[f64], theirs: &[f64], ratio: f64| {
            let found = Figures(ours.to_vec()).ratio(&Figures(theirs.to_vec()));
            assert!((found - ratio).abs() < 1e-9, "{found}");
        };
        // The machine was twice as fast in the second round. The ratio of the medians would be 0.4.
        check(&[6.0, 3.0, 4.0], &[12.0, 6.0, 10.0], 0.5);
        check(&[0.0, 3.0, 0.0], &[0.0, 0.0, 0.0], 0.0);
    }
}
