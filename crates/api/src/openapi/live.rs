//! Description of the stream of live updates (additive).

use super::describe::{Describe, Op};
use contract::live::{
    ChangeKind, FormChange, HEARTBEAT_S, IDS_MAX, LiveEvent, MEDIA_TYPE, STREAM_S_MAX,
};
use serde_json::json;

/// `GET /account/events`.
pub(crate) fn stream_events(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "A stream of server-sent events about the submissions of all forms of an environment. The \
         first event is `ready`. `created`, `updated`, `analyzed` and `removed` have a form and \
         the ids of submissions in its list; `ids` is empty if there are more than {IDS_MAX}. \
         `reset` means that events may have been missed. A comment is sent every {HEARTBEAT_S} \
         seconds. The stream ends after {STREAM_S_MAX} seconds: connect again, and load again \
         what may have changed meanwhile. Earlier events are not repeated."
    );
    let frames: String = [LiveEvent::Ready, LiveEvent::Change(ChangeKind::Updated, change())]
        .iter()
        .map(LiveEvent::to_frame)
        .collect();
    let content = json!({MEDIA_TYPE: {"schema": {"type": "string"}, "example": frames}});
    op.title("streamEvents", "Stream live updates")
        .description(&about)
        .add_environment()
        .add_response(200, "The events, until the stream ends.", &content)
}

/// Example: a changed submission.
fn change() -> FormChange {
    let form_id = super::samples::sample_id("frm_");
    FormChange { form_id, ids: vec![super::samples::sample_id("sub_")] }
}
