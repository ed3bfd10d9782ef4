//! One export: from its source into its file, put down now and then, so that it can go on.

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

/// Least time between two notes of where it is, in milliseconds.
const KEEP_SPACING_MS: u64 = 2000;
/// Least time between two words to the page, in milliseconds.
const TELL_SPACING_MS: u64 = 100;
/// How long a wait lasts before it is looked whether it was given up, in milliseconds.
const SLICE_MS: u64 = 250;

/// What became of a run.
pub(super) enum End {
    Done(Vec<Remark>, Option<Blob>),
    Stopped,
    Failed(Failure),
}

/// An export in hand.
pub(super) struct Job {
    saved: Saved,
    /// Where it was when its bytes were made sure of last.
    mark: Mark,
    way: Way,
    handle: Option<FileSystemFileHandle>,
    /// The file under way; gone once it is whole.
    out: Option<Out>,
    /// Gathered rows, whole.
    rows: Option<Blob>,
    recent: Recent,
    wanted: Wanted,
    zone: ViewerZone,
    rate: Option<RateLimit>,
    sent_ms: Option<f64>,
    /// The rows of a file as it stands, where they could be counted.
    counted: Option<u64>,
    progress: Progress,
    run: Run,
}

/// The file, and where its bytes go.
struct Out {
    file: File,
    sink: Sink,
}

/// What is known of the present run.
#[derive(Default)]
struct Run {
    began_ms: f64,
    began_rows: u64,
    kept_ms: f64,
    told_ms: f64,
}

impl Job {
    /// Returns an export that begins.
    pub(super) async fn begin(
        saved: Saved,
        handle: Option<FileSystemFileHandle>,
    ) -> Result<Self, Failure> {
        // Noted before its file is there, so that no file is ever without a note.
        shelf::keep(&saved, handle.as_ref(), false).await;
        Self::open(saved, handle).await
    }

    /// Returns an export that was broken off.
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

    /// Opens the file where it was put down.
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

    /// Opens the file again that could not be written or ended, behind what was put down last.
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

    /// How far it is.
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

    /// Goes on until the file is whole or something stops it.
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
        // What such a one was given last is lost.
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

    /// Writes what stands behind the rows.
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

    /// Hands the whole file out, and notes that nothing is left to do.
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

    /// Hands the bytes on that are ready; notes where it is, tells the page.
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

    /// Makes sure of everything so far, and notes where it is.
    async fn put_down(&mut self) -> Result<(), Failure> {
        self.run.kept_ms = js_sys::Date::now();
        let Some(out) = &mut self.out else { return Ok(()) };
        if !out.sink.lasts() || self.way == Way::Raw {
            return Ok(());
        }
        let state = out.file.put_down();
        let bytes = out.file.take();
        out.sink.write(&bytes).await?;
        out.sink.commit().await?;
        (self.saved.file, self.saved.bytes) = (Some(state), out.sink.bytes());
        self.mark = self.saved.mark();
        shelf::keep(&self.saved, self.handle.as_ref(), false).await;
        Ok(())
    }

    /// Waits, in slices, so that giving up is felt at once.
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

    /// Waits until the plan lets the next request go, and counts it.
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

/// The task of the rows that are gathered first: whole, a line each.
fn rows_task(task: &Task) -> Task {
    Task { format: Format::Ndjson, left_out: Vec::new(), ..task.clone() }
}
