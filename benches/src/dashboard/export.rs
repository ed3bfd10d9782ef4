//! Exporting the whole form from the page: how fast, and what the page feels of it.

use super::{Desk, Figures};
use crate::Result;
use crate::results::Row;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

/// To reach: frames that are dropped a second, and memory.
const DROPPED_A_SECOND_MAX: f64 = 0.6;
const GROWTH_MB_MAX: f64 = 150.0;

/// What is exported, by the name of its choice.
const FORMATS: [&str; 3] = ["CSV", "JSON", "XLSX"];
/// How often memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long a page is left alone before.
const REST: Duration = Duration::from_secs(3);
/// How long an export may take.
const PATIENCE: Duration = Duration::from_mins(10);

/// What the probe saw.
#[derive(Debug, Deserialize)]
struct Seen {
    frames: f64,
    dropped: f64,
    long: Vec<f64>,
}

/// One format over all rounds.
#[derive(Default)]
struct Sum {
    s: Figures,
    mb_a_second: Figures,
    frames_a_second: Figures,
    dropped_a_second: Figures,
    long: Figures,
    growth_mb: Figures,
}

/// Exports in each format to a file of the site's own, which stands in for one that was chosen.
pub(crate) async fn measure(desk: &Desk) -> Result<Vec<Row>> {
    let mut sums: [Sum; 3] = Default::default();
    for _ in 0..desk.rounds {
        for (format, sum) in FORMATS.into_iter().zip(&mut sums) {
            one(desk, format, sum).await?;
        }
    }
    Ok(FORMATS.into_iter().zip(&sums).flat_map(|(format, sum)| told(format, sum)).collect())
}

fn told(format: &str, sum: &Sum) -> [Row; 4] {
    let path = |what: &str| format!("all as {format}: {what}");
    let (dropped, growth) = (&sum.dropped_a_second, &sum.growth_mb);
    let took = format!("{}; {}", sum.s.told("s", 1), sum.mb_a_second.told("MB/s", 1));
    [
        Row::new(path("time"), took),
        Row::new(path("frames a second"), sum.frames_a_second.told("", 1)),
        Row::new(path("dropped frames a second, tasks over 50 ms"), {
            format!("{}; {}", dropped.told("", 2), sum.long.told("", 0))
        })
        .goal(format!("≤ {DROPPED_A_SECOND_MAX}"), dropped.middle() <= DROPPED_A_SECOND_MAX),
        Row::new(path("memory of the page and its worker"), growth.told("MB", 1))
            .goal(format!("≤ {GROWTH_MB_MAX} MB"), growth.most() <= GROWTH_MB_MAX),
    ]
}

async fn one(desk: &Desk, format: &str, sum: &mut Sum) -> Result {
    let browser = &desk.browser;
    desk.open(super::Side::Sheaf).await?;
    tokio::time::sleep(REST).await;
    browser.eval(CHOOSE).await?;
    press(desk, "Export").await?;
    press(desk, format).await?;
    press(desk, "Write straight to a file of my choice").await?;
    browser.memory().await?;
    let before = renderers_mb(browser.driver_pid());
    browser.eval("probe.start()").await?;
    let (since, mut most) = (Instant::now(), before);
    press(desk, "Download").await?;
    loop {
        most = most.max(renderers_mb(browser.driver_pid()));
        if browser.eval(DONE).await? == true {
            break;
        }
        if since.elapsed() > PATIENCE {
            return Err(format!("the export as {format} takes more than {PATIENCE:?}").into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let s = since.elapsed().as_secs_f64();
    let seen: Seen = serde_json::from_value(browser.eval("probe.stop()").await?)?;
    let bytes = browser.eval(SIZE).await?.as_f64().ok_or("a file without a size")?;
    sum.s.add(s);
    sum.mb_a_second.add(bytes / 1e6 / s);
    sum.frames_a_second.add(seen.frames / s);
    sum.dropped_a_second.add(seen.dropped / s);
    sum.long.add(seen.long.len() as f64);
    sum.growth_mb.add(most - before);
    Ok(())
}

/// Presses what bears a text, once it is there.
async fn press(desk: &Desk, text: &str) -> Result {
    let pressed = format!(
        "(() => {{ const all = [...document.querySelectorAll('button, label, [role=radio]')];
        const one = all.find((it) => it.innerText.trim().startsWith({text:?}) && !it.disabled \
            && it.checkVisibility());
        one?.click(); return one !== undefined; }})()"
    );
    desk.browser.wait_for(text, &pressed).await.map(drop)
}

/// Nobody can press the system's own dialog here.
const CHOOSE: &str = "window.showSaveFilePicker = async () =>
    (await navigator.storage.getDirectory()).getFileHandle('picked', { create: true })";
const DONE: &str = "/Exported [\\d,]+ submissions/.test(document.body.innerText)";
const SIZE: &str = "(async () => { const root = await navigator.storage.getDirectory();
    return (await (await root.getFileHandle('picked')).getFile()).size; })()";

/// Anonymous memory of the renderers that descend from a process, workers of pages included.
fn renderers_mb(driver: u32) -> f64 {
    let mut parents = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if let Some(pid) = pid {
            parents.insert(pid, (number(&status, "PPid:"), number(&status, "RssAnon:")));
        }
    }
    let is_ours = |mut pid: u64| {
        while pid != u64::from(driver) && pid > 1 {
            pid = parents.get(&pid).map_or(0, |(parent, _)| *parent);
        }
        pid == u64::from(driver)
    };
    let is_renderer = |pid: u64| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains("--type=renderer")
    };
    let ours = parents.iter().filter(|(pid, _)| is_ours(**pid) && is_renderer(**pid));
    ours.map(|(_, (_, kb))| *kb as f64 * 1024.0 / 1e6).sum()
}

fn number(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_what_a_process_says_of_itself() {
        let status = "Name:\tchromium\nPPid:\t12\nRssAnon:\t  3456 kB\n";
        assert_eq!((number(status, "PPid:"), number(status, "RssAnon:")), (12, 3456));
        assert_eq!(number(status, "RssFile:"), 0);
    }
}
