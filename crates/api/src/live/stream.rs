//! The body of one stream: events, comments while nothing happens, and its end.

use super::StreamPermit;
use super::pending_events::PendingEvents;
use axum::body::Body;
use contract::FormAccess;
use contract::live::{HEARTBEAT, HEARTBEAT_S, LiveEvent, STREAM_S_MAX};
use futures_util::stream;
use std::convert::Infallible;
use std::time::Duration;
use store::Owner;
use store::live::{LiveReceiver, MESSAGES_MAX};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// Time during which changes are merged. A stream wakes up at most this often, also for the
/// changes of other accounts.
const MERGE_TIME: Duration = Duration::from_millis(200);
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(HEARTBEAT_S);
const STREAM_TIME_MAX: Duration = Duration::from_secs(STREAM_S_MAX);

/// Returns the body of a stream of the changes of one owner, in forms that the user has access to.
pub(crate) fn stream_body(
    (owner, access): (Owner, FormAccess),
    changes: LiveReceiver,
    is_closing: watch::Receiver<bool>,
    permit: StreamPermit,
) -> Body {
    let ends_at = Instant::now() + STREAM_TIME_MAX;
    let stream = EventStream { owner, access, changes, is_closing, ends_at, _permit: permit };
    let first = LiveEvent::Ready.to_frame();
    Body::from_stream(stream::unfold((stream, Some(first)), |(mut stream, first)| async move {
        let frames = match first {
            Some(first) => first,
            None => stream.next_frames().await?,
        };
        Some((Ok::<_, Infallible>(frames), (stream, None)))
    }))
}

struct EventStream {
    owner: Owner,
    access: FormAccess,
    changes: LiveReceiver,
    is_closing: watch::Receiver<bool>,
    ends_at: Instant,
    _permit: StreamPermit,
}

impl EventStream {
    /// Waits for the next events, or for the time of a comment; `None` at the end.
    async fn next_frames(&mut self) -> Option<String> {
        let heartbeat_at = Instant::now() + HEARTBEAT_INTERVAL;
        let wakes_at = heartbeat_at.min(self.ends_at);
        let mut events = PendingEvents::default();
        loop {
            tokio::select! {
                _ = self.is_closing.wait_for(|is_closing| *is_closing) => return None,
                () = sleep_until(wakes_at) => {
                    return (wakes_at < self.ends_at).then(|| HEARTBEAT.to_owned());
                }
                message = self.changes.next() => events.add(&*message?, &self.owner, &self.access),
            }
            tokio::select! {
                _ = self.is_closing.wait_for(|is_closing| *is_closing) => return None,
                () = sleep(MERGE_TIME) => {}
            }
            for message in std::iter::from_fn(|| self.changes.try_next()).take(MESSAGES_MAX) {
                events.add(&message, &self.owner, &self.access);
            }
            if let Some(frames) = events.take_frames() {
                return Some(frames);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LiveStreams;
    use super::*;
    use contract::live::{ChangeKind, FormChange};
    use contract::{Environment, Timestamp};
    use futures_util::StreamExt as _;
    use store::live::{LiveChange, LiveFeed, LiveMessage};

    struct Fixture {
        feed: LiveFeed,
        streams: LiveStreams,
        body: axum::body::BodyDataStream,
    }

    fn owner(account: &str) -> Owner {
        Owner { account_id: account.parse().unwrap(), environment: Environment::Live }
    }

    fn at_start() -> Timestamp {
        Timestamp::from_micros(0).unwrap()
    }

    impl Fixture {
        async fn start() -> Self {
            let (feed, streams) = (LiveFeed::default(), LiveStreams::default());
            let owner = owner("acc_1");
            let permit = streams.acquire_permit(&owner.account_id, at_start()).ok().unwrap();
            let owner = (owner, FormAccess::default());
            let body = stream_body(owner, feed.subscribe(), streams.is_closing(), permit);
            let mut fixture = Self { feed, streams, body: body.into_data_stream() };
            assert_eq!(
                fixture.next().await,
                Some("retry: 2000\nevent: ready\ndata: {}\n\n".into())
            );
            fixture
        }

        async fn next(&mut self) -> Option<String> {
            let frames = self.body.next().await?;
            Some(String::from_utf8(frames.unwrap().to_vec()).unwrap())
        }

        fn send(&self, account: &str, kind: ChangeKind, id: &str) {
            let ids = vec![id.parse().unwrap()];
            let change = FormChange { form_id: "frm_1".parse().unwrap(), ids };
            let change = LiveChange { owner: owner(account), kind, change };
            self.feed.send(LiveMessage::Change(change));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn busy_form_costs_five_events_a_second() {
        let mut fixture = Fixture::start().await;
        let begin = Instant::now();
        fixture.send("acc_2", ChangeKind::Created, "sub_0");
        fixture.send("acc_1", ChangeKind::Created, "sub_1");
        fixture.send("acc_1", ChangeKind::Created, "sub_2");
        let data = r#"{"form_id":"frm_1","ids":["sub_1","sub_2"]}"#;
        assert_eq!(fixture.next().await, Some(format!("event: created\ndata: {data}\n\n")));
        assert_eq!(begin.elapsed(), MERGE_TIME);
        for n in 1..=10 {
            fixture.send("acc_1", ChangeKind::Updated, "sub_1");
            assert!(fixture.next().await.unwrap().starts_with("event: updated"));
            assert_eq!(begin.elapsed(), (n + 1) * MERGE_TIME);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_stream_has_comments_and_ends() {
        let mut fixture = Fixture::start().await;
        let begin = Instant::now();
        for n in 1..6 {
            // Changes of other accounts do not delay the comment.
            fixture.send("acc_2", ChangeKind::Created, "sub_0");
            assert_eq!(fixture.next().await.as_deref(), Some(":\n\n"));
            assert_eq!(begin.elapsed(), n * HEARTBEAT_INTERVAL);
        }
        assert_eq!(fixture.next().await, None);
        assert_eq!(begin.elapsed(), STREAM_TIME_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn shutdown_ends_streams_at_once() {
        let mut fixture = Fixture::start().await;
        let begin = Instant::now();
        fixture.send("acc_1", ChangeKind::Created, "sub_1");
        fixture.streams.close();
        assert_eq!(fixture.next().await, None);
        let permit =
            fixture.streams.acquire_permit(&owner("acc_1").account_id, at_start()).ok().unwrap();
        let receiver = fixture.feed.subscribe();
        let owner = (owner("acc_1"), FormAccess::default());
        let body = stream_body(owner, receiver, fixture.streams.is_closing(), permit);
        fixture.body = body.into_data_stream();
        assert!(fixture.next().await.unwrap().contains("ready"));
        assert_eq!(fixture.next().await, None, "a later stream ends, too");
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn slow_client_gets_a_reset() {
        let mut fixture = Fixture::start().await;
        for _ in 0..=MESSAGES_MAX {
            fixture.send("acc_2", ChangeKind::Created, "sub_0");
        }
        assert_eq!(fixture.next().await.as_deref(), Some("event: reset\ndata: {}\n\n"));
    }
}
