//! Tables from a server that does not publish fields. The rows are gathered first, and with them
//! the columns. This module then converts them to the file, chunk by chunk and without requests.

use export_worker::task::{Remark, Unwritable};
use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::{
    super::{
        scope::float,
        shelf,
        sink::Sink,
        stop::{Control, Stop},
    },
    Job, Out,
};

/// Bytes of rows per read.
const PIECE_BYTES: u64 = 1 << 20;

impl Job {
    pub(super) async fn finish_gathered(
        &mut self,
        control: &Control,
    ) -> Result<(Vec<Remark>, Option<Blob>), Stop> {
        if self.rows.is_none() {
            self.finish_file().await?;
        }
        let Some(rows) = self.rows.clone() else {
            return Err(Stop::unwritable(Unwritable::RowsLost));
        };
        let (fields, task) = (self.saved.fields(), self.saved.task.clone());
        let mut file = self.new_file(&task, &fields, None).map_err(Stop::Failed)?;
        let name = shelf::file_name(&self.saved.id);
        let mut sink = Sink::open(self.handle.as_ref(), &name, 0).await.map_err(Stop::Failed)?;
        let (mut at, mut rest) = (0, Vec::new());
        loop {
            let piece = piece(&rows, at).await?;
            if piece.is_empty() {
                break;
            }
            at += piece.len() as u64;
            rest.extend_from_slice(&piece);
            let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            for line in rest[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let row = serde_json::from_slice(line)
                    .map_err(|_| Stop::unwritable(Unwritable::RowsLost))?;
                let zone = &mut self.zone;
                file.row(&row, &mut |at| zone.ahead_min(at)).map_err(Stop::unwritable)?;
            }
            rest.drain(..end);
            control.check()?;
            sink.write(&file.take()).await.map_err(Stop::Failed)?;
        }
        self.out = Some(Out { file, sink });
        let remarks = self.finish_file().await?;
        self.close(remarks).await
    }
}

async fn piece(rows: &Blob, at: u64) -> Result<Vec<u8>, Stop> {
    let unreadable = |_| Stop::unwritable(Unwritable::RowsLost);
    let (begin, end) = (float(at), float(at + PIECE_BYTES));
    let slice = rows.slice_with_f64_and_f64(begin, end).map_err(unreadable)?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(unreadable)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}
