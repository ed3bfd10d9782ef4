//! The way to a form: on to the first one, or what to do where there is none. In front of a server
//! that lists no forms, a form is opened by its id.

pub mod all;
pub mod create;
pub mod rename;
pub mod settings;

use contract::{Environment, Form, FormId};
use leptos::{ev, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_params_map},
};

use create::CreateForm;

use crate::{
    page::{Failure, Heading, use_title},
    parts, paths,
    stores::session::{Forms, SessionStore},
    ui::{
        button::{Button, ButtonVariant},
        empty::Empty,
        field::{Choice, RadioField, TextField},
        icon::Glyph,
        later::Later,
        react,
        skeleton::SkeletonLines,
    },
};

/// What one who has no form yet does first.
const FIRST: &str = "Create one, paste its HTML into a page of yours, and send it once: the \
                     submission is here at once.";
/// Why there is nothing to manage in front of a server that is not ours.
const FOREIGN: &str = "This dashboard stands in front of another server. Create forms and set \
                       them up where that server is run.";

// On the way to a list neither is needed.
parts! {
    fn no_forms(environment: Signal<Option<Environment>>) in forms
        => view! { <NoForms environment=environment.get() /> };
    fn open_by_id(environment: Signal<Option<Environment>>) in forms
        => view! { <OpenById environment /> };
}

/// The start: on to the first form, live before test.
#[component]
pub fn FirstForm() -> impl IntoView {
    view! { <LeadOn environment=Signal::stored(None) /> }
}

/// The start of one environment.
#[component]
pub fn FormsOf() -> impl IntoView {
    let params = use_params_map();
    let environment = Signal::derive(move || {
        params.with(|params| params.get("mode").and_then(|mode| mode.parse().ok()))
    });
    view! { <LeadOn environment /> }
}

#[component]
fn LeadOn(environment: Signal<Option<Environment>>) -> impl IntoView {
    use_title("Forms".to_owned());
    let (session, navigate) = (expect_context::<SessionStore>(), use_navigate());
    // Who creates a first form here is led to its settings instead.
    let none_of = StoredValue::new(None::<Option<Environment>>);
    react(move || {
        let wanted = environment.get();
        let first = session.first_form(wanted);
        if first.is_none() && session.forms().with(|forms| matches!(forms, Forms::Loaded(_))) {
            none_of.set_value(Some(wanted));
        }
        let is_new = none_of.get_value() == Some(wanted);
        if let Some((environment, form)) = first.filter(|_| !is_new) {
            let list = paths::list(environment, &form, &contract::Filter::default());
            navigate(&list, NavigateOptions { replace: true, ..NavigateOptions::default() });
        }
    });
    let state = move || match session.forms().get() {
        Forms::Loading => view! { <SkeletonLines label="Loading your forms" /> }.into_any(),
        Forms::Failed(error) => {
            let retry = move |()| session.forms_ask();
            view! { <Failure error what="The list of your forms" on_retry=retry /> }.into_any()
        }
        Forms::Loaded(_) if session.first_form(environment.get()).is_some() => ().into_any(),
        Forms::Loaded(_) if session.is_managed() => {
            view! { <Later load=move || no_forms(environment) fills="sections" /> }.into_any()
        }
        Forms::Loaded(_) => ().into_any(),
    };
    let by_id = move || {
        (!session.is_managed()).then(|| {
            view! { <Later load=move || open_by_id(environment) fills="sections" /> }
        })
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text="Forms" />
            </header>
            {state}
            {by_id}
        </div>
    }
}

/// Leads to a first form.
#[component]
fn NoForms(environment: Option<Environment>) -> impl IntoView {
    let (creating, navigate) = (RwSignal::new(false), use_navigate());
    let environment = environment.unwrap_or(Environment::Live);
    let created = move |form: Form| {
        let share = paths::settings(form.environment, &form.id, paths::Tab::Share);
        navigate(&share, NavigateOptions::default());
    };
    let title = match environment {
        Environment::Test => "No test forms yet",
        Environment::Live => "No forms yet",
    };
    view! {
        <Empty
            icon=Glyph::Form
            title
            text=FIRST
        >
            <Button
                variant=ButtonVariant::Primary
                icon=Glyph::Plus
                on_click=move |_| creating.set(true)
            >
                "Create form"
            </Button>
        </Empty>
        <CreateForm open=creating environment on_created=created />
    }
}

/// Says that forms are managed elsewhere.
fn elsewhere() -> AnyView {
    view! {
        <Empty
            icon=Glyph::Form
            title="Forms are managed elsewhere"
            text=FOREIGN
        />
    }
    .into_any()
}

/// Asks for the id of a form.
#[component]
pub fn OpenById(
    /// The environment that is chosen at first.
    environment: Signal<Option<Environment>>,
) -> impl IntoView {
    let (session, navigate) = (expect_context::<SessionStore>(), use_navigate());
    let first = environment.get_untracked().unwrap_or(Environment::Live);
    let mode = RwSignal::new(first.as_str().to_owned());
    let (id, error) = (RwSignal::new(String::new()), RwSignal::new(None));
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let typed = id.get_untracked();
        match typed.trim().parse::<FormId>() {
            Ok(form) => {
                let chosen = mode.get_untracked().parse().unwrap_or(first);
                session.remember(chosen, &form);
                let list = paths::list(chosen, &form, &contract::Filter::default());
                navigate(&list, NavigateOptions::default());
            }
            Err(problem) => error.set(Some(format!("`{}` is no form id: {problem}", typed.trim()))),
        }
    };
    let choices = vec![Choice::new("live", "Live"), Choice::new("test", "Test")];
    view! {
        <section class="sections">
            <form class="form" on:submit=submit>
                <h2 class="section-title">"Open a form by its ID"</h2>
                <p class="section-text">
                    "This server does not list its forms. "
                    "The forms that you open are remembered in this browser."
                </p>
                <TextField
                    label="Form ID"
                    placeholder="frm_…"
                    value=id
                    error
                    on_input=move |text| {
                        error.set(None);
                        id.set(text);
                    }
                />
                <RadioField
                    label="Environment"
                    value=mode
                    choices
                    on_change=move |value| mode.set(value)
                />
                <p>
                    <Button variant=ButtonVariant::Primary submit=true>
                        "Open form"
                    </Button>
                </p>
            </form>
        </section>
    }
}
