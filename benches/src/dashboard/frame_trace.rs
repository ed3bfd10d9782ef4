//! Frame rate on screen, from the browser's own trace. The compositor moves scrolled content and
//! draws frames even if the main thread has nothing new. While scrolling, the browser skips some
//! frames of the main thread, and a page can observe only main-thread frames.

use super::browser::Browser;
use crate::Result;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use thirtyfour::cdp::{CdpSession, RawEvent};
use tokio::time::timeout;

/// Trace category with the draw times of frames.
const TRACE_CATEGORY: &str = "disabled-by-default-devtools.timeline.frame";
/// Size of the trace buffer, for some minutes.
const BUFFER_KB: u32 = 16_384;
/// Maximum time for reading the trace.
const READ_MAX: Duration = Duration::from_mins(1);
const FRAME_MS: f64 = 1000.0 / 60.0;

/// A running trace.
pub(crate) struct FrameTrace(CdpSession);

/// Frames of a trace.
#[derive(Debug, PartialEq)]
pub(crate) struct FrameStats {
    /// Frames per second.
    pub(crate) a_second: f64,
    /// Frames that were not drawn in time, at 60 per second.
    pub(crate) dropped: f64,
}

impl FrameTrace {
    /// Starts the trace.
    pub(crate) async fn begin(browser: &Browser) -> Result<Self> {
        let session = browser.connect_cdp().await?;
        let parameters = json!({
            "transferMode": "ReportEvents",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "traceBufferSizeInKb": BUFFER_KB,
                "includedCategories": [TRACE_CATEGORY],
                "excludedCategories": ["*"],
            },
        });
        session.send_raw("Tracing.start", parameters).await?;
        Ok(Self(session))
    }

    /// Stops the trace, and reads its frames.
    pub(crate) async fn end(self) -> Result<FrameStats> {
        let mut events = self.0.subscribe_all();
        self.0.send_raw("Tracing.end", ()).await?;
        let mut record = Vec::new();
        let read = async {
            while let Some(RawEvent { method, mut params, .. }) = events.next().await {
                match &*method {
                    "Tracing.dataCollected" => {
                        if let Value::Array(events_read) = params["value"].take() {
                            record.extend(events_read);
                        }
                    }
                    "Tracing.tracingComplete" if params["dataLossOccurred"] != true => {
                        return Ok(());
                    }
                    "Tracing.tracingComplete" => return Err("the trace buffer is full"),
                    _ => {}
                }
            }
            Err("the browser closed before the trace was complete")
        };
        timeout(READ_MAX, read).await.map_err(|_| "timed out reading the browser's trace")??;
        self.0.detach().await?;
        evaluate_trace(&record).ok_or_else(|| "the trace has no frames".into())
    }
}

/// Evaluates a trace. The page is the layer tree with the most frames.
fn evaluate_trace(record: &[Value]) -> Option<FrameStats> {
    let mut of_each: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for event in record.iter().filter(|event| event["name"] == "DrawFrame") {
        let tree = event["args"]["layerTreeId"].as_u64()?;
        of_each.entry(tree).or_default().push(event["ts"].as_f64()? / 1e3);
    }
    let mut at_ms = of_each.into_values().max_by_key(Vec::len)?;
    at_ms.sort_by(f64::total_cmp);
    let late = |pair: &[f64]| (((pair[1] - pair[0]) / FRAME_MS).round() - 1.0).max(0.0);
    let took_ms = at_ms.last()? - at_ms.first()?;
    let a_second = (at_ms.len() - 1) as f64 * 1e3 / took_ms;
    Some(FrameStats { a_second, dropped: at_ms.windows(2).map(late).sum() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tree: u64, nth: f64) -> Value {
        let ts = nth * FRAME_MS * 1e3;
        json!({ "name": "DrawFrame", "ts": ts, "args": { "layerTreeId": tree } })
    }

    #[test]
    fn frames_are_counted_by_draw_time() {
        let begin_frame = json!({ "name": "BeginFrame", "ts": 1, "args": {} });
        let mut record = vec![begin_frame, frame(2, 0.0), frame(2, 9.0)];
        record.extend([4.0, 0.0, 1.1, 1.9].map(|nth| frame(1, nth)));
        // A tenth of a frame is not late; one frame is missing between the third and the fourth.
        let seen = evaluate_trace(&record).unwrap();
        assert_eq!((seen.a_second.round(), seen.dropped), (45.0, 1.0));
        assert_eq!(evaluate_trace(&[]), None);
    }
}
