//! The tags of the account and their colours.

use contract::triage::{ACCOUNT_TAGS_MAX, TAG_CHARS_MAX, TagColor};
use leptos::prelude::*;

use super::draft::{SettingsDraft, TagDraft};
use crate::{
    components::listing::Listing,
    i18n,
    state::triage::tag_color_name,
    ui::{
        button::{Button, ButtonSize, IconButton},
        dialog::SendForm,
        field::{CellSelect, Choice, TextField, store_input},
        icon::Glyph,
    },
};

/// Colours of tags, in the order of the list.
const COLORS: [TagColor; 8] = [
    TagColor::Gray,
    TagColor::Red,
    TagColor::Orange,
    TagColor::Yellow,
    TagColor::Green,
    TagColor::Blue,
    TagColor::Purple,
    TagColor::Pink,
];

/// The tags, and a field that adds one.
#[component]
pub fn TagTable(
    /// State of the section.
    draft: SettingsDraft,
) -> impl IntoView {
    let texts = i18n::status_settings();
    let row = move |row: TagDraft| view! { <TagRow draft row /> };
    let has_tags = Memo::new(move |_| draft.tags.with(|rows| !rows.is_empty()));
    let full = Signal::derive(move || {
        let is_full = draft.tags.with(Vec::len) >= ACCOUNT_TAGS_MAX;
        is_full.then(|| (texts.tags_full)(ACCOUNT_TAGS_MAX))
    });
    let add = Callback::new(move |()| {
        if full.with_untracked(Option::is_none) {
            draft.add_tag();
        }
    });
    let none = move || view! { <p class="field-hint">{texts.no_tags}</p> };
    view! {
        <Show when=move || has_tags.get() fallback=none>
            <Listing label=texts.tags heads=vec![texts.tags, texts.color] edits=true>
                <For each=move || draft.tags.get() key=|row| row.tag.clone() children=row />
            </Listing>
        </Show>
        <div data-act="add-tag">
            <SendForm on_send=add>
                <TextField
                    label=texts.new_tag
                    autocomplete="off"
                    value=draft.new_tag
                    error=draft.tag_error
                    length_max=u32::try_from(TAG_CHARS_MAX).unwrap_or(u32::MAX)
                    on_input=store_input(draft.new_tag, draft.tag_error)
                />
                <div class="form-acts">
                    <Button
                        icon=Glyph::Plus
                        disabled_reason=full
                        on_click=move |_| add.run(())
                    >
                        {texts.add_tag}
                    </Button>
                </div>
            </SendForm>
        </div>
    }
}

#[component]
fn TagRow(draft: SettingsDraft, row: TagDraft) -> impl IntoView {
    let texts = i18n::status_settings();
    let TagDraft { tag, color } = row;
    let name = tag.as_str().to_owned();
    let choices =
        COLORS.map(|color| Choice::new(tag_color_name(color), color_name(color))).to_vec();
    let choose = move |value: String| {
        if let Some(chosen) = COLORS.into_iter().find(|color| tag_color_name(*color) == value) {
            color.set(chosen);
        }
    };
    view! {
        <tr role="row" data-tag=name.clone()>
            <td role="cell" dir="auto">
                <span class="tag" data-color=move || tag_color_name(color.get())>
                    {name.clone()}
                </span>
            </td>
            <td role="cell" data-label=texts.color>
                <CellSelect
                    label=(texts.color_of)(&name)
                    value=Signal::derive(move || tag_color_name(color.get()).to_owned())
                    choices
                    on_change=choose
                />
            </td>
            <td role="cell">
                <IconButton
                    icon=Glyph::Trash
                    label=(texts.remove_tag)(&name)
                    size=ButtonSize::Small
                    on_click=move |_| draft.remove_tag(&tag)
                />
            </td>
        </tr>
    }
}

fn color_name(color: TagColor) -> &'static str {
    let texts = i18n::status_settings();
    match color {
        TagColor::Gray => texts.gray,
        TagColor::Red => texts.red,
        TagColor::Orange => texts.orange,
        TagColor::Yellow => texts.yellow,
        TagColor::Green => texts.green,
        TagColor::Blue => texts.blue,
        TagColor::Purple => texts.purple,
        TagColor::Pink => texts.pink,
    }
}
