//! Highlights search matches in rows and on cards. The code that renders the marks is loaded at the
//! first search.

pub mod paint;

use contract::filter::Search;
use contract::{Field, Filter, Submission};
use leptos::{prelude::*, task::spawn_local};

use crate::{domain::row::Role, lazy_views, ui::react};
use paint::PAINTER;

lazy_views! {
    /// Stores the renderer of the marks in `painter`.
    fn paint_marks(painter: RwSignal<Option<Painter>>) in marks => {
        painter.try_set(Some(PAINTER));
    };
}

/// Answer in a column: index of the column, field, and role in the row.
pub type Spot<'a> = (usize, &'a Field, Role);

/// Renders cells of a row, each with the index of its column.
pub type PaintRow = fn(&Submission, &[Spot<'_>], &[&Field], &Search) -> Vec<(usize, AnyView)>;

/// Functions that render marks.
#[derive(Debug, Clone, Copy)]
pub struct Painter {
    /// Renders an answer on a card, one view per text segment.
    pub text: fn(&[&str], &Search) -> Vec<AnyView>,
    /// Renders a boolean answer.
    pub flag: fn(bool, &Search) -> AnyView,
    /// Renders the cells of a row that contain a match, or that name another answer with a match.
    /// Needs all fields, because not every field is a column.
    pub row: PaintRow,
}

/// Highlighting of a page. The page provides it as context.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    search: Memo<Option<Search>>,
    painter: RwSignal<Option<Painter>>,
}

impl Marks {
    /// Returns the highlighting for a filter. It belongs to the current reactive owner.
    pub fn new(filter: Signal<Filter>) -> Self {
        let search = Memo::new(move |_| filter.with(|filter| filter.search.clone()));
        let painter = RwSignal::new(None::<Painter>);
        let wanted = Memo::new(move |_| search.with(Option::is_some));
        react(move || {
            if wanted.get() && painter.with_untracked(Option::is_none) {
                spawn_local(async move {
                    // If loading fails, the list works without marks.
                    if let Ok(part) = paint_marks(painter).await {
                        part.run();
                    }
                });
            }
        });
        Self { search, painter }
    }

    /// Returns whether the renderer is loaded. Tracked.
    pub fn are_ready(self) -> bool {
        self.painter.with(Option::is_some)
    }

    /// Returns the renderer and the search, if both are present. Tracked.
    pub fn now(self) -> Option<(Painter, Search)> {
        Some((self.painter.get()?, self.search.get()?))
    }
}
