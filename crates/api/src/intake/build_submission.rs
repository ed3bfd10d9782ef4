//! Builds a submission from a parsed body: separates answers from control inputs, converts values,
//! and detects spam.
//!
//! An answer with an unknown key is stored. The form may add the key as a field, or reject it if
//! its owner chose that. A body cannot set an id, a time or a form.

use super::client_kind::Redirect;
use super::control_fields::ControlFields;
use super::form_body::ParsedBody;
use super::form_settings::CachedForm;
use super::limits::{ANSWERS_MAX, check_key, check_value};
use super::request_metadata::RequestMetadata;
use super::value;
use super::{Result, address, utm};
use crate::error::Error;
use crate::message::Message;
use contract::intake::SUBJECT;
use contract::{
    Answers, Field, FieldType, FormId, Intake, Metadata, SpamReason, Submission, Timestamp,
};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::ops::RangeFrom;
use std::time::Duration;
use store::ids;
use store::new_fields::NewFields;
use store::new_submission::{IdempotencyKey, NewSubmission};

/// Submission that is ready to be stored.
#[derive(Debug)]
pub(super) struct BuiltSubmission {
    /// Input of the store.
    pub(super) new_submission: NewSubmission,
    /// Redirect of a browser.
    pub(super) redirect: Redirect,
}

/// Builds a submission from the body sent to a form.
pub(super) fn build_submission(
    form: &FormId,
    cached_form: &CachedForm,
    parsed_body: ParsedBody,
    request: &RequestMetadata,
    repeat: Option<IdempotencyKey>,
    now: Timestamp,
) -> Result<BuiltSubmission> {
    let SortedMembers { answers, fields, control_fields: mut hidden } =
        sort_members(cached_form, parsed_body, now)?;
    let intake = &cached_form.record.intake;
    let spam = spam_reason(intake, &hidden);
    let redirect = match hidden.redirect.take() {
        Some(to) => address::redirect_location(&intake.redirects, &to)
            .map_or(Redirect::Thanks, Redirect::To),
        None => Redirect::Thanks,
    };
    let submission = Submission {
        id: ids::generate_submission_id(now),
        form_id: form.clone(),
        answers: Answers(answers),
        metadata: build_metadata(hidden, request, now),
        ai_insights: None,
    };
    let version = cached_form.record.version;
    let rows_max = intake.closing.as_ref().and_then(|closing| closing.max_submissions(now));
    let new_submission = NewSubmission {
        form: form.clone(),
        version,
        submission,
        fields,
        spam,
        idempotency: repeat,
        rows_max,
    };
    Ok(BuiltSubmission { new_submission, redirect })
}

/// Members of a body by purpose.
struct SortedMembers {
    answers: Map<String, Value>,
    /// New fields for answers with unknown keys.
    fields: Vec<Field>,
    control_fields: ControlFields,
}

fn sort_members(
    cached_form: &CachedForm,
    parsed_body: ParsedBody,
    now: Timestamp,
) -> Result<SortedMembers> {
    let is_typed = parsed_body.is_typed;
    let mut sorted = SortedMembers {
        answers: Map::new(),
        fields: Vec::new(),
        control_fields: ControlFields::default(),
    };
    let mut members = Map::new();
    let mut lists = HashSet::new();
    let mut numbers = 2..;
    for (sent, value) in parsed_body.members {
        let (key, is_list) = value::field_key(cached_form, &sent, is_typed);
        let is_field = cached_form.field(&sent).is_some() || cached_form.field(&key).is_some();
        if !is_field && sorted.control_fields.consume(&sent, &value, now) {
            continue;
        }
        if is_list {
            lists.insert(key.clone());
        }
        match (members.get_mut(&key), value) {
            // `colors` and `colors[]` belong to one list.
            (Some(Value::Array(texts)), Value::Array(more)) if !is_typed => texts.extend(more),
            (Some(_), value) => {
                let key = free_key(&members, &key, &mut numbers);
                members.insert(key, value);
            }
            (None, value) => drop(members.insert(key, value)),
        }
    }
    if members.is_empty() {
        return Err(Error::validation(Message::NoAnswer));
    }
    let mut new_fields =
        NewFields::new(&cached_form.record.fields, &cached_form.record.intake, now);
    for (key, value) in members {
        check_key(&key)?;
        let kind = if let Some(field) = cached_form.field(&key) {
            field.kind
        } else {
            let kind = value::guess_type(&key, &value, is_typed, lists.contains(&key));
            if cached_form.record.intake.strict {
                return Err(unknown_field_error(&key));
            }
            if key != SUBJECT && !cached_form.record.removed_keys.contains(&key) {
                new_fields.add(|| new_field(&key, kind, now));
            }
            kind
        };
        let value = if is_typed { Some(value) } else { value::convert_texts(value, kind) };
        if let Some(value) = value {
            let value = value::without_nul(value);
            check_value(&key, &value)?;
            sorted.answers.insert(key, value);
        }
    }
    sorted.fields = new_fields.into_fields();
    check_count(sorted.answers.len(), ANSWERS_MAX.max(cached_form.record.fields.len()))?;
    Ok(sorted)
}

/// Returns an unused key for an answer that would share its key with another, such as an empty one.
/// Numbers are not reused within a submission, so that many such keys take linear time.
fn free_key(members: &Map<String, Value>, key: &str, numbers: &mut RangeFrom<usize>) -> String {
    let mut keys = numbers.map(|number| format!("{key} {number}"));
    keys.find(|key| !members.contains_key(key)).unwrap_or_default()
}

fn unknown_field_error(key: &str) -> Error {
    // The valid keys are not listed: a stranger need not know the other questions of the form.
    Error::validation(Message::UnknownField { key: key.to_owned() })
}

/// Returns the new field for an unknown key.
fn new_field(key: &str, kind: FieldType, now: Timestamp) -> Field {
    Field {
        id: ids::generate_field_id(now),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    }
}

fn check_count(count: usize, max: usize) -> Result<()> {
    if count <= max {
        return Ok(());
    }
    Err(Error::validation(Message::TooManyAnswers { most: max, count }))
}

fn spam_reason(intake: &Intake, hidden: &ControlFields) -> Option<SpamReason> {
    if intake.honeypot && hidden.is_gotcha_filled {
        return Some(SpamReason::Honeypot);
    }
    let least = Duration::from_secs(u64::from(intake.seconds_min));
    hidden.elapsed().filter(|elapsed| *elapsed < least).map(|_| SpamReason::TooFast)
}

fn build_metadata(
    hidden: ControlFields,
    request: &RequestMetadata,
    submitted_at: Timestamp,
) -> Metadata {
    let referer = request.referer.as_deref().map(utm::parse_utm).unwrap_or_default();
    let elapsed = hidden.elapsed();
    let utm = hidden.utm.or(hidden.page_utm).or(referer);
    Metadata {
        submitted_at,
        ip_country: request.country.clone(),
        device: request.agent.device.map(str::to_owned),
        browser: request.agent.browser.map(str::to_owned),
        completion_time_seconds: elapsed.map(|elapsed| elapsed.as_secs()),
        utm_source: utm.source,
        utm_medium: utm.medium,
        utm_campaign: utm.campaign,
    }
}
