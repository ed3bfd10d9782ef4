//! The specification's own tests, through the balancer. Left out are limits and exports, which move or
//! name the hour, and what breaks the database under all; of the limits, `shared` has what is of
//! several instances, and `one_meaning` holds exports to lists.

#[path = "../../../../tests/spec/authentication.rs"]
mod authentication;
#[path = "../../../../tests/spec/delete.rs"]
mod delete;
#[path = "../../../../tests/spec/errors.rs"]
mod errors;
#[path = "../../../../tests/spec/events.rs"]
mod events;
#[path = "../../../../tests/spec/get.rs"]
mod get;
#[path = "../../../../tests/spec/list.rs"]
mod list;
#[path = "../../../../tests/spec/one_meaning.rs"]
mod one_meaning;
#[path = "../../../../tests/spec/resources.rs"]
mod resources;
#[path = "../../../../tests/spec/states.rs"]
mod states;
#[path = "../../../../tests/spec/versioning.rs"]
mod versioning;
