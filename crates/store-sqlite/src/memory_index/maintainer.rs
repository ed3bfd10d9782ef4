//! The index maintainer: a thread that loads indexes, and applies changes to indexes that are not
//! read.

use super::load::{self, Loaded};
use super::{Shared, lock};
use crate::connect;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use store::Result;
use store::columns::database;

/// Maximum number of queued orders. A rejected order is sent again by the next read that needs it.
const ORDERS_MAX: usize = 1024;

/// A task for the thread, with the number of a form.
pub(super) enum Order {
    LoadTally(i64),
    LoadTexts(i64),
    LoadFacts(i64),
    CatchUp(i64),
}

/// Handle of the thread. Dropping it stops the thread, and waits for a moment until it has ended.
pub(super) struct Keeper {
    orders: Option<SyncSender<Order>>,
    shared: Arc<Shared>,
    is_ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread.
    pub(super) fn start(shared: Arc<Shared>) -> Result<Self> {
        let (orders, inbox) = sync_channel(ORDERS_MAX);
        let is_ending = Arc::new(AtomicBool::default());
        let (for_thread, ends) = (Arc::clone(&shared), Arc::clone(&is_ending));
        let thread = std::thread::Builder::new()
            .name("store-keeper".to_owned())
            .spawn(move || run(&for_thread, &inbox, &ends))
            .map_err(database)?;
        Ok(Self { orders: Some(orders), shared, is_ending, thread: Some(thread) })
    }

    /// Sends an order without waiting. If the queue is full, the index is marked as not loaded.
    pub(super) fn send(&self, order: Order) {
        let refused = self.orders.as_ref().and_then(|orders| orders.try_send(order).err());
        match refused.map(|refused| match refused {
            std::sync::mpsc::TrySendError::Full(order)
            | std::sync::mpsc::TrySendError::Disconnected(order) => order,
        }) {
            None | Some(Order::CatchUp(_)) => {}
            Some(Order::LoadTally(seq)) => {
                let form = self.shared.form(seq);
                form.tally.let_go(&form.feed);
            }
            Some(Order::LoadFacts(seq)) => {
                let form = self.shared.form(seq);
                form.facts.let_go(&form.feed);
            }
            Some(Order::LoadTexts(seq)) => {
                let form = self.shared.form(seq);
                form.texts.let_go(&form.feed);
            }
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been reported already; the missing indexes are read from the file.
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, inbox: &Receiver<Order>, ends: &AtomicBool) {
    while let Ok(order) = inbox.recv() {
        if ends.load(Ordering::Relaxed) {
            return;
        }
        match order {
            Order::LoadTally(seq) => load_tally(shared, seq, ends),
            Order::LoadTexts(seq) => load_texts(shared, seq, ends),
            Order::LoadFacts(seq) => load_facts(shared, seq, ends),
            Order::CatchUp(seq) => {
                let form = shared.form(seq);
                // The first of several orders has already applied all changes.
                if lock(&form.feed).stand().1 > super::WAITING_MAX / 2 {
                    form.tally.catch_up(&form.feed);
                    form.texts.catch_up(&form.feed);
                    form.facts.catch_up(&form.feed);
                }
            }
        }
    }
}

fn load_tally(shared: &Shared, seq: i64, ends: &AtomicBool) {
    let form = shared.form(seq);
    match connect::reader(&shared.path).and_then(|conn| load::tally(&conn, seq, ends)) {
        Ok(Some((version, tally))) => form.tally.hold(&form.feed, version, tally),
        Ok(None) => form.tally.let_go(&form.feed),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load counts; reading the file");
            form.tally.let_go(&form.feed);
        }
    }
}

fn load_facts(shared: &Shared, seq: i64, ends: &AtomicBool) {
    let form = shared.form(seq);
    let has_room = |bytes: usize| bytes + shared.facts_of_others(seq) <= super::FACT_BYTES_MAX;
    match connect::reader(&shared.path).and_then(|conn| load::facts(&conn, seq, &has_room, ends)) {
        Ok(Loaded::Whole { version, held }) => form.facts.hold(&form.feed, version, *held),
        Ok(Loaded::NoRoom { rows }) => {
            form.too_many.store(rows, Ordering::Relaxed);
            form.facts.let_go(&form.feed);
            tracing::warn!(form = seq, rows, "no memory for summary data; reading the file");
        }
        Ok(Loaded::Ended) => form.facts.let_go(&form.feed),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load summary data; reading the file");
            form.facts.let_go(&form.feed);
        }
    }
}

fn load_texts(shared: &Shared, seq: i64, ends: &AtomicBool) {
    let form = shared.form(seq);
    let room = |bytes: usize| loop {
        let (others, oldest) = shared.others(seq);
        if bytes + others <= shared.holding.text_bytes_max {
            return true;
        }
        let Some(oldest) = oldest else { return false };
        oldest.texts.let_go(&oldest.feed);
    };
    match connect::reader(&shared.path).and_then(|conn| load::texts(&conn, seq, &room, ends)) {
        Ok(Loaded::Whole { version, held: texts }) => {
            let (rows, bytes) = (texts.rows(), texts.bytes());
            form.texts.hold(&form.feed, version, *texts);
            tracing::info!(form = seq, rows, bytes, "search text held in memory");
        }
        Ok(Loaded::NoRoom { rows }) => {
            form.too_large.store(rows, Ordering::Relaxed);
            form.texts.let_go(&form.feed);
            tracing::warn!(
                form = seq,
                rows,
                bytes_max = shared.holding.text_bytes_max,
                "no memory for search text; searching the file"
            );
        }
        Ok(Loaded::Ended) => form.texts.let_go(&form.feed),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load search text; searching the file");
            form.texts.let_go(&form.feed);
        }
    }
}
