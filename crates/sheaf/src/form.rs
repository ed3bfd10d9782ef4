//! `sheaf form`: forms and their fields.

use contract::insight::SetAnalysis;
use contract::{Environment, Form, FormId};
use service::clock::{Clock as _, SystemClock};
use service::store::{FormRecord, Store};

mod categories;

use crate::args::{self, Switch};
use crate::config::Data;
use crate::error::{Error, Result};
use crate::field_spec::{self, FIELDS_MAX, FieldSpec};
use crate::{intake, mint, output, snippet, stores};

/// Longest name of a form, in characters.
const NAME_CHARS_MAX: usize = 200;

/// Does what `sheaf form` was asked.
///
/// # Errors
/// What it was asked cannot be done.
pub(crate) async fn run(data: &Data, args: args::Form) -> Result<()> {
    let store = stores::open_existing(data)?;
    match args {
        args::Form::Create { owner, name, mode, fields, analysis } => {
            let account_id = stores::account(&store, &owner.account).await?.id;
            let form = build(&name, mode, fields, analysis)?;
            let id = form.id.clone();
            store.insert_form(FormRecord { account_id, form }).await?;
            output::line(id)
        }
        args::Form::List { owner, shape } => {
            let account = stores::account(&store, &owner.account).await?;
            list(&store.list_forms(&account.id).await?, shape.json)
        }
        args::Form::Analysis { switch, id, again } => analysis(&store, &id, switch, again).await,
        args::Form::Categories { id, set, reset, shape } => {
            categories::run(&store, &id, set.as_deref(), reset, shape.json).await
        }
        args::Form::Show { id, url, shape } => {
            show(&stores::form(&store, &id).await?.form, &url, shape.json)
        }
        args::Form::Intake(args) => intake::run(&store, args).await,
    }
}

async fn analysis(store: &impl Store, id: &FormId, switch: Switch, again: bool) -> Result<()> {
    let analysis = switch == Switch::On;
    if again && !analysis {
        return Err(Error::refused("`--again` needs `on`: what is off cannot be done again"));
    }
    stores::form(store, id).await?;
    store.set_analysis(id, SetAnalysis { analysis, again }).await?;
    let (state, what) = match (analysis, again) {
        (false, _) => ("off", "what was found stays"),
        (true, false) => ("on", "a running server fills in what is missing"),
        (true, true) => ("on", "a running server does all of it again"),
    };
    output::line(format!("analysis is {state}; {what}"))
}

/// Returns a new form.
///
/// # Errors
/// A name that is empty or too long, or too many fields.
pub(crate) fn build(
    name: &str,
    environment: Environment,
    fields: Vec<FieldSpec>,
    analysis: bool,
) -> Result<Form> {
    let name = name.trim().to_owned();
    let length = name.chars().count();
    if length == 0 || length > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(Error::refused(format!(
            "`--name` must be 1 to {NAME_CHARS_MAX} characters on one line"
        )));
    }
    if fields.len() > FIELDS_MAX {
        let count = fields.len();
        let wrong = format!("a form has at most {FIELDS_MAX} fields, but would have {count}");
        return Err(Error::refused(wrong));
    }
    Ok(Form {
        id: mint::form_id(),
        name,
        environment,
        analysis,
        fields: field_spec::fields(fields, &[], mint::field_id),
        created_at: SystemClock.now(),
        submission_count: 0,
        last_submission_at: None,
    })
}

fn list(forms: &[Form], json: bool) -> Result<()> {
    if json {
        return output::json(&forms);
    }
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
    let rows: Vec<_> = forms.iter().map(row).collect();
    output::table(["ID", "NAME", "MODE", "FIELDS", "SUBMISSIONS", "LAST"], &rows)
}

fn show(form: &Form, url: &str, json: bool) -> Result<()> {
    if json {
        return output::json(form);
    }
    let last = form.last_submission_at.map(|at| at.to_string());
    let facts = [
        ["ID".to_owned(), form.id.to_string()],
        ["NAME".to_owned(), form.name.clone()],
        ["MODE".to_owned(), form.environment.to_string()],
        ["ANALYSIS".to_owned(), if form.analysis { "on" } else { "off" }.to_owned()],
        ["CREATED".to_owned(), form.created_at.to_string()],
        ["SUBMISSIONS".to_owned(), form.submission_count.to_string()],
        ["LAST".to_owned(), last.unwrap_or_else(|| "never".to_owned())],
    ];
    output::table(["FORM", ""], &facts)?;
    output::line("")?;
    let row = |field: &contract::Field| {
        [field.id.to_string(), field.name.clone(), field.kind.to_string()]
    };
    let rows: Vec<_> = form.fields.iter().map(row).collect();
    output::table(["FIELD", "NAME", "TYPE"], &rows)?;
    output::line("")?;
    output::line(snippet::snippet(form, url))
}
