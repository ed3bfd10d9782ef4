//! Saved views that the browser stores, in front of a server that is not Sheaf: saving, opening by
//! link or with the form, editing, and deleting.

use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_foreign_gateway, button, local_storage, open_dashboard, open_rows,
    press_button, text_of, wait_until,
};
use crate::{
    network::Network,
    stage::{Stage, attr, is_focused, settle, type_into, type_text},
};

const KEY: &str = "sheaf-views-frm_1";

/// The stored views of the form. Dropping it removes them.
pub(super) struct StoredViews;

impl StoredViews {
    pub(super) fn store(text: &str) -> Self {
        local_storage().set_item(KEY, text).unwrap();
        Self
    }

    pub(super) fn stored() -> String {
        local_storage().get_item(KEY).unwrap().unwrap_or_default()
    }
}

impl Drop for StoredViews {
    fn drop(&mut self) {
        local_storage().remove_item(KEY).unwrap();
    }
}

pub(super) async fn open_views(path: &str) -> Stage {
    let stage = open_rows(path).await;
    press_button(&stage, "Views").await;
    stage
}

pub(super) fn view_names(stage: &Stage) -> Vec<String> {
    stage.texts(".views-name")
}

#[wasm_bindgen_test]
async fn filter_is_saved_as_named_view() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("");
    let stage = open_views("/live/forms/frm_1?search=needle").await;
    press_button(&stage, "Save view").await;
    assert!(text_of(&stage, ".views-save .field-error").contains("Enter a name"));
    type_into(&stage.one(".views-save input[type=text]"), "  Only   needles ");
    press_button(&stage, "Save view").await;
    assert_eq!(StoredViews::stored(), "\t\tOnly needles\tsearch=needle\t");
    assert_eq!(view_names(&stage), ["Only needles"]);
    let link = stage.one(".views-link");
    assert_eq!(attr(&link, "href").as_deref(), Some("/live/forms/frm_1?search=needle"));
    assert_eq!(attr(&link, "aria-current").as_deref(), Some("true"));
    assert!(text_of(&stage, ".chip").starts_with("ViewOnly needles"));
    button(&stage, "Remove View: Only needles").click();
    wait_until("no filter", || address() == "/live/forms/frm_1").await;
    settle().await;
    assert_eq!(attr(&stage.one(".views-link"), "aria-current"), None);
    stage.one(".views-link").click();
    wait_until("its filter", || address() == "/live/forms/frm_1?search=needle").await;
    settle().await;
    assert!(stage.all(":popover-open").is_empty());
}

#[wasm_bindgen_test]
async fn default_view_is_applied_once() {
    let network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("default\t\tNeedles\tsearch=needle\t\n\t\tAll\t\t");
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("its filter", || address() == "/live/forms/frm_1?search=needle").await;
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    assert_eq!(network.requests("/submissions").len(), 1, "the unfiltered list was requested");
    assert!(text_of(&stage, ".chip").starts_with("Default viewNeedles"));
    // A view that was removed by the user is not applied again.
    button(&stage, "Remove Default view: Needles").click();
    wait_until("all rows", || text_of(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    assert_eq!(address(), "/live/forms/frm_1");
    assert!(stage.all(".chip").is_empty());
}

#[wasm_bindgen_test]
async fn link_with_filter_ignores_default_view() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("default\t\tNone\tsearch=zzz\t");
    for link in ["/live/forms/frm_1?search=needle", "/live/forms/frm_1/submissions/sub_3"] {
        let _stage = open_rows(link).await;
        settle().await;
        assert_eq!(address(), link);
    }
}

#[wasm_bindgen_test]
async fn view_with_date_preset_follows_today() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("\t7d\tWeek\tsearch=needle\t");
    let stage = open_views("/live/forms/frm_1").await;
    let href = attr(&stage.one(".views-link"), "href").unwrap();
    let filter = dashboard::domain::filter::parse_filter(href.split_once('?').unwrap().1).filter;
    let (first, last) = dashboard::components::calendar::days_of(&filter);
    let today = dashboard::components::calendar::today().unwrap();
    assert_eq!((today - first.unwrap()).num_days(), 6);
    assert_eq!(last, None);
    stage.one(".views-link").click();
    wait_until("its chip", || text_of(&stage, ".chip").starts_with("ViewWeek")).await;
}

#[wasm_bindgen_test]
async fn views_are_renamed_moved_and_deleted() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("\t\tA\tsearch=a\t\n\t\tB\tsearch=b\t\n\t\tC\tsearch=c\t");
    let stage = open_views("/live/forms/frm_1").await;
    assert_eq!(view_names(&stage), ["A", "B", "C"]);
    press_button(&stage, "Edit A").await;
    let field = || stage.one(".views-edit input[type=text]");
    assert!(is_focused(&field()));
    type_into(&field(), "B");
    press_button(&stage, "Done").await;
    assert!(text_of(&stage, ".views-edit .field-error").contains("“B”"));
    type_into(&field(), "Aha");
    press_button(&stage, "Done").await;
    assert_eq!(view_names(&stage), ["Aha", "B", "C"]);
    assert!(is_focused(&button(&stage, "Edit Aha")));
    press_button(&stage, "Edit Aha").await;
    press_button(&stage, "Move down").await;
    assert!(is_focused(&button(&stage, "Move down")), "the button lost the focus");
    press_button(&stage, "Move down").await;
    stage.one(".views-edit input[type=checkbox]").click();
    press_button(&stage, "Done").await;
    assert_eq!(
        StoredViews::stored(),
        "\t\tB\tsearch=b\t\n\t\tC\tsearch=c\t\ndefault\t\tAha\tsearch=a\t"
    );
    press_button(&stage, "Edit Aha").await;
    press_button(&stage, "Delete view").await;
    assert_eq!(view_names(&stage), ["B", "C"]);
    assert!(is_focused(&stage.one(".views-save input[type=text]")));
}

#[wasm_bindgen_test]
async fn views_of_another_tab_are_not_overwritten() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("\t\tA\tsearch=a\t\n\t\tB\tsearch=b\t");
    let stage = open_views("/live/forms/frm_1").await;
    local_storage().set_item(KEY, "\t\tC\tsearch=c\t\n\t\tA\tsearch=a\t").unwrap();
    press_button(&stage, "Edit A").await;
    press_button(&stage, "Delete view").await;
    assert_eq!(view_names(&stage), ["C", "A"], "a stale edit deletes nothing");
    type_into(&stage.one(".views-save input[type=text]"), "D");
    press_button(&stage, "Save view").await;
    assert_eq!(view_names(&stage), ["C", "A", "D"]);
}

#[wasm_bindgen_test]
async fn replaced_view_stays_default() {
    let _network = Network::new(answer_as_foreign_gateway);
    let _stored = StoredViews::store("\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=b\t");
    let stage = open_views("/live/forms/frm_1?search=needle").await;
    let verb = || text_of(&stage, ".views-save .button");
    assert_eq!(verb(), "Save view");
    type_text(&stage.one(".views-save input[type=text]"), " B ").await;
    assert_eq!(verb(), "Replace “B”");
    press_button(&stage, "Replace “B”").await;
    assert_eq!(StoredViews::stored(), "\t\tA\tsearch=a\t\ndefault\t\tB\tsearch=needle\t");
    assert_eq!(verb(), "Save view");
}
