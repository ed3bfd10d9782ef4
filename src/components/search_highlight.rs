//! Highlights search matches in rows and on cards. The code that renders the marks is loaded at the
//! first search.

pub mod paint;

use contract::filter::Search;
use contract::{Filter, Submission};
use leptos::{prelude::*, task::spawn_local};
use row_view::available_columns::ColumnDef;

use crate::{lazy_views, state::session::SessionStore, ui::run_effect};
use paint::MARK_RENDERER;

lazy_views! {
    /// Stores the renderer of the marks in `renderer`.
    fn load_renderer(renderer: RwSignal<Option<MarkRenderer>>) in marks => {
        renderer.try_set(Some(MARK_RENDERER));
    };
}

/// Renders some cells of a row from the submission, the shown and the available columns, the
/// session, and the search. Returns each cell with the index of its column.
pub type RenderRow =
    fn(&Submission, &[ColumnDef], &[ColumnDef], SessionStore, &Search) -> Vec<(usize, AnyView)>;

/// Functions that render marks.
#[derive(Debug, Clone, Copy)]
pub struct MarkRenderer {
    /// Renders an answer on a card, one view per text segment.
    pub text: fn(&[&str], &Search) -> Vec<AnyView>,
    /// Renders a boolean answer.
    pub flag: fn(bool, &Search) -> AnyView,
    /// Renders the cells of a row that contain a match. If no column shows a match, one cell names
    /// another answer that has it, which is why all fields are needed.
    pub row: RenderRow,
}

/// Highlighting of the matches of the current search. The page provides it as context.
#[derive(Debug, Clone, Copy)]
pub struct SearchHighlight {
    search: Memo<Option<Search>>,
    renderer: RwSignal<Option<MarkRenderer>>,
}

impl SearchHighlight {
    /// Returns the highlighting for a filter. It belongs to the current reactive owner.
    pub fn new(filter: Signal<Filter>) -> Self {
        let search = Memo::new(move |_| filter.with(|filter| filter.search.clone()));
        let renderer = RwSignal::new(None::<MarkRenderer>);
        let is_searching = Memo::new(move |_| search.with(Option::is_some));
        run_effect(move || {
            if is_searching.get() && renderer.with_untracked(Option::is_none) {
                spawn_local(async move {
                    // If loading fails, the list works without marks.
                    if let Ok(store_renderer) = load_renderer(renderer).await {
                        store_renderer.run();
                    }
                });
            }
        });
        Self { search, renderer }
    }

    /// Returns whether the renderer is loaded. Tracked.
    pub fn is_ready(self) -> bool {
        self.renderer.with(Option::is_some)
    }

    /// Returns the renderer and the search, if both are present. Tracked.
    pub fn renderer_and_search(self) -> Option<(MarkRenderer, Search)> {
        Some((self.renderer.get()?, self.search.get()?))
    }
}
