//! By what name a request is counted: the template of its route, never its path.
//!
//! What a client chose is in no name, so that nobody makes the list of names longer.

use matchit::Router;

use crate::error::{Error, Result};

/// Where the dashboard is, and how its pages and its files are called.
const DASHBOARD: [(&str, &str); 8] = [
    ("/", "page"),
    ("/sign-in", "page"),
    ("/live", "page"),
    ("/live/{*page}", "page"),
    ("/test", "page"),
    ("/test/{*page}", "page"),
    ("/settings/{*page}", "page"),
    ("/{file}", "file"),
];
/// What no route is known of.
pub(super) const OTHER: &str = "other";
/// Most names.
pub(super) const NAMES_MAX: usize = 80;

/// All names, and which paths bear them.
pub(super) struct Routes {
    names: Vec<String>,
    by_path: Router<usize>,
}

impl Routes {
    /// Returns those of all that this binary can serve: a server that serves less asks for less.
    ///
    /// # Errors
    /// Two templates that mean the same paths.
    pub(super) fn all() -> Result<Self> {
        let mut routes = Self { names: vec![OTHER.to_owned()], by_path: Router::new() };
        for path in documented() {
            routes.insert(&path, &path)?;
        }
        for endpoint in &gateway::ENDPOINTS {
            let path = format!("/api/{{environment}}{}", endpoint.template);
            routes.insert(&path, &path)?;
        }
        for (path, name) in DASHBOARD {
            routes.insert(path, name)?;
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
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the place of the name of a path.
    pub(super) fn find(&self, path: &str) -> usize {
        self.by_path.at(path).map_or(0, |found| *found.value)
    }
}

/// All paths but those of the dashboard and what is forwarded, as the published document has them.
fn documented() -> Vec<String> {
    let document = api::document();
    let paths = document["paths"].as_object();
    paths.map(|paths| paths.keys().cloned().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, name: &str) {
        let routes = Routes::all().unwrap();
        assert_eq!(routes.names()[routes.find(path)], name, "{path}");
    }

    #[test]
    fn a_path_is_counted_by_its_route() {
        check("/v1/submissions/sub_1", "/v1/submissions/{id}");
        check("/v1/forms/frm_1/submissions", "/v1/forms/{form_id}/submissions");
        check("/f/frm_1", "/f/{form_id}");
        check("/api/live/v1/submissions/sub_1", "/api/{environment}/v1/submissions/{submission}");
        check("/session", "/session");
        check("/live/forms/frm_1/submissions", "page");
        check("/", "page");
        check("/dashboard-0123456789abcdef.js", "file");
    }

    #[test]
    fn what_a_client_made_up_has_no_name_of_its_own() {
        for path in ["", "*", "/v1/nothing/here", "/a/b", "/sessions/a/b", "/v1/forms//x/y"] {
            check(path, OTHER);
        }
        check("/wp-login.php", "file");
    }

    #[test]
    fn every_route_of_the_gateway_has_a_name() {
        let routes = Routes::all().unwrap();
        let source = include_str!("../../../gateway/src/lib.rs");
        let mut found = 0;
        for rest in source.split(".route(").skip(1) {
            let path = rest.split('"').nth(1).unwrap();
            // What is forwarded has the names of its own templates.
            if path.starts_with("/api") || path.starts_with("/account") {
                continue;
            }
            found += 1;
            let place = routes.find(&path.replace(['{', '}'], ""));
            assert!(routes.names()[place].starts_with('/'), "`{path}` has no name");
        }
        assert!(found >= 4);
        assert!(routes.names().len() < NAMES_MAX, "raise the limit, or name fewer");
    }
}
