//! Builds a submission from a parsed body: separates answers from control inputs, converts values,
//! and detects spam.
//!
//! An answer with an unknown key is stored. The form may add the key as a field, or reject it if
//! its owner chose that. A body cannot set an id, a time or a form.

use super::client_kind::Redirect;
use super::control_fields::Hidden;
use super::form_body::Sheet;
use super::form_settings::Known;
use super::limits::{
    ANSWERS_MAX, FIELDS_BYTES_MAX, FIELDS_MAX, FIELDS_PER_DAY_MAX, check_key, check_value,
};
use super::request_metadata::Visit;
use super::value;
use super::{Result, address, utm};
use crate::error::Error;
use crate::message::Message;
use contract::form::fields_bytes;
use contract::intake::SUBJECT;
use contract::{
    Answers, Field, FieldType, FormId, Intake, Metadata, SpamReason, Submission, Timestamp,
};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::ops::RangeFrom;
use std::time::Duration;
use store::ids;
use store::new_submission::{Arrival, Repeat};

/// Submission that is ready to be stored.
#[derive(Debug)]
pub(super) struct Judged {
    /// Input of the store.
    pub(super) arrival: Arrival,
    /// Redirect of a browser.
    pub(super) redirect: Redirect,
}

/// Builds a submission from the body sent to a form.
pub(super) fn judge(
    form: &FormId,
    known: &Known,
    sheet: Sheet,
    visit: &Visit,
    repeat: Option<Repeat>,
    now: Timestamp,
) -> Result<Judged> {
    let Sorted { answers, fields, mut hidden } = sort(known, sheet, now)?;
    let intake = &known.record.intake;
    let spam = spam_reason(intake, &hidden);
    let redirect = match hidden.redirect.take() {
        Some(to) => {
            address::redirect(&intake.redirects, &to).map_or(Redirect::Refused, Redirect::To)
        }
        None => Redirect::Thanks,
    };
    let submission = Submission {
        id: ids::mint_submission_id(now),
        form_id: form.clone(),
        answers: Answers(answers),
        metadata: metadata(hidden, visit, now),
        ai_insights: None,
    };
    let version = known.record.version;
    let rows_max = intake.closing.as_ref().and_then(|closing| closing.rows_max(now));
    let arrival =
        Arrival { form: form.clone(), version, submission, fields, spam, repeat, rows_max };
    Ok(Judged { arrival, redirect })
}

/// Members of a body by purpose.
struct Sorted {
    answers: Map<String, Value>,
    /// New fields for answers with unknown keys.
    fields: Vec<Field>,
    hidden: Hidden,
}

fn sort(known: &Known, sheet: Sheet, now: Timestamp) -> Result<Sorted> {
    let is_typed = sheet.is_typed;
    let mut sorted = Sorted { answers: Map::new(), fields: Vec::new(), hidden: Hidden::default() };
    let (mut members, mut lists, mut numbers) = (Map::new(), HashSet::new(), 2..);
    for (sent, value) in sheet.members {
        if known.field(&sent).is_none() && sorted.hidden.take(&sent, &value, now) {
            continue;
        }
        let (key, is_list) = value::field_key(known, &sent, is_typed);
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
    let mut may_learn = learning(known, now);
    let mut rest_bytes = FIELDS_BYTES_MAX.saturating_sub(fields_bytes(&known.record.fields));
    for (key, value) in members {
        check_key(&key)?;
        let kind = if let Some(field) = known.field(&key) {
            field.kind
        } else {
            let kind = value::kind_of(&key, &value, is_typed, lists.contains(&key));
            if known.record.intake.strict {
                return Err(unknown(&key));
            }
            if may_learn > 0 && key != SUBJECT && !known.record.removed_keys.contains(&key) {
                let field = learned(&key, kind, now);
                let bytes = fields_bytes([&field]);
                // A field that is too long is skipped. Shorter ones after it may still fit.
                if bytes <= rest_bytes {
                    (may_learn, rest_bytes) = (may_learn - 1, rest_bytes - bytes);
                    sorted.fields.push(field);
                }
            }
            kind
        };
        let value = if is_typed { Some(value) } else { value::of_texts(value, kind) };
        if let Some(value) = value {
            let value = value::without_nul(value);
            check_value(&key, &value)?;
            sorted.answers.insert(key, value);
        }
    }
    check_count(sorted.answers.len(), ANSWERS_MAX.max(known.record.fields.len()))?;
    Ok(sorted)
}

/// Returns an unused key for an answer that would share its key with another, such as an empty one.
/// Numbers are not reused within a submission, so that many such keys take linear time.
fn free_key(members: &Map<String, Value>, key: &str, numbers: &mut RangeFrom<usize>) -> String {
    let mut keys = numbers.map(|number| format!("{key} {number}"));
    keys.find(|key| !members.contains_key(key)).unwrap_or_default()
}

fn unknown(key: &str) -> Error {
    // The valid keys are not listed: a stranger need not know the other questions of the form.
    Error::validation(Message::UnknownField { key: key.to_owned() })
}

/// Returns how many fields the form may add now.
fn learning(known: &Known, now: Timestamp) -> usize {
    let fields = &known.record.fields;
    if !known.record.intake.learns_fields.unwrap_or(fields.is_empty()) {
        return 0;
    }
    let a_day_ago = now.seconds() - 24 * 3600;
    let is_new = |field: &&Field| {
        ids::made_at(&field.id).is_some_and(|made_at| made_at.seconds() > a_day_ago)
    };
    let new = fields.iter().filter(is_new).count();
    let rest = FIELDS_MAX.saturating_sub(fields.len());
    rest.min(FIELDS_PER_DAY_MAX.saturating_sub(new))
}

/// Returns the new field for an unknown key.
fn learned(key: &str, kind: FieldType, now: Timestamp) -> Field {
    Field {
        id: ids::mint_field_id(now),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    }
}

fn check_count(given: usize, most: usize) -> Result<()> {
    if given <= most {
        return Ok(());
    }
    Err(Error::validation(Message::TooManyAnswers { most, count: given }))
}

fn spam_reason(intake: &Intake, hidden: &Hidden) -> Option<SpamReason> {
    if intake.honeypot && hidden.is_gotcha_filled {
        return Some(SpamReason::Honeypot);
    }
    let least = Duration::from_secs(u64::from(intake.seconds_min));
    hidden.elapsed().filter(|elapsed| *elapsed < least).map(|_| SpamReason::TooFast)
}

fn metadata(hidden: Hidden, visit: &Visit, submitted_at: Timestamp) -> Metadata {
    let referer = visit.referer.as_deref().map(utm::of_address).unwrap_or_default();
    let elapsed = hidden.elapsed();
    let utm = hidden.utm.or(hidden.page_utm).or(referer);
    Metadata {
        submitted_at,
        ip_country: visit.country.clone(),
        device: visit.agent.device.map(str::to_owned),
        browser: visit.agent.browser.map(str::to_owned),
        completion_time_seconds: elapsed.map(|elapsed| elapsed.as_secs()),
        utm_source: utm.source,
        utm_medium: utm.medium,
        utm_campaign: utm.campaign,
    }
}
