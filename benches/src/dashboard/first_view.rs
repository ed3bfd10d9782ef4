//! First view: transferred bytes until rows are on screen, and the time until then.

use super::{DashboardBench, Figures, Side};
use crate::Result;
use crate::results::FigureRow;
use serde_json::{Value, json};

/// Goals: compressed bytes without data, and the ratio of times to the React page.
const BYTES_MAX: f64 = 260_000.0;
const BYTES_AIM: f64 = 200_000.0;
const RATIO_MAX: f64 = 1.0;
const RATIO_SLOW_MAX: f64 = 1.3;

/// Kinds of transferred bytes, in the order of the rows. The page's own code comes first.
const KINDS: [&str; 6] = ["wasm", "js", "css", "html", "svg", "data"];

/// A network and a processor.
struct NetworkProfile {
    name: &'static str,
    /// Latency in milliseconds, and download and upload in bytes per second; 0 and -1 are no limit.
    conditions: (f64, f64, f64),
    /// Slowdown factor of the page's main thread.
    slower: f64,
    ratio_max: f64,
}

const NETS: [NetworkProfile; 2] = [
    NetworkProfile {
        name: "unthrottled",
        conditions: (0.0, -1.0, -1.0),
        slower: 1.0,
        ratio_max: RATIO_MAX,
    },
    // The profile of Lighthouse: 1.6 Mbit/s down, 750 kbit/s up, 150 ms, a phone's processor.
    NetworkProfile {
        name: "slow 4G, CPU at 1/4",
        conditions: (150.0, 200_000.0, 93_750.0),
        slower: 4.0,
        ratio_max: RATIO_SLOW_MAX,
    },
];

/// Loads both pages in turns with an empty cache.
pub(crate) async fn measure(bench: &DashboardBench) -> Result<Vec<FigureRow>> {
    let mut rows = Vec::new();
    let mut bytes = [Value::Null, Value::Null];
    for net in &NETS {
        let mut times_ms = [Figures::default(), Figures::default()];
        let mut ready_ms = [Figures::default(), Figures::default()];
        for _ in 0..bench.rounds {
            for side in Side::BOTH {
                let (ms, until_ready_ms, received) = load_page(bench, side, net).await?;
                times_ms[side as usize].add(ms);
                ready_ms[side as usize].add(until_ready_ms);
                bytes[side as usize] = received;
            }
        }
        let [ours, theirs] = &times_ms;
        let ratio = ours.ratio(theirs);
        let path = format!("first rows visible, empty cache, {}", net.name);
        let goal = net.ratio_max;
        let row = FigureRow::new(path, ours.format("ms", 0)).against(theirs.format("ms", 0), ratio);
        rows.push(row.goal(format!("≤ {goal:.1}"), ratio <= goal));
        let [ours, theirs] = &ready_ms;
        let path = format!("first rows interactive, empty cache, {}", net.name);
        let ratio = ours.ratio(theirs);
        rows.push(
            FigureRow::new(path, ours.format("ms", 0)).against(theirs.format("ms", 0), ratio),
        );
    }
    bench.browser.send_cdp("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })).await?;
    rows.splice(0..0, size_rows(&bytes));
    Ok(rows)
}

fn size_rows(bytes: &[Value; 2]) -> Vec<FigureRow> {
    let total_bytes =
        |side: Side, kind: &str| bytes[side as usize][kind].as_f64().unwrap_or_default();
    let code = |side| KINDS[..4].iter().map(|kind| total_bytes(side, kind)).sum::<f64>();
    let kilobytes = |bytes: f64| format!("{:.1} kB", bytes / 1000.0);
    let ours = code(Side::Sheaf);
    let theirs = code(Side::React);
    let goal = format!("≤ {:.0} kB, aim {:.0}", BYTES_MAX / 1000.0, BYTES_AIM / 1000.0);
    let mut rows = vec![
        FigureRow::new("first view: wasm, js, css and html", kilobytes(ours))
            .against(kilobytes(theirs), ours / theirs)
            .goal(goal, ours <= BYTES_MAX),
    ];
    rows.extend(KINDS.map(|kind| {
        let row = FigureRow::new(
            format!("first view: {kind}"),
            kilobytes(total_bytes(Side::Sheaf, kind)),
        );
        FigureRow { against: kilobytes(total_bytes(Side::React, kind)), ..row }
    }));
    rows
}

/// Loads a page once. Returns the milliseconds until rows are on screen and until they are
/// interactive, and the bytes transferred until then.
async fn load_page(
    bench: &DashboardBench,
    side: Side,
    net: &NetworkProfile,
) -> Result<(f64, f64, Value)> {
    let browser = &bench.browser;
    browser.open("about:blank").await?;
    browser.send_cdp("Network.clearBrowserCache", json!({})).await?;
    let (wait_ms, down, up) = net.conditions;
    let conditions = json!({
        "offline": false, "latency": wait_ms, "downloadThroughput": down, "uploadThroughput": up,
    });
    browser.send_cdp("Network.emulateNetworkConditions", conditions).await?;
    browser.send_cdp("Emulation.setCPUThrottlingRate", json!({ "rate": net.slower })).await?;
    browser.send_cdp("Page.navigate", json!({ "url": bench.url(side) })).await?;
    let ready = browser.wait_for("rows that answer", "window.probe?.ready ?? false").await?;
    let first = browser.eval("probe.first").await?;
    let free = json!({
        "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
    });
    browser.send_cdp("Network.emulateNetworkConditions", free).await?;
    let bytes = browser.eval("probe.bytes(probe.ready)").await?;
    let first = first.as_f64().ok_or("the probe has no time of the first rows")?;
    Ok((first, ready.as_f64().ok_or("the probe has no time of interactive rows")?, bytes))
}
