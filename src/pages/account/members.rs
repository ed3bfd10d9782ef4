//! The members of the account, for its owner: list, invite, change role and forms, create another
//! link, remove. The token of a link exists only in the dialog and is dropped when it closes. If a
//! proxy signs users in, there are no links; the dialog shows the command that links the sign-in on
//! the server instead.

pub mod role;

use contract::account::EMAIL_BYTES_MAX;
use contract::people::{Invitation, NewPerson};
use contract::{FormAccess, Person, Role};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        calendar::millis_of,
        form_access::{FormAccessFields, FormAccessState},
        listing::{Listing, relative_time},
        page::{explain_failure, rescue_focus},
        remote::{load_and_wait, remote_view},
    },
    domain::invite_instructions::link_command,
    i18n, routes,
    state::{
        confirm::Confirm, reauthentication::Reauthentication, session::SessionStore, toasts::Toasts,
    },
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize},
        copy::CodeBlock,
        dialog::{Dialog, SendForm, SendOrDone},
        field::{TextField, store_input},
        icon::Glyph,
        notice::Notice,
        time::full_text,
    },
};
use role::{RoleDialog, RoleField, role_name};

/// State shared by the parts of the section. Cheap to copy.
#[derive(Clone, Copy)]
pub struct MembersState {
    members: RwSignal<Remote<Vec<Person>>>,
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    /// Number of times that the dialog was closed: a link never appears in a later invitation.
    openings: StoredValue<u32>,
    email: RwSignal<String>,
    /// Role selected in the open dialog.
    role: RwSignal<Role>,
    /// Forms selected in the open dialog.
    forms: FormAccessState,
    /// Member whom the dialog changes.
    changing: RwSignal<Option<Person>>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    /// Invitation shown in the dialog.
    invited: RwSignal<Option<Invitation>>,
    reauthentication: Reauthentication,
    session: SessionStore,
    confirm: Confirm,
    toasts: Toasts,
}

impl MembersState {
    fn load_members(self) {
        spawn_local(async move {
            load_and_wait(self.members, self.session, api::list_members()).await;
            // The pressed button was removed together with the member.
            rescue_focus().await;
        });
    }

    /// Closes the dialog, and clears the link and the inputs.
    fn close_dialog(self) {
        self.open.set(false);
        self.openings.update_value(|openings| *openings += 1);
        self.invited.set(None);
        self.email.set(String::new());
        self.error.set(None);
    }

    fn add_member(self) {
        let email = self.email.get_untracked().trim().to_owned();
        if !email.contains('@') {
            return self.error.set(Some(i18n::people().needs_email.to_owned()));
        }
        if self.busy.get_untracked() {
            return;
        }
        let Some(FormAccess(forms)) = self.selected_forms() else { return };
        self.busy.set(true);
        let opening = self.openings.get_value();
        let member = NewPerson { email, role: self.role.get_untracked(), forms };
        spawn_local(async move {
            let answer = self.reauthentication.run_action(|| api::add_member(&member)).await;
            self.busy.try_set(false);
            let is_shown = self.openings.try_get_value() == Some(opening);
            match answer {
                Ok(invited) => {
                    if is_shown {
                        self.invited.try_set(Some(invited));
                    }
                    self.load_members();
                }
                Err(problem) => {
                    let text = explain_failure(self.session, &problem);
                    self.toasts.show_error_in((self.error, is_shown), text);
                }
            }
        });
    }

    /// Returns the selected forms, as [`FormAccessState::read`] does.
    fn selected_forms(self) -> Option<FormAccess> {
        let forms = self.session.forms().get_untracked();
        self.forms.read(forms.loaded().map(Vec::as_slice).unwrap_or_default(), None)
    }

    fn open_invitation(self) {
        self.role.set(Role::Reader);
        self.forms.set(None);
        self.error.set(None);
        self.open.set(true);
    }

    fn create_link(self, person: Person) {
        if self.session.proxy_identity().is_some() {
            let invited = Invitation { data: person, token: None, expires_at: None, mailed: false };
            self.invited.set(Some(invited));
            self.open.set(true);
            return;
        }
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let create = || api::create_member_link(&person.id);
            let answer = self.reauthentication.run_action(create).await;
            self.busy.try_set(false);
            match answer {
                Ok(invited) => match self.open.try_get_untracked() {
                    Some(false) => {
                        self.invited.set(Some(invited));
                        self.open.set(true);
                    }
                    // Another dialog must not lose what the user typed.
                    Some(true) => self.toasts.show_error(i18n::people().link_not_shown),
                    None => (),
                },
                Err(problem) => {
                    self.session.handle_error(&problem);
                    self.toasts.show_error((i18n::people().not_linked)(&problem.message()));
                }
            }
        });
    }

    fn ask_to_remove(self, person: Person) {
        let texts = i18n::people();
        let title = (texts.remove_title)(&person.email);
        let remove = move || {
            let person = person.clone();
            async move {
                match self.reauthentication.run_action(|| api::remove_member(&person.id)).await {
                    // 404: the member was already removed, which is the wanted result.
                    Err(problem) if problem.status() != Some(404) => {
                        self.session.handle_error(&problem);
                        Err((texts.not_removed)(&problem.message()))
                    }
                    _ => {
                        self.toasts.show_success((texts.removed)(&person.email));
                        self.load_members();
                        Ok(())
                    }
                }
            }
        };
        self.confirm.ask(title, texts.remove_text, texts.remove_verb, remove);
    }
}

/// The section of members.
#[component]
pub fn Members() -> impl IntoView {
    let texts = i18n::people();
    let shared = MembersState {
        members: RwSignal::new(Remote::Loading),
        open: RwSignal::new(false),
        openings: StoredValue::new(0),
        email: RwSignal::new(String::new()),
        role: RwSignal::new(Role::Reader),
        forms: FormAccessState::all(),
        changing: RwSignal::new(None),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        invited: RwSignal::new(None),
        reauthentication: expect_context(),
        session: expect_context(),
        confirm: expect_context(),
        toasts: expect_context(),
    };
    shared.load_members();
    let proxied = shared.session.proxy_identity().is_some();
    let labels = (texts.loading, texts.what);
    let load = move || shared.load_members();
    let body = remote_view(shared.members, labels, load, move |people: Vec<Person>| {
        let row = move |person: Person| view! { <MemberRow person shared /> };
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
            <Button icon=Glyph::Plus on_click=move |_| shared.open_invitation()>
                {texts.add}
            </Button>
        </section>
        <InvitationDialog shared />
        <RoleDialog shared />
    }
}

#[component]
fn MemberRow(person: Person, shared: MembersState) -> impl IntoView {
    let texts = i18n::people();
    let role = match &person.forms {
        Some(forms) => (texts.limited_role)(role_name(person.role), forms.len()),
        None => role_name(person.role).to_owned(),
    };
    let proxied = shared.session.proxy_identity().is_some();
    let link = if proxied { texts.way_in } else { texts.link };
    let email = person.email.clone();
    let actions = (person.role != Role::Owner).then(|| {
        let change_of = (texts.change_of)(&person.email);
        let changed = person.clone();
        let link_of = (texts.link_of)(&person.email);
        let remove_of = (texts.remove_of)(&person.email);
        let linked = person.clone();
        let removed = person.clone();
        view! {
            <span class="row-acts">
                <Button
                    size=ButtonSize::Small
                    on_click=move |_| shared.open_role_dialog(changed.clone())
                >
                    {texts.change}
                    <span class="visually-hidden">{change_of}</span>
                </Button>
                <Button size=ButtonSize::Small on_click=move |_| shared.create_link(linked.clone())>
                    {link}
                    <span class="visually-hidden">{link_of}</span>
                </Button>
                <Button
                    size=ButtonSize::Small
                    on_click=move |_| shared.ask_to_remove(removed.clone())
                >
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
            <td role="cell" data-label=i18n::account().since>
                {relative_time(Some(person.created_at))}
            </td>
            <td role="cell">{actions}</td>
        </tr>
    }
}

/// The dialog: first the email address of the new member, then their invitation.
#[component]
fn InvitationDialog(shared: MembersState) -> impl IntoView {
    let texts = i18n::people();
    let is_done = Signal::derive(move || shared.invited.with(Option::is_some));
    let on_close = Callback::new(move |()| shared.close_dialog());
    let actions = move || {
        let on_send = move |()| shared.add_member();
        view! { <SendOrDone verb=texts.add_verb busy=shared.busy is_done on_send on_close /> }
    };
    let title = move || match shared.invited.get() {
        Some(Invitation { data, token: None, .. }) => (texts.way_in_title)(&data.email),
        Some(invited) => (texts.link_title)(&invited.data.email),
        None => texts.add_title.to_owned(),
    };
    view! {
        <Dialog
            open=shared.open
            title=Signal::derive(title)
            on_close
            backdrop_closes=false
            actions
        >
            {move || match shared.invited.get() {
                Some(invited) => access_instructions(invited, shared.session),
                None => view! { <MemberForm shared /> }.into_any(),
            }}
        </Dialog>
    }
}

/// The form for the email address, the role and the forms of the new member.
#[component]
fn MemberForm(shared: MembersState) -> impl IntoView {
    let texts = i18n::people();
    let proxied = shared.session.proxy_identity().is_some();
    let mailed = shared.session.email_links();
    let hint = move || match (proxied, mailed.get()) {
        (true, _) => texts.add_hint_proxied,
        (false, true) => texts.add_hint_mailed,
        (false, false) => texts.add_hint,
    };
    view! {
        <SendForm on_send=Callback::new(move |()| shared.add_member())>
            <TextField
                label=texts.email
                name="reader"
                hint=hint
                value=shared.email
                error=shared.error
                length_max=u32::try_from(EMAIL_BYTES_MAX).unwrap_or(u32::MAX)
                on_input=store_input(shared.email, shared.error)
            />
            <RoleField role=shared.role />
            <FormAccessFields
                access=shared.forms
                environment=Signal::stored(None)
                session=shared.session
            />
        </SendForm>
    }
}

/// Returns the access instructions for a member: a sign-in link, visible only once, or behind a
/// proxy the command that links their sign-in.
fn access_instructions(invited: Invitation, session: SessionStore) -> AnyView {
    let texts = i18n::people();
    let Invitation { data: Person { email, .. }, token, expires_at, mailed } = invited;
    if let (Some(token), Some(expires_at)) = (token, expires_at) {
        let origin = window().location().origin().unwrap_or_default();
        let until = full_text(millis_of(expires_at));
        let (tone, about) = if mailed {
            (StatusTone::Positive, (texts.link_mailed)(&email, &until))
        } else {
            (StatusTone::Mixed, (texts.link_text)(&until))
        };
        return view! {
            <Notice tone>{about}</Notice>
            <CodeBlock text=routes::sign_in_link_url(&origin, &token) label=texts.copy_link />
        }
        .into_any();
    }
    let issuer = session.proxy_identity().map(|known| known.issuer).unwrap_or_default();
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
