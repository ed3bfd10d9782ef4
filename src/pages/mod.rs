//! One module a page. Pages never import each other.

pub mod not_found;
pub mod sign_in;
