//! Members that complete a mention in the text of a note.

use leptos::{html, prelude::*};
use std::ops::Range;

use crate::{
    domain::mentions::{
        begun_mention, byte_of_utf16, complete_mention, offer_members, utf16_length,
    },
    i18n,
    ui::field::Completion,
};

/// A mention that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BegunMention {
    /// Bytes of the text, with the `@`.
    range: Range<usize>,
    /// Text after the `@`.
    typed: String,
}

/// Offers members while a mention is typed. Cheap to copy.
#[derive(Clone, Copy)]
pub struct MentionPicker {
    area: NodeRef<html::Textarea>,
    begun: RwSignal<Option<BegunMention>>,
    /// Offered members and the keys that select one.
    pub completion: Completion,
    /// Number of offered members.
    count: Signal<usize>,
}

impl MentionPicker {
    /// Creates a picker for the text field `area`. `members` are the addresses; `on_text` receives
    /// the text with a completed mention.
    pub fn new(
        area: NodeRef<html::Textarea>,
        members: Signal<Vec<String>>,
        on_text: Callback<String>,
    ) -> Self {
        let begun = RwSignal::new(None::<BegunMention>);
        let options = Memo::new(move |_| match begun.get() {
            Some(begun) => members.with(|members| offer_members(members, &begun.typed)),
            None => Vec::new(),
        });
        let choose = move |email: String| {
            let (Some(area), Some(BegunMention { range, .. })) =
                (area.get_untracked(), begun.get_untracked())
            else {
                return;
            };
            begun.set(None);
            let (text, caret) = complete_mention(&area.value(), range, &email);
            let caret = utf16_length(&text[..caret]);
            // At once, because the view sets the text later and would move the caret to the end.
            area.set_value(&text);
            let _ = area.set_selection_range(caret, caret);
            on_text.run(text);
        };
        let close = Callback::new(move |()| begun.set(None));
        let completion = Completion::new(options.into(), Callback::new(choose), close);
        let count = Signal::derive(move || options.with(Vec::len));
        Self { area, begun, completion, count }
    }

    /// Offers members if the caret is behind a begun mention. Called after something was typed.
    pub fn update(self) {
        let Some(area) = self.area.get_untracked() else { return };
        let text = area.value();
        let caret = area.selection_start().ok().flatten().unwrap_or_default();
        let range = begun_mention(&text, byte_of_utf16(&text, caret));
        self.completion.restart();
        self.begun.set(range.map(|range| BegunMention {
            typed: text[range.start + 1..range.end].to_owned(),
            range,
        }));
    }

    /// Closes the list.
    pub fn close(self) {
        if self.begun.try_with_untracked(Option::is_some) == Some(true) {
            self.begun.set(None);
        }
    }
    /// Returns the list of offered members, and their number for assistive technology.
    pub fn list_view(self) -> impl IntoView {
        let texts = i18n::triage();
        let count = move || match self.count.get() {
            0 => String::new(),
            count => (texts.members_offered)(count as u64),
        };
        view! {
            {self.completion.list_view(texts.members)}
            <p class="visually-hidden" role="status">
                {count}
            </p>
        }
    }
}
