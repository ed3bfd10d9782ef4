//! The bar with the actions for the selection. It lies over the head of the list, so no row moves.

use leptos::prelude::*;

use super::all::AllDialog;
use super::reach;
use crate::{
    api::Target,
    domain::selection::Selection,
    i18n,
    pages::submissions::desk::Desk,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        icon::Glyph,
    },
};

/// The bar.
#[component]
pub fn SelectionBar(
    /// What the page shares.
    desk: Desk,
    /// Opens the export.
    #[prop(into)]
    on_export: Callback<()>,
) -> impl IntoView {
    reach::follow(desk);
    let texts = i18n::selection();
    let picks = desk.picks;
    // The bar may leave before its question is answered.
    on_cleanup(move || {
        desk.asking_all.try_set(None);
    });
    let reaching = Signal::derive(move || picks.reach.with(Option::is_some));
    // Who has selected all that are loaded may mean all there are.
    let others = move || {
        let total = desk.list.total().get()?;
        let whole = picks.selection().with(|one| !one.is_all() && desk.list.holds_all_of(one));
        (whole && picks.count() < total).then_some(total)
    };
    view! {
        <div class="selection" role="toolbar" aria-label=texts.selection>
            <span class="selection-count">
                {move || if reaching.get() { texts.selecting.to_owned() } else { picks.text() }}
            </span>
            {move || others().map(|total| {
                let text = (texts.select_all)(total);
                view! {
                    <Button
                        size=ButtonSize::Small
                        variant=ButtonVariant::Ghost
                        on_click=move |_| picks.take_all()
                    >
                        {text}
                    </Button>
                }
            })}
            <Acts desk reaching on_export on_move=move |target| desk.move_selected(target) />
        </div>
        <AllDialog desk open=desk.asking_all />
    }
}

/// The buttons for the selected submissions.
#[component]
fn Acts(
    desk: Desk,
    /// Whether a range is still being selected.
    reaching: Signal<bool>,
    on_export: Callback<()>,
    #[prop(into)] on_move: Callback<Target>,
) -> impl IntoView {
    let texts = i18n::selection();
    let is_all = move || desk.picks.selection().with(Selection::is_all);
    view! {
        <span class="selection-acts">
            <Button
                size=ButtonSize::Small
                icon=Glyph::Download
                busy=reaching
                on_click=move |_| on_export.run(())
            >
                {move || if is_all() { texts.export_all } else { texts.export_selection }}
            </Button>
            <Show when=move || desk.marks_spam()>
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Filter
                    busy=reaching
                    on_click=move |_| on_move.run(Target::Spam)
                >
                    {i18n::deletion().mark_spam}
                </Button>
            </Show>
            <Show when=move || desk.session.may_change()>
                <Button
                    size=ButtonSize::Small
                    icon=Glyph::Trash
                    busy=reaching
                    on_click=move |_| on_move.run(Target::Trash)
                >
                    {i18n::common().delete}
                </Button>
            </Show>
            <Button
                size=ButtonSize::Small
                variant=ButtonVariant::Ghost
                icon=Glyph::Close
                on_click=move |_| desk.leave_selection()
            >
                {texts.clear}
            </Button>
        </span>
    }
}
