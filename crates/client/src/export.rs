//! Download of an export: a stream of bytes, with an error if the file is truncated.

use crate::completeness::CompletenessCheck;
use crate::error::Error;
use bytes::Bytes;
use contract::ExportFormat;
use futures_util::Stream;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, Error>> + Send>>;

/// Export (specification, section 4.4): a stream of its bytes.
///
/// The last item is an error if the file is truncated. The caller must then discard the written
/// data.
pub struct Export {
    file_name: Option<String>,
    pieces: ByteStream,
}

impl Export {
    /// Creates the stream from a response that has begun.
    ///
    /// # Errors
    /// [`Error::InvalidResponse`] for a CSV export without a way to detect a truncation.
    pub(crate) fn new(
        response: Response<Incoming>,
        format: ExportFormat,
        silence: Duration,
    ) -> Result<Self, Error> {
        let (parts, body) = response.into_parts();
        let is_framed = parts.headers.contains_key(CONTENT_LENGTH)
            || parts.headers.contains_key(TRANSFER_ENCODING);
        if !is_framed && format == ExportFormat::Csv {
            return Err(Error::invalid_response(
                "the export has no length and is not chunked, so a truncation could not be \
                 detected; request `json`, which has an end",
            ));
        }
        let file_name = file_name(&parts.headers);
        let start = Some((body, CompletenessCheck::new(format), 0));
        let pieces =
            futures_util::stream::try_unfold(start, move |state| next_chunk(state, silence));
        Ok(Self { file_name, pieces: Box::pin(pieces) })
    }

    /// Returns the file name suggested by the server. It contains no folder.
    pub fn file_name(&self) -> Option<&str> {
        self.file_name.as_deref()
    }
}

impl Stream for Export {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.pieces.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").field("file_name", &self.file_name).finish_non_exhaustive()
    }
}

/// Export in progress: the body, the completeness check, and the number of received bytes.
type DownloadState = Option<(Incoming, CompletenessCheck, u64)>;

async fn next_chunk(
    state: DownloadState,
    silence: Duration,
) -> Result<Option<(Bytes, DownloadState)>, Error> {
    let Some((mut body, mut check, mut bytes)) = state else { return Ok(None) };
    let cut = |bytes, reason: String| Error::Truncated { bytes, reason };
    loop {
        let frame = tokio::time::timeout(silence, body.frame()).await;
        let frame = frame.map_err(|_| cut(bytes, "the download stalled".to_owned()))?;
        match frame {
            None => {
                let missing = check.missing_part().map(|problem| cut(bytes, problem.to_owned()));
                return missing.map_or(Ok(None), Err);
            }
            Some(Err(error)) => return Err(cut(bytes, error.to_string())),
            Some(Ok(frame)) => {
                // Trailers are not part of the file.
                let Ok(piece) = frame.into_data() else { continue };
                check.process(&piece);
                bytes += piece.len() as u64;
                return Ok(Some((piece, Some((body, check, bytes)))));
            }
        }
    }
}

/// Returns the file name from the headers, unless it could lead to another folder.
fn file_name(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_DISPOSITION)?.to_str().ok()?;
    let name = text.split_once("filename=\"")?.1.split_once('"')?.0;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (name.chars().all(plain) && !name.starts_with('.') && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn file_name_with_folder_is_rejected() {
        let check = |text: &'static str, expect: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(text));
            assert_eq!(file_name(&headers).as_deref(), expect, "{text}");
        };
        check("attachment; filename=\"frm_1-20260301.csv\"", Some("frm_1-20260301.csv"));
        check("attachment; filename=\"../x\"", None);
        check("attachment; filename=\".bashrc\"", None);
        check("attachment; filename=\"a/b\"", None);
        check("attachment", None);
    }
}
