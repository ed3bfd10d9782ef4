//! The members of the account, for its owner: list, invite, create another link, remove. The token
//! of a link exists only in the dialog and is dropped when it closes. If a proxy signs users in,
//! there are no links; the dialog shows the command that links the sign-in on the server instead.

use contract::account::EMAIL_BYTES_MAX;
use contract::people::Invited;
use contract::{Person, Role};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        calendar::millis_of,
        listing::{Listing, when},
        page::{rescue_focus, sentence},
        remote::{load_and_wait, remote_view},
    },
    domain::invite_instructions::link_command,
    i18n, routes,
    state::{
        confirm::{Confirm, Question},
        proof::Proofs,
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant},
        copy::CodeBlock,
        dialog::{Dialog, SendActs, SendForm},
        field::TextField,
        icon::Glyph,
        notice::Notice,
        time::full_text,
    },
};

/// State shared by the parts of the section. Cheap to copy.
#[derive(Clone, Copy)]
struct Shared {
    people: RwSignal<Remote<Vec<Person>>>,
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    email: RwSignal<String>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Invitation shown in the dialog.
    invited: RwSignal<Option<Invited>>,
    proofs: Proofs,
    session: SessionStore,
    confirm: Confirm,
    toasts: Toasts,
}

impl Shared {
    fn load(self) {
        spawn_local(async move {
            load_and_wait(self.people, self.session, api::people()).await;
            // The pressed button was removed together with the member.
            rescue_focus().await;
        });
    }

    /// Closes the dialog, and clears the link and the inputs.
    fn close(self) {
        self.open.set(false);
        self.invited.set(None);
        self.email.set(String::new());
        self.error.set(None);
    }

    fn add(self) {
        let email = self.email.get_untracked().trim().to_owned();
        if !email.contains('@') {
            self.error.set(Some(i18n::people().needs_email.to_owned()));
            return;
        }
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.proofs.around(|| api::add_reader(email.clone())).await;
            self.busy.try_set(false);
            match answer {
                Ok(invited) => {
                    self.invited.try_set(Some(invited));
                    self.load();
                }
                Err(problem) => {
                    self.session.notice(&problem);
                    self.error.try_set(Some(sentence(&problem.message())));
                }
            }
        });
    }

    fn link(self, person: Person) {
        if self.session.known_elsewhere().is_some() {
            self.invited.set(Some(Invited { data: person, token: None, expires_at: None }));
            self.open.set(true);
            return;
        }
        spawn_local(async move {
            match self.proofs.around(|| api::link_reader(&person.id)).await {
                Ok(invited) => {
                    self.invited.try_set(Some(invited));
                    self.open.try_set(true);
                }
                Err(problem) => {
                    self.session.notice(&problem);
                    self.toasts.failed((i18n::people().not_linked)(&problem.message()));
                }
            }
        });
    }

    fn remove(self, person: Person) {
        let texts = i18n::people();
        let title = (texts.remove_title)(&person.email);
        let act = move || {
            let person = person.clone();
            async move {
                match self.proofs.around(|| api::remove_reader(&person.id)).await {
                    // 404: the member was already removed, which is the wanted result.
                    Err(problem) if problem.status() != Some(404) => {
                        self.session.notice(&problem);
                        Err((texts.not_removed)(&problem.message()))
                    }
                    _ => {
                        self.toasts.done((texts.removed)(&person.email));
                        self.load();
                        Ok(())
                    }
                }
            }
        };
        self.confirm.ask(Question::new(title, texts.remove_text, texts.remove_verb, act));
    }
}

/// The section of members.
#[component]
pub fn People() -> impl IntoView {
    let texts = i18n::people();
    let shared = Shared {
        people: RwSignal::new(Remote::Loading),
        open: RwSignal::new(false),
        email: RwSignal::new(String::new()),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        invited: RwSignal::new(None),
        proofs: expect_context(),
        session: expect_context(),
        confirm: expect_context(),
        toasts: expect_context(),
    };
    shared.load();
    let proxied = shared.session.known_elsewhere().is_some();
    let (told, load) = ((texts.loading, texts.what), move || shared.load());
    let body = remote_view(shared.people, told, load, move |people: Vec<Person>| {
        let row = move |person: Person| view! { <Row person shared /> };
        view! {
            <Listing label=texts.title heads=vec![texts.email, texts.role, i18n::account().since]>
                {people.into_iter().map(row).collect_view()}
            </Listing>
        }
        .into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.text}</p>
            {proxied.then(|| view! { <p class="section-text">{texts.proxied}</p> })}
            {body}
            <Button icon=Glyph::Plus on_click=move |_| shared.open.set(true)>
                {texts.add}
            </Button>
        </section>
        <Invitation shared />
    }
}

#[component]
fn Row(person: Person, shared: Shared) -> impl IntoView {
    let texts = i18n::people();
    let role = match person.role {
        Role::Owner => texts.owner,
        Role::Reader => texts.reader,
    };
    let proxied = shared.session.known_elsewhere().is_some();
    let link = if proxied { texts.way_in } else { texts.link };
    let email = person.email.clone();
    let acts = (person.role == Role::Reader).then(|| {
        let (link_of, remove_of) =
            ((texts.link_of)(&person.email), (texts.remove_of)(&person.email));
        let (linked, removed) = (person.clone(), person.clone());
        view! {
            <span class="row-acts">
                <Button size=ButtonSize::Small on_click=move |_| shared.link(linked.clone())>
                    {link}
                    <span class="visually-hidden">{link_of}</span>
                </Button>
                <Button size=ButtonSize::Small on_click=move |_| shared.remove(removed.clone())>
                    {texts.remove}
                    <span class="visually-hidden">{remove_of}</span>
                </Button>
            </span>
        }
    });
    view! {
        <tr role="row">
            <td role="cell">{email}</td>
            <td role="cell" data-label=texts.role>{role}</td>
            <td role="cell" data-label=i18n::account().since>{when(Some(person.created_at))}</td>
            <td role="cell">{acts}</td>
        </tr>
    }
}

/// The dialog: first the email address of the new member, then their invitation.
#[component]
fn Invitation(shared: Shared) -> impl IntoView {
    let texts = i18n::people();
    let title = move || match shared.invited.get() {
        Some(Invited { data, token: None, .. }) => (texts.way_in_title)(&data.email),
        Some(invited) => (texts.link_title)(&invited.data.email),
        None => texts.add_title.to_owned(),
    };
    view! {
        <Dialog
            open=shared.open
            title=Signal::derive(title)
            on_close=move |()| shared.close()
            backdrop_closes=false
            actions=move || view! { <Actions shared /> }
        >
            {move || match shared.invited.get() {
                Some(invited) => gets_in(invited, shared.session),
                None => view! { <WhoComes shared /> }.into_any(),
            }}
        </Dialog>
    }
}

/// The form for the email address of the new member.
#[component]
fn WhoComes(shared: Shared) -> impl IntoView {
    let texts = i18n::people();
    let proxied = shared.session.known_elsewhere().is_some();
    let hint = if proxied { texts.add_hint_proxied } else { texts.add_hint };
    view! {
        <SendForm on_send=Callback::new(move |()| shared.add())>
            <TextField
                label=texts.email
                name="reader"
                hint=hint
                value=shared.email
                error=shared.error
                length_max=u32::try_from(EMAIL_BYTES_MAX).unwrap_or(u32::MAX)
                on_input=move |text| {
                    shared.error.set(None);
                    shared.email.set(text);
                }
            />
        </SendForm>
    }
}

/// The buttons of the dialog: first to add the member, then to close.
#[component]
fn Actions(shared: Shared) -> impl IntoView {
    let close = Callback::new(move |()| shared.close());
    let (busy, verb) = (shared.busy.into(), i18n::people().add_verb);
    let add = move || {
        let on_send = Callback::new(move |()| shared.add());
        view! { <SendActs verb busy on_send on_close=close /> }
    };
    view! {
        <Show when=move || shared.invited.with(Option::is_some) fallback=add>
            <Button variant=ButtonVariant::Primary on_click=move |_| shared.close()>
                {i18n::common().done}
            </Button>
        </Show>
    }
}

/// Returns the access instructions for a member: a sign-in link, visible only once, or behind a
/// proxy the command that links their sign-in.
fn gets_in(invited: Invited, session: SessionStore) -> AnyView {
    let texts = i18n::people();
    let Invited { data: Person { email, .. }, token, expires_at } = invited;
    if let (Some(token), Some(expires_at)) = (token, expires_at) {
        let origin = window().location().origin().unwrap_or_default();
        let until = full_text(millis_of(expires_at));
        return view! {
            <Notice tone=Tone::Mixed>{(texts.link_text)(&until)}</Notice>
            <CodeBlock text=routes::invitation(&origin, &token) label=texts.copy_link />
        }
        .into_any();
    }
    let issuer = session.known_elsewhere().map(|known| known.issuer).unwrap_or_default();
    view! {
        <p>{texts.way_in_text}</p>
        <CodeBlock
            text=link_command(&issuer, &email, texts.way_in_name)
            label=texts.copy_command
        />
        <p>{(texts.way_in_name_text)(texts.way_in_name)}</p>
    }
    .into_any()
}
