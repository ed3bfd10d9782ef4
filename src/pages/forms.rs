//! The start page: redirects to the first form, or offers to create one. On servers without form
//! management it asks for the id of a form.

pub mod all;
pub mod create;
pub mod delete;
pub mod rename;
pub mod settings;

use contract::{Environment, Form, FormId};
use leptos::{ev, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use create::CreateForm;

use crate::{
    components::page::{Failure, Heading, use_title},
    i18n, lazy_views, routes,
    state::session::{Forms, SessionStore},
    ui::{
        button::{Button, ButtonVariant},
        empty::Empty,
        field::{Choice, RadioField, TextField, store_input},
        icon::Glyph,
        lazy::Lazy,
        run_effect,
        skeleton::SkeletonLines,
    },
};

// Lazy: most visits are redirected to a list and need neither view.
lazy_views! {
    fn no_forms(environment: Signal<Option<Environment>>) in forms
        => view! { <NoForms environment=environment.get() /> };
    fn open_by_id(environment: Signal<Option<Environment>>) in forms
        => view! { <OpenById environment /> };
}

/// The start page: redirects to the first form, live before test.
#[component]
pub fn FirstForm() -> impl IntoView {
    view! { <RedirectToFirstForm environment=Signal::stored(None) /> }
}

/// The start page of one environment.
#[component]
pub fn EnvironmentStart() -> impl IntoView {
    let url = use_url();
    let environment =
        Signal::derive(move || url.with(|url| routes::parse_path(url.path()).environment));
    view! { <RedirectToFirstForm environment /> }
}

#[component]
fn RedirectToFirstForm(environment: Signal<Option<Environment>>) -> impl IntoView {
    let texts = i18n::start();
    use_title(texts.title.to_owned());
    let session = expect_context::<SessionStore>();
    let navigate = use_navigate();
    // After the user creates the first form here, they go to its settings instead of its list.
    let empty_environment = StoredValue::new(None::<Option<Environment>>);
    run_effect(move || {
        let environment_now = environment.get();
        let first = session.first_form(environment_now);
        if first.is_none() && session.forms().with(|forms| matches!(forms, Forms::Loaded(_))) {
            empty_environment.set_value(Some(environment_now));
        }
        let is_new = empty_environment.get_value() == Some(environment_now);
        if let Some((environment, form)) = first.filter(|_| !is_new) {
            let list = routes::list_url(environment, &form, &contract::Filter::default());
            navigate(&list, NavigateOptions { replace: true, ..NavigateOptions::default() });
        }
    });
    let state = move || match session.forms().get() {
        Forms::Loading => view! { <SkeletonLines label=texts.loading /> }.into_any(),
        Forms::Failed(error) => {
            let retry = move |()| session.reload_forms();
            view! { <Failure error object=texts.what on_retry=retry /> }.into_any()
        }
        Forms::Loaded(_) if session.first_form(environment.get()).is_some() => ().into_any(),
        Forms::Loaded(_) if session.capabilities().form_management => {
            view! { <Lazy load=move || no_forms(environment) fills="sections" /> }.into_any()
        }
        Forms::Loaded(_) => ().into_any(),
    };
    let by_id = move || {
        (!session.capabilities().form_management).then(|| {
            view! { <Lazy load=move || open_by_id(environment) fills="sections" /> }
        })
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=texts.title />
            </header>
            {state}
            {by_id}
        </div>
    }
}

/// Offers to create the first form.
#[component]
fn NoForms(environment: Option<Environment>) -> impl IntoView {
    let texts = i18n::forms();
    let creating = RwSignal::new(false);
    let navigate = use_navigate();
    let environment = environment.unwrap_or(Environment::Live);
    let created = move |form: Form| {
        let share = routes::settings_url(form.environment, &form.id, routes::Tab::Share);
        navigate(&share, NavigateOptions::default());
    };
    let session = expect_context::<SessionStore>();
    let title = match environment {
        Environment::Test => texts.none_test,
        Environment::Live => texts.none,
    };
    view! {
        <Empty
            icon=Glyph::Form
            title
            text=if untrack(|| session.is_owner()) { texts.first_steps } else { "" }
        >
            <Show when=move || session.is_owner()>
                <Button
                    variant=ButtonVariant::Primary
                    icon=Glyph::Plus
                    on_click=move |_| creating.set(true)
                >
                    {texts.create}
                </Button>
            </Show>
        </Empty>
        <CreateForm open=creating environment on_created=created />
    }
}

/// Returns the note that forms are managed on another server.
fn managed_elsewhere_note() -> AnyView {
    let texts = i18n::forms();
    view! { <Empty icon=Glyph::Form title=texts.elsewhere text=texts.elsewhere_text /> }.into_any()
}

/// Opens a form by its id.
#[component]
pub fn OpenById(
    /// The environment that is selected initially.
    environment: Signal<Option<Environment>>,
) -> impl IntoView {
    let texts = i18n::forms();
    let common = i18n::common();
    let session = expect_context::<SessionStore>();
    let navigate = use_navigate();
    let first = environment.get_untracked().unwrap_or(Environment::Live);
    let mode = RwSignal::new(first.as_str().to_owned());
    let id = RwSignal::new(String::new());
    let error = RwSignal::new(None);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let typed = id.get_untracked();
        match typed.trim().parse::<FormId>() {
            Ok(form) => {
                let chosen = mode.get_untracked().parse().unwrap_or(first);
                session.remember_form(chosen, &form);
                let list = routes::list_url(chosen, &form, &contract::Filter::default());
                navigate(&list, NavigateOptions::default());
            }
            Err(problem) => {
                error.set(Some((texts.not_an_id)(typed.trim(), &problem.to_string())));
            }
        }
    };
    let choices = vec![Choice::new("live", common.live), Choice::new("test", common.test)];
    view! {
        <section class="sections">
            <form class="form" on:submit=submit>
                <h2 class="section-title">{texts.open_by_id}</h2>
                <p class="section-text">{texts.open_by_id_text}</p>
                <TextField
                    label=texts.id
                    placeholder="frm_…"
                    value=id
                    error
                    on_input=store_input(id, error)
                />
                <RadioField
                    label=common.environment
                    value=mode
                    choices
                    on_change=move |value| mode.set(value)
                />
                <p>
                    <Button variant=ButtonVariant::Primary submit=true>
                        {texts.open}
                    </Button>
                </p>
            </form>
        </section>
    }
}
