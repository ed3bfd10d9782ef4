//! Runs requests one after another, in the order of their start: of two changes of a submission,
//! the later one must win.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use leptos::prelude::*;

/// Queue of requests. Cheap to copy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turns(StoredValue<Queue>);

#[derive(Debug, Default)]
struct Queue {
    next_ticket: u32,
    /// Tickets of the running request, first, and of those that wait.
    tickets: VecDeque<u32>,
    wakers: Vec<Waker>,
}

/// Place in the queue. Dropping it lets the next request run.
pub(super) struct Turn {
    queue: StoredValue<Queue>,
    ticket: u32,
}

impl Turns {
    /// Takes a place at the end of the queue.
    pub(super) fn take(self) -> Turn {
        let ticket = self.0.try_update_value(|queue| {
            queue.next_ticket = queue.next_ticket.wrapping_add(1);
            queue.tickets.push_back(queue.next_ticket);
            queue.next_ticket
        });
        Turn { queue: self.0, ticket: ticket.unwrap_or_default() }
    }
}

impl Turn {
    /// Waits until all earlier requests have ended.
    pub(super) async fn start(&self) {
        poll_fn(|context| {
            let is_first = self.queue.try_update_value(|queue| {
                let is_first = queue.tickets.front().is_none_or(|first| *first == self.ticket);
                if !is_first {
                    queue.wakers.push(context.waker().clone());
                }
                is_first
            });
            if is_first == Some(false) { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let wakers = self.queue.try_update_value(|queue| {
            queue.tickets.retain(|ticket| *ticket != self.ticket);
            std::mem::take(&mut queue.wakers)
        });
        wakers.unwrap_or_default().into_iter().for_each(Waker::wake);
    }
}
