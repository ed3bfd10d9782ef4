//! The page of API keys: list, create, revoke. The list has no secrets; [`create`] shows a secret
//! once.

pub mod create;
pub mod examples;
pub mod restrictions;

use contract::{
    ApiKey, KeyAccess, Timestamp,
    key::{ACTIVE_KEYS_MAX, KeyState},
};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        environment,
        listing::{Listing, relative_time},
        owner_only::owner_page,
        page::{Heading, rescue_focus, use_title},
        remote::{load_and_wait, remote_view},
    },
    domain::commands::Command,
    i18n,
    state::{
        commands::Commands, confirm::Confirm, reauthentication::Reauthentication,
        session::SessionStore, toasts::Toasts,
    },
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize, ButtonVariant},
        empty::Empty,
        icon::Glyph,
        notice::Notice,
        time::now_ms,
    },
};
use create::CreateKey;
use examples::Examples;

/// Loading state of the keys.
type KeysState = Remote<Vec<ApiKey>>;

/// The page of API keys.
#[component]
pub fn ApiKeys() -> impl IntoView {
    let texts = i18n::keys();
    use_title(texts.title.to_owned());
    let elsewhere = move || {
        view! { <Empty icon=Glyph::Key title=texts.elsewhere text=texts.elsewhere_text /> }
            .into_any()
    };
    let page = |session| view! { <KeysPage session /> }.into_any();
    owner_page(texts.title, |server| server.api_keys, elsewhere, page)
}

fn load_keys(keys: RwSignal<KeysState>, session: SessionStore) {
    spawn_local(async move {
        load_and_wait(keys, session, api::list_api_keys()).await;
        // The pressed button was removed together with the key.
        rescue_focus().await;
    });
}

#[component]
fn KeysPage(session: SessionStore) -> impl IntoView {
    let texts = i18n::keys();
    let keys = RwSignal::new(KeysState::Loading);
    let creating = RwSignal::new(false);
    let used = RwSignal::new(None::<ApiKey>);
    load_keys(keys, session);
    expect_context::<Commands>()
        .register(&[Command::CreateKey], move |_| creating.try_set(true).is_none());
    let active = Memo::new(move |_| {
        keys.with(|keys| match keys {
            KeysState::Loaded(list) => {
                let state = |key: &&ApiKey| key_state(key) == KeyState::Active;
                Some(list.iter().filter(state).count())
            }
            KeysState::Loading | KeysState::Failed(_) => None,
        })
    });
    let count = move || active.get().map(|active| (texts.active)(active, ACTIVE_KEYS_MAX));
    let full = Signal::derive(move || {
        (active.get()? >= ACTIVE_KEYS_MAX).then(|| (texts.full)(ACTIVE_KEYS_MAX))
    });
    let note =
        move || full.get().map(|full| view! { <Notice tone=StatusTone::Info>{full}</Notice> });
    let reload = move || load_keys(keys, session);
    let body = remote_view(keys, (texts.loading, texts.what), reload, move |list: Vec<ApiKey>| {
        if list.is_empty() {
            view! { <Empty icon=Glyph::Key title=texts.none text=texts.none_text /> }.into_any()
        } else {
            view! { <KeyTable list keys used /> }.into_any()
        }
    });
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=texts.title />
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
                        {texts.create}
                    </Button>
                </div>
            </header>
            <div class="sections">
                <section>
                    <p class="section-text">{texts.rule}</p>
                    {note}
                    {body}
                </section>
            </div>
        </div>
        <CreateKey open=creating on_created=move |()| load_keys(keys, session) />
        <Examples key=used session />
    }
}

/// Returns the state of a key now, by the clock of the browser.
fn key_state(key: &ApiKey) -> KeyState {
    let now = i64::try_from(now_ms()).ok().and_then(Timestamp::from_millis);
    key.state_at(now.unwrap_or(key.created_at))
}

/// Returns badges for the environment and the restrictions of a key.
fn scope_badges(key: &ApiKey) -> AnyView {
    let texts = i18n::keys();
    let is_read_only = key.access == KeyAccess::Read;
    let forms = key.forms.as_ref().map(|forms| (texts.form_count)(forms.len()));
    view! {
        <span class="chips">
            {environment::environment_badge(key.environment)}
            {is_read_only
                .then(|| {
                    view! {
                        <Badge text=texts.read_only tone=StatusTone::Neutral icon=Glyph::Info />
                    }
                })}
            {forms
                .map(|text| view! { <Badge text tone=StatusTone::Neutral icon=Glyph::Form /> })}
        </span>
    }
    .into_any()
}

/// Renders the state of a key with the time of its end.
fn state_view(key: &ApiKey) -> AnyView {
    let texts = i18n::keys();
    let with_time = |text: &'static str, at: Option<Timestamp>| {
        let (before, after) = i18n::split_at_placeholder(text);
        view! { {before} {relative_time(at)} {after} }
    };
    match (key_state(key), key.expires_at) {
        (KeyState::Active, None) => texts.is_active.into_any(),
        (KeyState::Active, end) => with_time(texts.expires, end).into_any(),
        (KeyState::Expired, end) => {
            view! { <span class="missing">{with_time(texts.expired, end)}</span> }.into_any()
        }
        (KeyState::Revoked, _) => {
            let state = with_time(texts.revoked, key.revoked_at);
            view! { <span class="missing">{state}</span> }.into_any()
        }
    }
}

#[component]
fn KeyTable(
    list: Vec<ApiKey>,
    keys: RwSignal<KeysState>,
    used: RwSignal<Option<ApiKey>>,
) -> impl IntoView {
    let texts = i18n::keys();
    let common = i18n::common();
    let row = move |key: ApiKey| view! { <KeyRow key keys used /> };
    let heads = vec![
        common.name,
        common.environment,
        texts.key,
        texts.created,
        texts.last_used,
        texts.state,
    ];
    view! {
        <Listing label=texts.title heads>
            {list.into_iter().map(row).collect_view()}
        </Listing>
    }
}

#[component]
fn KeyRow(key: ApiKey, keys: RwSignal<KeysState>, used: RwSignal<Option<ApiKey>>) -> impl IntoView {
    let texts = i18n::keys();
    let is_active = key_state(&key) == KeyState::Active;
    let actions = is_active.then(|| view! { <KeyActions key=key.clone() keys used /> });
    view! {
        <tr role="row">
            <td role="cell">{key.name.clone()}</td>
            <td role="cell">{scope_badges(&key)}</td>
            <td role="cell">
                <div class="id">{format!("{}…{}", key.prefix, key.last4)}</div>
                <div class="id">{key.id.to_string()}</div>
            </td>
            <td role="cell" data-label=texts.created>{relative_time(Some(key.created_at))}</td>
            <td role="cell" data-label=texts.last_used>{relative_time(key.last_used_at)}</td>
            <td role="cell">{state_view(&key)}</td>
            <td role="cell">{actions}</td>
        </tr>
    }
}

#[component]
fn KeyActions(
    key: ApiKey,
    keys: RwSignal<KeysState>,
    used: RwSignal<Option<ApiKey>>,
) -> impl IntoView {
    let texts = i18n::keys();
    let of = (texts.examples_for)(&key.name);
    let shown = key.clone();
    view! {
        <span class="row-acts">
            <Button size=ButtonSize::Small on_click=move |_| used.set(Some(shown.clone()))>
                {texts.examples}
                <span class="visually-hidden">{of}</span>
            </Button>
            <RevokeButton key keys />
        </span>
    }
}

#[component]
fn RevokeButton(key: ApiKey, keys: RwSignal<KeysState>) -> impl IntoView {
    let confirm = expect_context::<Confirm>();
    let toasts = expect_context::<Toasts>();
    let session = expect_context::<SessionStore>();
    let texts = i18n::keys();
    let reauthentication = expect_context::<Reauthentication>();
    let of = (texts.revoke_of)(&key.name);
    let ask = move |_| {
        let key = key.clone();
        let title = (texts.revoke_title)(&key.name);
        let revoke = move || {
            let key = key.clone();
            async move {
                match reauthentication.run_action(|| api::revoke_key(&key.id)).await {
                    // 404: the key was already revoked, which is the wanted result.
                    Err(error) if error.status() != Some(404) => {
                        session.handle_error(&error);
                        Err((texts.not_revoked)(&error.message()))
                    }
                    _ => {
                        toasts.show_success((texts.was_revoked)(&key.name));
                        load_keys(keys, session);
                        Ok(())
                    }
                }
            }
        };
        confirm.ask(title, texts.revoke_text, texts.revoke_verb, revoke);
    };
    view! {
        <Button size=ButtonSize::Small on_click=ask>
            {texts.revoke}
            <span class="visually-hidden">{of}</span>
        </Button>
    }
}
