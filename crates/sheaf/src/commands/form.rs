//! `sheaf form`: creates, lists, shows and changes forms. Every change is recorded in the audit log
//! of the account.

use contract::audit::Action;
use contract::form::{validate_field_name, validate_form_name};
use contract::insight::SetAnalysis;
use contract::{Environment, FieldId, Form, FormId, snippet};
use store::clock::{Clock as _, SystemClock};
use store::{FormRecord, Store};

mod categories;
mod copy;
mod delete;
mod field;

use crate::args::{self, AnalysisSwitch};
use crate::commands::intake;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::field_spec::{self, FIELDS_MAX, FieldSpec};
use crate::{audit_events, new_ids, output, stores};

/// Runs `sheaf form`.
///
/// # Errors
/// Fails for invalid arguments, an unknown form, or an error of the store.
pub(crate) async fn run(data: &Data, args: args::Form) -> Result<()> {
    let store = stores::open_existing(data).await?;
    match args {
        args::Form::Create { owner, name, mode, fields, analysis } => {
            let account_id = stores::find_account(store.as_ref(), &owner.account).await?.id;
            let form = build_form(&name, mode, fields, analysis)?;
            let id = form.id.clone();
            let event =
                audit_events::account_event(Action::FormCreated, &account_id).with_form(&form);
            store.with_audit(event).insert_form(FormRecord { account_id, form }).await?;
            output::print_line(id)
        }
        args::Form::List { owner, shape } => {
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            print_forms(&store.list_forms(&account.id).await?, shape.json)
        }
        args::Form::Analysis { switch, id, again } => {
            set_analysis(store.as_ref(), &id, switch, again).await
        }
        args::Form::Categories { id, set, reset, shape } => {
            categories::run(store.as_ref(), &id, set.as_deref(), reset, shape.json).await
        }
        args::Form::Rename { id, name, field } => {
            rename_form_or_field(store.as_ref(), &id, field, &name).await
        }
        args::Form::Field { change, id, field } => {
            field::run(store.as_ref(), &id, &field, change).await
        }
        args::Form::Duplicate { id, name } => copy::run(store.as_ref(), &id, name.as_deref()).await,
        args::Form::Delete { id, yes } => delete::run(store.as_ref(), &id, yes).await,
        args::Form::Show { id, url, shape } => {
            print_form(&stores::find_form(store.as_ref(), &id).await?.form, &url, shape.json)
        }
        args::Form::Intake(args) => intake::run(store.as_ref(), args).await,
    }
}

/// Turns the analysis on or off. It only sets the switch; a running server analyses.
async fn set_analysis(
    store: &dyn Store,
    id: &FormId,
    switch: AnalysisSwitch,
    again: bool,
) -> Result<()> {
    let analysis = switch == AnalysisSwitch::On;
    if again && !analysis {
        return Err(Error::invalid("`--again` cannot be used with `off`; use `on`"));
    }
    let record = stores::find_form(store, id).await?;
    let event = audit_events::form_event(Action::AnalysisSet, &record)
        .with_value("on", analysis)
        .with_value("again", again);
    store.with_audit(event).set_analysis(id, SetAnalysis { analysis, again }).await?;
    let (state, effect) = match (analysis, again) {
        (false, _) => ("off", "existing results remain"),
        (true, false) => ("on", "a running server analyses the submissions without results"),
        (true, true) => ("on", "a running server analyses all submissions again"),
    };
    output::print_line(format!("analysis is {state}; {effect}"))
}

/// Renames a form, or one of its fields if `field` is given.
async fn rename_form_or_field(
    store: &dyn Store,
    id: &FormId,
    field: Option<FieldId>,
    name: &str,
) -> Result<()> {
    let record = stores::find_form(store, id).await?;
    let Some(field) = field else {
        let name = validate_name("NAME", name)?;
        let event = audit_events::form_event(Action::FormRenamed, &record)
            .with_user_text("before", &record.form.name);
        store.with_audit(event.with_user_text("name", &name)).rename_form(id, name).await?;
        return output::print_line("renamed; its id and its address are unchanged");
    };
    let name = validate_field_name(name).map_err(Error::invalid)?;
    let event = audit_events::form_event(Action::FieldsSet, &record);
    let form = record.form;
    let mut fields = form.fields.clone();
    let Some(renamed) = fields.iter_mut().find(|it| it.id == field) else {
        return Err(Error::invalid(format!(
            "this form has no field `{field}`; see `sheaf form show`"
        )));
    };
    renamed.name = name;
    let event = event.with_value("fields", fields.len());
    if !store.with_audit(event).replace_fields(id, form.fields, fields).await? {
        let wrong = "the fields of this form were changed meanwhile; try again";
        return Err(Error::invalid(wrong));
    }
    output::print_line("renamed; its id and its answers are unchanged")
}

/// Returns a form's name without surrounding spaces. `argument` is named in the error.
fn validate_name(argument: &str, name: &str) -> Result<String> {
    validate_form_name(name)
        .map_err(|problem| Error::invalid(problem.replacen("`name`", &format!("`{argument}`"), 1)))
}

/// Builds a new form with generated ids. Does not store it.
///
/// # Errors
/// Fails for an invalid name, for too many fields, or if the names and keys of the fields are too
/// long in total.
pub(crate) fn build_form(
    name: &str,
    environment: Environment,
    fields: Vec<FieldSpec>,
    analysis: bool,
) -> Result<Form> {
    let name = validate_name("--name", name)?;
    if fields.len() > FIELDS_MAX {
        let count = fields.len();
        let wrong = format!("a form has at most {FIELDS_MAX} fields, but would have {count}");
        return Err(Error::invalid(wrong));
    }
    let fields = field_spec::create_fields(fields, &[], new_ids::new_field_id);
    api::fields::check_total_bytes(&fields).map_err(Error::invalid)?;
    Ok(Form {
        id: new_ids::new_form_id(),
        name,
        environment,
        analysis,
        fields,
        created_at: SystemClock.now(),
        submission_count: 0,
        last_submission_at: None,
        trash_days: contract::trash::DAYS_DEFAULT,
    })
}

fn print_forms(forms: &[Form], json: bool) -> Result<()> {
    let row = |form: &Form| {
        [
            form.id.to_string(),
            form.name.clone(),
            form.environment.to_string(),
            form.fields.len().to_string(),
            form.submission_count.to_string(),
            form.last_submission_at.map(|at| at.to_string()).unwrap_or_default(),
        ]
    };
    output::print_list(forms, json, ["ID", "NAME", "MODE", "FIELDS", "SUBMISSIONS", "LAST"], row)
}

fn print_form(form: &Form, url: &str, json: bool) -> Result<()> {
    if json {
        return output::print_json(form);
    }
    let last = form.last_submission_at.map(|at| at.to_string());
    let details = [
        ["ID".to_owned(), form.id.to_string()],
        ["NAME".to_owned(), form.name.clone()],
        ["MODE".to_owned(), form.environment.to_string()],
        ["ANALYSIS".to_owned(), if form.analysis { "on" } else { "off" }.to_owned()],
        ["CREATED".to_owned(), form.created_at.to_string()],
        ["SUBMISSIONS".to_owned(), form.submission_count.to_string()],
        ["LAST".to_owned(), last.unwrap_or_else(|| "never".to_owned())],
    ];
    output::print_table(["FORM", ""], &details)?;
    output::print_line("")?;
    let row = |field: &contract::Field| {
        let hidden = if field.hidden { ", hidden" } else { "" };
        [field.id.to_string(), field.name.clone(), format!("{}{hidden}", field.kind)]
    };
    let rows: Vec<_> = form.fields.iter().map(row).collect();
    output::print_table(["FIELD", "NAME", "TYPE"], &rows)?;
    output::print_line("")?;
    let address = snippet::intake_url(&form.id, url);
    let html = snippet::html_form(form, url, None);
    output::print_line(format!(
        "SEND TO  {address}\n\n{html}\n\n{}",
        snippet::curl_command(form, url)
    ))
}
