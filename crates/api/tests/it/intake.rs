//! Submissions to `/f/{form_id}`, through the real router over a real database.

mod alike;
mod closed;
mod form_settings;
mod html;
mod json;
mod learn;
mod metadata;
mod repeat;
mod spam;

use crate::app::{App, TestKey, TestResponse, read};
use axum::body::Body;
use axum::extract::ConnectInfo;
use contract::{AccountId, Environment, Form, Plan};
use http::Request;
use serde_json::Value;
use std::net::SocketAddr;
use tower::ServiceExt;

/// A service with one form, its owner and a key that can read it.
pub(crate) struct ServiceWithForm {
    pub(crate) app: App,
    pub(crate) owner: AccountId,
    pub(crate) form: Form,
    pub(crate) key: TestKey,
}

impl ServiceWithForm {
    /// Starts with a form that has fields of these names.
    pub(crate) async fn with_fields(names: &[&str]) -> Self {
        let app = App::start().await;
        let owner = app.account(Plan::Enterprise).await;
        let form = app.form(&owner, Environment::Live, names).await;
        let key = app.key(&owner, Environment::Live).await;
        Self { app, owner, form, key }
    }

    /// Starts with a form that has the fields `name` and `note`.
    pub(crate) async fn start() -> Self {
        Self::with_fields(&["name", "note"]).await
    }

    /// Sends a request to the form.
    pub(crate) async fn send(
        &self,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> TestResponse {
        self.send_to(self.form.id.as_str(), "192.0.2.1:7", headers, body).await
    }

    /// Sends a request to a form from an address.
    pub(crate) async fn send_to(
        &self,
        form: &str,
        from: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> TestResponse {
        let mut request = Request::post(format!("/f/{form}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer: SocketAddr = from.parse().unwrap();
        let request = request.extension(ConnectInfo(peer)).body(body.into()).unwrap();
        let router = api::intake_router(self.app.service.clone());
        read(router.oneshot(request).await.unwrap()).await
    }

    /// Sends JSON.
    pub(crate) async fn post(&self, json: &str) -> TestResponse {
        self.send(&[("content-type", "application/json")], json.to_owned()).await
    }

    /// Sends JSON that must be accepted, and returns the submission as the API returns it.
    pub(crate) async fn submit_json(&self, json: &str) -> Value {
        self.get(&self.post(json).await).await
    }

    /// Returns the submission that was acknowledged.
    pub(crate) async fn get(&self, answer: &TestResponse) -> Value {
        assert_eq!(answer.status, 201, "{}", answer.body);
        let id = answer.json()["data"]["id"].as_str().unwrap().to_owned();
        let stored = self.app.get(&self.key, &format!("/v1/submissions/{id}")).await;
        assert_eq!(stored.status, 200, "{}", stored.body);
        stored.json()["data"].clone()
    }

    /// Returns the number of submissions of the form.
    pub(crate) async fn count_submissions(&self) -> u64 {
        let path = format!("/v1/forms/{}/submissions?limit=1", self.form.id);
        self.app.get(&self.key, &path).await.json()["pagination"]["total"].as_u64().unwrap()
    }

    /// Advances the clock by a second, after which the cache is stale and bursts are over.
    pub(crate) fn advance_second(&self) {
        self.app.clock.advance_ms(1000);
    }
}
