//! Specification, section 6 (Events). Events are not part of the interface, so their usual paths
//! return 404.

use crate::app::App;
use contract::{Environment, Plan};

#[tokio::test]
async fn event_paths_return_404() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    for path in ["/v1/events", "/v1/webhooks"] {
        assert_eq!(app.get(&key, path).await.error(), (404, "not_found".to_owned()));
    }
}
