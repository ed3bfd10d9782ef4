//! The way to a form: on to the first one, or what to do where there is none. In front of a server
//! that lists no forms, a form is opened by its id.

use contract::{Environment, FormId};
use leptos::{ev, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_params_map},
};

use crate::{
    page::{Failure, Heading, use_title},
    parts, paths,
    stores::session::{Forms, SessionStore},
    ui::{
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        empty::Empty,
        field::{Choice, RadioField, TextField},
        icon::Glyph,
        later::Later,
        react,
        skeleton::SkeletonLines,
    },
};

// On the way to a list neither is needed.
parts! {
    fn no_forms(environment: Signal<Option<Environment>>, session: SessionStore) in forms
        => view! { <NoForms environment=environment.get() session /> };
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
    react(move || {
        if let Some((environment, form)) = session.first_form(environment.get()) {
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
            view! { <Later load=move || no_forms(environment, session) fills="sections" /> }
                .into_any()
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

/// Says how a first form is created.
#[component]
fn NoForms(environment: Option<Environment>, session: SessionStore) -> impl IntoView {
    let email = untrack(|| session.session()).map(|session| session.account.email);
    let email = email.unwrap_or_default();
    let test = environment == Some(Environment::Test);
    let mode = if test { " --mode test" } else { "" };
    let command = format!(
        "sheaf form create --account {email} --name \"Customer feedback\"{mode} \
         --field Name --field Message:long_text"
    );
    let title = if test { "No test forms yet" } else { "No forms yet" };
    view! {
        <Empty
            icon=Glyph::Form
            title
            text="Create the first with the command line, where Sheaf runs, and reload this page."
        >
            <CodeBlock text=command label="Copy command" />
        </Empty>
    }
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
