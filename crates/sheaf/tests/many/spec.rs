//! Sections of the specification where an instance depends on the writes of another one,
//! tested through the balancer. `shared` tests the limits; `one_meaning` compares exports with
//! lists.

#[path = "../../../../tests/spec/authentication.rs"]
mod authentication;
#[path = "../../../../tests/spec/delete.rs"]
mod delete;
#[path = "../../../../tests/spec/list.rs"]
mod list;
#[path = "../../../../tests/spec/one_meaning.rs"]
mod one_meaning;
#[path = "../../../../tests/spec/states.rs"]
mod states;
