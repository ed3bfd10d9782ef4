//! By what name a request is counted: the template of its route, never its path.
//!
//! What a client chose is in no name, so that nobody makes the list of names longer.

use matchit::Router;

use crate::error::{Error, Result};

/// What no route is known of.
const OTHER: &str = "other";
/// Most names.
pub const NAMES_MAX: usize = 80;

/// All names, and which paths bear them.
pub struct Routes {
    names: Vec<String>,
    by_path: Router<usize>,
}

impl Routes {
    /// Returns the names of routes: pairs of a template and its name.
    ///
    /// # Errors
    /// Two templates that mean the same paths.
    pub fn new<T: AsRef<str>>(named: impl IntoIterator<Item = (T, T)>) -> Result<Self> {
        let mut routes = Self { names: vec![OTHER.to_owned()], by_path: Router::new() };
        for (path, name) in named {
            routes.insert(path.as_ref(), name.as_ref())?;
        }
        Ok(routes)
    }

    fn insert(&mut self, path: &str, name: &str) -> Result<()> {
        let known = self.names.iter().position(|known| known == name);
        let at = known.unwrap_or(self.names.len());
        if known.is_none() && at < NAMES_MAX {
            self.names.push(name.to_owned());
        }
        let at = at.min(self.names.len() - 1);
        let wrong = |error| Error::refused(format!("the route `{path}` has no name: {error}"));
        self.by_path.insert(path, at).map_err(wrong)
    }

    /// Returns the names, by their place.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the place of the name of a path.
    pub fn find(&self, path: &str) -> usize {
        self.by_path.at(path).map_or(0, |found| *found.value)
    }
}
