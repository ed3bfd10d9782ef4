//! One export, from its source to its file. It saves its state regularly, so that it can resume.

mod gathered_rows;
mod strategies;

use contract::{Field, RateLimit, Submission, triage::ExportedTriage};
use export_worker::{
    file::ExportFile,
    plan::{ExportStrategy, RequestPace, choose_strategy},
    saved_export::{
        CommittedPosition, RecentIds, SavedExport, SourcePosition, SubmissionSelection,
    },
    task::{ExportTask, ExportWarning, Failure, Format, Progress, WorkerEvent},
};
use web_sys::{Blob, FileSystemFileHandle};

use super::{
    export_store,
    sink::OutputSink,
    stop::{ExportControl, StopReason},
    worker_scope::{ViewerZone, send_event, since_ms, sleep},
};

/// Minimum interval between two saves of the state, in milliseconds.
const SAVE_INTERVAL_MS: u64 = 2000;
/// Minimum interval between two progress events, in milliseconds.
const REPORT_INTERVAL_MS: u64 = 100;
/// Interval between two checks for a stop during a wait, in milliseconds.
const WAIT_SLICE_MS: u64 = 250;

/// Result of a run.
pub(super) enum RunResult {
    Done(Vec<ExportWarning>, Option<Blob>),
    Stopped,
    Failed(Failure),
}

/// Export that is loaded in the worker.
pub(super) struct ExportJob {
    saved: SavedExport,
    /// Position of the last committed bytes.
    committed: CommittedPosition,
    strategy: ExportStrategy,
    handle: Option<FileSystemFileHandle>,
    /// Current file; `None` once it is complete.
    output: Option<OutputFile>,
    /// Complete file, or complete gathered rows.
    rows: Option<Blob>,
    recent: RecentIds,
    selection: SubmissionSelection,
    zone: ViewerZone,
    rate: Option<RateLimit>,
    sent_ms: Option<f64>,
    /// Number of rows of an unchanged server file, if they could be counted.
    counted_rows: Option<u64>,
    progress: Progress,
    run: RunState,
}

/// File and the destination of its bytes.
struct OutputFile {
    file: ExportFile,
    sink: OutputSink,
}

/// State of the current run.
#[derive(Default)]
struct RunState {
    began_ms: f64,
    began_rows: u64,
    saved_ms: f64,
    reported_ms: f64,
}

impl ExportJob {
    /// Starts a new export.
    pub(super) async fn start(
        saved: SavedExport,
        handle: Option<FileSystemFileHandle>,
    ) -> Result<Self, Failure> {
        // Save the state before the file is created, so that no file is without a saved state.
        export_store::store_export(&saved, handle.as_ref(), false).await;
        Self::open(saved, handle).await
    }

    /// Opens an export, to run it from its saved state.
    pub(super) async fn open(
        saved: SavedExport,
        handle: Option<FileSystemFileHandle>,
    ) -> Result<Self, Failure> {
        let mut job = Self {
            strategy: choose_strategy(&saved.task, saved.task.expected),
            handle,
            output: None,
            rows: None,
            recent: RecentIds::default(),
            selection: SubmissionSelection::from_task(&saved.task),
            zone: ViewerZone::default(),
            rate: None,
            sent_ms: None,
            counted_rows: None,
            progress: Progress { id: saved.id.clone(), ..Progress::default() },
            run: RunState::default(),
            committed: saved.current_position(),
            saved,
        };
        job.open_file().await?;
        Ok(job)
    }

    /// Opens the file at the saved state.
    async fn open_file(&mut self) -> Result<(), Failure> {
        let saved = &self.saved;
        let gathers = saved.needs_gathering();
        let task = if gathers { rows_task(&saved.task) } else { saved.task.clone() };
        let (name, handle) = if gathers {
            (export_store::rows_name(&saved.id), None)
        } else {
            (export_store::file_name(&saved.id), self.handle.as_ref())
        };
        let file = self.new_file(&task, &saved.task.fields, saved.file.clone())?;
        let sink = OutputSink::open(handle, &name, saved.bytes).await?;
        self.output = Some(OutputFile { file, sink });
        Ok(())
    }

    /// Opens the file again after a failed write or close, at the last committed state.
    async fn reopen(&mut self) -> Result<(), Failure> {
        self.saved.restore_position(&self.committed);
        self.recent = RecentIds::default();
        self.open_file().await
    }

    fn new_file(
        &self,
        task: &ExportTask,
        fields: &[Field],
        state: Option<export_worker::file::FileState>,
    ) -> Result<ExportFile, Failure> {
        ExportFile::new(task, fields, self.saved.started_at, state).map_err(Failure::Unwritable)
    }

    pub(super) fn id(&self) -> &str {
        &self.saved.id
    }

    /// Returns the progress.
    pub(super) fn progress(&self) -> Progress {
        let mut progress = self.progress.clone();
        if let Some(output) = &self.output
            && self.strategy != ExportStrategy::ServerFile
        {
            progress.written = output.file.rows();
        }
        if let Some(output) = &self.output {
            progress.bytes = output.sink.byte_count();
        }
        (progress.total, progress.requests) = (self.saved.total, self.saved.requests);
        progress
    }

    /// Runs until the file is complete or something stops the export.
    pub(super) async fn run(&mut self, control: &ExportControl) -> RunResult {
        export_store::lock_export(&self.saved.id);
        let now = js_sys::Date::now();
        let began_rows = self.progress().written;
        self.run = RunState { began_ms: now, began_rows, saved_ms: now, reported_ms: now };
        send_event(&WorkerEvent::Under(self.progress()), None);
        let stop = match self.export_rows(control).await {
            Ok((warnings, file)) => return RunResult::Done(warnings, file),
            Err(stop) => stop,
        };
        (self.progress.waits_s, self.progress.left_ms) = (None, None);
        if !control.is_discarded()
            && let Err(failure) = self.save_state().await
        {
            return RunResult::Failed(failure);
        }
        match stop {
            StopReason::Requested => RunResult::Stopped,
            StopReason::Failed(failure) => RunResult::Failed(failure),
            StopReason::Truncated => RunResult::Failed(Failure::Truncated),
            StopReason::Refused(_) => RunResult::Failed(Failure::Network),
            StopReason::NotFound => RunResult::Failed(Failure::Gone),
        }
    }

    async fn export_rows(
        &mut self,
        control: &ExportControl,
    ) -> Result<(Vec<ExportWarning>, Option<Blob>), StopReason> {
        // A broken sink has lost the bytes that it received last.
        self.output.take_if(|output| output.sink.is_broken());
        if self.output.is_none() && self.rows.is_none() {
            self.reopen().await.map_err(StopReason::Failed)?;
        }
        if self.saved.position != SourcePosition::End {
            self.read_source(control).await?;
            self.saved.position = SourcePosition::End;
            self.save_state().await.map_err(StopReason::Failed)?;
        }
        if self.strategy == ExportStrategy::ServerFile {
            return self.finish_raw().await;
        }
        if self.saved.needs_gathering() {
            return self.finish_gathered(control).await;
        }
        let warnings = self.finish_file().await?;
        self.record_finished(warnings).await
    }

    /// Writes the bytes after the last row and closes the file.
    async fn finish_file(&mut self) -> Result<Vec<ExportWarning>, StopReason> {
        let Some(OutputFile { file, mut sink }) = self.output.take() else { return Ok(Vec::new()) };
        self.progress.written = file.rows();
        let (bytes, warnings) = file.finish().map_err(StopReason::unwritable)?;
        sink.write(&bytes).await.map_err(StopReason::Failed)?;
        self.progress.bytes = sink.byte_count();
        let media_type = self.saved.task.format.media_type();
        self.rows = sink.finish(media_type).await.map_err(StopReason::Failed)?;
        Ok(warnings)
    }

    /// Returns the complete file, and records that the export has finished.
    async fn record_finished(
        &mut self,
        warnings: Vec<ExportWarning>,
    ) -> Result<(Vec<ExportWarning>, Option<Blob>), StopReason> {
        let file = self.rows.take();
        if file.is_some() {
            export_store::store_export(&self.saved, None, true).await;
        } else {
            export_store::remove_export(&self.saved.id).await;
        }
        Ok((warnings, file))
    }

    /// Writes a row. A streamed export has its triage if the task has columns of it.
    fn write_row(
        &mut self,
        row: &Submission,
        triage: Option<&ExportedTriage>,
    ) -> Result<(), StopReason> {
        if self.saved.needs_gathering() {
            self.saved.record_keys(row).map_err(StopReason::unwritable)?;
        }
        let (Some(output), zone) = (&mut self.output, &mut self.zone) else { return Ok(()) };
        output
            .file
            .write_row(row, triage, &mut |at| zone.utc_offset_min(at))
            .map_err(StopReason::unwritable)
    }

    /// Writes the finished bytes, saves the state if it is due, and reports the progress.
    async fn flush_and_report(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        control.check_stopped()?;
        if let Some(output) = &mut self.output {
            let bytes = output.file.take();
            output.sink.write(&bytes).await.map_err(StopReason::Failed)?;
            if since_ms(self.run.saved_ms) >= SAVE_INTERVAL_MS && output.sink.is_commit_due() {
                self.save_state().await.map_err(StopReason::Failed)?;
            }
        }
        self.report_progress();
        Ok(())
    }

    fn report_progress(&mut self) {
        if since_ms(self.run.reported_ms) >= REPORT_INTERVAL_MS {
            self.run.reported_ms = js_sys::Date::now();
            send_event(&WorkerEvent::Under(self.progress()), None);
        }
    }

    /// Commits everything so far, and saves the state.
    async fn save_state(&mut self) -> Result<(), Failure> {
        self.run.saved_ms = js_sys::Date::now();
        let restarts = self.restarts();
        let Some(output) = &mut self.output else { return Ok(()) };
        if !output.sink.is_persistent() || restarts {
            return Ok(());
        }
        // The bytes must be committed before the state that refers to them is saved.
        let state = output.file.save_state();
        let bytes = output.file.take();
        output.sink.write(&bytes).await?;
        output.sink.commit().await?;
        (self.saved.file, self.saved.bytes) = (Some(state), output.sink.byte_count());
        self.committed = self.saved.current_position();
        export_store::store_export(&self.saved, self.handle.as_ref(), false).await;
        Ok(())
    }

    /// Waits in slices, so that a stop takes effect quickly.
    async fn wait_for_ms(
        &mut self,
        ms: u64,
        refused: bool,
        control: &ExportControl,
    ) -> Result<(), StopReason> {
        let began_ms = js_sys::Date::now();
        loop {
            control.check_stopped()?;
            let left_ms = ms.saturating_sub(since_ms(began_ms));
            self.progress.waits_s = (refused && left_ms > 0).then(|| left_ms.div_ceil(1000));
            if left_ms == 0 {
                return Ok(());
            }
            self.report_progress();
            sleep(left_ms.min(WAIT_SLICE_MS)).await;
        }
    }

    /// Waits until the plan allows the next request, and counts it.
    async fn wait_for_pace(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        let since_last = self.sent_ms.map_or(u64::MAX, since_ms);
        let pace = RequestPace::from_rate_limit(self.saved.task.plan, self.rate);
        let wait_ms = pace.wait_ms(self.rate, since_last);
        self.wait_for_ms(wait_ms, false, control).await?;
        self.sent_ms = Some(js_sys::Date::now());
        self.saved.requests += 1;
        Ok(())
    }
}

/// Returns the task for gathering the rows: all columns, one row per line.
fn rows_task(task: &ExportTask) -> ExportTask {
    ExportTask { format: Format::Ndjson, left_out: Vec::new(), ..task.clone() }
}
