//! Our own line icons on a 20 px grid, with strokes of at most two px. Icons are decorative: the
//! adjacent text or the label of the button carries the meaning.

use leptos::prelude::*;
use row_view::icon;

/// Declares the icons with their SVG path data.
macro_rules! glyphs {
    ($($name:ident: $path:expr,)+) => {
        /// Icon name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each name describes its icon")]
        pub enum Glyph {
            $($name,)+
        }

        impl Glyph {
            /// All icons, in alphabetical order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the SVG path data on a 20 by 20 grid, for strokes without fill.
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$name => $path,)+
                }
            }
        }
    };
}

glyphs! {
    Account: icon::ACCOUNT,
    ArrowLeft: "M16 10H4M9 5l-5 5 5 5",
    Board: icon::BOARD,
    Bookmark: icon::BOOKMARK,
    Calendar: icon::CALENDAR,
    Chart: icon::CHART,
    Check: "M4 10.5l4 4 8-9",
    ChevronDown: "M5.5 8l4.5 4.5L14.5 8",
    ChevronLeft: "M12 5.5L7.5 10l4.5 4.5",
    ChevronRight: "M8 5.5l4.5 4.5L8 14.5",
    ChevronUp: "M5.5 12L10 7.5l4.5 4.5",
    Clock: icon::CLOCK,
    Close: "M5 5l10 10M15 5L5 15",
    Copy: "M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1",
    Dots:
        "M4 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0\
         M9.5 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0\
         M15 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0",
    Download: icon::DOWNLOAD,
    External: "M8 4H4v12h12v-4M11.5 3.5h5v5M16 4l-7 7",
    Filter: icon::FILTER,
    Flask: icon::FLASK,
    Form: icon::FORM,
    Frown: icon::FROWN,
    Globe: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM3 10h14M10 3q7 7 0 14-7-7 0-14",
    Inbox: icon::INBOX,
    Info: icon::INFO,
    Key: icon::KEY,
    Keyboard: icon::KEYBOARD,
    Meh: icon::MEH,
    Menu: icon::MENU,
    Mixed: icon::MIXED,
    Monitor: icon::MONITOR,
    Moon: "M16.5 11.6A7 7 0 1 1 8.4 3.5a5.6 5.6 0 0 0 8.1 8.1z",
    Plus: "M10 4v12M4 10h12",
    Print: "M6 7.5v-4h8v4M6 13.5H3.5v-6h13v6H14M6 11h8v5.5H6z",
    Refresh: "M16 4v4h-4M4 16v-4h4M15.7 8A6.2 6.2 0 0 0 5 6.2M4.3 12A6.2 6.2 0 0 0 15 13.8",
    Search: icon::SEARCH,
    Settings: icon::SETTINGS,
    SignOut: "M8 16.5H4v-13h4M12.5 6.5L16 10l-3.5 3.5M16 10H8",
    Smile: icon::SMILE,
    Star: "M10 2.8l2.2 4.6 5 .7-3.6 3.5.9 5L10 14.2l-4.5 2.4.9-5L2.8 8.1l5-.7z",
    Sun:
        "M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 2.5v1.8M10 15.7v1.8M2.5 10h1.8\
         M15.7 10h1.8M4.7 4.7L6 6M14 14l1.3 1.3M4.7 15.3L6 14M14 6l1.3-1.3",
    Trash: icon::TRASH,
    Warning: "M10 3.5L2.8 16.2h14.4zM10 8.5v3.5M10 14h.01",
}

/// Draws `glyph` in the current text colour, hidden from assistive technology.
#[component]
pub fn Icon(
    /// Icon to draw.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// Edge length in px.
    #[prop(default = 16)]
    size: u8,
) -> impl IntoView {
    view! {
        <svg
            class="icon"
            width=size.to_string()
            height=size.to_string()
            viewBox="0 0 20 20"
            aria-hidden="true"
            focusable="false"
        >
            <path d=move || glyph.get().path() />
        </svg>
    }
}

/// Logo of the product, the only icon with colours of its own.
#[component]
pub fn Mark() -> impl IntoView {
    view! {
        <svg class="brand-mark" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
            <rect width="22" height="22" rx="6" />
            <path
                class="brand-leaf"
                d="M11 17V6M11 9c-2.6 0-4-1.4-4-4M11 9c2.6 0 4-1.4 4-4\
                M11 13.5c-2.9 0-4.5-1.4-4.8-4M11 13.5c2.9 0 4.5-1.4 4.8-4"
            />
        </svg>
    }
}
