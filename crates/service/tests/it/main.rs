//! The tests of the service from outside: one binary, a module for each part.

mod store;
