//! The dialog that creates an API key. The secret exists only in this dialog, which drops it when
//! the user closes it. While the request is in flight, the dialog stays open, so that the user sees
//! the secret.

use contract::{CreatedKey, Environment, NewKey, key::KEY_NAME_CHARS_MAX};
use leptos::{prelude::*, task::spawn_local};

use super::restrictions::{RestrictionFields, Restrictions};
use crate::{
    api,
    components::{environment::EnvironmentField, page::to_sentence},
    i18n,
    state::{
        reauthentication::Reauthentication,
        session::{Forms, SessionStore},
    },
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        copy::CodeBlock,
        dialog::{Dialog, SendActs, SendForm},
        field::TextField,
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

    fn on_send(self) -> Callback<()> {
        Callback::new(move |()| self.create_key())
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
        let forms = match self.session.forms().get_untracked() {
            Forms::Loaded(forms) => forms,
            Forms::Loading | Forms::Failed(_) => Vec::new(),
        };
        let key = NewKey::unrestricted(name, environment);
        let Some(key) = self.restrictions.apply_to(key, &forms) else { return };
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
                    self.session.handle_error(&problem);
                    self.error.try_set(Some(to_sentence(&problem.message())));
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
    view! {
        <Dialog
            open
            title=Signal::derive(title)
            on_close=move |()| draft.close()
            backdrop_closes=false
            actions=move || view! { <DialogActions draft /> }
        >
            {move || match draft.created.get() {
                Some(created) => view! { <Secret created /> }.into_any(),
                None => view! { <KeyForm draft /> }.into_any(),
            }}
        </Dialog>
    }
}

/// The form of the dialog.
#[component]
fn KeyForm(draft: KeyDraft) -> impl IntoView {
    let texts = i18n::keys();
    let common = i18n::common();
    view! {
        <SendForm on_send=draft.on_send()>
            <TextField
                label=common.name
                hint=texts.name_hint
                value=draft.name
                error=draft.error
                length_max=u32::try_from(KEY_NAME_CHARS_MAX).unwrap_or(u32::MAX)
                on_input=move |text| {
                    draft.error.set(None);
                    draft.name.set(text);
                }
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

/// The buttons of the dialog: first to create the key, then to close.
#[component]
fn DialogActions(draft: KeyDraft) -> impl IntoView {
    let close = Callback::new(move |()| draft.close());
    let busy = draft.busy.into();
    let verb = i18n::keys().create_verb;
    let create = move || {
        view! { <SendActs verb busy on_send=draft.on_send() on_close=close /> }
    };
    view! {
        <Show when=move || draft.created.with(Option::is_some) fallback=create>
            <Button variant=ButtonVariant::Primary on_click=move |_| draft.close()>
                {i18n::common().done}
            </Button>
        </Show>
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
