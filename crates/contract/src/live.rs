//! Live updates: the events of `GET /account/events` (not in the specification).
//!
//! The response is a stream of server-sent events. Each event has a name and one line of JSON. The
//! server and its clients write and read them only here.

use crate::named_enum::named_enum;
use crate::query::{
    QueryError, invalid_parameter, parse_environment, parse_pairs, require_environment,
    shorten_value,
};
use crate::{Environment, FormId, SubmissionId};
use serde::{Deserialize, Serialize};

/// Maximum number of ids in an event. An event of more submissions has an empty list.
pub const IDS_MAX: usize = 100;
/// Delay before a client connects again, in milliseconds.
pub const RETRY_MS: u64 = 2000;
/// Interval between comments that show that the connection is alive, in seconds.
pub const HEARTBEAT_S: u64 = 20;
/// Maximum duration of a stream, in seconds. The client connects again, and its session is checked
/// again.
pub const STREAM_S_MAX: u64 = 120;
/// Media type of the stream.
pub const MEDIA_TYPE: &str = "text/event-stream";
/// Comment that shows that the connection is alive.
pub const HEARTBEAT: &str = ":\n\n";

named_enum! {
    /// How submissions changed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChangeKind {
        /// They are new in the list: they arrived, were imported, or were restored from spam or
        /// trash.
        Created = "created",
        /// Their triage or notes changed.
        Updated = "updated",
        /// Their insight was added or corrected.
        Analyzed = "analyzed",
        /// They left the list: they were deleted, or moved to spam or trash.
        Removed = "removed",
    }
}

/// Changed submissions of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormChange {
    /// The form.
    pub form_id: FormId,
    /// The submissions, at most [`IDS_MAX`]. Empty if there are more, or if they are not known.
    pub ids: Vec<SubmissionId>,
}

impl FormChange {
    /// Adds more submissions of the same form. An empty list means all of them.
    pub fn add_ids(&mut self, more: &[SubmissionId]) {
        if self.ids.is_empty() || more.is_empty() {
            self.ids.clear();
            return;
        }
        for id in more {
            if self.ids.contains(id) {
                continue;
            }
            if self.ids.len() == IDS_MAX {
                self.ids.clear();
                return;
            }
            self.ids.push(id.clone());
        }
    }
}

/// An event of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveEvent {
    /// The first event: later changes arrive on this stream.
    Ready,
    /// Changes may have been missed. The client loads its data again.
    Reset,
    /// Submissions changed.
    Change(ChangeKind, FormChange),
}

/// Error: an event has data that its name does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidEvent;

impl LiveEvent {
    /// Parses an event by its name and data. Returns `None` for a name that this version does not
    /// know, which a client ignores.
    ///
    /// # Errors
    /// If the data of a known event are invalid.
    pub fn parse(name: &str, data: &str) -> Result<Option<Self>, InvalidEvent> {
        let kind = match name {
            "ready" => return Ok(Some(Self::Ready)),
            "reset" => return Ok(Some(Self::Reset)),
            "created" => ChangeKind::Created,
            "updated" => ChangeKind::Updated,
            "analyzed" => ChangeKind::Analyzed,
            "removed" => ChangeKind::Removed,
            _ => return Ok(None),
        };
        let change = serde_json::from_str(data).map_err(|_| InvalidEvent)?;
        Ok(Some(Self::Change(kind, change)))
    }

    /// Returns the event as text of the stream. [`LiveEvent::Ready`] also sets the delay before a
    /// client connects again.
    pub fn to_frame(&self) -> String {
        match self {
            Self::Ready => format!("retry: {RETRY_MS}\nevent: ready\ndata: {{}}\n\n"),
            Self::Reset => "event: reset\ndata: {}\n\n".to_owned(),
            Self::Change(kind, change) => {
                // Writing ids as JSON cannot fail.
                let data = serde_json::to_string(change).unwrap_or_default();
                format!("event: {}\ndata: {data}\n\n", kind.as_str())
            }
        }
    }
}

/// Maximum length of an event that a parser accepts, in bytes. Events of the server are shorter.
const EVENT_BYTES_MAX: usize = 64 * 1024;

/// Parses a stream of events, which arrives in parts.
#[derive(Debug, Default)]
pub struct EventParser {
    /// Bytes of an incomplete event.
    buffer: Vec<u8>,
}

impl EventParser {
    /// Adds bytes of the stream, and returns the events that are complete now. Comments and
    /// unknown events are skipped.
    ///
    /// # Errors
    /// If an event is invalid or too long. The stream is then of no use.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<LiveEvent>, InvalidEvent> {
        self.buffer.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
            let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
            let frame = str::from_utf8(&frame).map_err(|_| InvalidEvent)?;
            let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            if let Some(name) = field("event: ") {
                events.extend(LiveEvent::parse(name, field("data: ").unwrap_or_default())?);
            }
        }
        if self.buffer.len() > EVENT_BYTES_MAX { Err(InvalidEvent) } else { Ok(events) }
    }
}

/// Query of `GET /account/events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsQuery {
    /// Environment of the forms.
    pub environment: Environment,
}

impl EventsQuery {
    /// Parses a query string without `?`.
    ///
    /// # Errors
    /// For a parameter that is unknown, repeated, missing or invalid.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut environment = None;
        for (name, value) in parse_pairs(query)? {
            if name != "environment" {
                let problem = "is not a parameter of this endpoint; give only `environment`";
                return Err(invalid_parameter(&shorten_value(&name), problem));
            }
            environment = parse_environment(&value)?;
        }
        Ok(Self { environment: require_environment(environment)? })
    }

    /// Returns the query string without `?`.
    pub fn to_query_string(self) -> String {
        format!("environment={}", self.environment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(range: std::ops::Range<usize>) -> Vec<SubmissionId> {
        range.map(|n| format!("sub_{n}").parse().unwrap()).collect()
    }

    fn change(ids: Vec<SubmissionId>) -> FormChange {
        FormChange { form_id: "frm_1".parse().unwrap(), ids }
    }

    #[test]
    fn events_have_a_name_and_one_line_of_json() {
        let created = LiveEvent::Change(ChangeKind::Created, change(ids(1..3)));
        for (event, frame) in [
            (LiveEvent::Ready, "retry: 2000\nevent: ready\ndata: {}\n\n"),
            (LiveEvent::Reset, "event: reset\ndata: {}\n\n"),
            (
                created,
                "event: created\ndata: {\"form_id\":\"frm_1\",\"ids\":[\"sub_1\",\"sub_2\"]}\n\n",
            ),
            (
                LiveEvent::Change(ChangeKind::Removed, change(Vec::new())),
                "event: removed\ndata: {\"form_id\":\"frm_1\",\"ids\":[]}\n\n",
            ),
        ] {
            assert_eq!(event.to_frame(), frame);
            let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            let (name, data) = (field("event: ").unwrap(), field("data: ").unwrap());
            assert_eq!(LiveEvent::parse(name, data), Ok(Some(event)));
        }
    }

    #[test]
    fn unknown_events_are_ignored_and_invalid_ones_rejected() {
        assert_eq!(LiveEvent::parse("archived", "[]"), Ok(None));
        let more = r#"{"form_id":"frm_1","ids":[],"by":"psn_1"}"#;
        let expected = LiveEvent::Change(ChangeKind::Updated, change(Vec::new()));
        assert_eq!(LiveEvent::parse("updated", more), Ok(Some(expected)));
        for data in ["", "{}", r#"{"form_id":"x","ids":[]}"#, r#"{"form_id":"frm_1"}"#] {
            assert_eq!(LiveEvent::parse("created", data), Err(InvalidEvent), "{data}");
        }
    }

    #[test]
    fn parser_accepts_any_parts() {
        let events = [
            LiveEvent::Ready,
            LiveEvent::Change(ChangeKind::Analyzed, change(ids(0..100))),
            LiveEvent::Reset,
        ];
        let frames = events.iter().map(LiveEvent::to_frame);
        let text = frames.collect::<Vec<_>>().join(HEARTBEAT) + "event: archived\ndata: []\n\n";
        for size in [1, 2, 7, text.len()] {
            let mut parser = EventParser::default();
            let parts = text.as_bytes().chunks(size);
            let found: Vec<_> = parts.flat_map(|part| parser.push(part).unwrap()).collect();
            assert_eq!(found, events, "parts of {size} bytes");
            assert!(parser.buffer.is_empty());
        }
    }

    #[test]
    fn parser_rejects_invalid_and_endless_events() {
        for bad in [&b"event: created\ndata: 1\n\n"[..], b"event: \xFF\n\n"] {
            assert_eq!(EventParser::default().push(bad), Err(InvalidEvent));
        }
        let mut parser = EventParser::default();
        let part = [b'x'; 1024];
        assert!((0..64).all(|_| parser.push(&part).is_ok()));
        assert_eq!(parser.push(&part), Err(InvalidEvent));
    }

    #[test]
    fn too_many_or_unknown_ids_are_omitted() {
        let mut merged = change(ids(0..60));
        merged.add_ids(&ids(50..100));
        assert_eq!(merged.ids, ids(0..100));
        merged.add_ids(&ids(99..100));
        assert_eq!(merged.ids.len(), 100);
        merged.add_ids(&ids(100..101));
        assert!(merged.ids.is_empty());
        merged.add_ids(&ids(0..1));
        assert!(merged.ids.is_empty(), "the ids before are still not known");
        let mut unknown = change(ids(0..1));
        unknown.add_ids(&[]);
        assert!(unknown.ids.is_empty());
    }

    #[test]
    fn environment_is_required() {
        for environment in Environment::ALL {
            let query = EventsQuery { environment };
            assert_eq!(EventsQuery::parse(&query.to_query_string()), Ok(query));
        }
        for (bad, problem) in [
            ("", "`environment` is missing; give `live` or `test`"),
            ("environment=", "`environment` is missing; give `live` or `test`"),
            ("environment=all", "`environment` must be `live` or `test`, but is `all`"),
            ("environment=live&environment=test", "`environment` is given more than once"),
            ("environment=live&form=frm_1", "`form` is not a parameter of this endpoint"),
        ] {
            let message = EventsQuery::parse(bad).unwrap_err().message;
            assert!(message.starts_with(problem), "{message}");
        }
    }
}
