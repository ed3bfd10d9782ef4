//! `sheaf form intake`: shows and changes the intake settings of a form.

use contract::audit::Action;
use contract::{Closing, Intake};
use store::Store;
use store::clock::{Clock as _, SystemClock};

use crate::args;
use crate::error::{Error, Result};
use crate::{audit_events, output, stores};

/// Changes the given settings, and prints all of them.
///
/// # Errors
/// An unknown form, or an invalid setting.
pub(crate) async fn run(store: &dyn Store, args: args::Intake) -> Result<()> {
    let id = args.id.clone();
    let record = stores::find_form(store, &id).await?;
    let found = store.find_intake(&id).await?;
    let was = found.map(|record| record.intake).unwrap_or_default();
    let json = args.shape.json;
    let intake = apply_options(was.clone(), args);
    intake.validate().map_err(Error::invalid)?;
    if intake != was {
        let event = audit_events::form_event(Action::IntakeSet, &record);
        let event = match &intake.closing {
            closing if *closing == was.closing => event,
            Some(closing) => event.with_value("closed", closing.is_closed(SystemClock.now())),
            None => event.with_value("closed", false),
        };
        store.with_audit(event).update_intake(&id, intake.clone()).await?;
    }
    print_intake(&intake, json)
}

fn apply_options(was: Intake, args: args::Intake) -> Intake {
    let closing = was.closing.clone().unwrap_or_default();
    let closing = Closing {
        closed: args.closed.unwrap_or(closing.closed),
        closes_at: args.closes_at.map_or(closing.closes_at, |at| at.0),
        closes_after: args.closes_after.map_or(closing.closes_after, |count| count.0),
        message: match args.closed_message {
            Some(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            None => closing.message,
        },
    };
    let list = |given: Vec<String>, empty: &str, was: Vec<String>| match given {
        given if given.is_empty() => was,
        given => given.into_iter().filter(|item| item != empty).collect(),
    };
    Intake {
        redirects: list(args.redirects, "none", was.redirects),
        origins: list(args.origins, "any", was.origins),
        seconds_min: args.seconds_min.unwrap_or(was.seconds_min),
        honeypot: args.honeypot.unwrap_or(was.honeypot),
        learns_fields: args.learn.map_or(was.learns_fields, |learn| learn.0),
        strict: args.strict.unwrap_or(was.strict),
        address_limit: args.address_limit.map_or(was.address_limit, |limit| limit.0),
        form_limit: args.form_limit.map_or(was.form_limit, |limit| limit.0),
        closing: Some(closing).filter(|closing| *closing != Closing::default()),
    }
}

fn print_intake(intake: &Intake, json: bool) -> Result<()> {
    if json {
        return output::print_json(intake);
    }
    let list = |items: &[String], empty: &str| match items {
        [] => empty.to_owned(),
        items => items.join(", "),
    };
    let limit = |limit: Option<u32>| {
        limit.map_or_else(|| "none".to_owned(), |count| format!("{count} in 15 minutes"))
    };
    let learns = match intake.learns_fields {
        None => "auto: on while the form has no fields",
        Some(true) => "on",
        Some(false) => "off",
    };
    let rows = [
        ["REDIRECTS".to_owned(), list(&intake.redirects, "none")],
        ["ORIGINS".to_owned(), list(&intake.origins, "any")],
        ["SECONDS MIN".to_owned(), intake.seconds_min.to_string()],
        ["HONEYPOT".to_owned(), if intake.honeypot { "on" } else { "off" }.to_owned()],
        ["LEARN".to_owned(), learns.to_owned()],
        ["STRICT".to_owned(), if intake.strict { "on" } else { "off" }.to_owned()],
        ["ADDRESS LIMIT".to_owned(), limit(intake.address_limit)],
        ["FORM LIMIT".to_owned(), limit(intake.form_limit)],
    ];
    let rows: Vec<_> = rows.into_iter().chain(closing_rows(intake)).collect();
    output::print_table(["INTAKE", ""], &rows)
}

/// Returns the rows about closing. Empty for a form without closing settings.
fn closing_rows(intake: &Intake) -> Vec<[String; 2]> {
    let Some(closing) = &intake.closing else { return Vec::new() };
    let at = closing.closes_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
    let after = closing.closes_after.map_or_else(|| "none".to_owned(), |count| count.to_string());
    let rows = [
        ["CLOSED", if closing.closed { "on" } else { "off" }],
        ["CLOSES AT", &at],
        ["CLOSES AFTER", &after],
        [
            "CLOSED MESSAGE",
            closing.message.as_deref().unwrap_or("default, in the browser's language"),
        ],
    ];
    rows.map(|row| row.map(str::to_owned)).into()
}
