//! Detection of the server behind the gateway, and its capabilities.

use contract::Session;
use dashboard::api::Backend;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::pages::{foreign_session, session};

fn backend_of(session: &serde_json::Value) -> Backend {
    Backend::from_session(&serde_json::from_value::<Session>(session["data"].clone()).unwrap())
}

#[wasm_bindgen_test]
fn session_identifies_backend() {
    assert_eq!(backend_of(&session()), Backend::Sheaf);
    assert_eq!(backend_of(&foreign_session()), Backend::Specification);
}

#[wasm_bindgen_test]
fn sheaf_server_has_all_capabilities_and_others_none() {
    for (backend, absent) in [(Backend::Sheaf, "false"), (Backend::Specification, "true")] {
        let capabilities = format!("{:?}", backend.capabilities());
        assert!(!capabilities.contains(absent), "{capabilities}");
    }
}
