//! Export of the complete list while the list is scrolled: frame rate of the page and memory of the
//! browser.

use super::frame_trace::FrameTrace;
use super::{DashboardBench, Figures, Side};
use crate::Result;
use crate::process::{anonymous_bytes_of, descendants};
use crate::results::FigureRow;
use serde::Deserialize;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

/// Goals.
const FRAMES_A_SECOND: f64 = 60.0;
const MORE_MB_MAX: f64 = 150.0;

/// Exported formats, by their names in the dialog.
const FORMATS: [&str; 2] = ["CSV", "Excel"];
/// Script that replaces the file picker, which has no automation, by a file of the origin's
/// private storage.
const FILE_PICKER_STUB: &str = "window.showSaveFilePicker = async () =>
    (await navigator.storage.getDirectory()).getFileHandle('picked', { create: true }); true";
/// Pause before a measurement, until the page has prefetched its data.
const PREFETCH_WAIT: Duration = Duration::from_secs(3);
/// The list is scrolled by this many px per frame, for some turns down and up. A synthesized scroll
/// gesture would pause between its turns, without frames.
const READ_EVERY: Duration = Duration::from_millis(16);
const READ_PX: f64 = 15.0;
const READ_TURNS: usize = 120;
/// Duration of scrolling before the export.
const BEFORE: Duration = Duration::from_secs(8);
/// Interval of the memory samples; peaks between two samples are missed. A shorter interval would
/// slow the browser, because the system walks all of its pages for each sample.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum duration of an export.
const EXPORT_MAX: Duration = Duration::from_mins(5);

/// Values of the probe.
#[derive(Debug, Deserialize)]
struct ProbeResult {
    frames: f64,
    long: Vec<f64>,
}

/// Figures of one format, over all rounds.
#[derive(Default)]
struct FormatFigures {
    took_s: Figures,
    frames_a_second: Figures,
    frames_a_second_before: Figures,
    dropped: Figures,
    new_a_second: Figures,
    new_a_second_before: Figures,
    longest_ms: Figures,
    more_mb: Figures,
}

/// Exports the complete form in each format while scrolling.
pub(crate) async fn measure(bench: &DashboardBench) -> Result<Vec<FigureRow>> {
    let mut rows = Vec::new();
    for format in FORMATS {
        let mut sum = FormatFigures::default();
        for _ in 0..bench.rounds {
            measure_format(bench, format, &mut sum).await?;
        }
        rows.extend(result_rows(format, &sum));
    }
    Ok(rows)
}

fn result_rows(format: &str, sum: &FormatFigures) -> Vec<FigureRow> {
    let row = |name: &str, figures: &Figures, unit: &str, digits: usize| {
        FigureRow::new(format!("{format}: {name}"), figures.format(unit, digits))
    };
    let compare = |name: &str, [meanwhile, before]: [&Figures; 2]| {
        let before_text = format!("{} before", before.format("", 1));
        row(name, meanwhile, "", 1).against(before_text, meanwhile.ratio(before))
    };
    // Rounded: a frame more or less depends on the start and end of the measurement.
    let is_smooth = sum.frames_a_second.median().round() >= FRAMES_A_SECOND;
    vec![
        row("click until the file is complete", &sum.took_s, "s", 1),
        compare(
            "frames per second while scrolling",
            [&sum.frames_a_second, &sum.frames_a_second_before],
        )
        .goal(format!("{FRAMES_A_SECOND}"), is_smooth),
        row("dropped frames", &sum.dropped, "", 0),
        compare(
            "frames per second with changes by the main thread",
            [&sum.new_a_second, &sum.new_a_second_before],
        ),
        row("longest main-thread task over 50 ms", &sum.longest_ms, "ms", 0),
        row("peak additional memory of the browser", &sum.more_mb, "MB", 1)
            .goal(format!("< {MORE_MB_MAX} MB"), sum.more_mb.max() < MORE_MB_MAX),
    ]
}

async fn measure_format(bench: &DashboardBench, format: &str, sum: &mut FormatFigures) -> Result {
    let browser = &bench.browser;
    bench.open(Side::Sheaf).await?;
    tokio::time::sleep(PREFETCH_WAIT).await;
    browser.memory().await?;
    let idle = scroll_until(bench, async |since| Ok(since.elapsed() >= BEFORE)).await?;
    sum.frames_a_second_before.add(idle.frames_a_second);
    sum.new_a_second_before.add(idle.new_a_second);
    browser.eval(FILE_PICKER_STUB).await?;
    click_text(bench, "button", "Export").await?;
    click_text(bench, "label", format).await?;
    let driver = browser.pid();
    let before = descendants(driver).into_iter().map(anonymous_bytes_of).sum::<u64>();
    let peak = sample_peak_memory(driver);
    click_text(bench, "button", "Download").await?;
    let since = Instant::now();
    click_text(bench, "button", "Hide").await?;
    let is_done = async |_| {
        let is_done = browser.eval(IS_DONE).await? == true;
        if !is_done && since.elapsed() > EXPORT_MAX {
            return Err("the export did not finish in time".into());
        }
        Ok(is_done)
    };
    let meanwhile = scroll_until(bench, is_done).await?;
    sum.took_s.add(since.elapsed().as_secs_f64());
    sum.frames_a_second.add(meanwhile.frames_a_second);
    sum.new_a_second.add(meanwhile.new_a_second);
    sum.dropped.add(meanwhile.dropped);
    sum.longest_ms.add(meanwhile.longest_ms);
    peak.stop.send(()).map_err(|()| "the memory sampler stopped")?;
    let peak = peak.looks.await?;
    sum.more_mb.add(peak.saturating_sub(before) as f64 / 1e6);
    bench.print_note(
        Side::Sheaf,
        format,
        &format!("{} MB before, {} at most", mb(before), mb(peak)),
    );
    Ok(())
}

fn mb(bytes: u64) -> u64 {
    bytes / 1_000_000
}

/// Clicks the element with a text, once it exists.
async fn click_text(bench: &DashboardBench, element: &str, text: &str) -> Result {
    let it = format!(
        "(() => {{ const all = [...document.querySelectorAll('{element}')];
        const it = all.find((one) => one.innerText.trim().split('\\n')[0] === '{text}');
        it?.click(); return !!it; }})()"
    );
    bench.browser.wait_for(text, &it).await.map(drop)
}

const IS_DONE: &str = "document.body.innerText.includes('Exported ')";

/// Figures of a period of scrolling.
struct ScrollStats {
    frames_a_second: f64,
    dropped: f64,
    new_a_second: f64,
    longest_ms: f64,
}

/// Scrolls the list down and up until `is_done`, which is called after every turn.
async fn scroll_until(
    bench: &DashboardBench,
    is_done: impl AsyncFn(Instant) -> Result<bool>,
) -> Result<ScrollStats> {
    let browser = &bench.browser;
    let record = FrameTrace::begin(browser).await?;
    browser.eval("probe.start()").await?;
    let since = Instant::now();
    let mut next = tokio::time::interval(READ_EVERY);
    next.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut px = READ_PX;
    while !is_done(since).await? {
        for _ in 0..READ_TURNS {
            next.tick().await;
            browser.wheel(700.0, 600.0, px).await?;
        }
        px = -px;
    }
    let took_s = since.elapsed().as_secs_f64();
    let seen: ProbeResult = serde_json::from_value(browser.eval("probe.stop()").await?)?;
    let drawn = record.end().await?;
    Ok(ScrollStats {
        frames_a_second: drawn.a_second,
        dropped: drawn.dropped,
        new_a_second: seen.frames / took_s,
        longest_ms: seen.long.iter().copied().fold(0.0, f64::max),
    })
}

/// Background sampler of a browser's peak memory.
struct PeakMemory {
    stop: tokio::sync::oneshot::Sender<()>,
    looks: JoinHandle<u64>,
}

fn sample_peak_memory(driver: u32) -> PeakMemory {
    let (stop, mut stopped) = tokio::sync::oneshot::channel();
    let samples = tokio::spawn(async move {
        let mut next = tokio::time::interval(SAMPLE_INTERVAL);
        next.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut peak = 0;
        loop {
            tokio::select! {
                _ = &mut stopped => break peak,
                _ = next.tick() => {}
            }
            peak = peak.max(descendants(driver).into_iter().map(anonymous_bytes_of).sum());
        }
    });
    PeakMemory { stop, looks: samples }
}
