//! The tab with the intake settings: closing, allowed origins and redirects, spam checks, unknown
//! fields, and rate limits.

pub mod closing;

use contract::{FormId, Intake};
use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        page::to_sentence,
        remote::{load, remote_view},
    },
    domain::fields::split_lines,
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        field::{AreaField, CheckField, Choice, SelectField, TextField},
        notice::Notice,
    },
};

use closing::{ClosingDraft, ClosingFields};

/// Values of the choice of how to handle unknown fields.
const UNKNOWN_ADD: &str = "yes";
const UNKNOWN_KEEP: &str = "no";
const UNKNOWN_REJECT: &str = "strict";
const UNKNOWN_ADD_AT_FIRST: &str = "first";

/// The tab.
#[component]
pub fn IntakeSettings(
    /// The form.
    form: FormId,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_intake();
    let intake = RwSignal::new(Remote::Loading);
    let load = {
        let form = form.clone();
        move || {
            let form = form.clone();
            load(intake, session, async move { api::get_intake(&form).await });
        }
    };
    load();
    remote_view(intake, (texts.loading, texts.what), load, move |intake| {
        view! { <IntakeForm form=form.clone() intake session /> }.into_any()
    })
}

/// Returns the error of one setting. Error messages begin with the setting's name in backticks.
fn setting_error(error: RwSignal<Option<String>>, name: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || {
        let error = error.get()?;
        let rest = error.strip_prefix('`')?.strip_prefix(name)?.strip_prefix('`')?;
        Some((i18n::form_intake().wrong)(name, rest.trim()))
    })
}

/// State of the inputs. Cheap to copy.
#[derive(Clone, Copy)]
struct IntakeDraft {
    redirects: RwSignal<String>,
    origins: RwSignal<String>,
    seconds_min: RwSignal<String>,
    honeypot: RwSignal<bool>,
    unknown_fields: RwSignal<String>,
    address_limit: RwSignal<String>,
    form_limit: RwSignal<String>,
    closing: ClosingDraft,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
}

impl IntakeDraft {
    fn new(intake: &Intake) -> Self {
        let limit = |limit: Option<u32>| limit.map(|value| value.to_string()).unwrap_or_default();
        let learns = match intake.learns_fields {
            None => UNKNOWN_ADD_AT_FIRST,
            Some(true) => UNKNOWN_ADD,
            Some(false) => UNKNOWN_KEEP,
        };
        let learns = if intake.strict { UNKNOWN_REJECT } else { learns };
        Self {
            redirects: RwSignal::new(intake.redirects.join("\n")),
            origins: RwSignal::new(intake.origins.join("\n")),
            seconds_min: RwSignal::new(intake.seconds_min.to_string()),
            honeypot: RwSignal::new(intake.honeypot),
            unknown_fields: RwSignal::new(learns.to_owned()),
            address_limit: RwSignal::new(limit(intake.address_limit)),
            form_limit: RwSignal::new(limit(intake.form_limit)),
            closing: ClosingDraft::new(intake.closing.clone().unwrap_or_default()),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
        }
    }

    fn parse_inputs(self) -> Result<Intake, String> {
        let parse_integer = |name: &str, text: RwSignal<String>| {
            let text = text.get_untracked();
            let error = |_| (i18n::form_intake().not_whole)(name, text.trim());
            text.trim().parse::<u32>().map_err(error)
        };
        let limit = |name: &str, text: RwSignal<String>| {
            let is_empty = text.with_untracked(|text| text.trim().is_empty());
            if is_empty { Ok(None) } else { parse_integer(name, text).map(Some) }
        };
        let intake = Intake {
            redirects: split_lines(&self.redirects.get_untracked()),
            origins: split_lines(&self.origins.get_untracked()),
            seconds_min: parse_integer("seconds_min", self.seconds_min)?,
            honeypot: self.honeypot.get_untracked(),
            learns_fields: match self.unknown_fields.get_untracked().as_str() {
                UNKNOWN_ADD => Some(true),
                UNKNOWN_KEEP | UNKNOWN_REJECT => Some(false),
                _ => None,
            },
            strict: self.unknown_fields.with_untracked(|learns| learns == UNKNOWN_REJECT),
            closing: self.closing.parse_inputs()?,
            address_limit: limit("address_limit", self.address_limit)?,
            form_limit: limit("form_limit", self.form_limit)?,
        };
        intake.validate().map(|()| intake)
    }

    fn setting_error(self, name: &'static str) -> Signal<Option<String>> {
        setting_error(self.error, name)
    }

    fn save_intake(self, form: FormId, session: SessionStore, toasts: Toasts) {
        if self.busy.get_untracked() {
            return;
        }
        let intake = match self.parse_inputs() {
            Ok(intake) => intake,
            Err(problem) => return self.error.set(Some(problem)),
        };
        self.error.set(None);
        self.busy.set(true);
        spawn_local(async move {
            let answer = api::set_intake(&form, &intake).await;
            self.busy.try_set(false);
            match answer {
                Ok(intake) => {
                    self.closing.mark_saved(intake.closing);
                    toasts.show_success(i18n::form_intake().saved);
                }
                Err(problem) => {
                    session.handle_error(&problem);
                    self.error.try_set(Some(problem.message()));
                }
            }
        });
    }
}

#[component]
fn IntakeForm(form: FormId, intake: Intake, session: SessionStore) -> impl IntoView {
    let draft = IntakeDraft::new(&intake);
    let toasts = expect_context::<Toasts>();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        draft.save_intake(form.clone(), session, toasts);
    };
    let error = move || {
        let text = to_sentence(&draft.error.get()?);
        Some(view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    view! {
        <form class="form" data-wide="true" on:submit=submit>
            <ClosingFields closing=draft.closing error=draft.error />
            <OriginFields draft />
            <SpamFields draft />
            <LimitFields draft learnt=intake.learns_fields.is_some() />
            {error}
            <div class="form-acts">
                <Button variant=ButtonVariant::Primary busy=draft.busy submit=true>
                    {i18n::form_intake().save}
                </Button>
            </div>
        </form>
    }
}

#[component]
fn OriginFields(draft: IntakeDraft) -> impl IntoView {
    let texts = i18n::form_intake();
    view! {
        <h2 class="section-title">{texts.pages}</h2>
        <AreaField
            label=texts.origins
            hint=texts.origins_hint
            placeholder="https://example.com"
            value=draft.origins
            error=draft.setting_error("origins")
            on_input=move |text| draft.origins.set(text)
        />
        <AreaField
            label=texts.redirects
            hint=texts.redirects_hint
            placeholder="https://example.com/thanks"
            value=draft.redirects
            error=draft.setting_error("redirects")
            on_input=move |text| draft.redirects.set(text)
        />
    }
}

#[component]
fn SpamFields(draft: IntakeDraft) -> impl IntoView {
    let texts = i18n::form_intake();
    view! {
        <h2 class="section-title">{texts.spam}</h2>
        <CheckField
            label=texts.honeypot
            hint=texts.honeypot_hint
            checked=draft.honeypot
            on_change=move |on| draft.honeypot.set(on)
        />
        <TextField
            label=texts.seconds_min
            hint=texts.seconds_min_hint
            value=draft.seconds_min
            error=draft.setting_error("seconds_min")
            on_input=move |text| draft.seconds_min.set(text)
        />
    }
}

#[component]
fn LimitFields(draft: IntakeDraft, learnt: bool) -> impl IntoView {
    let texts = i18n::form_intake();
    let mut choices = vec![
        Choice::new(UNKNOWN_ADD, texts.learns),
        Choice::new(UNKNOWN_KEEP, texts.learns_not),
        Choice::new(UNKNOWN_REJECT, texts.strict),
    ];
    if !learnt {
        choices.insert(0, Choice::new(UNKNOWN_ADD_AT_FIRST, texts.learns_at_first));
    }
    view! {
        <h2 class="section-title">{texts.fields_and_limits}</h2>
        <SelectField
            label=texts.unknown_keys
            value=draft.unknown_fields
            choices
            on_change=move |value| draft.unknown_fields.set(value)
        />
        <TextField
            label=texts.address_limit
            hint=texts.limit_hint
            value=draft.address_limit
            error=draft.setting_error("address_limit")
            on_input=move |text| draft.address_limit.set(text)
        />
        <TextField
            label=texts.form_limit
            hint=texts.limit_hint
            value=draft.form_limit
            error=draft.setting_error("form_limit")
            on_input=move |text| draft.form_limit.set(text)
        />
    }
}
