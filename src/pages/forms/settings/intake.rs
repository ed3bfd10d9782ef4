//! What a form takes in: which pages may send, where browsers go on to, what is set aside, and how
//! much comes at most.

use contract::{FormId, Intake};
use leptos::{ev, prelude::*, task::spawn_local};

use super::{Asked, ask};
use crate::{
    api,
    model::fields::lines,
    page::{Failure, sentence},
    stores::{session::SessionStore, toasts::Toasts},
    ui::{
        badge::Tone,
        button::{Button, ButtonVariant},
        field::{AreaField, CheckField, Choice, SelectField, TextField},
        notice::Notice,
        skeleton::SkeletonLines,
    },
};

/// The values of the choice whether a form learns fields.
const LEARNS: &str = "yes";
const LEARNS_NOT: &str = "no";
const LEARNS_AT_FIRST: &str = "first";

/// The page.
#[component]
pub fn IntakeSettings(
    /// The form.
    form: FormId,
    /// What a session that is over is told to.
    session: SessionStore,
) -> impl IntoView {
    let intake = RwSignal::new(Asked::Loading);
    let load = {
        let form = form.clone();
        move || {
            let form = form.clone();
            ask(intake, session, async move { api::intake(&form).await });
        }
    };
    load();
    move || match intake.get() {
        Asked::Loading => {
            view! { <SkeletonLines label="Loading what the form takes in" /> }.into_any()
        }
        Asked::Failed(error) => {
            let load = load.clone();
            let retry = move |()| {
                intake.set(Asked::Loading);
                load();
            };
            view! { <Failure error what="What the form takes in" on_retry=retry /> }.into_any()
        }
        Asked::Loaded(intake) => {
            view! { <Questions form=form.clone() intake session /> }.into_any()
        }
    }
}

/// What is typed; cheap to copy.
#[derive(Clone, Copy)]
struct Draft {
    redirects: RwSignal<String>,
    origins: RwSignal<String>,
    seconds_min: RwSignal<String>,
    honeypot: RwSignal<bool>,
    learns: RwSignal<String>,
    address_limit: RwSignal<String>,
    form_limit: RwSignal<String>,
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
        Self {
            redirects: RwSignal::new(intake.redirects.join("\n")),
            origins: RwSignal::new(intake.origins.join("\n")),
            seconds_min: RwSignal::new(intake.seconds_min.to_string()),
            honeypot: RwSignal::new(intake.honeypot),
            learns: RwSignal::new(learns.to_owned()),
            address_limit: RwSignal::new(limit(intake.address_limit)),
            form_limit: RwSignal::new(limit(intake.form_limit)),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
        }
    }

    fn read(self) -> Result<Intake, String> {
        let whole = |name: &str, text: RwSignal<String>| {
            let text = text.get_untracked();
            let wrong = |_| format!("`{name}` must be a whole number, but is `{}`", text.trim());
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
                LEARNS_NOT => Some(false),
                _ => None,
            },
            address_limit: limit("address_limit", self.address_limit)?,
            form_limit: limit("form_limit", self.form_limit)?,
        };
        intake.check().map(|()| intake)
    }

    /// What is wrong with one setting: a message begins with the name of what it is about.
    fn error_of(self, name: &'static str) -> Signal<Option<String>> {
        Signal::derive(move || {
            let error = self.error.get()?;
            let rest = error.strip_prefix('`')?.strip_prefix(name)?.strip_prefix('`')?;
            Some(format!("This {}", rest.trim()))
        })
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
                Ok(_) => toasts.done("Intake saved: in force from now on"),
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
            <WhoMaySend draft />
            <WhatIsSpam draft />
            <HowMuch draft learnt=intake.learns_fields.is_some() />
            {error}
            <div class="form-acts">
                <Button variant=ButtonVariant::Primary busy=draft.busy submit=true>
                    "Save intake"
                </Button>
            </div>
        </form>
    }
}

#[component]
fn WhoMaySend(draft: Draft) -> impl IntoView {
    view! {
        <h2 class="section-title">"Pages"</h2>
        <AreaField
            label="Pages of these origins may send"
            hint="One a line. Left empty, any page may."
            placeholder="https://example.com"
            value=draft.origins
            error=draft.error_of("origins")
            on_input=move |text| draft.origins.set(text)
        />
        <AreaField
            label="Browsers may go on to"
            hint="Origins or addresses, one a line. In place of any other, people see our thanks."
            placeholder="https://example.com/thanks"
            value=draft.redirects
            error=draft.error_of("redirects")
            on_input=move |text| draft.redirects.set(text)
        />
    }
}

#[component]
fn WhatIsSpam(draft: Draft) -> impl IntoView {
    view! {
        <h2 class="section-title">"Spam"</h2>
        <CheckField
            label="Set aside what fills the honeypot"
            hint="The input _gotcha, which people do not see"
            checked=draft.honeypot
            on_change=move |on| draft.honeypot.set(on)
        />
        <TextField
            label="Least time, in seconds"
            hint="Who says to have taken less is set aside as spam; 0 is nobody."
            value=draft.seconds_min
            error=draft.error_of("seconds_min")
            on_input=move |text| draft.seconds_min.set(text)
        />
    }
}

#[component]
fn HowMuch(draft: Draft, learnt: bool) -> impl IntoView {
    let mut choices = vec![
        Choice::new(LEARNS, "Become fields"),
        Choice::new(LEARNS_NOT, "Are refused, with their name"),
    ];
    if !learnt {
        choices.insert(0, Choice::new(LEARNS_AT_FIRST, "Become fields while there are none"));
    }
    view! {
        <h2 class="section-title">"Fields and limits"</h2>
        <SelectField
            label="Answers with keys that no field has"
            value=draft.learns
            choices
            on_change=move |value| draft.learns.set(value)
        />
        <TextField
            label="Most from one network address in 15 minutes"
            hint="Left empty, any number is taken."
            value=draft.address_limit
            error=draft.error_of("address_limit")
            on_input=move |text| draft.address_limit.set(text)
        />
        <TextField
            label="Most in all in 15 minutes"
            hint="Left empty, any number is taken."
            value=draft.form_limit
            error=draft.error_of("form_limit")
            on_input=move |text| draft.form_limit.set(text)
        />
    }
}
