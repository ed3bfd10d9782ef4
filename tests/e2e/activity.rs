//! The activity page: it lists and exports the owner's actions, and contains no answers.

use crate::harness::{Look, OWNER, Server, journey};

#[tokio::test]
async fn activity_is_listed_and_exported_without_answers() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 3);
    journey("activity", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill("Name", "Nightly export").await;
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
        let told = page.eval_async(&delete, vec![]).await;
        let told: Vec<String> = serde_json::from_value(told).unwrap_or_default();
        assert!(told.len() > 1, "{told:?}");

        page.open("/settings/activity").await;
        page.sees("Key “Nightly export” created").await;
        page.sees(&format!("Submission {} deleted", told[0])).await;
        page.sees("Sign-in link created").await;
        let who = "return document.querySelector('.activity-who')?.innerText ?? false";
        let who = page.wait_for("the user of the deletion", who, vec![]).await;
        assert_eq!(who.as_str(), Some(OWNER));
        page.is_accessible("the activity").await;
        page.click("button", "Export NDJSON").await;
        page.sees("Saved as activity.ndjson").await;

        let file = "const head = {headers: {'x-sheaf-csrf': '1'}};\
             return await (await fetch('/account/audit/export', head)).text();";
        let file = page.eval_async(file, vec![]).await;
        let file = file.as_str().expect("text");
        assert!(file.contains("submission.deleted") && file.contains("Nightly export"));
        for answer in &told[1..] {
            assert!(!file.contains(answer.as_str()), "the export contains {answer}: {file}");
        }
        page.reload().await;
        page.sees("Activity exported").await;

        // The filter is in the URL, so it survives a reload and Back, and can be linked to.
        page.open("/settings/activity?kind=key").await;
        page.sees("1 entry").await;
        page.sees("Key “Nightly export” created").await;
        page.misses("Sign-in link created").await;
        page.reload().await;
        page.sees("1 entry").await;
        page.is_at("/settings/activity?kind=key").await;
        page.click("link", "API keys").await;
        page.is_at("/settings/keys").await;
        page.find("button", "Create key").await;
        page.eval("history.back(); return true", vec![]).await;
        page.is_at("/settings/activity?kind=key").await;
        page.sees("Key “Nightly export” created").await;
        page.misses("Sign-in link created").await;
        page.open("/settings/activity").await;
        page.sees("Activity exported").await;
        for answer in &told[1..] {
            page.misses(answer).await;
        }
    })
    .await;
}
