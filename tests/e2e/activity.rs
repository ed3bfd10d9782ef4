//! The activity: what an owner did is told, exported, and holds no answer.

use crate::harness::{Look, OWNER, Server, journey};

#[tokio::test]
async fn what_was_done_is_told_and_exported_without_answers() {
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

        // As the dashboard deletes, by way of the gateway.
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
        page.sees("Sign-in link made").await;
        let who = "return document.querySelector('.activity-who')?.innerText ?? false";
        let who = page.wait_for("who deleted it", who, vec![]).await;
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
            assert!(!file.contains(answer.as_str()), "{answer} stands in {file}");
        }
        page.reload().await;
        page.sees("Activity exported").await;

        // What is looked at stands in the URL: a reload and Back keep it, and a link brings it.
        page.open("/settings/activity?kind=key").await;
        page.sees("1 act").await;
        page.sees("Key “Nightly export” created").await;
        page.misses("Sign-in link made").await;
        page.reload().await;
        page.sees("1 act").await;
        page.is_at("/settings/activity?kind=key").await;
        page.click("link", "API keys").await;
        page.is_at("/settings/keys").await;
        page.find("button", "Create key").await;
        page.eval("history.back(); return true", vec![]).await;
        page.is_at("/settings/activity?kind=key").await;
        page.sees("Key “Nightly export” created").await;
        page.misses("Sign-in link made").await;
        page.open("/settings/activity").await;
        page.sees("Activity exported").await;
        for answer in &told[1..] {
            page.misses(answer).await;
        }
    })
    .await;
}
