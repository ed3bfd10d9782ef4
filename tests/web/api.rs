//! Detection of the server behind the gateway, and its capabilities.

use contract::Session;
use dashboard::api::{Backend, Capabilities};
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
fn sheaf_server_has_all_capabilities() {
    let all = Capabilities {
        form_management: true,
        form_fields: true,
        api_keys: true,
        audit_log: true,
        trash: true,
        spam: true,
        bulk_moves: true,
        summaries: true,
        filtered_exports: true,
        filters_properties: true,
        triage: true,
        inbox: true,
        saved_views: true,
        public_origin: true,
    };
    assert_eq!(Backend::Sheaf.capabilities(), all);
}

#[wasm_bindgen_test]
fn specification_server_has_no_capabilities() {
    let none = Capabilities {
        form_management: false,
        form_fields: false,
        api_keys: false,
        audit_log: false,
        trash: false,
        spam: false,
        bulk_moves: false,
        summaries: false,
        filtered_exports: false,
        filters_properties: false,
        triage: false,
        inbox: false,
        saved_views: false,
        public_origin: false,
    };
    assert_eq!(Backend::Specification.capabilities(), none);
}
