//! The account page: open sessions, members, statuses and tags, the settings for reading and
//! mentions, and the email address and password of the signed-in user.

pub mod email;
pub mod members;
pub mod mention_setting;
pub mod password;
pub mod status_settings;

use contract::account::{AccountAccess, OpenSession};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError, Remote},
    components::{
        listing::{Listing, relative_time},
        names,
        page::{plain_page, rescue_focus, to_sentence, use_title},
        remote::remote_view,
    },
    i18n,
    state::{
        read_setting::{marks_read_when_opened, set_marks_read_when_opened},
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize},
        field::CheckField,
        icon::Glyph,
    },
};
use email::EmailForm;
use members::Members;
use mention_setting::MentionSetting;
use password::PasswordForm;
use status_settings::StatusSettings;

/// State shared by the parts of the page.
#[derive(Clone, Copy)]
struct AccountState {
    /// Whether sessions and password are loaded. Reloads do not change it, so that text that the
    /// user has typed into other parts of the page stays.
    loaded: RwSignal<Remote<()>>,
    sessions: RwSignal<Vec<OpenSession>>,
    /// Whether the user has a password, and whether they may set one without it. A notification
    /// empties the form.
    password: RwSignal<(bool, bool)>,
    session: SessionStore,
    toasts: Toasts,
}

impl AccountState {
    fn reload_access(self) {
        spawn_local(async move {
            let answer = api::get_access().await.map(|access| {
                let AccountAccess { sessions, has_password, can_reset_password } = access;
                self.sessions.try_set(sessions);
                self.password.try_maybe_update(|password| {
                    let before = std::mem::replace(password, (has_password, can_reset_password));
                    // The form itself notices that a password can no longer be reset.
                    (before.0 != password.0, ())
                });
            });
            if let Err(error) = &answer {
                self.session.handle_error(error);
            }
            if self.loaded.try_get_untracked() != Some(Remote::Loaded(())) {
                self.loaded.try_set(answer.into());
            } else if let Err(error) = answer {
                self.toasts.show_error(to_sentence(&error.message()));
            }
            // The pressed button was removed together with the ended session.
            rescue_focus().await;
        });
    }

    /// Empties the form for the password after it was saved.
    fn follow_saved_password(self) {
        self.password.set((true, false));
        self.reload_access();
    }

    /// Shows the result of ending sessions in a toast, and reloads the page's data.
    fn show_result(self, answer: Result<(), ApiError>, done: String) {
        match answer {
            // 404: the session has already ended elsewhere, which is the wanted result.
            Err(error) if error.status() != Some(404) => {
                self.session.handle_error(&error);
                self.toasts.show_error((i18n::account().not_ended)(&error.message()));
            }
            _ => {
                self.toasts.show_success(done);
                self.reload_access();
            }
        }
    }
}

/// The account page.
#[component]
pub fn Account() -> impl IntoView {
    let texts = i18n::account();
    use_title(texts.title.to_owned());
    let shared = AccountState {
        loaded: RwSignal::new(Remote::Loading),
        sessions: RwSignal::new(Vec::new()),
        password: RwSignal::new((false, false)),
        session: expect_context(),
        toasts: expect_context(),
    };
    shared.reload_access();
    let labels = (texts.loading, texts.what);
    let load = move || shared.reload_access();
    let body = remote_view(shared.loaded, labels, load, move |()| account_sections(shared));
    plain_page(texts.title, body.into_any())
}

fn account_sections(shared: AccountState) -> AnyView {
    let texts = i18n::account();
    let sessions = shared.sessions;
    let has_others = move || sessions.with(|all| all.iter().any(|session| !session.is_current));
    let ending = RwSignal::new(false);
    let end_others = move |_| {
        ending.set(true);
        spawn_local(async move {
            let done = texts.others_ended.to_owned();
            shared.show_result(api::end_other_sessions().await, done);
            ending.try_set(false);
        });
    };
    let row = move |session: OpenSession| view! { <SessionRow session shared /> };
    let heads = vec![texts.device, texts.since, i18n::keys().last_used];
    // Users who sign in through a proxy have no email or password to change here.
    let proxied = shared.session.proxy_identity().is_some();
    let about = if proxied { texts.sessions_text_proxied } else { texts.sessions_text };
    let password_form = move || {
        let (has_password, can_reset_password) = shared.password.get();
        view! {
            <PasswordForm
                has_password
                can_reset_password
                on_set=move |()| shared.follow_saved_password()
            />
        }
    };
    let forms = (!proxied).then(|| {
        view! {
            <section>
                <h2 class="section-title">{texts.email}</h2>
                <EmailForm on_set=move |()| shared.reload_access() />
            </section>
            <section>
                <h2 class="section-title">{texts.password}</h2>
                {password_form}
            </section>
        }
    });
    let has_triage = Memo::new(move |_| shared.session.capabilities().triage);
    let can_set_statuses = Memo::new(move |_| shared.session.is_owner() && has_triage.get());
    view! {
        <div class="sections">
            <section>
                <h2 class="section-title">{texts.sessions}</h2>
                <p class="section-text">{about}</p>
                <Listing label=texts.sessions heads>
                    // With keys, the focus does not move to the button of another session.
                    <For
                        each=move || sessions.get()
                        key=|session| (session.id.clone(), session.last_used_at)
                        children=row
                    />
                </Listing>
                <Show when=has_others>
                    <Button icon=Glyph::SignOut busy=ending on_click=end_others>
                        {texts.end_others}
                    </Button>
                </Show>
            </section>
            <Show when=move || shared.session.is_owner()>
                <Members />
            </Show>
            <Show when=move || can_set_statuses.get()>
                <StatusSettings />
            </Show>
            <Show when=move || has_triage.get()>
                <ReadSetting />
                <MentionSetting />
            </Show>
            {forms}
        </div>
    }
    .into_any()
}

/// Setting whether a submission is marked as read when it is opened.
#[component]
fn ReadSetting() -> impl IntoView {
    let texts = i18n::account();
    let checked = RwSignal::new(marks_read_when_opened());
    let set = move |is_on: bool| {
        set_marks_read_when_opened(is_on);
        checked.set(is_on);
    };
    view! {
        <section>
            <h2 class="section-title">{texts.reading}</h2>
            <CheckField
                label=texts.mark_read
                hint=texts.mark_read_hint
                checked
                on_change=set
            />
        </section>
    }
}

#[component]
fn SessionRow(session: OpenSession, shared: AccountState) -> impl IntoView {
    let texts = i18n::account();
    let name = session_name(&session);
    let action = if session.is_current {
        view! { <Badge text=texts.this_one tone=StatusTone::Info icon=Glyph::Check /> }.into_any()
    } else {
        let id = session.id.clone();
        let of = (texts.of)(&name);
        let done = (texts.ended)(&name);
        let busy = RwSignal::new(false);
        let end = move |_| {
            let id = id.clone();
            let done = done.clone();
            busy.set(true);
            spawn_local(async move {
                shared.show_result(api::end_session(&id).await, done);
                busy.try_set(false);
            });
        };
        view! {
            <Button size=ButtonSize::Small busy on_click=end>
                {texts.end}
                <span class="visually-hidden">{of}</span>
            </Button>
        }
        .into_any()
    };
    view! {
        <tr role="row">
            <td role="cell">{name}</td>
            <td role="cell" data-label=texts.since>{relative_time(Some(session.created_at))}</td>
            <td role="cell" data-label=i18n::keys().last_used>
                {relative_time(Some(session.last_used_at))}
            </td>
            <td role="cell">{action}</td>
        </tr>
    }
}

/// Returns browser and device of a session, as far as they are known.
fn session_name(session: &OpenSession) -> String {
    let client = &session.client;
    let parts = [client.browser.clone(), client.device.as_deref().map(names::device_name)];
    let known_parts: Vec<String> = parts.into_iter().flatten().collect();
    if known_parts.is_empty() { i18n::account().unknown.to_owned() } else { known_parts.join(", ") }
}
