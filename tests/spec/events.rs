//! §6 Events: no part of the interface given, so there is nothing at their usual paths.

use crate::app::App;
use contract::{Environment, Plan};

#[tokio::test]
async fn are_no_part_of_the_interface() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    for path in ["/v1/events", "/v1/webhooks"] {
        assert_eq!(app.get(&key, path).await.error(), (404, "not_found".to_owned()));
    }
}
