//! The tab with the intake settings: closing, allowed origins and redirects, spam checks, unknown
//! fields, and rate limits.

pub mod closing;

use contract::{FormId, Intake};
use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        page::sentence,
        remote::{load, remote_view},
    },
    domain::fields::lines,
    i18n,
    state::{session::SessionStore, toasts::Toasts},
    ui::{
        badge::Tone,
        button::{Button, ButtonVariant},
        field::{AreaField, CheckField, Choice, SelectField, TextField},
        notice::Notice,
    },
};

use closing::{Closes, WhenItCloses};

/// Values of the choice of how to handle unknown fields.
const LEARNS: &str = "yes";
const LEARNS_NOT: &str = "no";
const STRICT: &str = "strict";
const LEARNS_AT_FIRST: &str = "first";

/// The tab.
#[component]
pub fn IntakeSettings(
    /// The form.
    form: FormId,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let (texts, intake) = (i18n::form_intake(), RwSignal::new(Remote::Loading));
    let load = {
        let form = form.clone();
        move || {
            let form = form.clone();
            load(intake, session, async move { api::intake(&form).await });
        }
    };
    load();
    remote_view(intake, (texts.loading, texts.what), load, move |intake| {
        view! { <Questions form=form.clone() intake session /> }.into_any()
    })
}

/// Returns the error of one setting. Error messages begin with the setting's name in backticks.
fn error_of(error: RwSignal<Option<String>>, name: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || {
        let error = error.get()?;
        let rest = error.strip_prefix('`')?.strip_prefix(name)?.strip_prefix('`')?;
        Some((i18n::form_intake().wrong)(name, rest.trim()))
    })
}

/// State of the inputs. Cheap to copy.
#[derive(Clone, Copy)]
struct Draft {
    redirects: RwSignal<String>,
    origins: RwSignal<String>,
    seconds_min: RwSignal<String>,
    honeypot: RwSignal<bool>,
    learns: RwSignal<String>,
    address_limit: RwSignal<String>,
    form_limit: RwSignal<String>,
    closing: Closes,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
}

impl Draft {
    fn new(intake: &Intake) -> Self {
        let limit = |limit: Option<u32>| limit.map(|it| it.to_string()).unwrap_or_default();
        let learns = match intake.learns_fields {
            None => LEARNS_AT_FIRST,
            Some(true) => LEARNS,
            Some(false) => LEARNS_NOT,
        };
        let learns = if intake.strict { STRICT } else { learns };
        Self {
            redirects: RwSignal::new(intake.redirects.join("\n")),
            origins: RwSignal::new(intake.origins.join("\n")),
            seconds_min: RwSignal::new(intake.seconds_min.to_string()),
            honeypot: RwSignal::new(intake.honeypot),
            learns: RwSignal::new(learns.to_owned()),
            address_limit: RwSignal::new(limit(intake.address_limit)),
            form_limit: RwSignal::new(limit(intake.form_limit)),
            closing: Closes::new(intake.closing.clone().unwrap_or_default()),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
        }
    }

    fn read(self) -> Result<Intake, String> {
        let whole = |name: &str, text: RwSignal<String>| {
            let text = text.get_untracked();
            let wrong = |_| (i18n::form_intake().not_whole)(name, text.trim());
            text.trim().parse::<u32>().map_err(wrong)
        };
        let limit = |name: &str, text: RwSignal<String>| {
            let none = text.with_untracked(|text| text.trim().is_empty());
            if none { Ok(None) } else { whole(name, text).map(Some) }
        };
        let intake = Intake {
            redirects: lines(&self.redirects.get_untracked()),
            origins: lines(&self.origins.get_untracked()),
            seconds_min: whole("seconds_min", self.seconds_min)?,
            honeypot: self.honeypot.get_untracked(),
            learns_fields: match self.learns.get_untracked().as_str() {
                LEARNS => Some(true),
                LEARNS_NOT | STRICT => Some(false),
                _ => None,
            },
            strict: self.learns.with_untracked(|learns| learns == STRICT),
            closing: self.closing.read()?,
            address_limit: limit("address_limit", self.address_limit)?,
            form_limit: limit("form_limit", self.form_limit)?,
        };
        intake.check().map(|()| intake)
    }

    fn error_of(self, name: &'static str) -> Signal<Option<String>> {
        error_of(self.error, name)
    }

    fn save(self, form: FormId, session: SessionStore, toasts: Toasts) {
        if self.busy.get_untracked() {
            return;
        }
        let intake = match self.read() {
            Ok(intake) => intake,
            Err(wrong) => return self.error.set(Some(wrong)),
        };
        self.error.set(None);
        self.busy.set(true);
        spawn_local(async move {
            let answer = api::set_intake(&form, &intake).await;
            self.busy.try_set(false);
            match answer {
                Ok(intake) => {
                    self.closing.saved(intake.closing);
                    toasts.done(i18n::form_intake().saved);
                }
                Err(problem) => {
                    session.notice(&problem);
                    self.error.try_set(Some(problem.message()));
                }
            }
        });
    }
}

#[component]
fn Questions(form: FormId, intake: Intake, session: SessionStore) -> impl IntoView {
    let (draft, toasts) = (Draft::new(&intake), expect_context::<Toasts>());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        draft.save(form.clone(), session, toasts);
    };
    let error = move || {
        let text = sentence(&draft.error.get()?);
        Some(view! { <Notice tone=Tone::Negative>{text}</Notice> })
    };
    view! {
        <form class="form" data-wide="true" on:submit=submit>
            <WhenItCloses closing=draft.closing error=draft.error />
            <WhoMaySend draft />
            <WhatIsSpam draft />
            <HowMuch draft learnt=intake.learns_fields.is_some() />
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
fn WhoMaySend(draft: Draft) -> impl IntoView {
    let texts = i18n::form_intake();
    view! {
        <h2 class="section-title">{texts.pages}</h2>
        <AreaField
            label=texts.origins
            hint=texts.origins_hint
            placeholder="https://example.com"
            value=draft.origins
            error=draft.error_of("origins")
            on_input=move |text| draft.origins.set(text)
        />
        <AreaField
            label=texts.redirects
            hint=texts.redirects_hint
            placeholder="https://example.com/thanks"
            value=draft.redirects
            error=draft.error_of("redirects")
            on_input=move |text| draft.redirects.set(text)
        />
    }
}

#[component]
fn WhatIsSpam(draft: Draft) -> impl IntoView {
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
            error=draft.error_of("seconds_min")
            on_input=move |text| draft.seconds_min.set(text)
        />
    }
}

#[component]
fn HowMuch(draft: Draft, learnt: bool) -> impl IntoView {
    let texts = i18n::form_intake();
    let mut choices = vec![
        Choice::new(LEARNS, texts.learns),
        Choice::new(LEARNS_NOT, texts.learns_not),
        Choice::new(STRICT, texts.strict),
    ];
    if !learnt {
        choices.insert(0, Choice::new(LEARNS_AT_FIRST, texts.learns_at_first));
    }
    view! {
        <h2 class="section-title">{texts.fields_and_limits}</h2>
        <SelectField
            label=texts.unknown_keys
            value=draft.learns
            choices
            on_change=move |value| draft.learns.set(value)
        />
        <TextField
            label=texts.address_limit
            hint=texts.limit_hint
            value=draft.address_limit
            error=draft.error_of("address_limit")
            on_input=move |text| draft.address_limit.set(text)
        />
        <TextField
            label=texts.form_limit
            hint=texts.limit_hint
            value=draft.form_limit
            error=draft.error_of("form_limit")
            on_input=move |text| draft.form_limit.set(text)
        />
    }
}
