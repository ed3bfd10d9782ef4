//! The list of all forms, live and test, with their latest submissions and links to the settings.

use contract::{Environment, Form, form::FORMS_MAX};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use super::{create::CreateForm, managed_elsewhere_note, rename::RenameForm};
use crate::{
    api,
    components::{
        environment,
        listing::{Listing, relative_time},
        page::{Failure, Heading, plain_page, use_title},
    },
    domain::commands::Command,
    i18n::{self, number},
    routes,
    state::{
        commands::Commands,
        session::{Forms, SessionStore},
        triage::TriageState,
    },
    ui::{
        badge::unread_count,
        button::{Button, ButtonSize, ButtonVariant},
        empty::Empty,
        icon::{Glyph, Icon},
        skeleton::SkeletonLines,
    },
};

/// The page that lists all forms.
#[component]
pub fn AllForms() -> impl IntoView {
    use_title(i18n::start().title.to_owned());
    let session = expect_context::<SessionStore>();
    let managed = Memo::new(move |_| session.capabilities().form_management);
    move || {
        if managed.get() {
            view! { <FormsPage session /> }.into_any()
        } else {
            plain_page(i18n::start().title, managed_elsewhere_note().into_any())
        }
    }
}

/// Refreshes counts and last submissions. The known values stay visible meanwhile.
fn refresh_forms(session: SessionStore) {
    if session.forms().with_untracked(|forms| matches!(forms, Forms::Loaded(_))) {
        spawn_local(async move {
            match api::forms().await {
                Ok(forms) => session.set_forms(Ok(forms)),
                Err(error) => session.handle_error(&error),
            }
        });
    }
}

#[component]
fn FormsPage(session: SessionStore) -> impl IntoView {
    refresh_forms(session);
    expect_context::<TriageState>().reload_unread();
    let texts = i18n::forms();
    let start = i18n::start();
    let creating = RwSignal::new(false);
    let renaming = RwSignal::new(None::<Form>);
    let may_change = untrack(|| session.is_owner());
    if may_change {
        let registry = expect_context::<Commands>();
        registry.register(&[Command::CreateForm], move |_| creating.try_set(true).is_none());
    }
    let navigate = use_navigate();
    let created = move |form: Form| {
        let share = routes::settings_url(form.environment, &form.id, routes::Tab::Share);
        navigate(&share, NavigateOptions::default());
    };
    let form_count = Memo::new(move |_| {
        session.forms().with(|forms| match forms {
            Forms::Loaded(forms) => Some(forms.len()),
            Forms::Loading | Forms::Failed(_) => None,
        })
    });
    let count = move || form_count.get().map(texts.count);
    let full =
        Signal::derive(move || (form_count.get()? >= FORMS_MAX).then(|| (texts.full)(FORMS_MAX)));
    let body = move || match session.forms().get() {
        Forms::Loading => view! { <SkeletonLines label=start.loading /> }.into_any(),
        Forms::Failed(error) => {
            let retry = move |()| session.reload_forms();
            view! { <Failure error object=start.what on_retry=retry /> }.into_any()
        }
        Forms::Loaded(forms) if forms.is_empty() => no_forms_view(creating, may_change),
        Forms::Loaded(forms) => view! { <FormTable forms renaming may_change /> }.into_any(),
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=i18n::start().title />
                <span class="page-count" role="status">
                    {count}
                </span>
                <div class="page-actions">
                    <Show when=move || may_change>
                        <Button
                            variant=ButtonVariant::Primary
                            icon=Glyph::Plus
                            disabled_reason=full
                            on_click=move |_| creating.set(true)
                        >
                            {texts.create}
                        </Button>
                    </Show>
                </div>
            </header>
            {body}
        </div>
        <CreateForm open=creating environment=Environment::Live on_created=created />
        <RenameForm form=renaming />
    }
}

/// Returns the view for an account without forms.
fn no_forms_view(creating: RwSignal<bool>, may_change: bool) -> AnyView {
    let texts = i18n::forms();
    if !may_change {
        return view! { <Empty icon=Glyph::Form title=texts.none text="" /> }.into_any();
    }
    view! {
        <Empty icon=Glyph::Form title=texts.none text=texts.first_steps>
            <Button icon=Glyph::Plus on_click=move |_| creating.set(true)>
                {texts.create_first}
            </Button>
        </Empty>
    }
    .into_any()
}

#[component]
fn FormTable(
    forms: Vec<Form>,
    renaming: RwSignal<Option<Form>>,
    may_change: bool,
) -> impl IntoView {
    let texts = i18n::forms();
    let common = i18n::common();
    let row = move |form: Form| {
        let actions = may_change.then(|| form_actions(&form, renaming));
        view! { <FormRow form actions /> }
    };
    let heads = vec![
        common.name,
        common.environment,
        common.submissions,
        texts.last_submission,
        texts.analysis,
    ];
    view! {
        <Listing label=i18n::start().title heads numbers=common.submissions>
            {forms.into_iter().map(row).collect_view()}
        </Listing>
    }
}

/// Returns a suffix of a button's name that only screen readers announce.
fn hidden_text(text: String) -> AnyView {
    view! { <span class="visually-hidden">{text}</span> }.into_any()
}

/// Returns the actions of the owner for a form.
fn form_actions(form: &Form, renaming: RwSignal<Option<Form>>) -> AnyView {
    let settings = routes::settings_url(form.environment, &form.id, routes::Tab::Share);
    let texts = i18n::forms();
    let common = i18n::common();
    let rename_of = (texts.rename_of)(&form.name);
    let settings_of = (texts.settings_of)(&form.name);
    let rename = form.clone();
    view! {
        <span class="row-acts">
            <Button
                size=ButtonSize::Small
                on_click=move |_| renaming.set(Some(rename.clone()))
            >
                {texts.rename}
                {hidden_text(rename_of)}
            </Button>
            <a class="button" data-variant="plain" data-size="small" href=settings>
                <Icon glyph=Glyph::Settings />
                <span class="button-text">
                    {common.settings}
                    {hidden_text(settings_of)}
                </span>
            </a>
        </span>
    }
    .into_any()
}

#[component]
fn FormRow(form: Form, actions: Option<AnyView>) -> impl IntoView {
    let list = routes::list_url(form.environment, &form.id, &contract::Filter::default());
    let texts = i18n::forms();
    let common = i18n::common();
    let triage = expect_context::<TriageState>();
    let id = form.id.clone();
    view! {
        <tr role="row">
            <td role="cell">
                <a href=list>{form.name.clone()}</a>
                {move || unread_count(triage.unread_text(&id))}
            </td>
            <td role="cell">{environment::environment_badge(form.environment)}</td>
            <td role="cell" data-align="end" data-label=common.submissions>
                {number(form.submission_count)}
            </td>
            <td role="cell" data-label=texts.last>{relative_time(form.last_submission_at)}</td>
            <td role="cell" data-label=texts.analysis>
                {if form.analysis { texts.on } else { texts.off }}
            </td>
            <td role="cell">
                {actions}
            </td>
        </tr>
    }
}
