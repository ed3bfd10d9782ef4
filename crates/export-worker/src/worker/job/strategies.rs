//! The four export strategies: streamed export, unchanged server file, pages of the list, single
//! submissions. Each advances the saved position only past rows that were written. They resume
//! there, but an unchanged file and a sorted export start again.

use contract::{ExportFormat, ExportQuery, ListQuery, Timestamp, page::LIMIT_MAX};
use export_worker::{
    export_parser::{ExportLine, LineParser, row_counter::RowCounter},
    plan::{ExportStrategy, RequestPace, refused_wait_s},
    saved_export::{SourcePosition, is_after_position},
    task::{ExportWarning, Failure, Format, Unwritable},
};
use web_sys::Blob;

use super::{
    super::{
        api::FormApi,
        stop::{ExportControl, StopReason},
        worker_scope::since_ms,
    },
    ExportJob,
};

/// Maximum number of consecutive retries without progress.
const ATTEMPTS_MAX: u64 = 3;

impl ExportJob {
    /// Reads to the end of the source. Waits and retries after temporary failures.
    pub(super) async fn read_source(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        let mut attempts = 0;
        loop {
            let before = (self.saved.position.clone(), self.progress().written);
            let read = match self.strategy {
                ExportStrategy::Stream => self.read_stream(control).await,
                ExportStrategy::ServerFile => self.read_server_file(control).await,
                ExportStrategy::Paginate => self.read_pages(control).await,
                ExportStrategy::FetchEach => self.read_each(control).await,
            };
            let Err(stop) = read else { return Ok(()) };
            // An export that always restarts makes no progress that counts.
            if !self.restarts() && before != (self.saved.position.clone(), self.progress().written)
            {
                attempts = 0;
            }
            let may_pass = match &stop {
                StopReason::Refused(retry_after_s) => {
                    self.wait_for_ms(refused_wait_s(*retry_after_s) * 1000, true, control).await?;
                    continue;
                }
                StopReason::Truncated | StopReason::Failed(Failure::Network) => true,
                StopReason::Failed(Failure::Status { status, .. }) => *status >= 500,
                StopReason::Requested | StopReason::NotFound | StopReason::Failed(_) => false,
            };
            if !may_pass || attempts == ATTEMPTS_MAX {
                return Err(stop);
            }
            attempts += 1;
            self.wait_for_ms(attempts * 1000, false, control).await?;
        }
    }

    fn parse_query(&self) -> Result<ListQuery, StopReason> {
        ListQuery::parse(&self.saved.task.query)
            .map_err(|error| StopReason::unwritable(Unwritable::Odd(error.message)))
    }

    /// Returns whether the export starts again after an interruption.
    pub(super) fn restarts(&self) -> bool {
        let is_sorted = || self.parse_query().is_ok_and(|query| query.sort.is_some());
        match self.strategy {
            ExportStrategy::ServerFile => true,
            ExportStrategy::Stream => is_sorted(),
            ExportStrategy::Paginate | ExportStrategy::FetchEach => false,
        }
    }

    /// Empties the file, so that the export starts again.
    async fn restart(&mut self) -> Result<(), StopReason> {
        self.saved.position = SourcePosition::Start;
        self.run.began_rows = 0;
        (self.saved.file, self.saved.bytes, self.output) = (None, 0, None);
        self.open_file().await.map_err(StopReason::Failed)
    }

    fn is_complete(&self) -> bool {
        self.selection.is_complete(self.progress().written)
    }

    /// Reads one JSON export. To resume, it requests the submissions that are not newer than the
    /// position, and skips those before it. A sorted export starts again: its order may have
    /// changed.
    async fn read_stream(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        let ListQuery { mut filter, sort, .. } = self.parse_query()?;
        if sort.is_some() && self.saved.position != SourcePosition::Start {
            self.restart().await?;
        }
        let from = self.saved.position.clone();
        if let SourcePosition::After(at, _) = &from {
            // `date_to` is exclusive. Rows of the same instant are included, because they are
            // sorted by id.
            filter.date_to = Timestamp::from_micros(at.micros() + 1);
        }
        let triage = self.saved.task.triage;
        let has_triage = !triage.is_empty();
        let format = ExportFormat::Json;
        let query = ExportQuery { filter, format, triage, sort, ..ExportQuery::default() };
        self.wait_for_pace(control).await?;
        let environment = self.saved.task.environment;
        let form = self.saved.task.form.clone();
        let api = FormApi { environment, form: &form, control };
        let (mut stream, rate) = api.open_export(&query).await?;
        self.rate = rate.or(self.rate);
        let mut lines = if has_triage { LineParser::with_triage() } else { LineParser::default() };
        let mut received_rows = 0;
        let mut skipped_rows = 0;
        let written_before = self.progress().written;
        while let Some(bytes) = stream.next_bytes(control).await? {
            lines.push(&bytes).map_err(unreadable_response)?;
            while let Some(line) = lines.parse_next().map_err(unreadable_response)? {
                match line {
                    ExportLine::Row(row, triage) => {
                        received_rows += 1;
                        if !is_after_position(&from, &row) || !self.selection.contains(&row.id) {
                            skipped_rows += 1;
                            continue;
                        }
                        self.write_row(&row, has_triage.then_some(&triage))?;
                        self.saved.position =
                            SourcePosition::After(row.metadata.submitted_at, row.id);
                    }
                    ExportLine::End(count) if count <= received_rows => {
                        self.saved.raise_total(written_before + received_rows - skipped_rows);
                        return self.flush_and_report(control).await;
                    }
                    ExportLine::End(_) => return Err(StopReason::Truncated),
                }
            }
            if self.is_complete() {
                return self.flush_and_report(control).await;
            }
            self.estimate_remaining();
            self.flush_and_report(control).await?;
        }
        Err(StopReason::Truncated)
    }

    /// Estimates the remaining time from the speed so far.
    fn estimate_remaining(&mut self) {
        let progress = self.progress();
        let took_ms = since_ms(self.run.began_ms);
        let rows = progress.written.saturating_sub(self.run.began_rows);
        let missing_rows = progress.missing_rows();
        self.progress.left_ms =
            (rows > 0 && missing_rows > 0).then(|| took_ms.saturating_mul(missing_rows) / rows);
    }

    /// Reads the pages of the list.
    async fn read_pages(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        let ListQuery { filter, .. } = self.parse_query()?;
        let form = self.saved.task.form.clone();
        let api = FormApi { environment: self.saved.task.environment, form: &form, control };
        loop {
            let cursor = match &self.saved.position {
                SourcePosition::Cursor(cursor) => Some(cursor.clone()),
                _ => None,
            };
            self.wait_for_pace(control).await?;
            let query = ListQuery { filter: filter.clone(), limit: LIMIT_MAX, cursor, sort: None };
            let sent_ms = js_sys::Date::now();
            let (page, rate) = api.list_page(&query).await?;
            // A response without headers does not change the known rate limit.
            self.rate = rate.or(self.rate);
            self.saved.set_listed(page.pagination.total);
            for row in &page.data {
                if self.selection.contains(&row.id) && self.recent.insert_new(&row.id) {
                    self.write_row(row, None)?;
                }
            }
            let next = page.pagination.next().map(str::to_owned);
            let is_last = next.is_none() || next == query.cursor || self.is_complete();
            self.saved.position = if is_last {
                SourcePosition::End
            } else {
                SourcePosition::Cursor(next.unwrap_or_default())
            };
            self.estimate_by_requests(since_ms(sent_ms));
            self.flush_and_report(control).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn estimate_by_requests(&mut self, took_ms: u64) {
        let requests = self.progress().missing_rows().div_ceil(u64::from(LIMIT_MAX));
        let pace = RequestPace::from_rate_limit(self.saved.task.plan, self.rate);
        let remaining_ms = pace.remaining_ms(requests, self.rate, took_ms);
        self.progress.left_ms = (requests > 0).then_some(remaining_ms);
    }

    /// Reads submissions one by one. Deleted ones are missing in the file, which is reported.
    async fn read_each(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        let ids = self.saved.task.selected_ids.clone().unwrap_or_default();
        let form = self.saved.task.form.clone();
        let api = FormApi { environment: self.saved.task.environment, form: &form, control };
        let begin = if let SourcePosition::Nth(n) = self.saved.position { n } else { 0 };
        for (n, id) in ids.iter().enumerate().skip(begin) {
            self.wait_for_pace(control).await?;
            match api.get_submission(id).await {
                Ok((row, rate)) => {
                    self.rate = rate.or(self.rate);
                    self.write_row(&row, None)?;
                }
                Err(StopReason::NotFound) => {}
                Err(stop) => return Err(stop),
            }
            self.saved.position = SourcePosition::Nth(n + 1);
            let remaining = (ids.len() - n - 1) as u64;
            let pace = RequestPace::from_rate_limit(self.saved.task.plan, self.rate);
            self.progress.left_ms =
                (remaining > 0).then(|| pace.remaining_ms(remaining, self.rate, 0));
            self.flush_and_report(control).await?;
        }
        Ok(())
    }

    /// Saves the server's file unchanged. It cannot resume in the middle, so it restarts.
    async fn read_server_file(&mut self, control: &ExportControl) -> Result<(), StopReason> {
        self.restart().await?;
        let ListQuery { filter, .. } = self.parse_query()?;
        let format = match self.saved.task.format {
            Format::Csv => ExportFormat::Csv,
            _ => ExportFormat::Json,
        };
        let query = ExportQuery { filter, format, ..ExportQuery::default() };
        self.wait_for_pace(control).await?;
        let environment = self.saved.task.environment;
        let form = self.saved.task.form.clone();
        let api = FormApi { environment, form: &form, control };
        let (mut stream, rate) = api.open_export(&query).await?;
        self.rate = rate.or(self.rate);
        let mut rows = RowCounter::for_format(format);
        while let Some(bytes) = stream.next_bytes(control).await? {
            rows.push(&bytes);
            self.progress.written = rows.row_count().unwrap_or(self.progress.written);
            if let Some(output) = &mut self.output {
                output.sink.write(&bytes).await.map_err(StopReason::Failed)?;
            }
            self.estimate_remaining();
            control.check_stopped()?;
            self.report_progress();
        }
        self.counted_rows = rows.row_count();
        if rows.is_whole() { Ok(()) } else { Err(StopReason::Truncated) }
    }

    /// Finishes an unchanged server file.
    pub(super) async fn finish_raw(
        &mut self,
    ) -> Result<(Vec<ExportWarning>, Option<Blob>), StopReason> {
        let mut remarks = Vec::new();
        if let Some(rows) = self.counted_rows {
            self.progress.written = rows;
            self.saved.raise_total(rows);
        } else {
            self.saved.total = None;
            remarks.push(ExportWarning::Uncounted);
        }
        if let Some(output) = self.output.take() {
            self.progress.bytes = output.sink.byte_count();
            let media_type = self.saved.task.format.media_type();
            self.rows = output.sink.finish(media_type).await.map_err(StopReason::Failed)?;
        }
        self.record_finished(remarks).await
    }
}

fn unreadable_response(text: String) -> StopReason {
    StopReason::Failed(Failure::Unreadable(text))
}
