//! Names that the scripts in `public` share with the dashboard.

/// The storage key of the columns of a form, before its id.
pub const COLUMNS_KEY: &str = "sheaf-columns-";
/// The storage key of the format of times.
pub const TIME_KEY: &str = "sheaf-time";
/// The storage key of the views of a form, before its id.
pub const VIEWS_KEY: &str = "sheaf-views-";

/// Where `first.js` leaves the promises of what it asked for, by their URLs.
pub const ASKED: &str = "sheafAsked";

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use contract::account::{CSRF_HEADER, CSRF_VALUE};
    use contract::{Environment, Filter, FormId, ListQuery, page::LIMIT_MAX};

    use super::*;
    use crate::routes;

    const FIRST: &str = include_str!("../../public/first.js");

    /// It leaves out rows that came with the page where the viewer would see others.
    #[test]
    fn the_script_before_the_first_paint_looks_at_what_is_kept() {
        let name = |key: &'static str| key.strip_prefix("sheaf-").expect("a key of ours");
        assert!(FIRST.contains(&format!("kept(\"{}\")", name(TIME_KEY))));
        assert!(FIRST.contains(&format!("kept(`{}${{form}}`)", name(COLUMNS_KEY))));
        assert!(FIRST.contains(&format!("kept(`{}${{form}}`)", name(VIEWS_KEY))));
    }

    #[test]
    fn the_script_asks_what_the_dashboard_would() {
        let holds = |text: &str| assert!(FIRST.contains(text), "{text}");
        holds(&format!("{{ \"{CSRF_HEADER}\": \"{CSRF_VALUE}\" }}"));
        holds(&format!("window.{ASKED} = asked"));
        holds(&format!("ask(\"{}\")", routes::SESSION));
        holds(&format!("then(\"{}\"", routes::ACCOUNT_FORMS));
        holds(&format!("=== \"{}\"", routes::SIGN_IN));
        let form: FormId = "frm_1".parse().unwrap();
        // As the list model asks for a first page.
        let query = ListQuery { limit: LIMIT_MAX, ..ListQuery::default() };
        let list = routes::api_list(Environment::Live, &form, &query);
        let (path, limit) = list.split_once('?').unwrap();
        holds(&format!("`${{location.search}}&{limit}` : \"?{limit}\""));
        holds(&path.replace("live", "${list[1]}").replace("frm_1", "${list[2]}"));
        let page = routes::list(Environment::Live, &form, &Filter::default());
        holds(
            &page
                .replace("live", "(live|test)")
                .replace("frm_1", "(frm_[\\w-]+)")
                .replace('/', "\\/"),
        );
    }
}
