//! Highlights search matches in rows and on cards. The code that renders the marks is loaded at the
//! first search.

pub mod paint;

use contract::filter::Search;
use contract::{Field, Filter, Submission};
use leptos::{prelude::*, task::spawn_local};

use crate::{domain::row::AnswerRole, lazy_views, ui::run_effect};
use paint::MARK_RENDERER;

lazy_views! {
    /// Stores the renderer of the marks in `painter`.
    fn paint_marks(painter: RwSignal<Option<MarkRenderer>>) in marks => {
        painter.try_set(Some(MARK_RENDERER));
    };
}

/// Answer in a column: index of the column, field, and role in the row.
pub type AnswerColumn<'a> = (usize, &'a Field, AnswerRole);

/// Renders cells of a row, each with the index of its column.
pub type RenderRow =
    fn(&Submission, &[AnswerColumn<'_>], &[&Field], &Search) -> Vec<(usize, AnyView)>;

/// Functions that render marks.
#[derive(Debug, Clone, Copy)]
pub struct MarkRenderer {
    /// Renders an answer on a card, one view per text segment.
    pub text: fn(&[&str], &Search) -> Vec<AnyView>,
    /// Renders a boolean answer.
    pub flag: fn(bool, &Search) -> AnyView,
    /// Renders the cells of a row that contain a match, or that name another answer with a match.
    /// Needs all fields, because not every field is a column.
    pub row: RenderRow,
}

/// Highlighting of a page. The page provides it as context.
#[derive(Debug, Clone, Copy)]
pub struct SearchHighlight {
    search: Memo<Option<Search>>,
    renderer: RwSignal<Option<MarkRenderer>>,
}

impl SearchHighlight {
    /// Returns the highlighting for a filter. It belongs to the current reactive owner.
    pub fn new(filter: Signal<Filter>) -> Self {
        let search = Memo::new(move |_| filter.with(|filter| filter.search.clone()));
        let painter = RwSignal::new(None::<MarkRenderer>);
        let wanted = Memo::new(move |_| search.with(Option::is_some));
        run_effect(move || {
            if wanted.get() && painter.with_untracked(Option::is_none) {
                spawn_local(async move {
                    // If loading fails, the list works without marks.
                    if let Ok(part) = paint_marks(painter).await {
                        part.run();
                    }
                });
            }
        });
        Self { search, renderer: painter }
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
