//! Latency of user actions: rows for a typed search, and the card of a clicked row.

use super::{DashboardBench, Figures, Side};
use crate::Result;
use crate::results::FigureRow;
use std::time::Duration;

/// Goals, in milliseconds.
const KEY_MS: f64 = 100.0;
const CARD_MS: f64 = 50.0;

/// Search text, typed letter by letter. Each prefix is a search.
const WORD: &str = "support";
/// Pause between two letters, and before the first.
const PAUSE: Duration = Duration::from_millis(700);
/// Wait until a page has prefetched its data.
const PREFETCH_WAIT: Duration = Duration::from_secs(3);
/// Number of cards that are opened in a round.
const CARDS: usize = 6;

/// Types into the search of both pages in turns, then opens cards of the dashboard.
pub(crate) async fn measure(bench: &DashboardBench) -> Result<Vec<FigureRow>> {
    let mut keys_ms = [Figures::default(), Figures::default()];
    let mut cards_ms = Figures::default();
    for _ in 0..bench.rounds {
        for side in Side::BOTH {
            bench.open(side).await?;
            tokio::time::sleep(PREFETCH_WAIT).await;
            if side == Side::Sheaf {
                measure_cards(bench, &mut cards_ms).await?;
            }
            measure_keystrokes(bench, &mut keys_ms[side as usize]).await?;
        }
    }
    let [ours, theirs] = &keys_ms;
    Ok(vec![
        FigureRow::new("keystroke in the search until its rows are visible", ours.format("ms", 0))
            .against(theirs.format("ms", 0), ours.ratio(theirs))
            .goal(format!("< {KEY_MS} ms"), ours.median() < KEY_MS),
        FigureRow::new("click on a row until its card is visible", cards_ms.format("ms", 0))
            .goal(format!("< {CARD_MS} ms"), cards_ms.median() < CARD_MS),
    ])
}

async fn measure_keystrokes(bench: &DashboardBench, times_ms: &mut Figures) -> Result {
    let browser = &bench.browser;
    browser.eval("document.querySelector('input[type=search]').focus()").await?;
    let mut before = bench.count_matches("").await?;
    for end in 1..=WORD.len() {
        let found = bench.count_matches(&WORD[..end]).await?;
        // With an unchanged number of matches, the new rows look like the previous ones.
        let is_telling = found != before && found > 0;
        let letter = &WORD[end - 1..end];
        before = found;
        tokio::time::sleep(PAUSE).await;
        if is_telling {
            browser.eval("probe.watch('keydown', probe.others)").await?;
        }
        let code = letter.to_ascii_uppercase().as_bytes()[0];
        browser.press(letter, code.into(), letter).await?;
        if is_telling {
            let ms = browser.eval("probe.done").await?;
            times_ms.add(ms.as_f64().ok_or("no time of a keystroke")?);
        }
    }
    Ok(())
}

async fn measure_cards(bench: &DashboardBench, times_ms: &mut Figures) -> Result {
    let browser = &bench.browser;
    for n in 0..CARDS {
        let script = format!(
            "(() => {{ const rows = document.querySelectorAll('[role=row][data-key]');
            const {{ left, top, height }} = rows[{n}].getBoundingClientRect();
            return [left + 200, top + height / 2]; }})()"
        );
        let script: (f64, f64) = serde_json::from_value(browser.eval(&script).await?)?;
        browser.eval("probe.watch('click', probe.card)").await?;
        browser.click(script.0, script.1).await?;
        let ms = browser.eval("probe.done").await?;
        times_ms.add(ms.as_f64().ok_or("no time of a card")?);
        browser.press("Escape", 27, "").await?;
        browser.wait_for("the card to close", "!document.querySelector('.drawer')").await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
