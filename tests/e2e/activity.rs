//! The activity page: it lists and exports the owner's actions, and contains no answers.

use crate::harness::{OWNER, Server, Viewport, run_test};

#[tokio::test]
async fn activity_is_listed_and_exported_without_answers() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 3);
    run_test("activity", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill_text_field("Name", "Nightly export").await;
        page.click("button", "Create").await;
        page.click("button", "Done").await;

        // Delete a submission as the dashboard does, through the gateway.
        let delete = format!(
            "const head = {{headers: {{'x-sheaf-csrf': '1'}}}};\
             const list = await (await fetch('/api/live/v1/forms/{form}/submissions', head)).json();\
             const one = list.data[0];\
             await fetch('/api/live/v1/submissions/' + one.id, {{...head, method: 'DELETE'}});\
             return [one.id, ...Object.values(one.answers).filter(it => typeof it === 'string' && it.length > 6)];"
        );
        let deleted = page.eval_async(&delete, vec![]).await;
        let id_and_answers: Vec<String> = serde_json::from_value(deleted).unwrap_or_default();
        assert!(id_and_answers.len() > 1, "{id_and_answers:?}");

        page.open("/settings/activity").await;
        page.wait_for_text("Key “Nightly export” created").await;
        page.wait_for_text(&format!("Submission {} deleted", id_and_answers[0])).await;
        page.wait_for_text("Sign-in link created").await;
        let user = "return document.querySelector('.activity-who')?.innerText ?? false";
        let user = page.wait_for("the user of the deletion", user, vec![]).await;
        assert_eq!(user.as_str(), Some(OWNER));
        page.check_accessibility("the activity").await;
        page.click("button", "Export NDJSON").await;
        page.wait_for_text("Saved as activity.ndjson").await;

        let file = "const head = {headers: {'x-sheaf-csrf': '1'}};\
             return await (await fetch('/account/audit/export', head)).text();";
        let file = page.eval_async(file, vec![]).await;
        let file = file.as_str().expect("text");
        assert!(file.contains("submission.deleted") && file.contains("Nightly export"));
        for answer in &id_and_answers[1..] {
            assert!(!file.contains(answer.as_str()), "the export contains {answer}: {file}");
        }
        page.reload().await;
        page.wait_for_text("Activity exported").await;

        // The filter is in the URL, so it survives a reload and Back, and can be linked to.
        page.open("/settings/activity?kind=key").await;
        page.wait_for_text("1 entry").await;
        page.wait_for_text("Key “Nightly export” created").await;
        page.wait_until_text_is_gone("Sign-in link created").await;
        page.reload().await;
        page.wait_for_text("1 entry").await;
        page.wait_for_path("/settings/activity?kind=key").await;
        page.click("link", "API keys").await;
        page.wait_for_path("/settings/keys").await;
        page.find("button", "Create key").await;
        page.eval("history.back(); return true", vec![]).await;
        page.wait_for_path("/settings/activity?kind=key").await;
        page.wait_for_text("Key “Nightly export” created").await;
        page.wait_until_text_is_gone("Sign-in link created").await;
        page.open("/settings/activity").await;
        page.wait_for_text("Activity exported").await;
        for answer in &id_and_answers[1..] {
            page.wait_until_text_is_gone(answer).await;
        }
    })
    .await;
}
