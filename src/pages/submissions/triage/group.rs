//! The group in the card with the triage of the open submission, its notes and its history.

use contract::PersonId;
use contract::triage::{Status, TriageChange};
use leptos::{html, prelude::*};

use super::{
    TriageField, TriageFocus,
    card_triage::CardTriage,
    history::History,
    notes::Notes,
    read::{ReadButton, mark_read_when_shown},
    tags::TagList,
};
use crate::{
    components::remote::remote_view,
    i18n,
    pages::submissions::open_submission::OpenSubmission,
    ui::{
        button::IconButton,
        field::{Choice, SelectField},
        focus,
        icon::Glyph,
        run_effect,
    },
};

/// The group without its heading.
#[component]
pub fn TriageGroup() -> impl IntoView {
    let opened = expect_context::<OpenSubmission>();
    let Some(shown) = opened.submission.get_untracked() else { return ().into_any() };
    let card = CardTriage::new(&shown);
    let can_edit = untrack(|| card.state.can_edit());
    let element = NodeRef::<html::Div>::new();
    follow_focus_requests(card, element);
    mark_read_when_shown(card);
    let fields = if can_edit { edit_fields(card) } else { facts(card) };
    let notes_and_history = remote_view(
        card.loaded,
        (i18n::triage().loading, i18n::triage().detail),
        move || card.load(),
        move |()| {
            view! {
                <Notes card can_edit />
                <History card />
            }
            .into_any()
        },
    );
    view! {
        <div class="triage-group" node_ref=element>
            {fields}
            <p>
                <ReadButton card />
            </p>
            {notes_and_history}
        </div>
    }
    .into_any()
}

/// Focuses the field that a command requested, once it is there.
fn follow_focus_requests(card: CardTriage, group: NodeRef<html::Div>) {
    let requests = expect_context::<TriageFocus>();
    // A request that could not be met does not concern the next submission.
    on_cleanup(move || requests.clear());
    run_effect(move || {
        // The field for a note is there once the notes are loaded.
        card.loaded.track();
        let (Some(group), Some(field)) = (group.get(), requests.requested()) else { return };
        let selector = match field {
            TriageField::Tags => ".triage-tags input",
            TriageField::Assignee => ".triage-assignee select",
            TriageField::Note => ".triage-note textarea",
        };
        // The next frame renders what the request caused.
        request_animation_frame(move || {
            if let Ok(Some(field)) = group.query_selector(selector) {
                requests.clear();
                focus(&field);
            }
        });
    });
}

/// The fields of a user who can change the triage.
fn edit_fields(card: CardTriage) -> AnyView {
    let texts = i18n::triage();
    let CardTriage { state, marks, .. } = card;
    let status = Signal::derive(move || marks.with(|marks| marks.status.to_string()));
    let statuses = Signal::derive(move || {
        let mut statuses = state.statuses();
        let now = marks.with(|marks| marks.status.clone());
        if !statuses.contains(&now) {
            statuses.push(now);
        }
        let choice = |status: Status| Choice::new(status.as_str(), state.status_name(&status));
        statuses.into_iter().map(choice).collect::<Vec<_>>()
    });
    let set_status = move |value: String| {
        if let Ok(status) = value.parse() {
            card.change(TriageChange { status: Some(status), ..TriageChange::default() });
        }
    };
    let is_starred = Signal::derive(move || marks.with(|marks| marks.starred));
    let toggle_star = move |_| {
        let starred = Some(!is_starred.get_untracked());
        card.change(TriageChange { starred, ..TriageChange::default() });
    };
    view! {
        <div class="triage-fields">
            <SelectField
                label=texts.status
                value=status
                choices=statuses
                on_change=set_status
            />
            <AssigneeField card />
            <IconButton
                icon=Glyph::Star
                label=texts.star
                pressed=Signal::derive(move || Some(is_starred.get()))
                on_click=toggle_star
            />
        </div>
        <TagList card />
    }
    .into_any()
}

/// List of members. The first choice removes the assignee.
#[component]
fn AssigneeField(card: CardTriage) -> impl IntoView {
    let texts = i18n::triage();
    let CardTriage { state, marks, .. } = card;
    let assignee = Memo::new(move |_| marks.with(|marks| marks.assignee.clone()));
    let value = Signal::derive(move || assignee.get().map(String::from).unwrap_or_default());
    let choices = Signal::derive(move || {
        let mut choices = vec![Choice::new("", texts.nobody)];
        let members = state.members();
        choices.extend(members.iter().map(|member| Choice::new(member.id.as_str(), &member.email)));
        let unknown = assignee.get().filter(|id| members.iter().all(|member| member.id != *id));
        choices.extend(unknown.map(|id| Choice::new(String::from(id), texts.a_member)));
        choices
    });
    let assign = move |value: String| {
        let assignee: Option<PersonId> = value.parse().ok();
        card.change(TriageChange { assignee: Some(assignee), ..TriageChange::default() });
    };
    view! {
        <div class="triage-assignee">
            <SelectField label=texts.assignee value choices on_change=assign />
        </div>
    }
}

/// The triage for a user who cannot change it.
fn facts(card: CardTriage) -> AnyView {
    let texts = i18n::triage();
    let CardTriage { state, marks, .. } = card;
    let fact = |name: &'static str, value: AnyView| {
        view! {
            <dt class="facts-name">{name}</dt>
            <dd class="facts-value">{value}</dd>
        }
    };
    let status = move || state.status_name(&marks.with(|marks| marks.status.clone()));
    let starred = move || {
        if marks.with(|marks| marks.starred) { i18n::common().yes } else { i18n::common().no }
    };
    let assignee = move || match marks.with(|marks| marks.assignee.clone()) {
        Some(person) => state.assignee_name(&person),
        None => texts.nobody.to_owned(),
    };
    view! {
        <dl class="facts">
            {fact(texts.status, status.into_any())}
            {fact(texts.starred, starred.into_any())}
            {fact(texts.assignee, assignee.into_any())}
            {fact(texts.tags, super::tags::tag_facts(card))}
        </dl>
    }
    .into_any()
}
