//! Names of routes for metrics: templates, never paths.
//!
//! No name contains text chosen by a client, so clients cannot increase the number of names.

use matchit::Router;

use crate::error::{Error, Result};

/// Name for paths without a route.
const OTHER: &str = "other";
/// Maximum number of names.
pub const NAMES_MAX: usize = 80;

/// The names of routes, and a lookup by path.
pub struct RouteNames {
    names: Vec<String>,
    by_path: Router<usize>,
}

impl RouteNames {
    /// Creates the names from pairs of a path template and its name.
    ///
    /// # Errors
    /// If two templates match the same paths.
    pub fn new<T: AsRef<str>>(templates: impl IntoIterator<Item = (T, T)>) -> Result<Self> {
        let mut routes = Self { names: vec![OTHER.to_owned()], by_path: Router::new() };
        for (path, name) in templates {
            routes.insert_route(path.as_ref(), name.as_ref())?;
        }
        Ok(routes)
    }

    fn insert_route(&mut self, path: &str, name: &str) -> Result<()> {
        let index = self.names.iter().position(|index| index == name);
        let at = index.unwrap_or(self.names.len());
        if index.is_none() && at < NAMES_MAX {
            self.names.push(name.to_owned());
        }
        let at = at.min(self.names.len() - 1);
        let invalid = |error| Error::refused(format!("the route `{path}` has no name: {error}"));
        self.by_path.insert(path, at).map_err(invalid)
    }

    /// Returns the names; their indices are those of [`RouteNames::index_of`].
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of a path's name.
    pub fn index_of(&self, path: &str) -> usize {
        self.by_path.at(path).map_or(0, |found| *found.value)
    }
}
