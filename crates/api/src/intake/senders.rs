//! Rate limits of senders: a window for each network and form, in bounded memory.

use super::Result;
use crate::error::Error;
use crate::middleware::rate_limit::{WINDOWS_MAX, WindowTable, sender_window_name};
use contract::FormId;
use std::net::IpAddr;
use std::sync::Mutex;
use store::clock::Moment;
use store::shared_limits::{self, SharedLimits};
use store::window::lock;
use store::window::{self, WindowLimits};

/// Limits on lookups of forms that are not cached, for each network. The limit per second is high:
/// after a start, no form is cached.
const LOOKUP_LIMITS: WindowLimits = WindowLimits { window: 300, burst: 100 };
/// Divisor of a 15-minute limit for its limit per second, which admits simultaneous senders.
const BURST_SHARE: u32 = 30;
/// Minimum limit per second.
const BURST_MIN: u32 = 5;

/// Windows of all senders.
pub(super) struct SenderLimiter {
    windows: Mutex<FormWindows>,
    /// Networks that look up forms that are not cached. They have a separate table: invented ids
    /// must not use up the windows of a form's senders.
    lookups: Mutex<WindowTable<IpAddr>>,
}

struct FormWindows {
    networks: WindowTable<(FormId, IpAddr)>,
    /// One window per form, which senders share when `networks` is full.
    overflow: WindowTable<FormId>,
}

impl Default for SenderLimiter {
    fn default() -> Self {
        Self::new(WINDOWS_MAX)
    }
}

impl SenderLimiter {
    /// Creates tables that contain at most `windows_max` networks each.
    fn new(windows_max: usize) -> Self {
        let windows = FormWindows {
            networks: WindowTable::new(windows_max),
            overflow: WindowTable::new(WINDOWS_MAX),
        };
        Self { windows: Mutex::new(windows), lookups: Mutex::new(WindowTable::new(windows_max)) }
    }

    /// Counts a request from an address to a form. Fails with 429 above `limit` in 15 minutes.
    pub(super) async fn admit(
        &self,
        shared: Option<&SharedLimits>,
        (form, address): (&FormId, IpAddr),
        limit: u32,
        moment: Moment,
    ) -> Result<()> {
        let count_locally = |limits| {
            let now = moment.steady;
            let mut windows = lock(&self.windows);
            let FormWindows { networks, overflow: rest } = &mut *windows;
            let network_window =
                networks.network_window(address, |network| (form.clone(), network), now);
            let window =
                network_window.unwrap_or_else(|| rest.window_or_shared(Some(form.clone()), now));
            window::result_to_wall_clock(window.admit(limits, now), moment)
        };
        let name = || sender_window_name(form.as_str(), address);
        let result =
            shared_limits::admit(shared, name, window_limits(limit), moment.steady, count_locally)
                .await;
        result.map(drop).map_err(|refusal| Error::rate_limited(&refusal))
    }

    /// Counts a lookup of a form that is not cached. Fails with 429 if there are too many. Counts
    /// in this process only: the limit protects the store, and must not query it.
    pub(super) fn admit_lookup(&self, address: Option<IpAddr>, moment: Moment) -> Result<()> {
        let result =
            self.with_lookups(address, moment, |window| window.admit(LOOKUP_LIMITS, moment.steady));
        window::result_to_wall_clock(result, moment)
            .map(drop)
            .map_err(|refusal| Error::rate_limited(&refusal))
    }

    /// Reverts [`SenderLimiter::admit_lookup`] if the form exists.
    pub(super) fn revert_lookup(&self, address: Option<IpAddr>, moment: Moment) {
        self.with_lookups(address, moment, window::Window::undo_admit);
    }

    fn with_lookups<T>(
        &self,
        address: Option<IpAddr>,
        moment: Moment,
        count: impl FnOnce(&mut window::Window) -> T,
    ) -> T {
        let now = moment.steady;
        let mut lookups = lock(&self.lookups);
        if let Some(address) = address
            && let Some(window) = lookups.network_window(address, |network| network, now)
        {
            return count(window);
        }
        count(lookups.window_or_shared(None, now))
    }
}

/// Returns the limits of a window of 15 minutes.
pub(super) fn window_limits(window: u32) -> WindowLimits {
    WindowLimits { window, burst: (window / BURST_SHARE).max(BURST_MIN) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;

    fn at_s(seconds: i64) -> Moment {
        let now = Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap();
        Moment { now, steady: now }
    }

    fn address(n: u8) -> IpAddr {
        [192, 0, 2, n].into()
    }

    #[tokio::test]
    async fn senders_share_window_when_table_full() {
        let senders = SenderLimiter::new(3);
        let forms: [FormId; 2] = ["frm_1", "frm_2"].map(|id| id.parse().unwrap());
        let admits = async |form: usize, n: u8| {
            senders.admit(None, (&forms[form], address(n)), 2, at_s(0)).await.is_ok()
        };
        for n in 0..3 {
            assert!(admits(0, n).await, "each sender has a window");
        }
        assert!(admits(0, 3).await && admits(0, 4).await);
        assert!(!admits(0, 5).await, "the form's shared window is used up");
        assert!(admits(0, 0).await, "an existing window is still used");
        assert!(admits(1, 5).await, "another form is not affected");
    }

    #[tokio::test]
    async fn lookups_use_no_windows_of_senders() {
        let senders = SenderLimiter::new(2);
        let form: FormId = "frm_1".parse().unwrap();
        for n in 0..100 {
            senders.admit_lookup(Some(address(n)), at_s(0)).unwrap();
        }
        for n in [100, 101] {
            senders.admit(None, (&form, address(n)), 1, at_s(0)).await.unwrap();
            assert!(senders.admit(None, (&form, address(n)), 1, at_s(0)).await.is_err());
        }
    }

    #[test]
    fn lookups_of_existing_forms_do_not_count() {
        let senders = SenderLimiter::default();
        for n in 0..2 * LOOKUP_LIMITS.window {
            senders.admit_lookup(None, at_s(0)).unwrap_or_else(|_| panic!("{n}"));
            senders.revert_lookup(None, at_s(0));
        }
        let admits = |second| senders.admit_lookup(Some(address(1)), at_s(second)).is_ok();
        let count = (0..10).flat_map(|second| [second; 200]).filter(|second| admits(*second));
        assert_eq!(count.count(), LOOKUP_LIMITS.window as usize);
    }
}
