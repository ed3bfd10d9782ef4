//! Second step of a table export from a server that does not publish fields. The first step
//! downloads all rows, whose answers determine the columns. This step converts the rows to the
//! file, chunk by chunk and without requests.

use export_worker::task::{ExportWarning, Unwritable};
use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::{
    super::{
        export_store,
        sink::OutputSink,
        stop::{ExportControl, StopReason},
        worker_scope::to_f64,
    },
    ExportJob, OutputFile,
};

/// Bytes of rows per read.
const CHUNK_BYTES: u64 = 1 << 20;

impl ExportJob {
    /// Converts the downloaded rows to the file. Returns the warnings and the complete file.
    ///
    /// # Errors
    /// If the rows cannot be read any more, the file cannot be written, or the user stops the
    /// export.
    pub(super) async fn finish_gathered(
        &mut self,
        control: &ExportControl,
    ) -> Result<(Vec<ExportWarning>, Option<Blob>), StopReason> {
        if self.rows.is_none() {
            self.finish_file().await?;
        }
        let Some(rows) = self.rows.clone() else {
            return Err(StopReason::unwritable(Unwritable::RowsLost));
        };
        let fields = self.saved.fields();
        let task = self.saved.task.clone();
        let mut file = self.new_file(&task, &fields, None).map_err(StopReason::Failed)?;
        let name = export_store::file_name(&self.saved.id);
        let mut sink =
            OutputSink::open(self.handle.as_ref(), &name, 0).await.map_err(StopReason::Failed)?;
        let mut at = 0;
        let mut rest = Vec::new();
        loop {
            let chunk = read_chunk(&rows, at).await?;
            if chunk.is_empty() {
                break;
            }
            at += chunk.len() as u64;
            rest.extend_from_slice(&chunk);
            let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            for line in rest[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let row = serde_json::from_slice(line)
                    .map_err(|_| StopReason::unwritable(Unwritable::RowsLost))?;
                let zone = &mut self.zone;
                file.write_row(&row, None, &mut |at| zone.utc_offset_min(at))
                    .map_err(StopReason::unwritable)?;
            }
            rest.drain(..end);
            control.check_stopped()?;
            sink.write(&file.take()).await.map_err(StopReason::Failed)?;
        }
        self.output = Some(OutputFile { file, sink });
        let warnings = self.finish_file().await?;
        self.record_finished(warnings).await
    }
}

async fn read_chunk(rows: &Blob, at: u64) -> Result<Vec<u8>, StopReason> {
    let unreadable = |_| StopReason::unwritable(Unwritable::RowsLost);
    let begin = to_f64(at);
    let end = to_f64(at + CHUNK_BYTES);
    let slice = rows.slice_with_f64_and_f64(begin, end).map_err(unreadable)?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(unreadable)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}
