//! The four export strategies: streamed export, unchanged server file, pages of the list, single
//! submissions. Each resumes at the saved position, and advances it only past rows that were
//! written.

use contract::{ExportFormat, ExportQuery, Filter, ListQuery, Timestamp, page::LIMIT_MAX};
use export_worker::{
    plan::{Pace, Way, refused_wait_s},
    rows::{Line, Lines, raw::RawRows},
    saved::{Place, is_behind},
    task::{Failure, Format, Remark, Unwritable},
};
use web_sys::Blob;

use super::{
    super::{
        api::Api,
        scope::since_ms,
        stop::{Control, Stop},
    },
    Job,
};

/// Maximum number of consecutive retries without progress.
const ATTEMPTS_MAX: u64 = 3;

impl Job {
    /// Reads to the end of the source. Waits and retries after temporary failures.
    pub(super) async fn read(&mut self, control: &Control) -> Result<(), Stop> {
        let mut attempts = 0;
        loop {
            let before = (self.saved.place.clone(), self.progress().written);
            let read = match self.way {
                Way::Stream => self.stream(control).await,
                Way::Raw => self.raw(control).await,
                Way::Walk => self.walk(control).await,
                Way::Each => self.each(control).await,
            };
            let Err(stop) = read else { return Ok(()) };
            // An unchanged file always restarts, so its position does not show progress.
            if self.way != Way::Raw && before != (self.saved.place.clone(), self.progress().written)
            {
                attempts = 0;
            }
            let may_pass = match &stop {
                Stop::Refused(retry_after_s) => {
                    self.wait(refused_wait_s(*retry_after_s) * 1000, true, control).await?;
                    continue;
                }
                Stop::Cut | Stop::Failed(Failure::Network) => true,
                Stop::Failed(Failure::Status { status, .. }) => *status >= 500,
                Stop::Asked | Stop::Gone | Stop::Failed(_) => false,
            };
            if !may_pass || attempts == ATTEMPTS_MAX {
                return Err(stop);
            }
            attempts += 1;
            self.wait(attempts * 1000, false, control).await?;
        }
    }

    fn filter(&self) -> Result<Filter, Stop> {
        let read = ListQuery::parse(&self.saved.task.query);
        read.map(|query| query.filter)
            .map_err(|error| Stop::unwritable(Unwritable::Odd(error.message)))
    }

    fn has_all(&self) -> bool {
        self.wanted.are_all(self.progress().written)
    }

    /// Reads one JSON export. To resume, it requests the submissions that are not newer than the
    /// position, and skips those before it.
    async fn stream(&mut self, control: &Control) -> Result<(), Stop> {
        let mut filter = self.filter()?;
        let from = self.saved.place.clone();
        if let Place::After(at, _) = &from {
            // `date_to` is exclusive. Rows of the same instant are included, because they are
            // sorted by id.
            filter.date_to = Timestamp::from_micros(at.micros() + 1);
        }
        let query = ExportQuery { filter, format: ExportFormat::Json, fields: None, safe: false };
        self.pace(control).await?;
        let (environment, form) = (self.saved.task.environment, self.saved.task.form.clone());
        let api = Api { environment, form: &form, control };
        let (mut stream, rate) = api.export(&query).await?;
        self.rate = rate.or(self.rate);
        let (mut lines, mut came, mut passed) = (Lines::default(), 0, 0);
        let before = self.progress().written;
        while let Some(bytes) = stream.next(control).await? {
            lines.push(&bytes).map_err(unreadable)?;
            while let Some(line) = lines.next_line().map_err(unreadable)? {
                match line {
                    Line::Row(row) => {
                        came += 1;
                        if !is_behind(&from, &row) || !self.wanted.has(&row.id) {
                            passed += 1;
                            continue;
                        }
                        self.take(&row)?;
                        self.saved.place = Place::After(row.metadata.submitted_at, row.id);
                    }
                    Line::End(count) if count == came => {
                        self.saved.learn_total(before + came - passed);
                        return self.move_on(control).await;
                    }
                    Line::End(_) => return Err(Stop::Cut),
                }
            }
            if self.has_all() {
                return self.move_on(control).await;
            }
            self.estimate();
            self.move_on(control).await?;
        }
        Err(Stop::Cut)
    }

    /// Estimates the remaining time from the speed so far.
    fn estimate(&mut self) {
        let progress = self.progress();
        let (took_ms, rows) =
            (since_ms(self.run.began_ms), progress.written.saturating_sub(self.run.began_rows));
        let left = progress.missing();
        self.progress.left_ms = (rows > 0 && left > 0).then(|| took_ms.saturating_mul(left) / rows);
    }

    /// Reads the pages of the list.
    async fn walk(&mut self, control: &Control) -> Result<(), Stop> {
        let (filter, form) = (self.filter()?, self.saved.task.form.clone());
        let api = Api { environment: self.saved.task.environment, form: &form, control };
        loop {
            let cursor = match &self.saved.place {
                Place::Cursor(cursor) => Some(cursor.clone()),
                _ => None,
            };
            self.pace(control).await?;
            let query = ListQuery { filter: filter.clone(), limit: LIMIT_MAX, cursor };
            let sent_ms = js_sys::Date::now();
            let (page, rate) = api.list(&query).await?;
            // A response without headers does not change the known rate limit.
            self.rate = rate.or(self.rate);
            self.saved.learn_listed(page.pagination.total);
            for row in &page.data {
                if self.wanted.has(&row.id) && self.recent.is_new(&row.id) {
                    self.take(row)?;
                }
            }
            let next = page.pagination.next().map(str::to_owned);
            let is_last = next.is_none() || next == query.cursor || self.has_all();
            self.saved.place =
                if is_last { Place::End } else { Place::Cursor(next.unwrap_or_default()) };
            self.left_by_requests(since_ms(sent_ms));
            self.move_on(control).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn left_by_requests(&mut self, took_ms: u64) {
        let requests = self.progress().missing().div_ceil(u64::from(LIMIT_MAX));
        let pace = Pace::told(self.saved.task.plan, self.rate);
        let left = pace.left_ms(requests, self.rate, took_ms);
        self.progress.left_ms = (requests > 0).then_some(left);
    }

    /// Reads submissions one by one. Deleted ones are missing in the file, which is reported.
    async fn each(&mut self, control: &Control) -> Result<(), Stop> {
        let ids = self.saved.task.only.clone().unwrap_or_default();
        let form = self.saved.task.form.clone();
        let api = Api { environment: self.saved.task.environment, form: &form, control };
        let begin = if let Place::Nth(n) = self.saved.place { n } else { 0 };
        for (n, id) in ids.iter().enumerate().skip(begin) {
            self.pace(control).await?;
            match api.submission(id).await {
                Ok((row, rate)) => {
                    self.rate = rate.or(self.rate);
                    self.take(&row)?;
                }
                Err(Stop::Gone) => {}
                Err(stop) => return Err(stop),
            }
            self.saved.place = Place::Nth(n + 1);
            let left = (ids.len() - n - 1) as u64;
            let pace = Pace::told(self.saved.task.plan, self.rate);
            self.progress.left_ms = (left > 0).then(|| pace.left_ms(left, self.rate, 0));
            self.move_on(control).await?;
        }
        Ok(())
    }

    /// Saves the server's file unchanged. It cannot resume in the middle, so it restarts.
    async fn raw(&mut self, control: &Control) -> Result<(), Stop> {
        (self.saved.file, self.saved.bytes, self.out) = (None, 0, None);
        self.open_file().await.map_err(Stop::Failed)?;
        let format = match self.saved.task.format {
            Format::Csv => ExportFormat::Csv,
            _ => ExportFormat::Json,
        };
        let query = ExportQuery { filter: self.filter()?, format, fields: None, safe: false };
        self.pace(control).await?;
        let (environment, form) = (self.saved.task.environment, self.saved.task.form.clone());
        let api = Api { environment, form: &form, control };
        let (mut stream, rate) = api.export(&query).await?;
        self.rate = rate.or(self.rate);
        let mut rows = RawRows::of(format);
        while let Some(bytes) = stream.next(control).await? {
            rows.push(&bytes);
            self.progress.written = rows.count().unwrap_or(self.progress.written);
            if let Some(out) = &mut self.out {
                out.sink.write(&bytes).await.map_err(Stop::Failed)?;
            }
            self.estimate();
            control.check()?;
            self.tell();
        }
        self.counted = rows.count();
        if rows.is_whole() { Ok(()) } else { Err(Stop::Cut) }
    }

    /// Finishes an unchanged server file.
    pub(super) async fn finish_raw(&mut self) -> Result<(Vec<Remark>, Option<Blob>), Stop> {
        let mut remarks = Vec::new();
        if let Some(rows) = self.counted {
            self.progress.written = rows;
            self.saved.learn_total(rows);
        } else {
            self.saved.total = None;
            remarks.push(Remark::Uncounted);
        }
        if let Some(out) = self.out.take() {
            self.progress.bytes = out.sink.bytes();
            let media_type = self.saved.task.format.media_type();
            self.rows = out.sink.finish(media_type).await.map_err(Stop::Failed)?;
        }
        self.close(remarks).await
    }
}

fn unreadable(text: String) -> Stop {
    Stop::Failed(Failure::Unreadable(text))
}
