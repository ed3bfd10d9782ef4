//! Where connections wait for their next visit: a seat for each thread that asks.
//!
//! A thread comes back to the connection that it used last. Were they handed out in any order,
//! what SQLite keeps of a connection, and the lock before it, would go from one processor's memory
//! to the other's and back.

use super::visitor::Visitor;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most connections that are kept; there are no more than threads that ask at once.
const SEATS: usize = 16;
/// How often the sweeper looks. Only another process that empties the log waits so long for a
/// snapshot that nobody ended: our own writer ends them itself.
const SWEEP_EVERY: Duration = Duration::from_millis(10);

/// How many threads have asked so far, of all stores.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN_SEAT: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SEATS;
}

/// The seat of the thread that asks.
pub(super) fn own_seat() -> usize {
    OWN_SEAT.with(|seat| *seat)
}

/// Where connections wait.
#[derive(Default)]
pub(in super::super) struct Lobby {
    seats: [Seat; SEATS],
    /// Whether no snapshot may be kept at this moment.
    is_paused: AtomicBool,
    /// Whether the sweeper will look again by itself.
    is_swept: AtomicBool,
    sweeper: Mutex<Sweeper>,
    /// Wakes the sweeper.
    wake: Condvar,
    /// Wakes those who wait outside.
    door: Condvar,
}

/// A place for one connection, apart from the others in the processors' memories.
#[derive(Default)]
#[repr(align(128))]
struct Seat(Mutex<Option<Box<Visitor>>>);

/// What the thread does that ends snapshots.
#[derive(Default, PartialEq, Eq)]
enum Sweeper {
    #[default]
    NotStarted,
    Awake,
    Asleep,
    Dismissed,
}

impl Seat {
    fn lock(&self) -> MutexGuard<'_, Option<Box<Visitor>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lobby {
    fn sweeper(&self) -> MutexGuard<'_, Sweeper> {
        self.sweeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All seats, beginning with one's own.
    fn seats(&self, own: usize) -> impl Iterator<Item = &Seat> {
        let (others, own) = self.seats.split_at(own);
        own.iter().chain(others)
    }

    /// Does some work while no snapshot is kept: visits end theirs at once meanwhile, and long
    /// reads wait outside.
    pub(in super::super) fn empty<T>(&self, work: impl FnOnce() -> T) -> T {
        self.is_paused.store(true, Ordering::SeqCst);
        // Who comes back to a seat behind this look at it sees the pause.
        for seat in &self.seats {
            if let Some(visitor) = seat.lock().as_mut() {
                // Where it fails, the next visit says so.
                let _ = visitor.leave();
            }
        }
        let done = work();
        let sweeper = self.sweeper();
        self.is_paused.store(false, Ordering::SeqCst);
        drop(sweeper);
        self.door.notify_all();
        done
    }

    /// Waits until nobody empties it. Who reads for long would else keep the log from being
    /// emptied, together with others who begin before the last has ended.
    pub(in super::super) fn wait_outside(&self) {
        let inside = self.door.wait_while(self.sweeper(), |_| self.is_paused());
        drop(inside.unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether no snapshot may be kept.
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::SeqCst)
    }

    /// Takes the connection that waits in one's own seat, or in any other.
    pub(super) fn take(&self, own: usize) -> Option<Box<Visitor>> {
        self.seats(own).find_map(|seat| seat.lock().take())
    }

    /// Takes a connection back, where there is a seat for it, one's own first; returns whether the
    /// sweeper is to be started for it.
    pub(super) fn put(&self, own: usize, mut visitor: Box<Visitor>) -> bool {
        for seat in self.seats(own) {
            let mut seat = seat.lock();
            if seat.is_some() {
                continue;
            }
            if self.is_paused() {
                // As there.
                let _ = visitor.leave();
            }
            let is_to_be_swept = visitor.keeps_a_snapshot();
            *seat = Some(visitor);
            drop(seat);
            return is_to_be_swept && self.wake_sweeper();
        }
        false
    }

    /// Sees to it that the sweeper looks; returns whether it is to be started.
    fn wake_sweeper(&self) -> bool {
        if self.is_swept.load(Ordering::SeqCst) {
            return false;
        }
        let before = std::mem::replace(&mut *self.sweeper(), Sweeper::Awake);
        if before == Sweeper::Asleep {
            self.wake.notify_one();
        }
        before == Sweeper::NotStarted
    }

    /// Ends the snapshots of connections that nobody asks any more, until it is dismissed.
    pub(super) fn sweep(&self) {
        let mut sweeper = self.sweeper();
        while *sweeper != Sweeper::Dismissed {
            // First, so that who takes a seat behind its look knows that it is to be woken.
            self.is_swept.store(false, Ordering::SeqCst);
            let is_needed = self.rest();
            self.is_swept.store(is_needed, Ordering::SeqCst);
            *sweeper = if is_needed { Sweeper::Awake } else { Sweeper::Asleep };
            sweeper = if is_needed {
                let woken = self.wake.wait_timeout(sweeper, SWEEP_EVERY);
                woken.unwrap_or_else(PoisonError::into_inner).0
            } else {
                let is_asleep = |sweeper: &mut Sweeper| *sweeper == Sweeper::Asleep;
                let woken = self.wake.wait_while(sweeper, is_asleep);
                woken.unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// Sends the sweeper home.
    pub(super) fn dismiss_sweeper(&self) {
        *self.sweeper() = Sweeper::Dismissed;
        self.wake.notify_one();
    }

    /// Ends the snapshots that were kept long enough; returns whether others are kept. Where it
    /// fails, the next visit says so.
    fn rest(&self) -> bool {
        let mut is_needed = false;
        for seat in &self.seats {
            if let Some(visitor) = seat.lock().as_mut() {
                let _ = visitor.rest();
                is_needed |= visitor.keeps_a_snapshot();
            }
        }
        is_needed
    }

    /// Whether any connection that waits keeps a snapshot.
    #[cfg(test)]
    pub(super) fn keeps_a_snapshot(&self) -> bool {
        let keeps = |seat: &Seat| seat.lock().as_deref().is_some_and(Visitor::keeps_a_snapshot);
        self.seats.iter().any(keeps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn visitor() -> Box<Visitor> {
        Box::new(Visitor::new(Connection::open_in_memory().unwrap()))
    }

    #[test]
    fn who_comes_back_finds_the_connection_that_was_left() {
        let lobby = Lobby::default();
        let place = |visitor: &Visitor| std::ptr::from_ref(visitor).addr();
        let (three, seven) = (visitor(), visitor());
        let places = [place(&three), place(&seven)];
        lobby.put(3, three);
        lobby.put(7, seven);
        for _ in 0..3 {
            let (seven, three) = (lobby.take(7).unwrap(), lobby.take(3).unwrap());
            assert_eq!([place(&three), place(&seven)], places);
            lobby.put(3, three);
            lobby.put(7, seven);
        }
    }

    #[test]
    fn who_finds_the_own_seat_empty_takes_any_connection_and_keeps_it() {
        let lobby = Lobby::default();
        lobby.put(15, visitor());
        let found = lobby.take(2).unwrap();
        assert!(lobby.take(15).is_none());
        lobby.put(2, found);
        assert!(lobby.seats[2].lock().is_some() && lobby.seats[15].lock().is_none());
    }

    #[test]
    fn there_are_no_more_than_there_are_seats() {
        let lobby = Lobby::default();
        for _ in 0..SEATS + 3 {
            lobby.put(5, visitor());
        }
        let taken = std::iter::from_fn(|| lobby.take(9)).count();
        assert_eq!(taken, SEATS);
    }
}
