//! The tags of the open submission, and the field that adds one.

use contract::triage::{TAG_CHARS_MAX, TAGS_MAX, Tag, TriageChange};
use leptos::{ev::SubmitEvent, prelude::*};

use super::{TriageField, TriageFocus, card_triage::CardTriage};
use crate::{
    i18n,
    state::triage::tag_color_name,
    ui::{
        button::{Button, ButtonSize, IconButton},
        field::{PickField, Suggestion, Suggestions, store_input},
        icon::Glyph,
    },
};

/// Tags as chips with a remove button, and the field that adds one.
#[component]
pub fn TagList(
    /// The open submission.
    card: CardTriage,
) -> impl IntoView {
    let texts = i18n::triage();
    let draft = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let listing = RwSignal::new(String::new());
    let tags = Memo::new(move |_| card.marks.with(|marks| marks.tags.clone()));
    let add = move || {
        let text = draft.get_untracked();
        let count = tags.with_untracked(Vec::len);
        let problem = match text.parse::<Tag>() {
            _ if text.trim().is_empty() => return,
            Err(_) => (texts.tag_invalid)(TAG_CHARS_MAX as u64),
            Ok(_) if count >= TAGS_MAX => (texts.tags_full)(TAGS_MAX as u64),
            Ok(tag) => {
                draft.set(String::new());
                listing.set(String::new());
                error.set(None);
                card.change(TriageChange { add_tags: vec![tag], ..TriageChange::default() });
                return;
            }
        };
        error.set(Some(problem));
    };
    let chip = move |tag: Tag| tag_chip(card, tag);
    view! {
        <div class="triage-tags">
            <ul class="chips" aria-label=texts.tags>
                {move || tags.get().into_iter().map(chip).collect_view()}
            </ul>
            <form
                class="triage-add"
                on:submit=move |event: SubmitEvent| {
                    event.prevent_default();
                    add();
                }
            >
                <PickField
                    label=texts.add_tag
                    value=draft
                    on_input=store_input(draft, error)
                    on_choose=move |()| add()
                    picks=suggestions(card, tags)
                    listing
                    on_retry=|()| ()
                    placeholder=""
                    length_max=u32::try_from(TAG_CHARS_MAX).unwrap_or(u32::MAX)
                />
                <Button submit=true>{texts.add}</Button>
            </form>
            <p class="field-error" role="alert">
                {error}
            </p>
        </div>
    }
}

/// Returns the tags of the account that the submission does not have.
fn suggestions(card: CardTriage, tags: Memo<Vec<Tag>>) -> Signal<Suggestions> {
    let settings = card.state.settings();
    Signal::derive(move || {
        let others: Vec<_> = settings.with(|settings| {
            let known = settings.tags.iter().map(|known| &known.name);
            let is_other = |tag: &&Tag| tags.with(|tags| !tags.contains(tag));
            let suggestion = |tag: &Tag| Suggestion { value: tag.to_string(), note: String::new() };
            known.filter(is_other).map(suggestion).collect()
        });
        if others.is_empty() {
            Suggestions::None
        } else {
            Suggestions::Loaded(others, String::new())
        }
    })
}

fn tag_chip(card: CardTriage, tag: Tag) -> impl IntoView {
    let focus = expect_context::<TriageFocus>();
    let text = tag.to_string();
    let label = (i18n::triage().remove_tag)(&text);
    let color_of = tag.clone();
    let remove = move |_| {
        card.change(TriageChange { remove_tags: vec![tag.clone()], ..TriageChange::default() });
        // The pressed button is removed.
        focus.request(TriageField::Tags);
    };
    view! {
        <li class="tag" data-color=move || tag_color_name(card.state.tag_color(&color_of))>
            <span class="tag-text">{text}</span>
            <IconButton icon=Glyph::Close label size=ButtonSize::Small on_click=remove />
        </li>
    }
}

/// The tags without controls.
pub(super) fn tag_facts(card: CardTriage) -> AnyView {
    let tag_view = move |tag: Tag| {
        let text = tag.to_string();
        view! {
            <li class="tag" data-color=move || tag_color_name(card.state.tag_color(&tag))>
                <span class="tag-text">{text}</span>
            </li>
        }
    };
    let tags = move || {
        let tags = card.marks.with(|marks| marks.tags.clone());
        if tags.is_empty() {
            return i18n::triage().no_tags.into_any();
        }
        view! { <ul class="chips">{tags.into_iter().map(tag_view).collect_view()}</ul> }.into_any()
    };
    tags.into_any()
}
