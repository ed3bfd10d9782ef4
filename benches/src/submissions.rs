//! Submissions of the ingestion bench: as JSON for the service, as parameters for PostgreSQL.
//!
//! Both get the same answers from the same random numbers. The service determines id, time,
//! metadata and search text itself. A program that stores into PostgreSQL would have to do the
//! same, so the sender does it outside of the timed part.

use crate::Result;
use crate::client::post_json_request;
use crate::load::{RequestSender, Requests};
use crate::random::Random;
use contract::{Answers, Metadata, Timestamp};
use serde_json::Value;
use std::sync::Arc;
use store::clock::{Clock as _, SystemClock};
use store::ids::generate_submission_id;
use tokio_postgres::types::Json;
use tokio_postgres::{Client, Statement};

/// Texts of the samples, which the submissions contain.
pub(crate) type Texts = Arc<Vec<String>>;

/// Returns the answers of one submission; no two are the same.
fn random_answers(texts: &Texts, rng: &mut Random) -> Answers {
    let lines: Vec<&str> = rng.choose(texts).lines().collect();
    let longest = lines.iter().max_by_key(|line| line.len()).copied().unwrap_or_default();
    let members = [
        ("Name", format!("Sender {}", rng.next())),
        ("Email", format!("sender{}@example.com", rng.below(1_000_000))),
        ("What would you like to tell us?", longest.to_owned()),
        ("Company", lines.first().copied().unwrap_or_default().to_owned()),
    ];
    let members = members.into_iter().map(|(key, text)| (key.to_owned(), Value::String(text)));
    Answers(members.collect())
}

/// Returns requests that send submissions to a form of the service.
pub(crate) fn submission_requests(form: &str, texts: &Texts) -> Requests {
    let path = format!("/f/{form}");
    let texts = Arc::clone(texts);
    Arc::new(move |rng, out| {
        let body = Value::Object(random_answers(&texts, rng).0).to_string();
        out.extend_from_slice(&post_json_request(&path, &body));
    })
}

/// A client that stores submissions into PostgreSQL.
pub(crate) struct PostgresSender {
    client: Client,
    insert: Statement,
    form: i64,
    texts: Texts,
    next: Option<InsertParameters>,
}

/// Parameters of one insertion.
struct InsertParameters {
    id: String,
    answers: Answers,
    metadata: Metadata,
    searched: String,
}

impl InsertParameters {
    fn random(texts: &Texts, rng: &mut Random, now: Timestamp) -> Self {
        let answers = random_answers(texts, rng);
        let mut searched = String::new();
        answers.for_each_searched(|text| {
            searched.push_str(&text);
            searched.push(' ');
        });
        let id = generate_submission_id(now).into();
        Self { id, answers, metadata: Metadata::at(now), searched }
    }
}

impl PostgresSender {
    /// Creates a client that inserts submissions of a form with a prepared statement. Its
    /// parameters are the columns of the peer's table.
    pub(crate) fn new(client: Client, insert: Statement, form: i64, texts: &Texts) -> Self {
        Self { client, insert, form, texts: Arc::clone(texts), next: None }
    }
}

impl RequestSender for PostgresSender {
    fn prepare(&mut self, rng: &mut Random) {
        self.next = Some(InsertParameters::random(&self.texts, rng, SystemClock.now()));
    }

    async fn ask(&mut self) -> Result<bool> {
        let Some(InsertParameters { id, answers, metadata, searched }) = self.next.take() else {
            return Ok(false);
        };
        let at = metadata.submitted_at.micros();
        let Metadata { utm_source, utm_medium, utm_campaign, .. } = &metadata;
        let inserted = self
            .client
            .execute(
                &self.insert,
                &[
                    &self.form,
                    &at,
                    &id,
                    utm_source,
                    utm_medium,
                    utm_campaign,
                    &Json(&answers),
                    &Json(&metadata),
                    &searched,
                ],
            )
            .await?;
        Ok(inserted == 1)
    }
}
