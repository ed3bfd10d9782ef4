//! One export, from its source to its file. It saves its state regularly, so that it can resume.

mod gather;
mod source;

use contract::{Field, RateLimit, Submission};
use export_worker::{
    file::File,
    plan::{Pace, Way, way},
    saved::{Mark, Place, Recent, Saved, Wanted},
    task::{Failure, Format, Progress, Remark, Task, Told},
};
use web_sys::{Blob, FileSystemFileHandle};

use super::{
    scope::{ViewerZone, post, since_ms, sleep},
    shelf,
    sink::Sink,
    stop::{Control, Stop},
};

/// Minimum interval between two saves of the state, in milliseconds.
const KEEP_SPACING_MS: u64 = 2000;
/// Minimum interval between two progress events, in milliseconds.
const TELL_SPACING_MS: u64 = 100;
/// Interval between two checks for a stop during a wait, in milliseconds.
const SLICE_MS: u64 = 250;

/// Result of a run.
pub(super) enum End {
    Done(Vec<Remark>, Option<Blob>),
    Stopped,
    Failed(Failure),
}

/// Export that is loaded in the worker.
pub(super) struct Job {
    saved: Saved,
    /// Position of the last committed bytes.
    mark: Mark,
    way: Way,
    handle: Option<FileSystemFileHandle>,
    /// Current file; `None` once it is complete.
    out: Option<Out>,
    /// Complete file, or complete gathered rows.
    rows: Option<Blob>,
    recent: Recent,
    wanted: Wanted,
    zone: ViewerZone,
    rate: Option<RateLimit>,
    sent_ms: Option<f64>,
    /// Number of rows of an unchanged server file, if they could be counted.
    counted: Option<u64>,
    progress: Progress,
    run: Run,
}

/// File and the destination of its bytes.
struct Out {
    file: File,
    sink: Sink,
}

/// State of the current run.
#[derive(Default)]
struct Run {
    began_ms: f64,
    began_rows: u64,
    kept_ms: f64,
    told_ms: f64,
}

impl Job {
    /// Starts a new export.
    pub(super) async fn begin(
        saved: Saved,
        handle: Option<FileSystemFileHandle>,
    ) -> Result<Self, Failure> {
        // Save the state before the file is created, so that no file is without a saved state.
        shelf::keep(&saved, handle.as_ref(), false).await;
        Self::open(saved, handle).await
    }

    /// Resumes an interrupted export.
    pub(super) async fn go_on(
        saved: Saved,
        handle: Option<FileSystemFileHandle>,
    ) -> Result<Self, Failure> {
        Self::open(saved, handle).await
    }

    async fn open(saved: Saved, handle: Option<FileSystemFileHandle>) -> Result<Self, Failure> {
        let way = way(&saved.task, saved.task.expected);
        let mut job = Self {
            way,
            handle,
            out: None,
            rows: None,
            recent: Recent::default(),
            wanted: Wanted::of(&saved.task),
            zone: ViewerZone::default(),
            rate: None,
            sent_ms: None,
            counted: None,
            progress: Progress { id: saved.id.clone(), ..Progress::default() },
            run: Run::default(),
            mark: saved.mark(),
            saved,
        };
        job.open_file().await?;
        Ok(job)
    }

    /// Opens the file at the saved state.
    async fn open_file(&mut self) -> Result<(), Failure> {
        let (saved, gathers) = (&self.saved, self.saved.gathers());
        let task = if gathers { rows_task(&saved.task) } else { saved.task.clone() };
        let (name, handle) = if gathers {
            (shelf::rows_name(&saved.id), None)
        } else {
            (shelf::file_name(&saved.id), self.handle.as_ref())
        };
        let file = self.new_file(&task, &saved.task.fields, saved.file.clone())?;
        let sink = Sink::open(handle, &name, saved.bytes).await?;
        self.out = Some(Out { file, sink });
        Ok(())
    }

    /// Opens the file again after a failed write or close, at the last committed state.
    async fn reopen(&mut self) -> Result<(), Failure> {
        self.saved.go_back(&self.mark);
        self.recent = Recent::default();
        self.open_file().await
    }

    fn new_file(
        &self,
        task: &Task,
        fields: &[Field],
        state: Option<export_worker::file::FileState>,
    ) -> Result<File, Failure> {
        File::new(task, fields, self.saved.began, state).map_err(Failure::Unwritable)
    }

    pub(super) fn id(&self) -> &str {
        &self.saved.id
    }

    /// Returns the progress.
    pub(super) fn progress(&self) -> Progress {
        let mut progress = self.progress.clone();
        if let Some(out) = &self.out
            && self.way != Way::Raw
        {
            progress.written = out.file.rows();
        }
        if let Some(out) = &self.out {
            progress.bytes = out.sink.bytes();
        }
        (progress.total, progress.requests) = (self.saved.total, self.saved.requests);
        progress
    }

    /// Runs until the file is complete or something stops the export.
    pub(super) async fn run(&mut self, control: &Control) -> End {
        shelf::use_it(&self.saved.id);
        let now = js_sys::Date::now();
        let began_rows = self.progress().written;
        self.run = Run { began_ms: now, began_rows, kept_ms: now, told_ms: now };
        post(&Told::Under(self.progress()), None);
        let stop = match self.make(control).await {
            Ok((remarks, file)) => return End::Done(remarks, file),
            Err(stop) => stop,
        };
        (self.progress.waits_s, self.progress.left_ms) = (None, None);
        if !control.is_discarded()
            && let Err(failure) = self.put_down().await
        {
            return End::Failed(failure);
        }
        match stop {
            Stop::Asked => End::Stopped,
            Stop::Failed(failure) => End::Failed(failure),
            Stop::Cut | Stop::Refused(_) => End::Failed(Failure::Network),
            Stop::Gone => End::Failed(Failure::Gone),
        }
    }

    async fn make(&mut self, control: &Control) -> Result<(Vec<Remark>, Option<Blob>), Stop> {
        // A broken sink has lost the bytes that it received last.
        self.out.take_if(|out| out.sink.is_broken());
        if self.out.is_none() && self.rows.is_none() {
            self.reopen().await.map_err(Stop::Failed)?;
        }
        if self.saved.place != Place::End {
            self.read(control).await?;
            self.saved.place = Place::End;
            self.put_down().await.map_err(Stop::Failed)?;
        }
        if self.way == Way::Raw {
            return self.finish_raw().await;
        }
        if self.saved.gathers() {
            return self.finish_gathered(control).await;
        }
        let remarks = self.finish_file().await?;
        self.close(remarks).await
    }

    /// Writes the bytes after the last row and closes the file.
    async fn finish_file(&mut self) -> Result<Vec<Remark>, Stop> {
        let Some(Out { file, mut sink }) = self.out.take() else { return Ok(Vec::new()) };
        self.progress.written = file.rows();
        let (bytes, remarks) = file.finish().map_err(Stop::unwritable)?;
        sink.write(&bytes).await.map_err(Stop::Failed)?;
        self.progress.bytes = sink.bytes();
        let media_type = self.saved.task.format.media_type();
        self.rows = sink.finish(media_type).await.map_err(Stop::Failed)?;
        Ok(remarks)
    }

    /// Returns the complete file, and records that the export has finished.
    async fn close(&mut self, remarks: Vec<Remark>) -> Result<(Vec<Remark>, Option<Blob>), Stop> {
        let file = self.rows.take();
        if file.is_some() {
            shelf::keep(&self.saved, None, true).await;
        } else {
            shelf::forget(&self.saved.id).await;
        }
        Ok((remarks, file))
    }

    /// Writes a row.
    fn take(&mut self, row: &Submission) -> Result<(), Stop> {
        if self.saved.gathers() {
            self.saved.note_keys(row).map_err(Stop::unwritable)?;
        }
        let (Some(out), zone) = (&mut self.out, &mut self.zone) else { return Ok(()) };
        out.file.row(row, &mut |at| zone.ahead_min(at)).map_err(Stop::unwritable)
    }

    /// Writes the finished bytes, saves the state if it is due, and reports the progress.
    async fn move_on(&mut self, control: &Control) -> Result<(), Stop> {
        control.check()?;
        if let Some(out) = &mut self.out {
            let bytes = out.file.take();
            out.sink.write(&bytes).await.map_err(Stop::Failed)?;
            if since_ms(self.run.kept_ms) >= KEEP_SPACING_MS && out.sink.is_due() {
                self.put_down().await.map_err(Stop::Failed)?;
            }
        }
        self.tell();
        Ok(())
    }

    fn tell(&mut self) {
        if since_ms(self.run.told_ms) >= TELL_SPACING_MS {
            self.run.told_ms = js_sys::Date::now();
            post(&Told::Under(self.progress()), None);
        }
    }

    /// Commits everything so far, and saves the state.
    async fn put_down(&mut self) -> Result<(), Failure> {
        self.run.kept_ms = js_sys::Date::now();
        let Some(out) = &mut self.out else { return Ok(()) };
        if !out.sink.lasts() || self.way == Way::Raw {
            return Ok(());
        }
        // The bytes must be committed before the state that refers to them is saved.
        let state = out.file.put_down();
        let bytes = out.file.take();
        out.sink.write(&bytes).await?;
        out.sink.commit().await?;
        (self.saved.file, self.saved.bytes) = (Some(state), out.sink.bytes());
        self.mark = self.saved.mark();
        shelf::keep(&self.saved, self.handle.as_ref(), false).await;
        Ok(())
    }

    /// Waits in slices, so that a stop takes effect quickly.
    async fn wait(&mut self, ms: u64, refused: bool, control: &Control) -> Result<(), Stop> {
        let began_ms = js_sys::Date::now();
        loop {
            control.check()?;
            let left_ms = ms.saturating_sub(since_ms(began_ms));
            self.progress.waits_s = (refused && left_ms > 0).then(|| left_ms.div_ceil(1000));
            if left_ms == 0 {
                return Ok(());
            }
            self.tell();
            sleep(left_ms.min(SLICE_MS)).await;
        }
    }

    /// Waits until the plan allows the next request, and counts it.
    async fn pace(&mut self, control: &Control) -> Result<(), Stop> {
        let since_last = self.sent_ms.map_or(u64::MAX, since_ms);
        let pace = Pace::told(self.saved.task.plan, self.rate);
        let wait_ms = pace.wait_ms(self.rate, since_last);
        self.wait(wait_ms, false, control).await?;
        self.sent_ms = Some(js_sys::Date::now());
        self.saved.requests += 1;
        Ok(())
    }
}

/// Returns the task for gathering the rows: all columns, one row per line.
fn rows_task(task: &Task) -> Task {
    Task { format: Format::Ndjson, left_out: Vec::new(), ..task.clone() }
}
