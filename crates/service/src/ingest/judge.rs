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
use crate::secret;
use crate::store::arrival::{Arrival, Repeat};
use contract::{Answers, Field, FormId, Intake, Metadata, SpamReason, Submission, Timestamp};
use serde_json::{Map, Value};
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
    let mut hidden = Hidden::default();
    let (mut answers, mut fields) = (Map::new(), Vec::new());
    let most = ANSWERS_MAX.max(known.record.fields.len());
    let mut given = 0_usize;
    for (key, value) in sheet.members {
        let is_field = known.field(&key).is_some();
        if !is_field && hidden.take(&key, &value, now)? {
            continue;
        }
        given += 1;
        let sent = key.clone();
        let key = value::field_key(known, key, sheet.is_typed);
        if answers.contains_key(&key) {
            return Err(Error::validation(format!("`{key}` must not be sent as `{key}[]`, too")));
        }
        let kind = match known.field(&key) {
            Some(field) => field.kind,
            None => {
                let kind = value::kind_of(&sent, &value, sheet.is_typed);
                if !fields.iter().any(|field: &Field| field.key == key) {
                    fields.push(learned(known, &key, kind, fields.len(), now)?);
                }
                kind
            }
        };
        let value = if sheet.is_typed { Some(value) } else { value::of_texts(value, kind) };
        answers.extend(value.map(|value| (key, value)));
    }
    check_count(given, most)?;
    let spam = spam_reason(&known.record.intake, &hidden);
    let allows = |address: &String| known.record.intake.allows_redirect(address);
    let redirect = hidden.redirect.take().filter(allows);
    let metadata = metadata(hidden, visit, now);
    let submission = Submission {
        id: secret::mint_submission_id(now),
        form_id: form.clone(),
        answers: Answers(answers),
        metadata,
        ai_insights: None,
    };
    let version = known.record.version;
    let arrival = Arrival { form: form.clone(), version, submission, fields, spam, repeat };
    Ok(Judged { arrival, redirect })
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
        return Err(Error::validation(unknown(known, key)));
    }
    if fields.len() + beside >= LEARNED_FIELDS_MAX {
        return Err(Error::validation(format!(
            "`{key}` is no field of this form, which has {LEARNED_FIELDS_MAX}, the most that it \
             learns by itself"
        )));
    }
    let id = secret::mint_field_id(now);
    Ok(Field { id, key: key.to_owned(), name: key.to_owned(), kind })
}

fn unknown(known: &Known, key: &str) -> String {
    const NAMED_MAX: usize = 20;
    let keys = known.record.fields.iter().take(NAMED_MAX).map(|field| format!("`{}`", field.key));
    let keys: Vec<_> = keys.collect();
    let more = known.record.fields.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "`{key}` is no field of this form; its fields are {}{rest}. Add the field, or let the \
         form learn",
        keys.join(", ")
    )
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
