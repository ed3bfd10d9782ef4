//! All forms, live and test: which there are, what came last, and the way to each one's settings.

use contract::{Environment, Form, form::FORMS_MAX};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use super::{FIRST, create::CreateForm, elsewhere, rename::RenameForm};
use crate::{
    api,
    model::keys::Act,
    page::{Failure, Heading, number, use_title},
    paths,
    shared::listing::{Listing, environment, when},
    stores::{
        acts::Acts,
        session::{Forms, SessionStore},
    },
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        empty::Empty,
        icon::{Glyph, Icon},
        skeleton::SkeletonLines,
    },
};

/// The page.
#[component]
pub fn AllForms() -> impl IntoView {
    use_title("Forms".to_owned());
    let session = expect_context::<SessionStore>();
    let managed = Memo::new(move |_| session.is_managed());
    move || {
        if managed.get() {
            view! { <Managed session /> }.into_any()
        } else {
            view! {
                <div class="page">
                    <header class="page-header">
                        <Heading text="Forms" />
                    </header>
                    {elsewhere()}
                </div>
            }
            .into_any()
        }
    }
}

/// Asks for counts and last submissions as they are now; what is known stays on view meanwhile.
fn refresh(session: SessionStore) {
    if session.forms().with_untracked(|forms| matches!(forms, Forms::Loaded(_))) {
        spawn_local(async move {
            match api::forms().await {
                Ok(forms) => session.forms_arrive(Ok(forms)),
                Err(error) => session.notice(&error),
            }
        });
    }
}

#[component]
fn Managed(session: SessionStore) -> impl IntoView {
    refresh(session);
    let (creating, renaming) = (RwSignal::new(false), RwSignal::new(None::<Form>));
    expect_context::<Acts>().offer(&[Act::CreateForm], move |_| creating.try_set(true).is_none());
    let navigate = use_navigate();
    let created = move |form: Form| {
        let share = paths::settings(form.environment, &form.id, paths::Tab::Share);
        navigate(&share, NavigateOptions::default());
    };
    let held = Memo::new(move |_| {
        session.forms().with(|forms| match forms {
            Forms::Loaded(forms) => Some(forms.len()),
            Forms::Loading | Forms::Failed(_) => None,
        })
    });
    let count = move || {
        held.get().map(|held| match held {
            1 => "1 form".to_owned(),
            held => format!("{} forms", number(held as u64)),
        })
    };
    let full = Signal::derive(move || {
        (held.get()? >= FORMS_MAX).then(|| {
            format!("An account may hold at most {FORMS_MAX} forms, live and test together")
        })
    });
    let body = move || match session.forms().get() {
        Forms::Loading => view! { <SkeletonLines label="Loading your forms" /> }.into_any(),
        Forms::Failed(error) => {
            let retry = move |()| session.forms_ask();
            view! { <Failure error what="The list of your forms" on_retry=retry /> }.into_any()
        }
        Forms::Loaded(forms) if forms.is_empty() => first(creating),
        Forms::Loaded(forms) => view! { <FormTable forms renaming /> }.into_any(),
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text="Forms" />
                <span class="page-count" role="status">
                    {count}
                </span>
                <div class="page-actions">
                    <Button
                        variant=ButtonVariant::Primary
                        icon=Glyph::Plus
                        disabled_reason=full
                        on_click=move |_| creating.set(true)
                    >
                        "Create form"
                    </Button>
                </div>
            </header>
            {body}
        </div>
        <CreateForm open=creating environment=Environment::Live on_created=created />
        <RenameForm form=renaming />
    }
}

/// What one who has no form yet does first.
fn first(creating: RwSignal<bool>) -> AnyView {
    view! {
        <Empty
            icon=Glyph::Form
            title="No forms yet"
            text=FIRST
        >
            <Button icon=Glyph::Plus on_click=move |_| creating.set(true)>
                "Create your first form"
            </Button>
        </Empty>
    }
    .into_any()
}

#[component]
fn FormTable(forms: Vec<Form>, renaming: RwSignal<Option<Form>>) -> impl IntoView {
    let row = move |form: Form| view! { <FormRow form renaming /> };
    view! {
        <Listing
            label="Forms"
            heads=&["Name", "Environment", "Submissions", "Last submission", "Analysis"]
            numbers=&["Submissions"]
        >
            {forms.into_iter().map(row).collect_view()}
        </Listing>
    }
}

#[component]
fn FormRow(form: Form, renaming: RwSignal<Option<Form>>) -> impl IntoView {
    let list = paths::list(form.environment, &form.id, &contract::Filter::default());
    let settings = paths::settings(form.environment, &form.id, paths::Tab::Share);
    let (name, of, rename) = (form.name.clone(), form.name.clone(), form.clone());
    view! {
        <tr role="row">
            <td role="cell">
                <a href=list>{form.name.clone()}</a>
            </td>
            <td role="cell">{environment(form.environment)}</td>
            <td role="cell" data-align="end" data-label="Submissions">
                {number(form.submission_count)}
            </td>
            <td role="cell" data-label="Last">{when(form.last_submission_at)}</td>
            <td role="cell" data-label="Analysis">{if form.analysis { "On" } else { "Off" }}</td>
            <td role="cell">
                <span class="row-acts">
                    <Button
                        size=ButtonSize::Small
                        on_click=move |_| renaming.set(Some(rename.clone()))
                    >
                        "Rename"
                        <span class="visually-hidden">" " {name}</span>
                    </Button>
                    <a class="button" data-variant="plain" data-size="small" href=settings>
                        <Icon glyph=Glyph::Settings />
                        <span class="button-text">
                            "Settings" <span class="visually-hidden">" of " {of}</span>
                        </span>
                    </a>
                </span>
            </td>
        </tr>
    }
}
