//! Which submissions a list shows.

use contract::{Environment, Filter, FormId, ListQuery};

use crate::domain::list_model::{Place, Want};

/// Which submissions a list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Which of its submissions.
    pub filter: Filter,
}

impl Source {
    /// Returns the query for the rows that are wanted.
    pub(super) fn query(&self, Want { place, limit }: Want) -> ListQuery {
        let mut filter = self.filter.clone();
        filter.date_to = place.before().or(filter.date_to);
        let cursor = match place {
            Place::After { cursor, .. } => Some(cursor),
            Place::First | Place::Before(_) => None,
        };
        ListQuery { filter, limit, cursor }
    }
}
