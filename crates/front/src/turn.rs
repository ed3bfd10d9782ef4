//! When an answer goes out: where others are being made, after those that are ready.
//!
//! What is written wakes whoever reads it, which on a virtual machine takes several microseconds of
//! the processor. Who asks by many connections and takes answers quicker than they are made sleeps
//! after each, and is woken for the next. So an answer waits until those that can be made now are
//! made; then they go out right after one another, and wake their reader once. See ADR 0048.

use std::cell::Cell;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// How long after an answer of a thread another of its tasks is likely to be ready as well. Who
/// asks alone, and only once it was answered, takes longer.
const NEAR: Duration = Duration::from_micros(50);

thread_local! {
    /// When this thread last had an answer.
    static ANSWERED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Whether the answer to a connection's last request has had its turn.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    is_over: bool,
}

impl Turn {
    /// Begins with a request.
    pub(crate) fn begin(&mut self) {
        self.is_over = false;
    }

    /// Ready when the answer may go out: at once, or the second time, after all that is ready now.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over { Poll::Ready(()) } else { self.poll_at(cx, Instant::now()) }
    }

    fn poll_at(&mut self, cx: &mut Context<'_>, now: Instant) -> Poll<()> {
        self.is_over = true;
        let last = ANSWERED.replace(Some(now));
        if last.is_none_or(|last| now.duration_since(last) >= NEAR) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn an_answer_waits_once_for_others_of_the_moment() {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let cx = &mut Context::from_waker(&waker);
        let at = |micros| Duration::from_micros(micros);
        let (begin, mut turns) = (Instant::now(), [Turn::default(), Turn::default()]);
        let [first, second] = &mut turns;
        assert!(first.poll_at(cx, begin).is_ready(), "nothing was answered before");
        assert!(second.poll_at(cx, begin + at(10)).is_pending());
        assert_eq!(woken.0.load(Ordering::Relaxed), 1, "who waits is asked again");
        assert!(second.poll(cx).is_ready(), "and waits no more");
        assert!(second.poll(cx).is_ready() && first.poll(cx).is_ready(), "to its end");
        first.begin();
        assert!(first.poll_at(cx, begin + at(60)).is_ready(), "alone again");
        second.begin();
        assert!(second.poll_at(cx, begin + at(70)).is_pending());
        assert_eq!(woken.0.load(Ordering::Relaxed), 2);
    }
}
