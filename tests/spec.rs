#![cfg(not(target_arch = "wasm32"))]
//! The specification, executable: a module for each of its sections. Never looks behind the router.

use contract::id::FormId;

#[test]
fn a_form_id_has_its_own_prefix() {
    assert!("frm_1".parse::<FormId>().is_ok());
    assert!("sub_1".parse::<FormId>().is_err());
}
