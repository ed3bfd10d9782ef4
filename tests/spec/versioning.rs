//! Specification, section 9 (Versioning).

use crate::app::App;
use contract::{Environment, Plan};

#[tokio::test]
async fn endpoints_exist_only_under_v1() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    let list = format!("/forms/{}/submissions", form.id);
    assert_eq!(app.get(&key, &format!("/v1{list}")).await.status, 200);
    for prefix in ["", "/v2", "/V1", "/v1.0", "/api/v1"] {
        let answer = app.get(&key, &format!("{prefix}{list}")).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{prefix}");
    }
}
