//! The dialog that creates an API key. The secret exists only in this dialog, which drops it when
//! the user closes it. While the request is in flight, the dialog stays open, so that the user sees
//! the secret.

use contract::{CreatedKey, Environment, NewKey, key::KEY_NAME_CHARS_MAX};
use leptos::{prelude::*, task::spawn_local};

use super::restrictions::{RestrictionFields, Restrictions};
use crate::{
    api,
    components::{environment::EnvironmentField, page::explain_failure},
    i18n,
    state::{reauthentication::Reauthentication, session::SessionStore},
    ui::{
        badge::StatusTone,
        copy::CodeBlock,
        dialog::{Dialog, SendForm, SendOrDone},
        field::{TextField, store_input},
        notice::Notice,
    },
};

/// State of the dialog. Cheap to copy.
#[derive(Clone, Copy)]
struct KeyDraft {
    open: RwSignal<bool>,
    name: RwSignal<String>,
    /// Name of the environment in paths, as [`EnvironmentField`] needs it.
    environment: RwSignal<String>,
    restrictions: Restrictions,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// The new key; while set, the dialog shows its secret.
    created: RwSignal<Option<CreatedKey>>,
    on_created: Callback<()>,
    session: SessionStore,
    reauthentication: Reauthentication,
}

impl KeyDraft {
    fn new(open: RwSignal<bool>, on_created: Callback<()>) -> Self {
        Self {
            open,
            name: RwSignal::new(String::new()),
            environment: RwSignal::new("live".to_owned()),
            restrictions: Restrictions::none(),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            created: RwSignal::new(None),
            on_created,
            session: expect_context(),
            reauthentication: expect_context(),
        }
    }

    /// Closes the dialog, and clears the secret, the name and the restrictions. The environment
    /// stays selected.
    fn close(self) {
        if self.busy.get_untracked() {
            return;
        }
        self.open.set(false);
        self.created.set(None);
        self.name.set(String::new());
        self.restrictions.clear();
        self.error.set(None);
    }

    /// Validates the fields and sends the request, after re-authentication if it is required.
    fn create_key(self) {
        let name = self.name.get_untracked().trim().to_owned();
        if name.is_empty() {
            self.error.set(Some(i18n::keys().needs_name.to_owned()));
            return;
        }
        if self.busy.get_untracked() {
            return;
        }
        // The field only offers valid names. Otherwise the harmless environment is used.
        let environment = self.environment.get_untracked().parse().unwrap_or(Environment::Test);
        let forms = self.session.forms().get_untracked();
        let forms = forms.loaded().map(Vec::as_slice).unwrap_or_default();
        let key = NewKey::unrestricted(name, environment);
        let Some(key) = self.restrictions.apply_to(key, forms) else { return };
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.reauthentication.run_action(|| api::create_key(&key)).await;
            self.busy.try_set(false);
            match answer {
                Ok(key) => {
                    self.created.try_set(Some(key));
                    self.on_created.try_run(());
                }
                Err(problem) => {
                    self.error.try_set(Some(explain_failure(self.session, &problem)));
                }
            }
        });
    }
}

/// The dialog.
#[component]
pub fn CreateKey(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    /// Called when a key has been created.
    #[prop(into)]
    on_created: Callback<()>,
) -> impl IntoView {
    let texts = i18n::keys();
    let draft = KeyDraft::new(open, on_created);
    let title = move || match draft.created.get() {
        Some(created) => (texts.secret_title)(&created.data.name),
        None => texts.create_title.to_owned(),
    };
    let is_done = Signal::derive(move || draft.created.with(Option::is_some));
    let on_send = Callback::new(move |()| draft.create_key());
    let on_close = Callback::new(move |()| draft.close());
    let verb = texts.create_verb;
    view! {
        <Dialog
            open
            title=Signal::derive(title)
            on_close
            backdrop_closes=false
            actions=move || view! { <SendOrDone verb busy=draft.busy is_done on_send on_close /> }
        >
            {move || match draft.created.get() {
                Some(created) => view! { <Secret created /> }.into_any(),
                None => view! { <KeyForm draft on_send /> }.into_any(),
            }}
        </Dialog>
    }
}

/// The form of the dialog.
#[component]
fn KeyForm(draft: KeyDraft, on_send: Callback<()>) -> impl IntoView {
    let texts = i18n::keys();
    let common = i18n::common();
    view! {
        <SendForm on_send>
            <TextField
                label=common.name
                hint=texts.name_hint
                value=draft.name
                error=draft.error
                length_max=u32::try_from(KEY_NAME_CHARS_MAX).unwrap_or(u32::MAX)
                on_input=store_input(draft.name, draft.error)
            />
            <EnvironmentField
                value=draft.environment
                live_hint=texts.live_hint
                test_hint=texts.test_hint
            />
            <RestrictionFields
                restrictions=draft.restrictions
                environment=draft.environment
                session=draft.session
            />
        </SendForm>
    }
}

/// The secret of the new key. The user cannot see it again later.
#[component]
fn Secret(created: CreatedKey) -> impl IntoView {
    let texts = i18n::keys();
    view! {
        <Notice tone=StatusTone::Mixed>{texts.secret_text}</Notice>
        <CodeBlock text=created.secret label=texts.copy_secret />
    }
}
