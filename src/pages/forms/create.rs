//! The dialog that creates a form.

use contract::form::{FORM_NAME_CHARS_MAX, validate_field_name, validate_form_name};
use contract::{Environment, FieldType, Form, NewField, NewForm};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::{
        environment::EnvironmentField,
        page::{explain_failure, to_sentence},
    },
    domain::fields::split_lines,
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        dialog::FormDialog,
        field::{AreaField, CheckField, TextField, store_input},
    },
};

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct FormDraft {
    open: RwSignal<bool>,
    name: RwSignal<String>,
    mode: RwSignal<String>,
    fields: RwSignal<String>,
    analysis: RwSignal<bool>,
    error: RwSignal<Option<String>>,
    fields_error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Number of times that the dialog was closed: an answer does not change a later one.
    openings: StoredValue<u32>,
    on_created: Callback<Form>,
    session: SessionStore,
    toasts: Toasts,
}

impl FormDraft {
    fn new(open: RwSignal<bool>, environment: Environment, on_created: Callback<Form>) -> Self {
        Self {
            open,
            name: RwSignal::new(String::new()),
            mode: RwSignal::new(environment.as_str().to_owned()),
            fields: RwSignal::new(String::new()),
            analysis: RwSignal::new(false),
            error: RwSignal::new(None),
            fields_error: RwSignal::new(None),
            busy: RwSignal::new(false),
            openings: StoredValue::new(0),
            on_created,
            session: expect_context(),
            toasts: expect_context(),
        }
    }

    fn close_dialog(self) {
        self.openings.update_value(|openings| *openings += 1);
        self.open.set(false);
        self.name.set(String::new());
        self.fields.set(String::new());
        self.error.set(None);
        self.fields_error.set(None);
    }

    /// Returns the form to create. If an input is invalid, shows its error and returns `None`.
    fn parse_inputs(self) -> Option<NewForm> {
        let Ok(name) = validate_form_name(&self.name.get_untracked()) else {
            let problem = (i18n::forms().needs_name)(FORM_NAME_CHARS_MAX);
            self.error.set(Some(problem));
            return None;
        };
        let lines = split_lines(&self.fields.get_untracked());
        if let Some(problem) = lines.iter().find_map(|name| validate_field_name(name).err()) {
            self.fields_error.set(Some(to_sentence(&problem)));
            return None;
        }
        let field = |name| NewField { name, kind: FieldType::Text };
        Some(NewForm {
            name,
            environment: self.mode.get_untracked().parse().unwrap_or(Environment::Test),
            analysis: self.analysis.get_untracked(),
            fields: lines.into_iter().map(field).collect(),
        })
    }

    fn create_form(self) {
        if self.busy.get_untracked() {
            return;
        }
        let Some(form) = self.parse_inputs() else { return };
        self.busy.set(true);
        let opening = self.openings.get_value();
        spawn_local(async move {
            let answer = api::create_form(&form).await;
            self.busy.try_set(false);
            let is_shown = self.openings.try_get_value() == Some(opening);
            match answer {
                Ok(form) => {
                    self.session.upsert_form(form.clone());
                    if is_shown {
                        self.close_dialog();
                        self.on_created.try_run(form);
                    }
                }
                Err(problem) => {
                    let text = explain_failure(self.session, &problem);
                    self.toasts.show_error_in((self.error, is_shown), text);
                }
            }
        });
    }
}

/// The dialog.
#[component]
pub fn CreateForm(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    /// The environment that is selected initially.
    environment: Environment,
    /// Called with the form when it has been created.
    #[prop(into)]
    on_created: Callback<Form>,
) -> impl IntoView {
    let texts = i18n::forms();
    let draft = FormDraft::new(open, environment, on_created);
    view! {
        <FormDialog
            open
            title=texts.create_title
            verb=texts.create_verb
            busy=draft.busy
            on_send=move |()| draft.create_form()
            on_close=move |()| draft.close_dialog()
        >
            <FormInputs draft />
        </FormDialog>
    }
}

/// The inputs of the dialog.
#[component]
fn FormInputs(draft: FormDraft) -> impl IntoView {
    let texts = i18n::forms();
    let common = i18n::common();
    view! {
        <TextField
            label=common.name
            hint=texts.name_hint
            value=draft.name
            error=draft.error
            length_max=u32::try_from(FORM_NAME_CHARS_MAX).unwrap_or(u32::MAX)
            on_input=store_input(draft.name, draft.error)
        />
        <EnvironmentField value=draft.mode live_hint=texts.live_hint test_hint=texts.test_hint />
        <AreaField
            label=texts.fields
            hint=texts.fields_hint
            value=draft.fields
            error=draft.fields_error
            on_input=store_input(draft.fields, draft.fields_error)
        />
        <CheckField
            label=texts.analyse
            hint=texts.analyse_hint
            checked=draft.analysis
            on_change=move |on| draft.analysis.set(on)
        />
    }
}
