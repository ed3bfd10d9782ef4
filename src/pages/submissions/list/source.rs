//! Identifies the submissions of a list.

use contract::{Environment, Filter, FormId, ListQuery};

use crate::domain::list_model::{Place, Want};

/// The submissions of a list: environment, form and filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// The filter.
    pub filter: Filter,
}

impl Source {
    /// Returns the query for the wanted rows.
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
