//! Routes that label the metrics of requests.

use server::RouteNames;

use crate::error::Result;

/// Paths of the dashboard, and the labels of its pages and files.
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

/// Returns the routes of everything that this binary can serve. A server that serves less uses only
/// some of them.
///
/// # Errors
/// Two templates that match the same paths.
pub(super) fn all_routes() -> Result<RouteNames> {
    let documented = api::documented_paths().into_iter().map(|path| (path.clone(), path));
    let forwarded = gateway::ENDPOINTS.iter().map(|endpoint| {
        let path = format!("/api/{{environment}}{}", endpoint.template);
        (path.clone(), path)
    });
    let dashboard = DASHBOARD.map(|(path, name)| (path.to_owned(), name.to_owned()));
    Ok(RouteNames::new(documented.chain(forwarded).chain(dashboard))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::NAMES_MAX;

    #[track_caller]
    fn check(path: &str, name: &str) {
        let routes = all_routes().unwrap();
        assert_eq!(routes.names()[routes.index_of(path)], name, "{path}");
    }

    #[test]
    fn path_is_labelled_by_its_route() {
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
    fn unknown_path_is_labelled_other() {
        for path in ["", "*", "/v1/nothing/here", "/a/b", "/sessions/a/b", "/v1/forms//x/y"] {
            check(path, "other");
        }
        check("/wp-login.php", "file");
    }

    #[test]
    fn every_gateway_route_has_a_label() {
        let routes = all_routes().unwrap();
        let source = include_str!("../../../gateway/src/lib.rs");
        let mut found = 0;
        for rest in source.split(".route(").skip(1) {
            let path = rest.split('"').nth(1).unwrap();
            // Forwarded requests are labelled by the templates of the API.
            if path.starts_with("/api") || path.starts_with("/account") {
                continue;
            }
            found += 1;
            let index = routes.index_of(&path.replace(['{', '}'], ""));
            assert!(routes.names()[index].starts_with('/'), "`{path}` has no name");
        }
        assert!(found >= 4);
        assert!(routes.names().len() < NAMES_MAX, "raise the limit, or name fewer");
    }
}
