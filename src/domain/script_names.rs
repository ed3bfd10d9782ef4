//! Names that `public/first.js` shares with the dashboard. The script runs while this code loads.
//! The tests here compare it with the code, because no compiler does.

/// Storage key prefix of a form's columns; the form id follows.
pub const COLUMNS_KEY: &str = "sheaf-columns-";
/// Storage key of the time format.
pub const TIME_KEY: &str = "sheaf-time";
/// Storage key prefix of a form's saved views; the form id follows.
pub const VIEWS_KEY: &str = "sheaf-views-";

/// Global variable where `first.js` stores the promises of its responses, by URL.
pub const PRELOAD_GLOBAL: &str = "sheafResponses";

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use contract::account::{CSRF_HEADER, CSRF_VALUE};
    use contract::{Environment, Filter, FormId, ListQuery, page::LIMIT_MAX};

    use super::*;
    use crate::routes;

    const SCRIPT: &str = include_str!("../../public/first.js");

    /// The script hides the first rows if a stored setting changes what they show.
    #[test]
    fn first_script_reads_stored_settings() {
        let name = |key: &'static str| key.strip_prefix("sheaf-").expect("`sheaf-` prefix");
        assert!(SCRIPT.contains(&format!("stored(\"{}\")", name(TIME_KEY))));
        assert!(SCRIPT.contains(&format!("stored(`{}${{form}}`)", name(COLUMNS_KEY))));
        assert!(SCRIPT.contains(&format!("stored(`{}${{form}}`)", name(VIEWS_KEY))));
    }

    #[test]
    fn first_script_sends_same_requests() {
        let assert_contains = |text: &str| assert!(SCRIPT.contains(text), "{text}");
        assert_contains(&format!("{{ \"{CSRF_HEADER}\": \"{CSRF_VALUE}\" }}"));
        assert_contains(&format!("window.{PRELOAD_GLOBAL} = responses"));
        assert_contains(&format!("load(\"{}\")", routes::SESSION));
        assert_contains(&format!("loadAfterSession(\"{}\"", routes::ACCOUNT_FORMS));
        assert_contains(&format!("=== \"{}\"", routes::SIGN_IN));
        let form: FormId = "frm_1".parse().unwrap();
        // The list model requests a first page with the same query.
        let query = ListQuery { limit: LIMIT_MAX, ..ListQuery::default() };
        let list = routes::api_list(Environment::Live, &form, &query);
        let (path, limit) = list.split_once('?').unwrap();
        assert_contains(&format!("`${{location.search}}&{limit}` : \"?{limit}\""));
        assert_contains(&path.replace("live", "${list[1]}").replace("frm_1", "${list[2]}"));
        let page = routes::list_url(Environment::Live, &form, &Filter::default());
        assert_contains(
            &page
                .replace("live", "(live|test)")
                .replace("frm_1", "(frm_[\\w-]+)")
                .replace('/', "\\/"),
        );
    }
}
