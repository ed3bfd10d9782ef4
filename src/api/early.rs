//! Answers to what `public/first.js` asked while this code was on its way. Each is taken once, and
//! what is not there is asked for as if nobody had.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// Where the script leaves its promises, by their URLs.
const ASKED: &str = "sheafAsked";

/// Takes the answer to a URL, where it was asked for and came.
pub(super) async fn take(url: &str) -> Option<Response> {
    let asked = Reflect::get(&js_sys::global(), &ASKED.into()).ok()?;
    let asked = asked.dyn_ref::<js_sys::Object>()?;
    let url = JsValue::from_str(url);
    let promise = Reflect::get(asked, &url).ok()?.dyn_into::<Promise>().ok()?;
    // A plain object lets go of whatever it holds.
    let _ = Reflect::delete_property(asked, &url);
    let answer = JsFuture::from(promise).await.ok()?;
    answer.dyn_into().ok()
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use contract::account::{CSRF_HEADER, CSRF_VALUE};
    use contract::{Environment, Filter, FormId, ListQuery, page::LIMIT_MAX};

    use crate::paths;

    const SCRIPT: &str = include_str!("../../public/first.js");

    #[test]
    fn the_script_asks_what_the_dashboard_would() {
        let holds = |text: &str| assert!(SCRIPT.contains(text), "{text}");
        holds(&format!("{{ \"{CSRF_HEADER}\": \"{CSRF_VALUE}\" }}"));
        holds(&format!("window.{} = asked", super::ASKED));
        holds(&format!("ask(\"{}\")", paths::SESSION));
        holds(&format!("then(\"{}\"", paths::ACCOUNT_FORMS));
        holds(&format!("=== \"{}\"", paths::SIGN_IN));
        let form: FormId = "frm_1".parse().unwrap();
        // As the feed asks for a first page.
        let query = ListQuery { limit: LIMIT_MAX, ..ListQuery::default() };
        let list = paths::api_list(Environment::Live, &form, &query);
        let (path, limit) = list.split_once('?').unwrap();
        holds(&format!("`${{location.search}}&{limit}` : \"?{limit}\""));
        holds(&path.replace("live", "${list[1]}").replace("frm_1", "${list[2]}"));
        let page = paths::list(Environment::Live, &form, &Filter::default());
        holds(
            &page
                .replace("live", "(live|test)")
                .replace("frm_1", "(frm_[\\w-]+)")
                .replace('/', "\\/"),
        );
    }
}
