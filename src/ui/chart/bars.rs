//! Named values as bars that lie, the longest as long as there is room. One that leads somewhere is
//! a button. A bar that stays while figures change keeps its element, and the focus with it.

use leptos::{ev::PointerEvent, prelude::*};

use super::{super::badge::Tone, own, said::Said};
use crate::ui::calc::axis::share;

/// A bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    /// What tells it from the others, whatever its figures are.
    pub key: String,
    /// What is counted.
    pub label: String,
    /// How long it is, beside the others.
    pub count: u64,
    /// The count as people read it.
    pub text: String,
    /// Its colour.
    pub tone: Option<Tone>,
    /// What a press does, in words; empty where it does nothing.
    pub act: String,
}

/// The bars.
#[component]
pub fn Bars(
    /// In order.
    #[prop(into)]
    bars: Signal<Vec<Bar>>,
    /// Takes which was pressed.
    #[prop(into)]
    on_press: Callback<usize>,
    /// Is told what is looked at.
    said: Said,
) -> impl IntoView {
    let most = Memo::new(move |_| {
        bars.with(|bars| bars.iter().map(|bar| bar.count).max().unwrap_or_default())
    });
    let row = move |at: ReadSignal<usize>, bar: Bar| {
        let leads = !bar.act.is_empty();
        let own = own(bars, bar, |one, first| one.key == first.key);
        let inside = inside(own, most);
        let says = Signal::derive(move || own.with(|bar| format!("{}: {}", bar.label, bar.text)));
        let enter = move |_| said.hover(Some(says));
        // A finger that is lifted leaves too, and what it asked for is still to be read.
        let leave = move |event: PointerEvent| {
            if event.pointer_type() != "touch" {
                said.hover(None);
            }
        };
        if leads {
            let act = move || own.with(|bar| bar.act.clone());
            let press = move |_| on_press.run(at.get_untracked());
            view! {
                <li on:pointerenter=enter on:pointerleave=leave>
                    <button
                        class="bar"
                        type="button"
                        title=act
                        on:click=press
                        on:focus=move |_| said.focus(Some(says))
                        on:blur=move |_| said.focus(None)
                    >
                        {inside}
                    </button>
                </li>
            }
            .into_any()
        } else {
            view! {
                <li on:pointerenter=enter on:pointerleave=leave>
                    <div class="bar">{inside}</div>
                </li>
            }
            .into_any()
        }
    };
    view! {
        <ul class="bars">
            <ForEnumerate each=move || bars.get() key=|bar| bar.key.clone() children=row />
        </ul>
    }
}

fn inside(bar: Memo<Bar>, most: Memo<u64>) -> impl IntoView {
    let label = move || bar.with(|bar| bar.label.clone());
    // What there is of is seen, however little it is.
    let width = move || {
        let count = bar.with(|bar| bar.count);
        share(count, most.get()).max(u64::from(count > 0) * 60).to_string()
    };
    view! {
        <span class="bar-label" title=label>
            {label}
        </span>
        <svg
            class="bar-plot"
            viewBox="0 0 10000 1"
            preserveAspectRatio="none"
            aria-hidden="true"
            data-tone=move || bar.with(|bar| bar.tone.map(Tone::name))
        >
            <rect width=width height="1" />
        </svg>
        <span class="bar-count">{move || bar.with(|bar| bar.text.clone())}</span>
    }
}
