//! Progress of an import: a line that is redrawn on a terminal, or otherwise a plain line from time
//! to time. Short imports print no progress.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Interval between redraws on a terminal.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// Interval between plain lines.
const WRITE_EVERY: Duration = Duration::from_secs(10);
/// Steps between two checks of the clock.
const STEPS_BETWEEN_CHECKS: u64 = 64;
const BAR_CHARS: usize = 24;

/// Progress of one pass over a file.
pub(crate) struct ProgressLine {
    what: &'static str,
    unit: &'static str,
    /// Total amount of work.
    total: u64,
    /// Work done by earlier processes.
    before: u64,
    done: u64,
    steps: u64,
    began: Instant,
    last: Instant,
    is_terminal: bool,
    is_drawn: bool,
}

impl ProgressLine {
    /// Starts with `before` already done.
    pub(crate) fn new(label: &'static str, unit: &'static str, total: u64, before: u64) -> Self {
        let now = Instant::now();
        Self {
            what: label,
            unit,
            total,
            before,
            done: before,
            steps: 0,
            began: now,
            last: now,
            is_terminal: io::stderr().is_terminal(),
            is_drawn: false,
        }
    }

    /// Sets the work done so far.
    pub(crate) fn set_done(&mut self, done: u64) {
        self.done = done;
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN_CHECKS) {
            self.draw_if_due();
        }
    }

    fn draw_if_due(&mut self) {
        let interval = if self.is_terminal { DRAW_EVERY } else { WRITE_EVERY };
        if self.last.elapsed() >= interval {
            self.last = Instant::now();
            self.draw();
        }
    }

    /// Adds one step.
    pub(super) fn add_step(&mut self) {
        self.set_done(self.done + 1);
    }

    fn draw(&mut self) {
        let text = self.format(self.began.elapsed());
        let mut out = io::stderr().lock();
        // A closed standard error must not stop the import.
        let _ = if self.is_terminal {
            write!(out, "\r\x1b[2K{} {text}", format_bar(self.done, self.total))
                .and_then(|()| out.flush())
        } else {
            writeln!(out, "{text}")
        };
        self.is_drawn |= self.is_terminal;
    }

    fn format(&self, passed: Duration) -> String {
        let done = group_thousands(self.done);
        let total = group_thousands(self.total);
        let text = format!("{}: {done} of {total} {}", self.what, self.unit);
        let rate = u128::from(self.done - self.before) * 1000 / passed.as_millis().max(1);
        match u128::from(self.total.saturating_sub(self.done)).checked_div(rate) {
            None => text,
            Some(left_s) => {
                let rate = group_thousands(u64::try_from(rate).unwrap_or(u64::MAX));
                format!("{text}, {rate} a second, {} left", format_seconds(left_s))
            }
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_drawn {
            // Clears the line for the output that follows.
            let _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
    }
}

fn format_bar(done: u64, total: u64) -> String {
    let full = u128::from(done) * BAR_CHARS as u128 / u128::from(total.max(1));
    let full = usize::try_from(full).unwrap_or(BAR_CHARS).min(BAR_CHARS);
    format!("[{}{}]", "#".repeat(full), "-".repeat(BAR_CHARS - full))
}

fn format_seconds(seconds: u128) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}

/// Formats a number with thousands separators.
pub(super) fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_count_rate_and_time_left() {
        let mut progress = ProgressLine::new("importing", "submissions", 1_000_000, 400_000);
        assert_eq!(
            progress.format(Duration::from_secs(1)),
            "importing: 400,000 of 1,000,000 submissions"
        );
        progress.done = 460_000;
        assert_eq!(
            progress.format(Duration::from_secs(2)),
            "importing: 460,000 of 1,000,000 submissions, 30,000 a second, 18 s left"
        );
        progress.done = 400_200;
        assert!(progress.format(Duration::from_secs(2)).ends_with("100 a second, 100 min left"));
    }

    #[test]
    fn bar_never_exceeds_its_width() {
        assert_eq!(format_bar(0, 0), format!("[{}]", "-".repeat(24)));
        assert_eq!(format_bar(1, 2), format!("[{}{}]", "#".repeat(12), "-".repeat(12)));
        assert_eq!(format_bar(5, 2), format!("[{}]", "#".repeat(24)));
        assert_eq!([999, 1000, 1_234_567].map(group_thousands), ["999", "1,000", "1,234,567"]);
    }
}
