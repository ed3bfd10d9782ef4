//! Specification, section 7 (Errors), with a broken database.

use crate::app::{App, submission};
use serde_json::json;

#[tokio::test]
async fn server_error_hides_internal_details() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({}))]).await;
    app.break_database();
    for path in [
        format!("/v1/forms/{}/submissions", form.id),
        format!("/v1/forms/{}/submissions/export", form.id),
        "/v1/submissions/sub_1".to_owned(),
    ] {
        let answer = app.get(&key, &path).await;
        assert_eq!(answer.error(), (500, "internal_error".to_owned()), "{path}");
        assert!(!answer.body.contains("submissions") && !answer.body.contains("SQL"));
    }
}
