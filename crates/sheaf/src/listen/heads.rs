//! The time that a request's head may take, counted by one alarm for all heads of a connection.
//!
//! hyper sets a timer for each head and takes it back when the head is there. The runtime keeps
//! its timers under one lock, for which all threads would queue twice a request. Here the alarm
//! stays set, and is set on only when it rings too early. Nobody waits longer, or less long.

use hyper::rt::{Sleep, Timer};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

/// hyper's timer for one connection.
#[derive(Clone, Default)]
pub(crate) struct Heads(Arc<Mutex<Option<Alarm>>>);

/// A timer of the runtime, and whom it wakes.
pub(super) struct Alarm {
    sleep: Pin<Box<tokio::time::Sleep>>,
    wakes: Option<Waker>,
}

/// The time of one head.
struct Head {
    end: Instant,
    alarm: Heads,
}

impl Timer for Heads {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, end: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Head { end, alarm: self.clone() })
    }
}

impl Sleep for Head {}

impl Future for Head {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut alarm = self.alarm.0.lock().unwrap_or_else(PoisonError::into_inner);
        alarm.get_or_insert_with(|| Alarm::at(self.end)).poll_until(self.end, cx)
    }
}

impl Alarm {
    /// An alarm that is set to an instant.
    pub(super) fn at(end: Instant) -> Self {
        Self { sleep: Box::pin(tokio::time::sleep_until(end.into())), wakes: None }
    }

    /// Sets it to another instant.
    pub(super) fn set(&mut self, end: Instant) {
        self.sleep.as_mut().reset(end.into());
        self.wakes = None;
    }

    /// Waits until it rings.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let is_set = self.wakes.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        if is_set && !self.sleep.is_elapsed() {
            return Poll::Pending;
        }
        self.wakes = Some(cx.waker().clone());
        self.sleep.as_mut().poll(cx)
    }

    /// Waits until it rings at an instant or later, and sets it on where it rings before that.
    fn poll_until(&mut self, end: Instant, cx: &mut Context<'_>) -> Poll<()> {
        if self.sleep.deadline() > end.into() {
            self.set(end);
        }
        while self.sleep.deadline() < end.into() {
            ready!(self.poll(cx));
            self.set(end);
        }
        self.poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::{Either, select};

    const LONG: Duration = Duration::from_mins(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[tokio::test]
    async fn each_head_has_its_own_time() {
        let heads = Heads::default();
        for time in [ms(40), ms(20), LONG, ms(5), ms(30)] {
            let (begin, other) = (Instant::now(), ms(100));
            let head = heads.sleep(time);
            let ended = select(head, Box::pin(tokio::time::sleep(other))).await;
            assert_eq!(matches!(ended, Either::Left(_)), time < other, "{time:?}");
            assert!(begin.elapsed() >= time.min(other), "{time:?}");
        }
    }

    #[tokio::test]
    async fn heads_that_come_in_time_leave_the_alarm_alone() {
        let heads = Heads::default();
        let begin = Instant::now();
        let mut set = Vec::new();
        std::future::poll_fn(|cx| {
            for n in 0..5 {
                let mut head = heads.sleep_until(begin + LONG + ms(n));
                assert!(head.as_mut().poll(cx).is_pending());
                let alarm = heads.0.lock().unwrap();
                set.extend(alarm.as_ref().map(|alarm| alarm.sleep.deadline()));
            }
            Poll::Ready(())
        })
        .await;
        assert_eq!(set, [(begin + LONG).into(); 5]);
    }
}
