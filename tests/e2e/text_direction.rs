//! Right-to-left texts keep their direction and do not change the direction of other texts.

use crate::harness::{Page, Server, Viewport, run_test, submit};
use serde_json::json;

/// Returns the number of right-to-left texts, and those that are in no isolating element.
const FIND_EXPOSED_TEXTS: &str = r#"
const other = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u202a-\u202e\u2066-\u2069]/;
const isIsolated = (node) => {
  for (let one = node; one && one !== document.body; one = one.parentElement) {
    const { unicodeBidi } = getComputedStyle(one);
    if (one.dir === "auto" || /plaintext|isolate/.test(unicodeBidi)) return true;
  }
  return false;
};
const exposed = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let count = 0;
while (walk.nextNode()) {
  const { data, parentElement } = walk.currentNode;
  if (!other.test(data)) continue;
  count += 1;
  if (!isIsolated(parentElement)) exposed.push(data);
}
for (const field of document.querySelectorAll("input, textarea")) {
  if (other.test(field.value) && field.dir !== "auto") exposed.push(field.value);
}
return [count, exposed];"#;

/// Panics if a right-to-left text is not isolated, or if the page has fewer than `least`.
async fn assert_texts_are_isolated(page: &Page, what: &str, least: u64) {
    page.wait_until_stable().await;
    let found = page.eval(FIND_EXPOSED_TEXTS, vec![]).await;
    assert_eq!(found[1], json!([]), "{what}");
    let count = found[0].as_u64().expect("a count");
    assert!(count >= least, "{what}: only {count} texts");
}

#[tokio::test]
async fn right_to_left_texts_are_isolated() {
    let server = Server::start("enterprise");
    let form = server.create_form("טופס משוב", "live");
    for answers in [
        json!({ "Name": "שרה לוי (מנהלת)", "Comment": "האם השירות ב-Acme 2.0 היה טוב?" }),
        json!({ "Name": "محمد علي", "Comment": "الطلب رقم 12-345 وصل متأخراً (3 أيام)." }),
        json!({ "Name": "\u{202e}evil", "Comment": "\u{2067}never closed: abc (def)" }),
    ] {
        submit(&format!("{}/f/{form}", server.url()), &answers.to_string());
    }
    run_test("directions", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "3 submissions").await;
        assert_texts_are_isolated(page, "the list", 8).await;
        page.fill_text_field("Search", "שרה").await;
        page.wait_for_text("1 submission").await;
        assert_texts_are_isolated(page, "a search", 4).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("3 submissions").await;
        crate::trash::select_rows(page, &[0]).await;
        page.press_keys("#").await;
        page.wait_for_text("2 submissions").await;
        page.open(&format!("/live/forms/{form}/settings/trash")).await;
        page.wait_for_text("1 submission in trash").await;
        page.eval("document.querySelectorAll('tbody button')[1].click()", vec![]).await;
        page.wait_for_text("This cannot be undone.").await;
        assert_texts_are_isolated(page, "a question", 2).await;
        for path in ["settings/fields", "settings/share", "insights"] {
            page.open(&format!("/live/forms/{form}/{path}")).await;
            page.find("heading", "טופס משוב").await;
            assert_texts_are_isolated(page, path, 2).await;
        }
    })
    .await;
}
