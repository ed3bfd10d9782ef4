//! What a thread of the runtime does before it sleeps: it lets others of its core go first.
//!
//! Who asks often runs on the same machine: a proxy, a gateway, a database. Where it has its turn
//! at once, what it asks next is there before the thread sleeps, and nobody has to wake it, which
//! costs several microseconds on a virtual machine. On an idle machine nobody goes first, and the
//! thread sleeps as it would have: see ADR 0046.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

/// How long others may take in the mean. Who asks takes some microseconds; who computes takes whole
/// turns, of milliseconds, in which nobody answers.
const TURN_MAX: Duration = Duration::from_micros(600);
/// How many turns the mean is of.
const TURNS: u32 = 32;
/// How long nobody goes first once others took too long.
const REST: Duration = Duration::from_secs(1);

thread_local! {
    static TURN: Cell<Turns> = const { Cell::new(Turns::NONE) };
}

/// Lets others of this core go first, unless they took too long the last times.
pub(crate) fn give_way() {
    let turns = TURN.get();
    let begin = Instant::now();
    if turns.rests(begin) {
        return;
    }
    thread::yield_now();
    TURN.set(turns.after(begin, Instant::now()));
}

/// How long others took when they went first.
#[derive(Debug, Clone, Copy)]
struct Turns {
    mean: Duration,
    /// Until then nobody goes first.
    rest_until: Option<Instant>,
}

impl Turns {
    const NONE: Self = Self { mean: Duration::ZERO, rest_until: None };

    fn rests(self, now: Instant) -> bool {
        self.rest_until.is_some_and(|until| now < until)
    }

    /// As things stand after one more turn of others.
    fn after(self, begin: Instant, end: Instant) -> Self {
        let mean = (self.mean * (TURNS - 1) + end.duration_since(begin)) / TURNS;
        if mean <= TURN_MAX {
            return Self { mean, rest_until: None };
        }
        Self { mean: Duration::ZERO, rest_until: Some(end + REST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(100);
    const LONG: Duration = Duration::from_millis(2);

    /// How many of `count` turns of this length others get, one after another, and the last state.
    fn given(turns: Turns, length: Duration, count: u32, now: &mut Instant) -> (u32, Turns) {
        (0..count).fold((0, turns), |(given, turns), _| {
            *now += Duration::from_micros(10);
            if turns.rests(*now) {
                return (given, turns);
            }
            let begin = *now;
            *now += length;
            (given + 1, turns.after(begin, *now))
        })
    }

    #[test]
    fn whoever_asks_always_goes_first() {
        let mut now = Instant::now();
        let (mut turns, mut all) = (Turns::NONE, 0);
        // Now and then the system takes its time.
        for _ in 0..100 {
            let (short, then) = given(turns, SHORT, 99, &mut now);
            let (long, then) = given(then, LONG, 1, &mut now);
            (turns, all) = (then, all + short + long);
        }
        assert_eq!(all, 10_000);
    }

    #[test]
    fn whoever_computes_is_let_go_first_some_times_in_a_second() {
        let mut now = Instant::now();
        let (given_at_first, turns) = given(Turns::NONE, LONG, 1000, &mut now);
        assert!((2..=16).contains(&given_at_first), "{given_at_first}");
        let begin = now;
        let (again, turns) = given(turns, LONG, 100_000, &mut now);
        let seconds = u32::try_from((now - begin).as_secs()).unwrap() + 1;
        assert!((1..=16 * seconds).contains(&again), "{again} in {seconds} s");
        // As soon as nobody computes, all is as it was.
        now += REST;
        assert_eq!(given(turns, SHORT, 1000, &mut now).0, 1000);
    }

    #[test]
    fn the_threads_of_the_runtime_give_way() {
        let gave = crate::runtime().unwrap().block_on(async {
            let task = async {
                for _ in 0..1000 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    let turns = TURN.get();
                    if turns.mean > Duration::ZERO || turns.rest_until.is_some() {
                        return true;
                    }
                }
                false
            };
            tokio::spawn(task).await.unwrap()
        });
        assert!(gave, "a thread slept a thousand times and let nobody go first");
    }
}
