//! The settings of one form, in tabs. The URL names the form and the tab.

pub mod analysis;
pub mod categories;
pub mod fields;
pub mod intake;
pub mod notifications;
pub mod share;
pub mod spam;
pub mod trash;
pub mod usage;
pub mod webhooks;

use contract::{Filter, Form, FormId};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use super::{delete::DeleteForm, managed_elsewhere_note, rename::RenameForm};
use crate::{
    api,
    components::{
        names::tab_name,
        owner_only::owner_only_note,
        page::{Failure, Heading, explain_failure, use_title},
    },
    domain::answers,
    i18n, lazy_views,
    routes::{self, Tab},
    state::{
        session::{Forms, SessionStore},
        toasts::Toasts,
    },
    ui::{
        button::Button,
        empty::Empty,
        icon::{Glyph, Icon},
        lazy::Lazy,
        skeleton::SkeletonLines,
    },
};
use analysis::AnalysisTab;
use fields::Fields;
use intake::IntakeSettings;
use notifications::NotificationsTab;
use share::ShareTab;
use spam::SpamTab;
use trash::TrashTab;
use webhooks::{
    WebhooksTab,
    loading::{TabNotice, WebhooksRemote, follow_webhooks},
};

// Lazy: these tabs are as large as all others together, and few visits open them.
lazy_views! {
    fn notifications_tab(form: Signal<Form>, session: SessionStore)
        in notifications => view! { <NotificationsTab form session /> };
    fn webhooks_tab(form: Signal<Form>, session: SessionStore, webhooks: WebhooksRemote)
        in webhooks => view! { <WebhooksTab form session webhooks /> };
}

/// The page with a form's settings.
#[component]
pub fn FormSettings() -> impl IntoView {
    let texts = i18n::form_settings();
    let session = expect_context::<SessionStore>();
    let url = use_url();
    let id = Memo::new(move |_| url.with(|url| routes::parse_path(url.path()).form));
    let tab = Memo::new(move |_| url.with(|url| routes::tab_of_path(url.path())));
    let form = Memo::new(move |_| session.form(id.get().as_ref()?));
    let name = Signal::derive(move || {
        id.with(|id| id.as_ref().map(|id| session.form_name(id))).unwrap_or_default()
    });
    let title = Signal::derive(move || (texts.title)(&answers::isolate_bidi(name.get())));
    use_title(title);
    // Not the name, which may change while the user types.
    let page_key = Signal::derive(move || id.get().map(String::from).unwrap_or_default());
    let renaming = RwSignal::new(None::<Form>);
    let deleting = RwSignal::new(None::<Form>);
    // Compares only the id: a changed form must not rebuild the tab and drop unsaved input.
    let known = Memo::new(move |_| form.with(|form| form.as_ref().map(|form| form.id.clone())));
    let is_waiting = Memo::new(move |_| {
        session.forms().with(|forms| match forms {
            Forms::Loading => Some(None),
            Forms::Failed(error) => Some(Some(error.clone())),
            Forms::Loaded(_) => None,
        })
    });
    let managed = Memo::new(move |_| session.capabilities().form_management);
    let may_change = Memo::new(move |_| session.is_owner());
    let may_open = Memo::new(move |_| may_open_tab(session, tab.get()));
    let body = move || match (managed.get(), is_waiting.get(), known.get()) {
        (false, ..) => managed_elsewhere_note(),
        _ if !may_open.get() => owner_only_note(),
        (true, Some(None), _) => view! { <SkeletonLines label=texts.loading /> }.into_any(),
        (true, Some(Some(error)), _) => {
            let retry = move |()| session.reload_forms();
            view! { <Failure error object=texts.what on_retry=retry /> }.into_any()
        }
        (true, None, None) => form_not_found(),
        (true, None, Some(id)) => view! { <TabPanel form=id tab session known=form /> }.into_any(),
    };
    let actions = move || {
        let is_changed_here = managed.get() && may_change.get();
        known.get().filter(|_| is_changed_here).map(|_| page_actions(form, renaming, deleting))
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=title page_key />
                <div class="page-actions">{actions}</div>
            </header>
            {body}
        </div>
        <RenameForm form=renaming />
        <DeleteForm form=deleting />
    }
}

fn page_actions(
    form: Memo<Option<Form>>,
    renaming: RwSignal<Option<Form>>,
    deleting: RwSignal<Option<Form>>,
) -> AnyView {
    let list = move || {
        form.with(|form| {
            let list =
                |form: &Form| routes::list_url(form.environment, &form.id, &Filter::default());
            form.as_ref().map(list)
        })
    };
    let texts = i18n::form_settings();
    view! {
        <Button on_click=move |_| renaming.set(form.get_untracked())>{texts.rename}</Button>
        <Duplicate form />
        <Button on_click=move |_| deleting.set(form.get_untracked())>{texts.delete}</Button>
        <a class="button" data-variant="plain" data-size="medium" href=list>
            <Icon glyph=Glyph::Form />
            {i18n::common().submissions}
        </a>
    }
    .into_any()
}

/// The button that duplicates the form and opens the settings of the copy.
#[component]
fn Duplicate(form: Memo<Option<Form>>) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let toasts = expect_context::<Toasts>();
    let navigate = StoredValue::new_local(use_navigate());
    let busy = RwSignal::new(false);
    let duplicate = move |_| {
        let Some(source) = form.get_untracked() else { return };
        busy.set(true);
        spawn_local(async move {
            let answer = api::duplicate_form(&source.id).await;
            busy.try_set(false);
            match answer {
                Ok(copy) => {
                    let path = routes::settings_url(copy.environment, &copy.id, Tab::Share);
                    let name = answers::isolate_bidi(copy.name.clone());
                    toasts.show_success((i18n::form_settings().duplicated)(&name));
                    session.upsert_form(copy);
                    navigate.try_with_value(|navigate| navigate(&path, NavigateOptions::default()));
                }
                Err(error) => toasts.show_error(explain_failure(session, &error)),
            }
        });
    };
    view! {
        <Button busy on_click=duplicate>
            {i18n::form_settings().duplicate}
        </Button>
    }
}

/// Returns whether the user may open a tab: owners all, editors those with submissions to restore,
/// readers the trash. Tracked.
fn may_open_tab(session: SessionStore, tab: Tab) -> bool {
    match tab {
        Tab::Trash => true,
        Tab::Spam => session.can_triage(),
        _ => session.is_owner(),
    }
}

fn form_not_found() -> AnyView {
    let texts = i18n::form_settings();
    view! { <Empty icon=Glyph::Search title=texts.not_found text=texts.not_found_text /> }
        .into_any()
}

/// Loads a form again.
async fn reload_form(session: SessionStore, id: &FormId) {
    match api::get_form(id).await {
        Ok(form) => session.upsert_form(form),
        Err(error) => session.handle_error(&error),
    }
}

/// The navigation between the tabs, and the current tab.
#[component]
fn TabPanel(
    form: FormId,
    tab: Memo<Tab>,
    session: SessionStore,
    known: Memo<Option<Form>>,
) -> impl IntoView {
    // The form is known while this view exists. While the page is left, use the last known form.
    let Some(first) = known.get_untracked() else { return ().into_any() };
    let environment = first.environment;
    let shown = Signal::derive(move || known.get().unwrap_or_else(|| first.clone()));
    let at = form.clone();
    let link = move |shown_tab: Tab| {
        let href = routes::settings_url(environment, &at, shown_tab);
        let current = move || (tab.get() == shown_tab).then_some("page");
        view! {
            <li>
                <a class="tab" href=href aria-current=current>
                    {tab_name(shown_tab)}
                </a>
            </li>
        }
    };
    // The known form can be as old as the page: refresh counts and learned fields.
    let id = form.clone();
    spawn_local(async move { reload_form(session, &id).await });
    let webhooks = WebhooksRemote::new(session);
    follow_webhooks(form.clone(), tab, webhooks, session);
    let panel = move || {
        let form = form.clone();
        match tab.get() {
            Tab::Share => view! { <ShareTab form=shown session /> }.into_any(),
            Tab::Fields => view! { <Fields form=shown session /> }.into_any(),
            Tab::Intake => view! { <IntakeSettings form session /> }.into_any(),
            Tab::Spam => view! { <SpamTab form=shown session /> }.into_any(),
            Tab::Trash => view! { <TrashTab form=shown session /> }.into_any(),
            Tab::Analysis => view! { <AnalysisTab form=shown session /> }.into_any(),
            Tab::Notifications => {
                let load = move || notifications_tab(shown, session);
                view! { <Lazy load fills="form" /> }.into_any()
            }
            Tab::Webhooks => {
                let load = move || webhooks_tab(shown, session, webhooks);
                view! { <Lazy load fills="form" /> }.into_any()
            }
        }
    };
    let links = move || {
        let tabs = Tab::ALL.into_iter().filter(|tab| may_open_tab(session, *tab)).map(&link);
        // Readers may see only the trash, so they need no navigation.
        session.can_triage().then(|| {
            view! {
                <nav aria-label=i18n::form_settings().label>
                    <ul class="tabs">{tabs.collect_view()}</ul>
                </nav>
            }
        })
    };
    view! {
        {links}
        <div class="sections">
            <TabNotice form=shown tab webhooks />
            {panel}
        </div>
    }
    .into_any()
}
