//! `sheaf form intake`: what a form takes in from anyone, shown and set.

use contract::Intake;
use contract::audit::Action;
use service::store::Store;

use crate::args;
use crate::error::{Error, Result};
use crate::{noted, output, stores};

/// Changes what was named, and shows all of it.
///
/// # Errors
/// No such form, or a setting that cannot be.
pub(crate) async fn run(store: &dyn Store, args: args::Intake) -> Result<()> {
    let id = args.id.clone();
    let record = stores::form(store, &id).await?;
    let found = store.find_intake(&id).await?;
    let was = found.map(|record| record.intake).unwrap_or_default();
    let (json, intake) = (args.shape.json, changed(was.clone(), args));
    intake.check().map_err(Error::refused)?;
    if intake != was {
        let act = noted::form(Action::IntakeSet, &record);
        store.noting(act).update_intake(&id, intake.clone()).await?;
    }
    show(&intake, json)
}

fn changed(was: Intake, args: args::Intake) -> Intake {
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
    }
}

fn show(intake: &Intake, json: bool) -> Result<()> {
    if json {
        return output::json(intake);
    }
    let list = |items: &[String], empty: &str| match items {
        [] => empty.to_owned(),
        items => items.join(", "),
    };
    let limit = |limit: Option<u32>| {
        limit.map_or_else(|| "none".to_owned(), |count| format!("{count} in 15 minutes"))
    };
    let learns = match intake.learns_fields {
        None => "auto: as long as the form has no fields",
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
    output::table(["INTAKE", ""], &rows)
}
