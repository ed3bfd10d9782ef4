//! The index maintainer: a thread that loads indexes, and applies changes to indexes that are not
//! read.

use super::answer_columns::load_answers;
use super::load::{self, LoadResult};
use super::{SharedIndexes, lock};
use crate::connect;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use store::Result;
use store::answers::ColumnKey;
use store::columns::database_error;

/// Maximum number of queued tasks. A rejected task is sent again by the next read that needs it.
const TASKS_MAX: usize = 1024;

/// A task for the thread, with the number of a form.
pub(super) enum MaintainerTask {
    LoadTally(i64),
    LoadTexts(i64),
    LoadFacts(i64),
    /// Loads answers after the facts.
    LoadAnswers(i64, Vec<ColumnKey>),
    CatchUp(i64),
}

/// Handle of the thread. Dropping it stops the thread, and waits for a moment until it has ended.
pub(super) struct Maintainer {
    tasks: Option<SyncSender<MaintainerTask>>,
    shared: Arc<SharedIndexes>,
    is_ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Maintainer {
    /// Starts the thread.
    pub(super) fn start(shared: Arc<SharedIndexes>) -> Result<Self> {
        let (tasks, inbox) = sync_channel(TASKS_MAX);
        let is_ending = Arc::new(AtomicBool::default());
        let for_thread = Arc::clone(&shared);
        let thread_is_ending = Arc::clone(&is_ending);
        let thread = std::thread::Builder::new()
            .name("store-index".to_owned())
            .spawn(move || run_maintainer(&for_thread, &inbox, &thread_is_ending))
            .map_err(database_error)?;
        Ok(Self { tasks: Some(tasks), shared, is_ending, thread: Some(thread) })
    }

    /// Sends the task to load answers of a form, without waiting.
    pub(super) fn send_load_answers(&self, seq: i64, columns: Vec<ColumnKey>) {
        self.send(MaintainerTask::LoadAnswers(seq, columns));
    }

    /// Sends a task without waiting. If the queue is full, the index is marked as not loaded.
    pub(super) fn send(&self, task: MaintainerTask) {
        let unsent = self.tasks.as_ref().and_then(|tasks| tasks.try_send(task).err());
        match unsent.map(|unsent| match unsent {
            std::sync::mpsc::TrySendError::Full(task)
            | std::sync::mpsc::TrySendError::Disconnected(task) => task,
        }) {
            None | Some(MaintainerTask::CatchUp(_)) => {}
            Some(MaintainerTask::LoadTally(seq)) => {
                let form = self.shared.form_indexes(seq);
                form.tally.clear(&form.change_log);
            }
            Some(MaintainerTask::LoadFacts(seq)) => {
                let form = self.shared.form_indexes(seq);
                form.facts.clear(&form.change_log);
            }
            Some(MaintainerTask::LoadTexts(seq)) => {
                let form = self.shared.form_indexes(seq);
                form.texts.clear(&form.change_log);
            }
            Some(MaintainerTask::LoadAnswers(seq, columns)) => {
                self.shared.form_indexes(seq).end_loading_columns(&columns);
            }
        }
    }
}

impl Drop for Maintainer {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been reported already; the missing indexes are read from the file.
            let _ = thread.join();
        }
    }
}

fn run_maintainer(
    shared: &SharedIndexes,
    inbox: &Receiver<MaintainerTask>,
    is_ending: &AtomicBool,
) {
    while let Ok(task) = inbox.recv() {
        if is_ending.load(Ordering::Relaxed) {
            return;
        }
        match task {
            MaintainerTask::LoadTally(seq) => load_tally(shared, seq, is_ending),
            MaintainerTask::LoadTexts(seq) => load_texts(shared, seq, is_ending),
            MaintainerTask::LoadFacts(seq) => load_facts(shared, seq, is_ending),
            MaintainerTask::LoadAnswers(seq, columns) => {
                load_answers(shared, seq, &columns, is_ending);
            }
            MaintainerTask::CatchUp(seq) => {
                let form = shared.form_indexes(seq);
                // The first of several tasks has already applied all changes.
                if lock(&form.change_log).committed_and_pending().1 > super::PENDING_CHANGES_MAX / 2
                {
                    form.tally.catch_up(&form.change_log);
                    form.texts.catch_up(&form.change_log);
                    form.facts.catch_up(&form.change_log);
                }
            }
        }
    }
}

fn load_tally(shared: &SharedIndexes, seq: i64, is_ending: &AtomicBool) {
    let form = shared.form_indexes(seq);
    match connect::open_reader(&shared.path)
        .and_then(|conn| load::load_tally(&conn, seq, is_ending))
    {
        Ok(Some((version, tally))) => form.tally.store(&form.change_log, version, tally),
        Ok(None) => form.tally.clear(&form.change_log),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load counts; reading the file");
            form.tally.clear(&form.change_log);
        }
    }
}

fn load_facts(shared: &SharedIndexes, seq: i64, is_ending: &AtomicBool) {
    let form = shared.form_indexes(seq);
    let has_room =
        |bytes: usize| bytes + shared.facts_bytes_of_other_forms(seq) <= super::FACT_BYTES_MAX;
    match connect::open_reader(&shared.path)
        .and_then(|conn| load::load_facts(&conn, seq, &has_room, is_ending))
    {
        Ok(LoadResult::Complete { version, value }) => {
            form.facts.store(&form.change_log, version, *value);
        }
        Ok(LoadResult::TooLarge { rows }) => {
            form.facts_rows_limit.store(rows, Ordering::Relaxed);
            form.facts.clear(&form.change_log);
            tracing::warn!(form = seq, rows, "no memory for summary data; reading the file");
        }
        Ok(LoadResult::Cancelled) => form.facts.clear(&form.change_log),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load summary data; reading the file");
            form.facts.clear(&form.change_log);
        }
    }
}

fn load_texts(shared: &SharedIndexes, seq: i64, is_ending: &AtomicBool) {
    let form = shared.form_indexes(seq);
    let room = |bytes: usize| loop {
        let (other_bytes, oldest) = shared.texts_of_other_forms(seq);
        if bytes + other_bytes <= shared.limits.text_bytes_max {
            return true;
        }
        let Some(oldest) = oldest else { return false };
        oldest.texts.clear(&oldest.change_log);
    };
    match connect::open_reader(&shared.path)
        .and_then(|conn| load::load_texts(&conn, seq, &room, is_ending))
    {
        Ok(LoadResult::Complete { version, value: texts }) => {
            let rows = texts.rows();
            let bytes = texts.bytes();
            form.texts.store(&form.change_log, version, *texts);
            tracing::info!(form = seq, rows, bytes, "search text loaded into memory");
        }
        Ok(LoadResult::TooLarge { rows }) => {
            form.text_rows_limit.store(rows, Ordering::Relaxed);
            form.texts.clear(&form.change_log);
            tracing::warn!(
                form = seq,
                rows,
                bytes_max = shared.limits.text_bytes_max,
                "no memory for search text; searching the file"
            );
        }
        Ok(LoadResult::Cancelled) => form.texts.clear(&form.change_log),
        Err(error) => {
            tracing::warn!(%error, form = seq, "could not load search text; searching the file");
            form.texts.clear(&form.change_log);
        }
    }
}
