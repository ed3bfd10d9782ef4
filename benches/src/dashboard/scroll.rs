//! Scrolling through the list with the wheel, page keys and the scroll bar: processor time, dropped
//! frames and memory.

mod input_driver;

use super::browser::{Browser, ThreadTime};
use super::{DashboardBench, Figures, Side};
use crate::Result;
use crate::results::FigureRow;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// Goals.
const ROWS_MAX: f64 = 60.0;
const RATIO_MAX: f64 = 0.7;
/// Share of dropped frames below which the difference between the pages is noise.
const DROPPED_FEW: f64 = 0.01;
/// Share of dropped frames of the React page that makes the pages comparable, and the slowdown
/// factors of the main thread that are tried until it is reached.
const DROPPED_ENOUGH: f64 = 0.03;
const SLOWER: [u32; 4] = [2, 3, 4, 6];
const GROWTH_MB_MAX: f64 = 30.0;

/// Pause of a page before and after.
const PAUSE: Duration = Duration::from_millis(1500);

#[derive(Clone, Copy, PartialEq)]
enum ScrollMethod {
    Wheel,
    Keys,
    Drag,
    /// Wheel with the main thread slowed by this factor.
    Slowed(u32),
}

impl ScrollMethod {
    fn name(self) -> String {
        match self {
            Self::Wheel => "wheel".to_owned(),
            Self::Keys => "page keys".to_owned(),
            Self::Drag => "scroll bar".to_owned(),
            Self::Slowed(times) => format!("wheel, CPU at 1/{times}"),
        }
    }
}

/// Values of the probe.
#[derive(Debug, Deserialize)]
struct ProbeResult {
    frames: f64,
    dropped: f64,
    rows: f64,
    /// Durations of tasks over 50 ms, in milliseconds.
    long: Vec<f64>,
    /// Frames over 50 ms: duration, part of style and layout, and the scripts that ran.
    slow: Vec<(f64, f64, String)>,
}

/// Figures of one page scrolled in one way, over all rounds.
#[derive(Default)]
struct ScrollFigures {
    frames: Figures,
    dropped: Figures,
    rows: Figures,
    long: Figures,
    longest_ms: f64,
    script_ms: Figures,
    layout_ms: Figures,
    task_ms: Figures,
    lands_ms: Figures,
    moved_px: Figures,
}

/// Scrolls both pages in turns.
pub(crate) async fn measure(bench: &DashboardBench) -> Result<Vec<FigureRow>> {
    let methods = [
        ScrollMethod::Wheel,
        ScrollMethod::Keys,
        ScrollMethod::Drag,
        ScrollMethod::Slowed(find_slowdown(bench).await?),
    ];
    let mut sums: [[ScrollFigures; 4]; 2] = Default::default();
    let mut growth_mb = [Figures::default(), Figures::default()];
    let mut heaps = [(0.0, 0.0); 2];
    for _ in 0..bench.rounds {
        for side in Side::BOTH {
            bench.open(side).await?;
            tokio::time::sleep(PAUSE).await;
            let before = bench.browser.memory().await?;
            for (n, method) in methods.into_iter().enumerate() {
                measure_method(bench, side, method, &mut sums[side as usize][n]).await?;
            }
            let after = bench.browser.memory().await?;
            growth_mb[side as usize].add((after.0 + after.1 - before.0 - before.1) / 1e6);
            heaps[side as usize] = after;
        }
    }
    let [ours, theirs] = &sums;
    let mut rows = Vec::new();
    for (n, method) in methods.into_iter().enumerate() {
        rows.extend(result_rows(method, &ours[n], &theirs[n]));
    }
    let [ours, theirs] = &growth_mb;
    rows.push(
        FigureRow {
            against: theirs.format("MB", 1),
            ..FigureRow::new("memory growth by scrolling", ours.format("MB", 1))
        }
        .goal(format!("≤ {GROWTH_MB_MAX} MB"), ours.max() <= GROWTH_MB_MAX),
    );
    let heap = |side: Side| {
        let (script, wasm) = heaps[side as usize];
        format!("{:.1} + {:.1} MB", script / 1e6, wasm / 1e6)
    };
    let row = FigureRow::new("JS heap and wasm memory afterwards", heap(Side::Sheaf));
    rows.push(FigureRow { against: heap(Side::React), ..row });
    Ok(rows)
}

fn result_rows(
    method: ScrollMethod,
    ours: &ScrollFigures,
    theirs: &ScrollFigures,
) -> Vec<FigureRow> {
    let name = method.name();
    let is_slowed = matches!(method, ScrollMethod::Slowed(_));
    let path = |figure: &str| format!("{name}: {figure}");
    let compare = |figure: &str, ours: String, theirs: String| FigureRow {
        against: theirs,
        ..FigureRow::new(path(figure), ours)
    };
    let goal = format!("≤ {RATIO_MAX}");
    let script = ours.script_ms.ratio(&theirs.script_ms);
    let long = |sum: &ScrollFigures| {
        let count = sum.long.format("", 0);
        if sum.longest_ms > 0.0 { format!("{count}; {:.0} ms", sum.longest_ms) } else { count }
    };
    let tasks = compare("tasks over 50 ms; the longest", long(ours), long(theirs));
    vec![
        compare("maximum row elements", ours.rows.format("", 0), theirs.rows.format("", 0))
            .goal(format!("≤ {ROWS_MAX}"), ours.rows.max() <= ROWS_MAX),
        // A slowed thread takes that many times longer for each task.
        if is_slowed { tasks } else { tasks.goal("0", ours.long.max() < 1.0) },
        dropped_row(is_slowed, &path("dropped frames"), ours, theirs),
        FigureRow::new(path("script"), ours.script_ms.format("ms", 0))
            .against(theirs.script_ms.format("ms", 0), script)
            .goal(&goal, script <= RATIO_MAX),
        compare(
            "style and layout",
            ours.layout_ms.format("ms", 0),
            theirs.layout_ms.format("ms", 0),
        ),
        compare("main thread", ours.task_ms.format("ms", 0), theirs.task_ms.format("ms", 0)),
        compare("distance", ours.moved_px.format("px", 0), theirs.moved_px.format("px", 0)),
        compare(
            "input to loaded rows",
            ours.lands_ms.format("ms", 0),
            theirs.lands_ms.format("ms", 0),
        ),
    ]
}

/// Returns the row of dropped frames. If there are few at full speed, only the slowed wheel
/// compares the pages.
fn dropped_row(
    is_slowed: bool,
    path: &str,
    ours: &ScrollFigures,
    theirs: &ScrollFigures,
) -> FigureRow {
    let ratio = ours.dropped.ratio(&theirs.dropped);
    let are_few = ours.dropped.median() < DROPPED_FEW * ours.frames.median();
    let row = FigureRow::new(path, ours.dropped.format("", 0))
        .against(theirs.dropped.format("", 0), ratio);
    if is_slowed {
        row.goal(format!("≤ {RATIO_MAX}"), ratio <= RATIO_MAX)
    } else {
        let goal = format!("≤ {RATIO_MAX}, or {} % of all", DROPPED_FEW * 100.0);
        row.goal(goal, ratio <= RATIO_MAX || are_few)
    }
}

/// Returns the slowdown factor that makes the React page drop enough frames.
async fn find_slowdown(bench: &DashboardBench) -> Result<u32> {
    bench.open(Side::React).await?;
    for times in SLOWER {
        let mut sum = ScrollFigures::default();
        measure_method(bench, Side::React, ScrollMethod::Slowed(times), &mut sum).await?;
        if sum.dropped.median() >= DROPPED_ENOUGH * sum.frames.median() {
            return Ok(times);
        }
    }
    Ok(SLOWER[SLOWER.len() - 1])
}

/// Scrolls a page from its top in one way, and adds the figures.
async fn measure_method(
    bench: &DashboardBench,
    side: Side,
    method: ScrollMethod,
    sum: &mut ScrollFigures,
) -> Result {
    let browser = &bench.browser;
    browser.eval("document.querySelector('[role=grid]').scrollTop = 0").await?;
    tokio::time::sleep(PAUSE).await;
    browser.wait_for("rows at the top", "probe.isLoaded()").await?;
    let frame = browser.eval(FRAME).await?;
    let at = |name: &str| frame[name].as_f64().unwrap_or_default();
    let x = at("left") + at("width") / 2.0;
    let y = at("top") + at("height") / 2.0;
    bench.print_note(side, &method.name(), &format!("the list stands at {frame}"));
    if method == ScrollMethod::Keys {
        // Focus as by Tab: a click would open the row.
        browser.eval(FOCUS).await?;
    }
    let times = if let ScrollMethod::Slowed(times) = method { times } else { 1 };
    browser.send_cdp("Emulation.setCPUThrottlingRate", json!({ "rate": times })).await?;
    let before = browser.thread_time().await?;
    browser.eval("probe.start()").await?;
    match method {
        ScrollMethod::Wheel | ScrollMethod::Slowed(_) => {
            input_driver::turn_wheel(browser, x, y).await?;
        }
        ScrollMethod::Keys => input_driver::hold_page_down(browser).await?,
        ScrollMethod::Drag => input_driver::drag_scroll_bar(browser, &frame).await?,
    }
    let lands = browser.eval(ROWS_LOADED).await?;
    let seen: ProbeResult = serde_json::from_value(browser.eval("probe.stop()").await?)?;
    let scrolled_px = browser.eval("document.querySelector('[role=grid]').scrollTop").await?;
    sum.moved_px.add(scrolled_px.as_f64().unwrap_or_default());
    add_figures(sum, &seen, browser.thread_time().await? - before, lands.as_f64());
    browser.send_cdp("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })).await?;
    let focus = browser.eval("document.activeElement.outerHTML.slice(0, 90)").await?;
    bench.print_note(
        side,
        &method.name(),
        &format!("ends at {scrolled_px} px, {} frames, {focus}", seen.frames),
    );
    for (ms, layout_ms, scripts) in &seen.slow {
        bench.print_note(
            side,
            &method.name(),
            &format!("frame {ms} ms, layout {layout_ms}: {scripts}"),
        );
    }
    Ok(())
}

fn add_figures(
    sum: &mut ScrollFigures,
    seen: &ProbeResult,
    spent: ThreadTime,
    lands_ms: Option<f64>,
) {
    sum.frames.add(seen.frames);
    sum.dropped.add(seen.dropped);
    sum.rows.add(seen.rows);
    sum.long.add(seen.long.len() as f64);
    sum.longest_ms = seen.long.iter().copied().fold(sum.longest_ms, f64::max);
    sum.script_ms.add(spent.script * 1e3);
    sum.layout_ms.add((spent.style + spent.layout) * 1e3);
    sum.task_ms.add(spent.task * 1e3);
    sum.lands_ms.add(lands_ms.unwrap_or_default());
}

/// Expression with the position of the list and the width of its scroll bar.
const FRAME: &str = "(() => { const grid = document.querySelector('[role=grid]');
    const { left, top, width, height } = grid.getBoundingClientRect();
    return { left, top, width, height, bar: grid.offsetWidth - grid.clientWidth }; })()";
const FOCUS: &str = "(document.querySelector('[role=row][tabindex=\"0\"]') \
    ?? document.querySelector('[role=grid]')).focus()";
/// Expression with the milliseconds until all rows in view are loaded.
const ROWS_LOADED: &str = "new Promise((resolve) => { const from = performance.now();
    const look = () => probe.isLoaded() || performance.now() - from > 20_000
        ? resolve(performance.now() - from) : requestAnimationFrame(look);
    requestAnimationFrame(look); })";
