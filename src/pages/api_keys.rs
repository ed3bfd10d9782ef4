//! API keys: which there are, a new one, and the end of an old one. Secrets are never listed; the
//! one moment at which a secret is seen is in [`create`].

pub mod create;
pub mod examples;

use contract::{ApiKey, key::ACTIVE_KEYS_MAX};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError},
    model::keys::Act,
    page::{Failure, Heading, rescue_focus, use_title},
    shared::listing::{Listing, environment, when},
    stores::{
        acts::Acts,
        confirm::{Confirm, Question},
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant},
        empty::Empty,
        icon::Glyph,
        notice::Notice,
        skeleton::SkeletonLines,
    },
};
use create::CreateKey;
use examples::Examples;

/// Why there is nothing to manage in front of a server that is not ours.
const FOREIGN: &str = "This dashboard stands in front of another server, with the keys that its \
                       operator gave it. Create and revoke keys where that server is run.";

/// What holds for all keys.
const RULE: &str = "A key lets a program of yours read, delete and export submissions. An account \
                    may hold 10 active keys, live and test together.";

/// What is known of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Keys {
    Loading,
    Loaded(Vec<ApiKey>),
    Failed(ApiError),
}

/// The page.
#[component]
pub fn ApiKeys() -> impl IntoView {
    use_title("API keys".to_owned());
    let session = expect_context::<SessionStore>();
    let managed = Memo::new(move |_| session.is_managed());
    move || {
        if managed.get() {
            view! { <Managed session /> }.into_any()
        } else {
            view! {
                <div class="page">
                    <header class="page-header">
                        <Heading text="API keys" />
                    </header>
                    <Empty
                        icon=Glyph::Key
                        title="Keys are managed elsewhere"
                        text=FOREIGN
                    />
                </div>
            }
            .into_any()
        }
    }
}

fn load(keys: RwSignal<Keys>, session: SessionStore) {
    spawn_local(async move {
        let answer = api::keys().await;
        if let Err(error) = &answer {
            session.notice(error);
        }
        keys.try_set(match answer {
            Ok(list) => Keys::Loaded(list),
            Err(error) => Keys::Failed(error),
        });
        // The button that was pressed to revoke a key went with it.
        rescue_focus().await;
    });
}

#[component]
fn Managed(session: SessionStore) -> impl IntoView {
    let (keys, creating) = (RwSignal::new(Keys::Loading), RwSignal::new(false));
    let used = RwSignal::new(None::<ApiKey>);
    load(keys, session);
    expect_context::<Acts>().offer(&[Act::CreateKey], move |_| creating.try_set(true).is_none());
    let active = Memo::new(move |_| {
        keys.with(|keys| match keys {
            Keys::Loaded(list) => Some(list.iter().filter(|key| key.revoked_at.is_none()).count()),
            Keys::Loading | Keys::Failed(_) => None,
        })
    });
    let count = move || active.get().map(|active| format!("{active} of {ACTIVE_KEYS_MAX} active"));
    let full = Signal::derive(move || {
        (active.get()? >= ACTIVE_KEYS_MAX).then(|| {
            format!("An account may hold at most {ACTIVE_KEYS_MAX} active keys; revoke one first")
        })
    });
    let note = move || full.get().map(|full| view! { <Notice tone=Tone::Info>{full}</Notice> });
    let body = move || match keys.get() {
        Keys::Loading => view! { <SkeletonLines label="Loading your keys" /> }.into_any(),
        Keys::Failed(error) => {
            let retry = move |()| {
                keys.set(Keys::Loading);
                load(keys, session);
            };
            view! { <Failure error what="The list of your keys" on_retry=retry /> }.into_any()
        }
        Keys::Loaded(list) if list.is_empty() => view! {
            <Empty
                icon=Glyph::Key
                title="No keys yet"
                text="Create one for each program, so that you can revoke them one by one."
            />
        }
        .into_any(),
        Keys::Loaded(list) => view! { <KeyTable list keys used /> }.into_any(),
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text="API keys" />
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
                        "Create key"
                    </Button>
                </div>
            </header>
            <div class="sections">
                <section>
                    <p class="section-text">{RULE}</p>
                    {note}
                    {body}
                </section>
            </div>
        </div>
        <CreateKey open=creating on_created=move |()| load(keys, session) />
        <Examples key=used session />
    }
}

#[component]
fn KeyTable(
    list: Vec<ApiKey>,
    keys: RwSignal<Keys>,
    used: RwSignal<Option<ApiKey>>,
) -> impl IntoView {
    let row = move |key: ApiKey| view! { <KeyRow key keys used /> };
    view! {
        <Listing
            label="API keys"
            heads=&["Name", "Environment", "Key", "Created", "Last used", "State"]
        >
            {list.into_iter().map(row).collect_view()}
        </Listing>
    }
}

#[component]
fn KeyRow(key: ApiKey, keys: RwSignal<Keys>, used: RwSignal<Option<ApiKey>>) -> impl IntoView {
    let (state, act) = match key.revoked_at {
        Some(at) => {
            (view! { <span class="missing">"Revoked " {when(Some(at))}</span> }.into_any(), None)
        }
        None => ("Active".into_any(), Some(view! { <Acts key=key.clone() keys used /> })),
    };
    view! {
        <tr role="row">
            <td role="cell">{key.name.clone()}</td>
            <td role="cell">{environment(key.environment)}</td>
            <td role="cell">
                <span class="id">{format!("{}…{}", key.prefix, key.last4)}</span>
            </td>
            <td role="cell" data-label="Created">{when(Some(key.created_at))}</td>
            <td role="cell" data-label="Last used">{when(key.last_used_at)}</td>
            <td role="cell">{state}</td>
            <td role="cell">{act}</td>
        </tr>
    }
}

#[component]
fn Acts(key: ApiKey, keys: RwSignal<Keys>, used: RwSignal<Option<ApiKey>>) -> impl IntoView {
    let (name, shown) = (key.name.clone(), key.clone());
    view! {
        <span class="row-acts">
            <Button size=ButtonSize::Small on_click=move |_| used.set(Some(shown.clone()))>
                "Examples"
                <span class="visually-hidden">" for " {name}</span>
            </Button>
            <RevokeButton key keys />
        </span>
    }
}

#[component]
fn RevokeButton(key: ApiKey, keys: RwSignal<Keys>) -> impl IntoView {
    let (confirm, toasts) = (expect_context::<Confirm>(), expect_context::<Toasts>());
    let session = expect_context::<SessionStore>();
    let name = key.name.clone();
    let ask = move |_| {
        let key = key.clone();
        let title = format!("Revoke “{}”?", key.name);
        let act = move || {
            let key = key.clone();
            async move {
                match api::revoke_key(&key.id).await {
                    // Somebody else was faster: it is revoked all the same.
                    Err(error) if error.status() != Some(404) => {
                        session.notice(&error);
                        Err(format!("It was not revoked. {}", error.message()))
                    }
                    _ => {
                        toasts.done(format!("Revoked “{}”", key.name));
                        load(keys, session);
                        Ok(())
                    }
                }
            }
        };
        let text = "Programs that use it are refused from the next request on. This is final.";
        confirm.ask(Question::new(title, text, "Revoke key", act));
    };
    view! {
        <Button size=ButtonSize::Small on_click=ask>
            "Revoke"
            <span class="visually-hidden">" " {name}</span>
        </Button>
    }
}
