//! Specification, section 9 (Versioning).

use crate::app::App;

#[tokio::test]
async fn endpoints_exist_only_under_v1() {
    let (app, key, form) = App::with_form(&[]).await;
    let list = format!("/forms/{}/submissions", form.id);
    assert_eq!(app.get(&key, &format!("/v1{list}")).await.status, 200);
    for prefix in ["", "/v2", "/V1", "/v1.0", "/api/v1"] {
        let answer = app.get(&key, &format!("{prefix}{list}")).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{prefix}");
    }
}
