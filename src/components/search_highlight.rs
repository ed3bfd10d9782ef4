//! Marks at what a search found, in rows and on cards. Until someone searches there is only a place
//! for what draws them: that comes with the parts of the filter.

pub mod paint;

use contract::filter::Search;
use contract::{Field, Filter, Submission};
use leptos::{prelude::*, task::spawn_local};

use crate::{domain::row::Role, lazy_views, ui::react};
use paint::PAINTER;

lazy_views! {
    /// Stores what draws marks in `painter`.
    fn paint_marks(painter: RwSignal<Option<Painter>>) in marks => {
        painter.try_set(Some(PAINTER));
    };
}

/// An answer that is a column: the column's place, the field, and what it is to the row.
pub type Spot<'a> = (usize, &'a Field, Role);

/// Draws cells of a row, each for a column's place.
pub type PaintRow = fn(&Submission, &[Spot<'_>], &[&Field], &Search) -> Vec<(usize, AnyView)>;

/// What draws marks.
#[derive(Debug, Clone, Copy)]
pub struct Painter {
    /// Draws an answer of a card, stretch by stretch.
    pub text: fn(&[&str], &Search) -> Vec<AnyView>,
    /// Draws a tick.
    pub flag: fn(bool, &Search) -> AnyView,
    /// Draws those cells of a row anew that contain what was found, or that say where else it is.
    /// All fields are given, since not every one is a column.
    pub row: PaintRow,
}

/// The marks of a page, to be provided as context by it.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    search: Memo<Option<Search>>,
    painter: RwSignal<Option<Painter>>,
}

impl Marks {
    /// Returns the marks under a filter, owned by the present reactive owner.
    pub fn new(filter: Signal<Filter>) -> Self {
        let search = Memo::new(move |_| filter.with(|filter| filter.search.clone()));
        let painter = RwSignal::new(None::<Painter>);
        let wanted = Memo::new(move |_| search.with(Option::is_some));
        react(move || {
            if wanted.get() && painter.with_untracked(Option::is_none) {
                spawn_local(async move {
                    // Without it the list is the same, but for its marks.
                    if let Ok(part) = paint_marks(painter).await {
                        part.run();
                    }
                });
            }
        });
        Self { search, painter }
    }

    /// Returns whether there is something to draw with. Tracked.
    pub fn are_ready(self) -> bool {
        self.painter.with(Option::is_some)
    }

    /// Returns what is searched for, and what draws it. Tracked.
    pub fn now(self) -> Option<(Painter, Search)> {
        Some((self.painter.get()?, self.search.get()?))
    }
}
