//! Makes a submission of what was sent: which members are answers, what they are, what is spam.
//!
//! Only declared fields are stored. A key that no field has either becomes a field or is refused
//! by name; it is never dropped. Nothing that a sender says sets an id, an instant or a form.

use super::desk::Known;
use super::hidden::Hidden;
use super::limits::{ANSWERS_MAX, LEARNED_FIELDS_MAX};
use super::sheet::Sheet;
use super::value;
use super::visit::Visit;
use super::{Result, utm};
use crate::error::Error;
use crate::ids;
use crate::store::arrival::{Arrival, Repeat};
use contract::{Answers, Field, FormId, Intake, Metadata, SpamReason, Submission, Timestamp};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::time::Duration;

/// What was decided.
#[derive(Debug)]
pub(super) struct Judged {
    /// What to store.
    pub(super) arrival: Arrival,
    /// Where the browser may go on to.
    pub(super) redirect: Option<String>,
}

/// Judges what was sent to a form.
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
    let redirect = hidden.redirect.take().filter(|address| intake.allows_redirect(address));
    let submission = Submission {
        id: ids::mint_submission_id(now),
        form_id: form.clone(),
        answers: Answers(answers),
        metadata: metadata(hidden, visit, now),
        ai_insights: None,
    };
    let version = known.record.version;
    let arrival = Arrival { form: form.clone(), version, submission, fields, spam, repeat };
    Ok(Judged { arrival, redirect })
}

/// What was sent, by what it is.
struct Sorted {
    answers: Map<String, Value>,
    /// Those that answers with unknown keys become.
    fields: Vec<Field>,
    hidden: Hidden,
}

fn sort(known: &Known, sheet: Sheet, now: Timestamp) -> Result<Sorted> {
    let is_typed = sheet.is_typed;
    let mut sorted = Sorted { answers: Map::new(), fields: Vec::new(), hidden: Hidden::default() };
    let (mut given, mut count) = (HashSet::new(), 0);
    for (mut sent, value) in sheet.members {
        if known.field(&sent).is_none() && sorted.hidden.take(&sent, &value, now)? {
            continue;
        }
        count += 1;
        let key = value::field_key(known, &sent, is_typed);
        // No member of JSON stands twice, and its key is taken as it is.
        if !is_typed && !given.insert(key.to_owned()) {
            let wrong = format!("`{key}` must not be sent as `{key}[]`, too");
            return Err(Error::validation(wrong));
        }
        let kind = if let Some(field) = known.field(key) {
            field.kind
        } else {
            let kind = value::kind_of(&sent, &value, is_typed);
            let field = learned(known, key, kind, sorted.fields.len(), now)?;
            sorted.fields.push(field);
            kind
        };
        let value = if is_typed { Some(value) } else { value::of_texts(value, kind) };
        let key_bytes = key.len();
        sent.truncate(key_bytes);
        sorted.answers.extend(value.map(|value| (sent, value)));
    }
    check_count(count, ANSWERS_MAX.max(known.record.fields.len()))?;
    Ok(sorted)
}

fn check_count(given: usize, most: usize) -> Result<()> {
    match given {
        0 => Err(Error::validation(
            "a submission must have at least one answer; send one by the key of a field",
        )),
        given if given > most => Err(Error::validation(format!(
            "a submission must have at most {most} answers, but has {given}"
        ))),
        _ => Ok(()),
    }
}

/// Returns the field that an unknown key becomes.
fn learned(
    known: &Known,
    key: &str,
    kind: contract::FieldType,
    beside: usize,
    now: Timestamp,
) -> Result<Field> {
    let fields = &known.record.fields;
    if !known.record.intake.learns_fields.unwrap_or(fields.is_empty()) {
        // The others are not named: a stranger need not know what else an owner asks.
        return Err(Error::validation(format!(
            "`{key}` is no field of this form; its owner can add it, or let the form learn fields"
        )));
    }
    if fields.len() + beside >= LEARNED_FIELDS_MAX {
        return Err(Error::validation(format!(
            "`{key}` is no field of this form, which has {LEARNED_FIELDS_MAX}, the most that it \
             learns by itself"
        )));
    }
    let id = ids::mint_field_id(now);
    Ok(Field { id, key: key.to_owned(), name: key.to_owned(), kind })
}

fn spam_reason(intake: &Intake, hidden: &Hidden) -> Option<SpamReason> {
    if intake.honeypot && hidden.is_gotcha_filled {
        return Some(SpamReason::Honeypot);
    }
    let least = Duration::from_secs(u64::from(intake.seconds_min));
    hidden.elapsed.filter(|elapsed| *elapsed < least).map(|_| SpamReason::TooFast)
}

fn metadata(hidden: Hidden, visit: &Visit, submitted_at: Timestamp) -> Metadata {
    let referer = visit.referer.as_deref().map(utm::of_address).unwrap_or_default();
    let utm = hidden.utm.or(hidden.page_utm).or(referer);
    Metadata {
        submitted_at,
        ip_country: visit.country.clone(),
        device: visit.agent.device.map(str::to_owned),
        browser: visit.agent.browser.map(str::to_owned),
        completion_time_seconds: hidden.elapsed.map(|elapsed| elapsed.as_secs()),
        utm_source: utm.source,
        utm_medium: utm.medium,
        utm_campaign: utm.campaign,
    }
}

/// Whether a value says nothing, for those who ask without types.
pub(super) fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
}
